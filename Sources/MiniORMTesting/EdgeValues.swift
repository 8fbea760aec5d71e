import Foundation
import MiniORM

/// Valid and extreme values of a column's format.
struct EdgeValues {
  let format: ColumnFormat
  /// The Swift type of the format, if a model of the schema has it.
  let type: (any ColumnValue.Type)?

  /// The values, without NULL. Empty if no value is known that the type can read.
  var values: [DatabaseValue] {
    if let cases = (type as? any CaseIterable.Type).map({ Self.cases($0) }) { return cases }
    return list.filter(isReadable)
  }

  /// A value that differs for each number; nil if no such value is known.
  func distinct(_ number: Int) -> DatabaseValue? {
    let value: DatabaseValue? =
      switch format.kind {
      case .integer, .custom(.integer), .scaled: .integer(Int64(number % 100))
      case .text, .custom(.text): .text("text \(number)")
      case .blob, .custom(.blob): .blob(Array("\(number)".utf8))
      default: nil
      }
    return value.flatMap { isReadable($0) ? $0 : nil }
  }

  func isReadable(_ value: DatabaseValue) -> Bool {
    type.map { (try? value.value(as: $0)) != nil } ?? true
  }

  private static func cases<Type: CaseIterable>(_ type: Type.Type) -> [DatabaseValue] {
    type.allCases.compactMap { value in
      (value as? any ColumnValue).flatMap { try? DatabaseValue(storing: $0) }
    }
  }

  private var list: [DatabaseValue] {
    switch format.kind {
    case .bool: return [.integer(0), .integer(1)]
    case .integer: return Self.integers(String(format.name.string.prefix { $0 != " " }))
    case .custom(.integer): return Self.integers("int64")
    // No double equals the last number.
    case .scaled: return [0, 1, -1, 100_000, 9_007_199_254_740_993].map { .integer($0) }
    case .double, .float, .custom(.real):
      let numbers = [0, -0.5, 0.1, 1024.25, 1e15, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
      return numbers.map { .real($0) }
    case .date, .iso8601, .textSeconds, .unixSecondsReal, .unixMilliseconds, .unixSeconds:
      // Times before 1970, a leap day, the first and the last second, and a fraction.
      return [0, -1, 951_782_400, -62_135_596_800, 253_402_300_799, 1_795_967_999.999].compactMap {
        stored(Date(timeIntervalSince1970: $0))
      }
    case .uuid, .uuidBytes, .uppercaseUUID:
      let texts = "0123456789ABCDEF".map { "DEADBEEF-0000-4000-8000-00000000000\($0)" }
      return texts.compactMap { UUID(uuidString: $0) }.compactMap { stored($0) }
    case .decimal:
      return ["0", "1.5", "-0.01", "123456789012345678901234567.89"].map { .text($0) }
    case .text, .custom(.text): return Self.texts
    case .otherText:
      let urls = ["https://example.com/", "file:///a%20b?c=d#e"]
      let json = ["[]", "{}", "\"é\"", "1", "[1]", "[\"a\",\"b\"]", "{\"a\":1}", "true", "null"]
      return (format.name == "url" ? urls : json).map { .text($0) }
    case .blob, .custom(.blob):
      return [[], [0], Array(0...255), [UInt8](repeating: 7, count: 5_000)].map { .blob($0) }
    case .any, .custom(.any), .unknown:
      return [.integer(1), .real(0.5), .text("1"), .blob([1])]
    }
  }

  static let texts: [DatabaseValue] = [
    "", "a", "Zoë's \"café\"; --", "a\0b", "👩‍👩‍👧 🇪🇺", " \n\t", "00012",
    String(repeating: "long ", count: 1_000),
  ].map { .text($0) }

  private static func integers(_ word: String) -> [DatabaseValue] {
    let bits = Int(word.drop { !$0.isNumber }) ?? 64
    let isSigned = !word.startsWithBytes(of: "u")
    let greatest = Int64.max >> (64 - (isSigned || bits >= 64 ? min(bits, 64) : bits + 1))
    let values = [0, 1, 2, 100, greatest] + (isSigned ? [-1, -greatest - 1] : [])
    return values.map { .integer($0) }
  }

  /// Returns a value of a type that has several formats in this format, if it has an equal value.
  private func stored(_ value: some ColumnValue) -> DatabaseValue? {
    let source = ColumnFormat(of: Swift.type(of: value))
    let stored = try? DatabaseValue(storing: value)
    return source == format ? stored : stored.flatMap { source.convert($0, to: format) }
  }
}

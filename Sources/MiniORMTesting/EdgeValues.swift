import Foundation
import MiniORM

/// Valid and extreme values of a column's format.
struct EdgeValues {
  let format: ColumnFormat
  /// The Swift type of the format, if a model of the schema has it.
  let type: (any ColumnValue.Type)?

  /// Reproducible random numbers.
  ///
  /// See [SplitMix64](https://prng.di.unimi.it/splitmix64.c).
  struct Random: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// The values, without NULL. Empty if no value is known that the type can read.
  func values(_ random: inout Random) -> [DatabaseValue] {
    if let cases = (type as? any CaseIterable.Type).map({ Self.cases($0) }) { return cases }
    return list(&random).filter(isReadable)
  }

  /// A value that differs for each number.
  func distinct(_ number: Int, _ random: inout Random) -> DatabaseValue {
    switch format.kind {
    case .date, .iso8601, .unixSeconds, .unixSecondsReal, .unixMilliseconds:
      store(Date(timeIntervalSince1970: 86_400 * Double(number)))
    case .uuid, .uuidBytes, .uppercaseUUID: store(Self.uuid(&random))
    case .double, .float: .real(Double(number) + 0.5)
    case .decimal: .text("\(number).5")
    case .text, .custom(.text): .text("text \(number)")
    case .otherText where format.name == "url": .text("https://example.com/\(number)")
    case .otherText: .text("\(number)")
    case .blob, .custom(.blob): .blob(Array("\(number)".utf8))
    default: .integer(Int64(number % 100))
    }
  }

  func isReadable(_ value: DatabaseValue) -> Bool {
    func reads<Value: ColumnValue>(_ type: Value.Type) -> Bool {
      (try? value.value(as: type)) != nil
    }
    return type.map { reads($0) } ?? true
  }

  private static func cases<Type: CaseIterable>(_ type: Type.Type) -> [DatabaseValue] {
    type.allCases.compactMap { value in
      (value as? any ColumnValue).flatMap { try? DatabaseValue(storing: $0) }
    }
  }

  private func list(_ random: inout Random) -> [DatabaseValue] {
    switch format.kind {
    case .bool: return [.integer(0), .integer(1)]
    case .integer: return Self.integers(String(format.name.string.prefix { $0 != " " }))
    case .scaled(let digits):
      return [0, 1, -1, 100 * Int64(pow(10, Double(digits))), 9_007_199_254_740_993].map {
        .integer($0)
      }
    case .double:
      return [0, -0.5, 0.1, 1e15, .greatestFiniteMagnitude, .leastNonzeroMagnitude].map {
        .real($0)
      }
    case .float: return [0, -0.5, 1024.25, Double(Float.greatestFiniteMagnitude)].map { .real($0) }
    case .date, .iso8601, .unixSecondsReal, .unixMilliseconds, .unixSeconds:
      // The first and the last day of the calendar, times before 1970, and a leap day.
      let dates = [0, -1, 951_782_400, -62_135_596_800, 253_402_300_799].map {
        Date(timeIntervalSince1970: $0)
      }
      let hasFraction = format.kind != .unixSeconds
      let moment = Date(timeIntervalSince1970: 1_795_967_999.999)
      return (dates + (hasFraction ? [moment] : [])).map { store($0) }
    case .uuid, .uuidBytes, .uppercaseUUID:
      let bytes = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      return [store(bytes), store(Self.uuid(&random)), store(Self.uuid(&random))]
    case .decimal:
      return ["0", "1.5", "-0.01", "123456789012345678901234567.89"].map { .text($0) }
    case .text, .custom(.text): return Self.texts
    case .otherText where format.name == "url":
      return ["https://example.com/", "file:///a%20b?c=d#e"].map { .text($0) }
    case .otherText:
      return ["[]", "{}", "\"é\"", "1", "[1]", "[\"a\",\"b\"]", "{\"a\":1}", "true", "null"].map {
        .text($0)
      }
    case .blob, .custom(.blob):
      return [[], [0], Array(0...255), [UInt8](repeating: 7, count: 5_000)].map { .blob($0) }
    case .custom(.real): return [.real(0), .real(-0.5), .real(1e15)]
    case .custom(.integer): return Self.integers("int64")
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

  private static func uuid(_ random: inout Random) -> UUID {
    var bytes = (random.next(), random.next())
    return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }

  private func store(_ date: Date) -> DatabaseValue {
    let value: any ColumnValue =
      switch format.kind {
      case .iso8601: ISO8601Date(date)
      case .unixSeconds: UnixSeconds(date)
      case .unixSecondsReal: UnixSecondsReal(date)
      case .unixMilliseconds: UnixMilliseconds(date)
      default: date
      }
    return (try? DatabaseValue(storing: value)) ?? .null
  }

  private func store(_ uuid: UUID) -> DatabaseValue {
    let value: any ColumnValue =
      switch format.kind {
      case .uuidBytes: UUIDBytes(uuid)
      case .uppercaseUUID: UppercaseUUID(uuid)
      default: uuid
      }
    return (try? DatabaseValue(storing: value)) ?? .null
  }
}

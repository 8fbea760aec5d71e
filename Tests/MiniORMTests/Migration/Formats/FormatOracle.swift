import Foundation

@testable import MiniORM

/// The meaning of a value, independent of its storage format. It shares no code with the library.
enum FormatMeaning: Equatable {
  case none
  /// The shortest digits without trailing zeros, and the exponent.
  case number(digits: String, exponent: Int)
  case text(String)
  case moment(Double)
  case uuid(UUID)
  case bytes([UInt8])
}

private protocol AnyOptional {
  var unwrapped: Any? { get }
}
extension Optional: AnyOptional {
  fileprivate var unwrapped: Any? { self }
}

extension FormatMeaning {
  init(_ value: Any) {
    guard let value = (value as? any AnyOptional).map(\.unwrapped) ?? value else {
      self = .none
      return
    }
    switch value {
    case let value as any BinaryInteger: self = Self.number("\(value)") ?? .text("\(value)")
    case let value as Bool: self = Self.number(value ? "1" : "0") ?? .none
    case let value as Double: self = Self.number(value.description) ?? .text(value.description)
    case let value as Float: self = FormatMeaning(Double(value))
    case let value as Decimal: self = Self.number(value.description) ?? .text(value.description)
    case let value as String: self = .text(value)
    case let value as Data: self = .bytes([UInt8](value))
    case let value as Date: self = .moment(value.timeIntervalSinceReferenceDate)
    case let value as UUID: self = .uuid(value)
    case let value as URL: self = .text(value.absoluteString)
    case let value as FormatSize: self = .text(value.rawValue)
    case let value as FormatName: self = .text(value.rawValue)
    case let value as FormatLevel: self = FormatMeaning(value.rawValue)
    case let value as FormatCount: self = FormatMeaning(value.number)
    case let value as FormatCelsius: self = FormatMeaning(value.degrees)
    case let value as [Int]:
      self = .text("[\(value.map(String.init).joined(separator: ","))]")
    case let value as [String]: self = .text("\(value)")
    case let value as FormatPoint: self = .text("{\"x\":\(value.x)}")
    case let value as DatabaseValue:
      switch value {
      case .null: self = .none
      case .integer(let value): self = FormatMeaning(value)
      case .real(let value): self = FormatMeaning(value)
      case .text(let value): self = .text(value)
      case .blob(let value): self = .bytes(value)
      }
    default: self = .text("unknown \(String(describing: value))")
    }
  }

  /// Parses decimal digits with a point and an exponent.
  static func number(_ text: String) -> FormatMeaning? {
    var text = Substring(text.lowercased())
    let isNegative = text.first == "-"
    if isNegative || text.first == "+" { text.removeFirst() }
    var exponent = 0
    if let mark = text.firstIndex(of: "e") {
      guard let power = Int(text[text.index(after: mark)...]) else { return nil }
      exponent = power
      text = text[..<mark]
    }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : ""
    var digits = parts[0] + fraction
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    exponent -= fraction.count
    while digits.last == "0", digits.count > 1 {
      digits.removeLast()
      exponent += 1
    }
    while digits.first == "0", digits.count > 1 { digits.removeFirst() }
    if digits == "0" { return .number(digits: "0", exponent: 0) }
    return .number(digits: (isNegative ? "-" : "") + digits, exponent: exponent)
  }

  /// Returns true if two values have the same meaning in different formats: a text may spell a
  /// number or a date, and bytes may be a UUID.
  func isSame(as other: FormatMeaning) -> Bool {
    switch (self, other) {
    case (.text(let text), .number), (.number, .text(let text)):
      return Self.number(text).map { number in
        [self, other].contains { $0.isSameNumber(as: number) }
      } ?? false
    case (.number, .number): return isSameNumber(as: other)
    case (.text(let text), .moment(let moment)), (.moment(let moment), .text(let text)):
      return Date(iso8601: text)?.timeIntervalSinceReferenceDate == moment
    case (.text(let text), .uuid(let uuid)), (.uuid(let uuid), .text(let text)):
      return UUID(uuidString: text) == uuid
    case (.bytes(let bytes), .uuid(let uuid)), (.uuid(let uuid), .bytes(let bytes)):
      return withUnsafeBytes(of: uuid.uuid) { $0.elementsEqual(bytes) }
    default: return self == other || (isJSON && other.isJSON && same(as: other))
    }
  }

  /// The nearest double.
  private var double: Double? {
    guard case .number(let digits, let exponent) = self else { return nil }
    return Double("\(digits)e\(exponent)")
  }

  /// Returns true if two numbers are equal. The same double can have different digits: SQLite
  /// prints 15 digits of a subnormal number, and the shortest digits of a double above 2^53 are
  /// rounded.
  private func isSameNumber(as other: FormatMeaning) -> Bool {
    guard self != other else { return true }
    guard let left = double, let right = other.double, left == right else { return false }
    if abs(left) < .leastNormalMagnitude { return true }
    let isLeft = Self.number(left.description) == self
    let isRight = Self.number(right.description) == other
    let integers = [self, other].map { number -> Int64? in
      guard case .number(let digits, let exponent) = number, (0...18).contains(exponent) else {
        return nil
      }
      return Int64(digits + String(repeating: "0", count: exponent))
    }
    // A double's shortest digits equal an integer if the double is exactly that integer.
    return isRight && integers[0] != nil && Int64(exactly: right) == integers[0]
      || isLeft && integers[1] != nil && Int64(exactly: left) == integers[1]
  }

  private var isJSON: Bool { if case .text = self { true } else { false } }

  /// Compares JSON without its white space.
  private func same(as other: FormatMeaning) -> Bool {
    guard case .text(let left) = self, case .text(let right) = other else { return false }
    return left.filter { !$0.isWhitespace } == right.filter { !$0.isWhitespace }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: ColumnValue {
  /// BLOB.
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB; an empty one is empty data.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { bytes in
      bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
  }

  /// Binds the bytes as a BLOB; no bytes are an empty one, not NULL.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    let failure = withUnsafeBytes { bytes -> DatabaseError? in
      do throws(DatabaseError) {
        try parameter.bind(bytes)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}

extension UUID: ColumnValue {
  /// TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT of the usual 36 characters, in either case.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let uuid = UUID(uuidString: try cell.text()) else {
      throw cell.invalid("The text is no UUID")
    }
    self = uuid
  }

  /// Binds the usual 36 characters in lower case, as SQLite's own extensions write them.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(uuidString.lowercased())
  }
}

extension URL: ColumnValue {
  /// TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT that is a URL; other text throws.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let url = URL(string: try cell.text()) else { throw cell.invalid("The text is no URL") }
    self = url
  }

  /// Binds the absolute URL: a relative one and its base are joined.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(absoluteString)
  }
}

extension Decimal: ColumnValue {
  /// TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT that is a decimal number, all its digits kept: more of them than a Decimal holds
  /// throw.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let text = try cell.text()
    // Decimal's parser stops without a word at the first character that it does not know.
    guard Self.isNumber(text), let value = Decimal(string: text),
      Self.significantDigits(text) == Self.significantDigits(value.description)
    else {
      throw cell.invalid("The text is no decimal number, or has more digits than a Decimal")
    }
    self = value
  }

  /// Binds the number as text, so that no digit is lost; NaN is refused.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard !isNaN else { throw parameter.invalid("Decimal.nan cannot be stored") }
    try parameter.bind(description)
  }

  /// The digits without the zeros at both ends: Decimal's parser drops what it has no room for.
  private static func significantDigits(_ text: String) -> [UInt8] {
    let mantissa = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    var digits = mantissa.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return Array(digits.drop { $0 == UInt8(ascii: "0") })
  }

  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    var digits = whole.count
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      digits += fraction.count
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard digits > 0 else { return false }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard !rest.isEmpty else { return false }
    }
    return rest.allSatisfy(isDigit)
  }
}

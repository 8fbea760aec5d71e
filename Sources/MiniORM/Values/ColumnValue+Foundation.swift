#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: ColumnValue {
  /// BLOB.
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB; an empty one becomes empty data.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { bytes in
      bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
  }

  /// Binds the bytes as a BLOB; empty data binds an empty one, not NULL.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(lentBy: { withUnsafeBytes($0) })
  }
}

extension UUID: ColumnValue {
  /// TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT of the usual 36 characters, in either case.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let uuid = try cell.withTextBytes({ UUID(text: $0) }) else {
      _ = try cell.text()  // throws for another storage class
      throw cell.invalid("The text is no UUID")
    }
    self = uuid
  }

  /// Binds the usual 36 characters in lower case, as SQLite's own extensions write them.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(text)
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

  /// Reads a TEXT that is a decimal number, with all its digits; more digits than a Decimal holds
  /// throw.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let text = try cell.text()
    // Decimal's parser silently stops at the first character that it does not know.
    guard let number = DecimalText(text.utf8), let value = Decimal(string: text),
      number == DecimalText(value.description.utf8)
    else {
      throw cell.invalid("The text is no decimal number, or has more digits than a Decimal")
    }
    self = value
  }

  /// Binds the number as text, so that no digit is lost; NaN is refused.
  ///
  /// For money, ``ScaledDecimal``, `@Column(as: .decimal(scale: 2))`, is the better choice.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard !isNaN else { throw parameter.invalid("Decimal.nan cannot be stored") }
    try parameter.bind(description)
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: ColumnValue {
  /// The declared type: BLOB.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB. An empty BLOB becomes empty data.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { bytes in
      bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
  }

  /// Binds the bytes as a BLOB. Empty data binds an empty BLOB, not NULL.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(bytesIn: { withUnsafeBytes($0) })
  }
}

extension UUID: ColumnValue {
  /// Raw SQL names the format.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = _SeveralStoredFormats

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT of the standard 36 characters, in uppercase or lowercase.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let uuid = try cell.withTextBytes({ UUID(text: $0) }) else {
      _ = try cell.text()  // throws for a different storage class
      throw cell.invalid("The text is not a UUID")
    }
    self = uuid
  }

  /// Binds the standard 36 characters in lowercase, like SQLite's own extensions.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(text)
  }
}

extension URL: ColumnValue {
  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT that is a URL. Any other text throws.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let url = URL(string: try cell.text()) else {
      throw cell.invalid("The text is not a URL")
    }
    self = url
  }

  /// Binds the absolute URL. A relative URL is resolved against its base.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(absoluteString)
  }
}

extension Decimal: ColumnValue {
  /// Raw SQL names the format.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = _SeveralStoredFormats

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT that is a decimal number. A number with more digits than a Decimal holds throws.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let text = try cell.text()
    // Decimal's parser silently stops at the first unexpected character.
    guard let number = DecimalText(text.utf8), let value = Decimal(string: text),
      number == DecimalText(value.description.utf8)
    else {
      throw cell.invalid("The text is not a decimal number, or has more digits than a Decimal")
    }
    self = value
  }

  /// Binds the number as text, so that no digit is lost. NaN throws.
  ///
  /// For money, prefer ``ScaledDecimal``: `@Column(as: .decimal(scale: 2))`.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard !isNaN else {
      throw parameter.invalid("Decimal.nan cannot be stored: use an Optional for a missing number")
    }
    try parameter.bind(description)
  }
}

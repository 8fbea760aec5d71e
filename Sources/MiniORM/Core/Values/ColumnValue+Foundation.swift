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

extension Date: ColumnValue {
  /// Raw SQL names the format.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = _SeveralStoredFormats

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT such as `2026-11-21 10:04:58.123`, with `T` or a space as the separator. The
  /// time, or its seconds, may be missing. Without a zone (`Z`, `+01:00`), the time is UTC. Up to
  /// three decimals of a second give the date that `Date(timeIntervalSince1970:)` creates from the
  /// milliseconds.
  ///
  /// See [Time Values](https://www.sqlite.org/lang_datefunc.html#time_values).
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let date = try cell.withTextBytes({ Date(iso8601: $0) }) else {
      _ = try cell.text()  // throws for a different storage class
      throw cell.invalid("The text is not an ISO 8601 date")
    }
    self = date
  }

  /// Binds ISO 8601 text in UTC, as SQLite's own functions write dates: three decimals of a second
  /// for a date that `Date(timeIntervalSince1970:)` creates from whole milliseconds, and more if an
  /// equal date requires them. Texts sort in the order of their dates, except for dates that differ
  /// by less than a microsecond.
  /// - Throws: ``DatabaseError`` with the operation `bind` for a date outside the years 0000 to
  ///   9999.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard let text = iso8601 else {
      throw parameter.invalid(Self.noText)
    }
    try parameter.bind(text)
  }

  static let noText =
    "A date outside the years 0 to 9999 has no ISO 8601 text: store it with @Column(as: .unixSeconds)"
}

extension Date: TimeStored {
  static var dates: DateStorage { .text }
  static var currentTime: String { "strftime('%Y-%m-%d %H:%M:%f', 'now')" }
  init(date: Date) { self = date }
  var date: Date { self }
}

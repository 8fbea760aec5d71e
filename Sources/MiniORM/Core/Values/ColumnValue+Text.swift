extension String: ColumnValue {
  /// The declared type: TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT, including NUL characters. Bytes that are not UTF-8 throw.
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) { self = try cell.text() }

  /// Binds the text, including NUL characters.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(self)
  }
}

extension Array: ColumnValue where Element == UInt8 {
  /// The declared type: BLOB.
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB. An empty BLOB becomes an empty array.
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { [UInt8]($0) }
  }

  /// Binds the bytes as a BLOB. An empty array binds an empty BLOB, not NULL.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(lentBy: { withUnsafeBytes($0) })
  }
}

extension String: ColumnValue {
  /// TEXT.
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT, NUL characters included; bytes that are not UTF-8 throw.
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) { self = try cell.text() }

  /// Binds the text, NUL characters included.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(self)
  }
}

extension Array: ColumnValue where Element == UInt8 {
  /// BLOB.
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB; an empty one becomes an empty array.
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { [UInt8]($0) }
  }

  /// Binds the bytes as a BLOB; an empty array binds an empty one, not NULL.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(lentBy: { withUnsafeBytes($0) })
  }
}

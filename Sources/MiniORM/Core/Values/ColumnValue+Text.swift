extension String: ColumnValue {
  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT, including NUL characters. Bytes that are not UTF-8 throw.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) { self = try cell.text() }

  /// Binds the text, including NUL characters.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(self)
  }
}

extension Array: ColumnValue where Element == UInt8 {
  /// The declared type: BLOB.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB. An empty BLOB becomes an empty array.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self = try cell.withBlob { [UInt8]($0) }
  }

  /// Binds the bytes as a BLOB. An empty array binds an empty BLOB, not NULL.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(bytesIn: { withUnsafeBytes($0) })
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The column type of the wrapped type.
  @inlinable
  public static var columnType: ColumnType { Wrapped.columnType }

  /// `true`: `nil` is NULL.
  @inlinable
  public static var isNullable: Bool { true }

  /// Reads NULL as `nil`, and any other value as the wrapped type.
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    if cell.isNull { self = nil } else { self = try Wrapped(cell: cell) }
  }

  /// Binds the wrapped value, or NULL for `nil`.
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    if let value = self { try value.bind(to: parameter) } else { try parameter.bindNull() }
  }
}

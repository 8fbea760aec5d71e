extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The column type of the raw value.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { RawValue.columnType }

  /// Reads the raw value. An invalid raw value throws.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let value = Self(rawValue: try RawValue(cell: cell)) else {
      throw cell.invalid("The stored value is not a raw value of \(Self.self)")
    }
    self = value
  }

  /// Binds the raw value.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try rawValue.bind(to: parameter)
  }
}

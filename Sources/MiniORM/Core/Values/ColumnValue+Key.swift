// A type that wraps an Int64, such as `struct ID: RawRepresentable`. An enumeration has a raw value
// of Int instead, and no database can choose among its cases.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The choice of the draft for a key of this type.
  public typealias _Key = RawValue._WrappedKey
}

extension ColumnValue where Self: FixedWidthInteger {
  /// The database assigns a key of an integer type.
  public typealias _Key = _AssignedKey
}

extension Int64 {
  /// The database assigns a key whose type wraps this type.
  public typealias _WrappedKey = _AssignedKey
}

// The database assigns a key that is an integer or wraps an Int64, such as `struct ID:
// RawRepresentable`, but not a key that wraps an Int, the usual raw value of an enumeration: an
// assigned number need not be a case.

// In an extension of `ColumnValue`, both type aliases would be ambiguous.
extension RawRepresentable where RawValue: ColumnValue {
  /// Selects the draft for a key of this type.
  public typealias _Key = RawValue._WrappedKey
}

extension FixedWidthInteger {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int64 {
  /// The database assigns a key whose type wraps this type.
  public typealias _WrappedKey = _AssignedKey
}

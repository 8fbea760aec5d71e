// The database assigns a key that wraps an Int64, such as `struct ID: RawRepresentable`, but not a
// key that wraps an Int, the usual raw value of an enumeration: an assigned number need not be a
// case.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// Selects the draft for a key of this type.
  public typealias _Key = RawValue._WrappedKey
}

// An extension of each type: a typealias in a constrained extension would be ambiguous in an
// enumeration with raw values.

extension Int {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int8 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int16 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int32 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension Int64 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
  /// The database assigns a key whose type wraps this type.
  public typealias _WrappedKey = _AssignedKey
}

extension UInt {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension UInt8 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension UInt16 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension UInt32 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

extension UInt64 {
  /// The database assigns a key of this type.
  public typealias _Key = _AssignedKey
}

// `@Table` sees the name of a key's type, but does not resolve a type alias such as
// `typealias ID = Int64`. Therefore, the type itself selects the model's draft.

/// The choice of a draft with the key.
public enum _GivenKey {
  /// The draft for a key of this kind.
  public typealias _Draft<Keyless, Keyed> = Keyed
}

/// The choice of a draft without the key, which the database assigns.
public enum _AssignedKey {
  /// The draft for a key of this kind.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

// A type that wraps an Int64, such as `struct ID: RawRepresentable`. An enumeration has a raw value
// of Int instead, and no database can choose among its cases.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The choice of the draft for a key of this type.
  public typealias _Key = RawValue._WrappedKey
}

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

// `@Table` does not resolve a type alias such as `typealias ID = Int64`, so the type itself selects
// the model's draft. A type's own member takes precedence over the protocol's.

extension ColumnValue {
  /// The draft for a key of this type, with the key.
  public typealias _Draft<Keyless, Keyed> = Keyed
}

extension Int {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int8 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int16 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int32 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int64 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt8 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt16 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt32 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt64 {
  /// The draft without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

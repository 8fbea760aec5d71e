// `@Table` sees the name of a key's type and not what it stands for: `typealias ID = Int64`. So the
// type chooses the model's draft. A type's own member takes precedence over that of its protocol.

extension ColumnValue {
  /// The draft of a model whose key is of this type: with the key.
  public typealias _Draft<Keyless, Keyed> = Keyed
}

extension Int {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int8 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int16 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int32 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension Int64 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt8 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt16 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt32 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

extension UInt64 {
  /// The draft of a model whose key is of this type: without the key, which the database assigns.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

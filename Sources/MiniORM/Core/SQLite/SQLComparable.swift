/// A type whose stored values SQLite can order, for `<`, `between` and `isIn`. Every
/// ``ColumnValue`` conforms.
///
/// A type with a custom ``ColumnRepresentation`` can declare conformance if its stored values sort
/// in the order of the type:
///
/// ```swift
/// extension Money: SQLComparable {}
/// ```
public protocol SQLComparable {
  /// The result type of a comparison: `Bool`, or `Bool?` if a value can be NULL.
  // Not named `Truth`, because an associated type would hide an application type of that name.
  associatedtype SQLTruth: SQLBoolean = Bool
  /// The type without its optionals.
  associatedtype SQLUnwrapped = Self
}
extension Array: SQLComparable where Element == UInt8 {}
extension Optional: SQLComparable where Wrapped: SQLComparable {
  /// A comparison with NULL is NULL.
  @_documentation(visibility: internal)
  public typealias SQLTruth = Bool?
  /// The innermost wrapped type.
  @_documentation(visibility: internal)
  public typealias SQLUnwrapped = Wrapped.SQLUnwrapped
}

/// The type of a condition: `Bool`, or `Bool?` if SQLite may return NULL.
public protocol SQLBoolean: ColumnValue {
  /// The type of a count with this ``SQLComparable/SQLTruth``: `Int`, or `Int?` for an optional.
  associatedtype SQLCount: ColumnValue
}
extension Bool: SQLBoolean {
  /// The count of a value that cannot be NULL.
  @_documentation(visibility: internal)
  public typealias SQLCount = Int
}
extension Optional: SQLBoolean where Wrapped == Bool {
  /// The count of a value that can be NULL.
  @_documentation(visibility: internal)
  public typealias SQLCount = Int?
}

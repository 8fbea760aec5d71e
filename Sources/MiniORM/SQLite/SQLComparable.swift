/// What SQLite compares by less and greater, so that a column of it can stand beside `<`, `between` and
/// `isIn`: every ``ColumnValue``.
///
/// A type that is stored through a ``ColumnRepresentation`` of yours, and is no ``ColumnValue`` itself,
/// conforms by saying so, where what is stored has the order of its values:
///
/// ```swift
/// extension Money: SQLComparable {}
/// ```
public protocol SQLComparable {
  /// What a comparison gives: `Bool`, or `Bool?` where a value can be NULL.
  // Not called `Truth`: it is a member of every application's type, and would hide one of that name.
  associatedtype SQLTruth: SQLBoolean = Bool
  /// The type itself, or what it wraps where it is an optional.
  associatedtype SQLUnwrapped = Self
}
extension Array: SQLComparable where Element == UInt8 {}
extension Optional: SQLComparable where Wrapped: SQLComparable {
  /// A comparison with NULL is NULL.
  public typealias SQLTruth = Bool?
  /// The type that is wrapped, however often.
  public typealias SQLUnwrapped = Wrapped.SQLUnwrapped
}

/// `Bool`, or an optional one where SQLite may answer NULL: what a condition is.
public protocol SQLBoolean: ColumnValue {
  /// What counts something of a value with such a ``SQLComparable/SQLTruth``: `Int`, or `Int?` where the value
  /// can be NULL.
  associatedtype SQLCount: ColumnValue
}
extension Bool: SQLBoolean {
  /// A count of what is not NULL.
  public typealias SQLCount = Int
}
extension Optional: SQLBoolean where Wrapped == Bool {
  /// A count of what can be NULL.
  public typealias SQLCount = Int?
}

/// A type whose values a column can store.
///
/// Integers, `Bool`, floating-point numbers, `String`, `Data`, `[UInt8]`, `Date`, `UUID`, `URL`,
/// `Decimal` and their optionals conform: <doc:DefiningModels#Column-types> lists how each is
/// stored. An enumeration with raw values conforms by declaration, and is stored as its raw value:
///
/// ```swift
/// enum Size: String, ColumnValue { case small, large }
/// ```
///
/// A custom type reads and binds its stored value:
///
/// ```swift
/// struct Celsius: ColumnValue {
///   var degrees: Double
///   static var columnType: ColumnType { .real }
///   init(cell: borrowing Cell) throws(DatabaseError) { degrees = try Double(cell: cell) }
///   func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
///     try degrees.bind(to: parameter)
///   }
/// }
/// ```
public protocol ColumnValue: SQLComparable, Sendable {
  /// Selects the draft of a model whose key has this type.
  associatedtype _Key = _GivenKey
  /// Selects the draft of a model whose key has a type that wraps this type.
  associatedtype _WrappedKey = _GivenKey
  /// Decides whether raw SQL must name the storage format of a value.
  associatedtype _StoredFormats = _OneStoredFormat

  /// The declared type of a column with values of this type.
  static var columnType: ColumnType { get }

  /// True if a value can be NULL, so that the column is declared without NOT NULL.
  static var isNullable: Bool { get }

  /// Creates a value from a stored value.
  /// - Throws: ``DatabaseError`` with the operation `read` if the stored value is not valid.
  init(cell: borrowing Cell) throws(DatabaseError)

  /// Binds the value to a parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the value cannot be stored.
  func bind(to parameter: borrowing Parameter) throws(DatabaseError)
}

extension ColumnValue {
  /// By default, values cannot be NULL.
  @inlinable
  public static var isNullable: Bool { false }
}

/// The declared type of a column.
///
/// See [STRICT Tables](https://www.sqlite.org/stricttables.html).
public enum ColumnType: String, Sendable, CaseIterable {
  /// Signed integers of up to 64 bits.
  case integer = "INTEGER"
  /// IEEE 754 doubles.
  case real = "REAL"
  /// Text.
  case text = "TEXT"
  /// Bytes.
  case blob = "BLOB"
  /// Values of any storage class, stored unchanged.
  case any = "ANY"
}

// `@Table` sees the name of a key's type, but does not resolve a type alias such as
// `typealias ID = Int64`. Therefore, the type itself selects the model's draft.

/// Selects a draft with the key.
public enum _GivenKey {
  /// The draft with the key.
  public typealias _Draft<Keyless, Keyed> = Keyed
}

/// Selects a draft without the key, which the database assigns.
public enum _AssignedKey {
  /// The draft without the key.
  public typealias _Draft<Keyless, Keyed> = Keyless
}

// A type with several storage formats cannot be interpolated into raw SQL without a format: an
// associated type, so that the compiler refuses it, and so that every other type needs no
// declaration.

/// Marks a type whose values have one stored form.
public enum _OneStoredFormat {}

/// Marks a type whose column decides the stored form: `Date`, `UUID` and `Decimal`.
public enum _SeveralStoredFormats {}

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

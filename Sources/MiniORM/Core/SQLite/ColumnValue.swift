/// A type whose values a column can store.
///
/// Integers, `Bool`, floating-point numbers, `String`, `Data`, `[UInt8]`, `Date`, `UUID`, `URL`,
/// `Decimal` and their optionals conform. An enumeration with raw values conforms by declaration:
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
  /// The choice of a model's draft by the type of the model's key.
  associatedtype _Key = _GivenKey
  /// The choice of a model's draft for a key whose type wraps this type.
  associatedtype _WrappedKey = _GivenKey

  /// The declared type of a column with values of this type.
  static var columnType: ColumnType { get }

  /// True if a value of this type can be NULL. The column is then declared without NOT NULL.
  static var isNullable: Bool { get }

  /// Creates a value from a cell.
  /// - Parameter cell: The stored value.
  /// - Throws: ``DatabaseError`` with the operation `read` if the stored value is not valid for
  ///   this type.
  init(cell: borrowing Cell) throws(DatabaseError)

  /// Binds the value to a parameter.
  /// - Parameter parameter: The parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the value cannot be stored.
  func bind(to parameter: borrowing Parameter) throws(DatabaseError)
}

extension ColumnValue {
  /// `false`, except for optionals.
  @inlinable
  public static var isNullable: Bool { false }
}

protocol TimeStored {
  static var currentTime: String { get }
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

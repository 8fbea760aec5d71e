/// A value that a column can hold.
///
/// Integers, `Bool`, floating-point numbers, `String`, `Data`, `[UInt8]`, `Date`, `UUID`, `URL`,
/// `Decimal` and their optionals conform. An enumeration with raw values conforms by saying so:
///
/// ```swift
/// enum Size: String, ColumnValue { case small, large }
/// ```
///
/// A type of your own conforms by reading and binding the value that it is stored as:
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
  /// The declared type of a column of such values.
  static var columnType: ColumnType { get }

  /// Whether one of the values is NULL. A column of such values is not declared NOT NULL.
  static var isNullable: Bool { get }

  /// Reads a value.
  /// - Parameter cell: The stored value.
  /// - Throws: ``DatabaseError`` with the operation `read` when the stored value is not one of this
  ///   type.
  init(cell: borrowing Cell) throws(DatabaseError)

  /// Gives the value to a parameter.
  /// - Parameter parameter: The parameter to bind.
  /// - Throws: ``DatabaseError`` with the operation `bind` when the value cannot be stored.
  func bind(to parameter: borrowing Parameter) throws(DatabaseError)
}

extension ColumnValue {
  /// `false`, except for optionals.
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
  /// Values of every storage class, stored as they are.
  case any = "ANY"
}

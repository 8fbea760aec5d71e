/// Several values that are compared as one, from left to right.
///
/// ```swift
/// posts.where { RowValue($0.day, $0.id) > (day, id) }.order { ($0.day, $0.id) }.limit(50)
/// ```
///
/// An index on the columns is used for such a comparison. See [Row
/// Values](https://www.sqlite.org/rowvalue.html).
public struct RowValue<each Value>: Sendable {
  let sql: SQL
  private let isNullable: Bool
  private let columns: (repeat SQLExpression<each Value>)

  /// Creates a row value from expressions.
  /// - Parameter values: The expressions, of which there must be at least two.
  public init(_ values: repeat SQLExpression<each Value>) {
    var parts: [SQL] = []
    var isNullable = false
    for value in repeat each values {
      parts.append(value.compared)
      if value.coding.isNullable { isNullable = true }
    }
    sql = .list(parts)
    self.isNullable = isNullable
    columns = (repeat each values)
  }

  var codings: [any StoredCoding] {
    var codings: [any StoredCoding] = []
    for column in repeat each columns { codings.append(column.coding) }
    return codings
  }

  private func binding(_ values: repeat each Value) -> SQL {
    var parts: [SQL] = []
    repeat parts.append((each columns).binding(each values))
    return .list(parts)
  }

  func compare<Truth: SQLBoolean>(_ name: String, _ right: SQL) -> SQLExpression<Truth> {
    SQLExpression(
      SQL(raw: "(").appending(sql, SQL(raw: " \(name) "), right, SQL(raw: ")")), Coding())
  }

  /// Returns whether two rows are equal, value by value; two NULLs are equal.
  public static func == (left: Self, right: Self) -> SQLExpression<Bool> {
    left.compare(left.isNullable || right.isNullable ? "IS" : "=", right.sql)
  }
  /// Returns whether a row equals some values; NULL equals `nil`.
  public static func == (left: Self, right: (repeat each Value)) -> SQLExpression<Bool> {
    left.compare(left.isNullable ? "IS" : "=", left.binding(repeat each right))
  }
  /// Returns whether a row is less than another, decided by the first values that differ, or NULL
  /// if one of these is NULL.
  public static func < (left: Self, right: Self) -> SQLExpression<Bool?> {
    left.compare("<", right.sql)
  }
  /// Returns whether a row is less than some values, decided by the first ones that differ, or NULL
  /// if one of these is NULL.
  public static func < (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare("<", left.binding(repeat each right))
  }
  /// Returns whether a row is greater than another, decided by the first values that differ, or
  /// NULL if one of these is NULL.
  public static func > (left: Self, right: Self) -> SQLExpression<Bool?> {
    left.compare(">", right.sql)
  }
  /// Returns whether a row is greater than some values, decided by the first ones that differ, or
  /// NULL if one of these is NULL.
  public static func > (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare(">", left.binding(repeat each right))
  }

  /// Returns whether the row is one of several others, or NULL if a value that decides is NULL:
  /// `IN`.
  /// - Parameter rows: The rows, with at most 32,766 values in all, which is SQLite's limit on
  ///   parameters.
  /// - Complexity: O(*n*) in their number.
  public func isIn(_ rows: [(repeat each Value)]) -> SQLExpression<Bool?> {
    guard !rows.isEmpty else {
      // VALUES needs a row, and FALSE alone would hide a mistake in the columns' names.
      var nulls: [SQL] = []
      for _ in repeat each columns { nulls.append(SQL(raw: "NULL")) }
      return compare(
        "IN",
        SQL(raw: "(SELECT ").appending(.joined(nulls, separator: ", "), SQL(raw: " WHERE 0)")))
    }
    let values = SQL.joined(rows.map { row in binding(repeat each row) }, separator: ", ")
    return compare("IN", SQL(raw: "(VALUES ").appending(values, SQL(raw: ")")))
  }
}

/// Several values that are compared as a unit, from left to right.
///
/// ```swift
/// posts.where { RowValue($0.day, $0.id) > (day, id) }.order { ($0.day, $0.id) }.limit(50)
/// ```
///
/// SQLite can use an index on the columns for such a comparison. See [Row
/// Values](https://www.sqlite.org/rowvalue.html).
public struct RowValue<each Value>: Sendable {
  let sql: SQL
  private let isNullable: Bool
  private let columns: (repeat SQLExpression<each Value>)

  /// Creates a row value from expressions.
  /// - Parameter values: At least two expressions.
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

  var operands: [(coding: (any StoredCoding)?, sql: SQL)] {
    var operands: [(coding: (any StoredCoding)?, sql: SQL)] = []
    for column in repeat each columns { operands.append((column.coding, column.sql)) }
    return operands
  }

  private func binding(_ values: repeat each Value) -> SQL {
    var parts: [SQL] = []
    repeat parts.append((each columns).comparing(each values))
    return .list(parts)
  }

  func compare<Truth: SQLBoolean>(_ name: String, _ right: SQL) -> SQLExpression<Truth> {
    Self.compare(sql, name, right)
  }

  private static func compare<Truth: SQLBoolean>(_ left: SQL, _ name: String, _ right: SQL)
    -> SQLExpression<Truth>
  {
    SQLExpression(
      SQL(raw: "(").appending(left, SQL(raw: " \(name) "), right, SQL(raw: ")")), Coding())
  }

  private static func compare<Truth: SQLBoolean>(_ left: Self, _ name: String, _ right: Self)
    -> SQLExpression<Truth>
  {
    var lefts: [SQL] = []
    var rights: [SQL] = []
    for (left, right) in repeat (each left.columns, each right.columns) {
      let operands = left.operands(with: right)
      lefts.append(SQL(operands.left))
      rights.append(SQL(operands.right))
    }
    return compare(.list(lefts), name, .list(rights))
  }

  /// Returns whether two rows are equal. Two NULLs are equal.
  public static func == (left: Self, right: Self) -> SQLExpression<Bool> {
    compare(left, left.isNullable || right.isNullable ? "IS" : "=", right)
  }
  /// Returns whether a row equals a tuple of values. NULL equals `nil`.
  public static func == (left: Self, right: (repeat each Value)) -> SQLExpression<Bool> {
    left.compare(left.isNullable ? "IS" : "=", left.binding(repeat each right))
  }
  /// Returns whether the left row is less than the right row.
  ///
  /// The first pair of different values decides. The result is NULL if that pair contains NULL.
  public static func < (left: Self, right: Self) -> SQLExpression<Bool?> {
    compare(left, "<", right)
  }
  /// Returns whether a row is less than a tuple of values, from the first pair of values
  /// that are not equal; NULL if this pair contains a NULL, even twice.
  public static func < (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare("<", left.binding(repeat each right))
  }
  /// Returns whether the left row is greater than the right row, from the first pair of
  /// values that are not equal; NULL if this pair contains a NULL, even twice.
  public static func > (left: Self, right: Self) -> SQLExpression<Bool?> {
    compare(left, ">", right)
  }
  /// Returns whether a row is greater than a tuple of values, from the first pair of values
  /// that are not equal; NULL if this pair contains a NULL, even twice.
  public static func > (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare(">", left.binding(repeat each right))
  }

  /// Returns whether the row equals any of several rows: `IN`. If no row is equal, a NULL can make
  /// the result NULL.
  ///
  /// The number of rows is not limited. An empty list matches no row.
  /// - Complexity: O(*n*) in the number of rows, for each run of the statement.
  public func isIn(_ rows: [(repeat each Value)]) -> SQLExpression<Bool?> {
    var values: [any ColumnValue] = []
    var width = 0
    for _ in repeat each columns { width += 1 }
    for row in rows {
      repeat values.append((each columns).coding.encodeCompared(each row))
    }
    return compare("IN", SQL(segments: [.parameter(.list(ValueList(values, width: width)))]))
  }
}

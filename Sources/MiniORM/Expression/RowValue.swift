/// Several values that are compared as one, from left to right.
///
/// ```swift
/// posts.where { RowValue($0.day, $0.id) > (day, id) }.order { ($0.day, $0.id) }.limit(50)
/// ```
///
/// An index over the columns serves such a comparison. See
/// [Row Values](https://www.sqlite.org/rowvalue.html).
public struct RowValue<each Value>: Sendable {
  let sql: SQL
  private let isNullable: Bool
  private let columns: (repeat SQLExpression<each Value>)

  /// A row of expressions.
  /// - Parameter values: The expressions: at least two.
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

  /// Whether two rows are equal, value by value; two NULLs are.
  public static func == (left: Self, right: Self) -> SQLExpression<Bool> {
    left.compare(left.isNullable || right.isNullable ? "IS" : "=", right.sql)
  }
  /// Whether a row has some values; NULL equals `nil`.
  public static func == (left: Self, right: (repeat each Value)) -> SQLExpression<Bool> {
    left.compare(left.isNullable ? "IS" : "=", left.binding(repeat each right))
  }
  /// Whether a row comes before another: the first values that differ decide. NULL
  /// where that is one of them.
  public static func < (left: Self, right: Self) -> SQLExpression<Bool?> {
    left.compare("<", right.sql)
  }
  /// Whether a row comes before some values: the first that differ decide. NULL where that
  /// is one of them.
  public static func < (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare("<", left.binding(repeat each right))
  }
  /// Whether a row comes after another: the first values that differ decide. NULL
  /// where that is one of them.
  public static func > (left: Self, right: Self) -> SQLExpression<Bool?> {
    left.compare(">", right.sql)
  }
  /// Whether a row comes after some values: the first that differ decide. NULL where that
  /// is one of them.
  public static func > (left: Self, right: (repeat each Value)) -> SQLExpression<Bool?> {
    left.compare(">", left.binding(repeat each right))
  }

  /// IN: whether the row is among others. NULL where a value that decides is.
  /// - Parameter rows: The rows: as many as SQLite has room for parameters, 32,766 values.
  /// - Complexity: O(*n*) in their number.
  public func isIn(_ rows: [(repeat each Value)]) -> SQLExpression<Bool?> {
    guard !rows.isEmpty else {
      // VALUES needs a row, and FALSE alone would leave out the columns' names when they are wrong.
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

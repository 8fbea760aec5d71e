/// A constraint of a table as a whole.
///
/// See [Table Constraints](https://www.sqlite.org/lang_createtable.html).
public struct TableConstraint<T: Model>: Sendable {
  let sql: SQL

  /// UNIQUE over a column: `@Column(.unique)` says the same on the property.
  /// - Parameter column: A closure from the table's columns to one of them.
  public static func unique<Value>(_ column: (T.Columns) -> SQLExpression<Value>) -> TableConstraint
  {
    TableConstraint(sql: SQL(raw: "UNIQUE (\(column(T.columns).columnName))"))
  }

  /// UNIQUE over several columns together.
  /// - Parameter columns: A closure from the table's columns to a tuple of some.
  public static func unique<First, Second, each Rest>(
    _ columns: (T.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> TableConstraint {
    let names = SQL.columnNames(T.columns, columns).joined(separator: ", ")
    return TableConstraint(sql: SQL(raw: "UNIQUE (\(names))"))
  }

  /// CHECK.
  /// - Parameter condition: A closure from the table's columns to what must not be false.
  public static func check(_ condition: (T.Columns) -> any SQLCondition) -> TableConstraint {
    var sql = SQL(raw: "CHECK (")
    sql.append(condition(T.columns).sql)
    sql.append(")")
    return TableConstraint(sql: sql)
  }
}

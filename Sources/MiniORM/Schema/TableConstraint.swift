/// A constraint of a table as a whole.
///
/// See [Table Constraints](https://www.sqlite.org/lang_createtable.html).
public struct TableConstraint<T: Model>: Sendable {
  let sql: SQL

  /// UNIQUE over several columns.
  /// - Parameter columns: A closure from the table's columns to one of them, or a tuple of some.
  public static func unique<each Value>(_ columns: (T.Columns) -> (repeat Expression<each Value>))
    -> TableConstraint
  {
    var names: [String] = []
    repeat names.append((each columns(T.columns)).columnName)
    return TableConstraint(sql: SQL(raw: "UNIQUE (\(names.joined(separator: ", ")))"))
  }

  /// CHECK.
  /// - Parameter condition: A closure from the table's columns to what must not be false.
  public static func check(_ condition: (T.Columns) -> Expression<Bool>) -> TableConstraint {
    var sql = SQL(raw: "CHECK (")
    sql.append(condition(T.columns).sql)
    sql.append(")")
    return TableConstraint(sql: sql)
  }
}

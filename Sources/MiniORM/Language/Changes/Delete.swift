/// A DELETE of several rows.
///
/// See [DELETE](https://www.sqlite.org/lang_delete.html).
public struct Delete<T: Model>: Change {
  let table: Table<T>

  /// The statement of the change.
  @_documentation(visibility: internal)
  public var asStatement: ChangeStatement<T> {
    var sql = SQL(raw: "DELETE FROM ").appending(table.source)
    if let selection = table.selection() { sql = sql.appending(SQL(raw: " WHERE "), selection) }
    return ChangeStatement(
      parts: [sql], problem: table.changeProblem, returningProblem: table.returningProblem)
  }
}

extension Table {
  /// Returns a deletion of the selected rows, or of every row of a table without conditions.
  ///
  /// ```swift
  /// let gone = try await companies.where { $0.size == 0 }.delete()
  ///   .returning { $0.name }.fetchAll(in: database)
  /// ```
  /// ``deleteAll(in:)-(Database)`` deletes the rows immediately.
  public func delete() -> Delete<T> { Delete(table: self) }
}

/// A DELETE of several rows.
///
/// See [DELETE](https://www.sqlite.org/lang_delete.html).
public struct Delete<T: Model>: Change {
  let table: Table<T>

  /// What runs.
  public var asStatement: ChangeStatement<T> {
    var sql = SQL(raw: "DELETE FROM ").appending(table.source)
    if let selection = table.selection() { sql = sql.appending(SQL(raw: " WHERE "), selection) }
    return ChangeStatement(parts: [sql])
  }
}

extension Table {
  /// A deletion of the selected rows: of all of the table, where nothing was selected.
  ///
  /// ```swift
  /// let gone = try await companies.where { $0.size == 0 }.delete()
  ///   .returning { $0.name }.fetchAll(in: database)
  /// ```
  /// ``deleteAll(in:)-(Database)`` makes it at once.
  public func delete() -> Delete<T> { Delete(table: self) }
}

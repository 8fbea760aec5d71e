extension SQL {
  /// Returns the rowid of a row. Tables WITHOUT ROWID have no rowid.
  ///
  /// See [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
  /// - Parameters:
  ///   - model: The model of the table.
  ///   - name: The table's alias in the query, or nil for the table's own name.
  public static func rowID<T: Model>(of model: T.Type, as name: String? = nil) -> SQLExpression<
    Int64
  > {
    let table = (name ?? T.schema.name).quotedIdentifier
    return SQLExpression(SQL(raw: "\(table).\(T.schema.rowIDName)"), Coding())
  }
}

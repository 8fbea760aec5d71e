extension SQL {
  /// Returns the key that SQLite keeps for each row of a table that is not WITHOUT ROWID.
  ///
  /// See [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
  /// - Parameters:
  ///   - model: The model of the table.
  ///   - name: What the table is called in the query, where that is not its own name.
  public static func rowID<T: Model>(of model: T.Type, as name: String? = nil) -> SQLExpression<
    Int64
  > {
    let table = (name ?? T.schema.name).quotedIdentifier
    return SQLExpression(SQL(raw: "\(table).\(T.schema.rowIDName)"), Coding())
  }
}

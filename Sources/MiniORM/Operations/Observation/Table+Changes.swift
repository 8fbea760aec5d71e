extension Table {
  /// Returns the committed changes of the model's table, regardless of this query's conditions. See
  /// ``Database/changes()``.
  /// - Returns: A sequence that begins when its iterator is created. Commits that may have changed
  ///   anything are included.
  public func changes(in database: Database) -> DatabaseChanges {
    let table = SchemaTable(
      schema: schema.database?.folded.string ?? "main", table: schema.name.folded.string)
    return DatabaseChanges(database: database, table: table)
  }
}

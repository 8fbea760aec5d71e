extension Table {
  /// Returns what is committed in the model's table from now on, whatever conditions this one has.
  /// See ``Database/changes()``.
  /// - Parameter database: The database.
  /// - Returns: A sequence that begins when its iterator is made. A commit that may have changed anything
  ///   is there too.
  public func changes(in database: Database) -> DatabaseChanges {
    let table = SchemaTable(
      schema: schema.database?.folded.string ?? "main", table: schema.name.folded.string)
    return DatabaseChanges(database: database, table: table)
  }
}

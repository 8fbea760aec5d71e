/// See [UPDATE](https://www.sqlite.org/lang_update.html).
extension Table {
  /// Updates the row with a model's key, if the row is selected.
  /// - Parameters:
  ///   - row: The model. All columns except the key are set.
  ///   - connection: The connection of a transaction.
  /// - Returns: Whether the row exists. For a view, whether its triggers changed a row.
  /// - Throws: ``DatabaseError`` if a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in connection: isolated Connection) throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    guard isWhole else { return try update(contentsOf: CollectionOfOne(row), in: connection) > 0 }
    let statement = try connection.statement(schema.updateByKey)
    try row.bind(to: statement, at: 1)
    let before = try connection.allChanges()
    try statement.run()
    return try connection.changes(by: statement, since: before) > 0
  }

  /// Updates the selected rows with the models' keys, all or nothing.
  /// - Parameters:
  ///   - rows: The models, which may be empty.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows updated. A model whose row is missing or not selected is
  ///   skipped.
  /// - Throws: ``DatabaseError`` if a constraint is violated or a value cannot be stored. Nothing
  ///   is then changed.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T>>(
    contentsOf rows: Rows, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    guard !rows.isEmpty else { return 0 }
    var count = 0
    try connection.begin()
    do throws(DatabaseError) {
      count =
        isWhole
        ? try updateEach(rows, in: connection)
        : try updateEach(selected(rows, by: { $0.primaryKey }, in: connection), in: connection)
    } catch {
      connection.rollback()
      throw error
    }
    try connection.commit()
    return count
  }

  @inlinable
  func updateEach(
    _ rows: some Collection<T>, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    var count = 0
    let statement = try connection.statement(schema.updateByKey)
    for row in rows {
      try row.bind(to: statement, at: 1)
      let before = try connection.allChanges()
      try statement.run()
      count += try connection.changes(by: statement, since: before)
      statement.reset()
    }
    return count
  }
}

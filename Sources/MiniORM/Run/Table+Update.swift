/// See [UPDATE](https://www.sqlite.org/lang_update.html).
extension Table {
  /// Updates the row that has a model's key, if it is among those selected.
  /// - Parameters:
  ///   - row: The model. All its columns but the key are set.
  ///   - connection: The connection of a transaction.
  /// - Returns: Whether there is such a row.
  /// - Throws: ``DatabaseError`` when a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in connection: isolated Connection) throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    guard isWhole else { return try update(contentsOf: CollectionOfOne(row), in: connection) > 0 }
    let statement = try connection.statement(schema.updateByKey)
    try row.bind(to: statement, at: 1)
    try statement.run()
    return try connection.changes() > 0
  }

  /// Updates the rows that have the models' keys, all or none of them. Of a table with conditions
  /// only those that are selected are updated.
  /// - Parameters:
  ///   - rows: The models. None is no failure.
  ///   - connection: The connection of a transaction.
  /// - Returns: How many of them there are: a model whose row is missing, or not selected, is passed
  ///   over.
  /// - Throws: ``DatabaseError`` when a constraint is violated or a value cannot be stored: then
  ///   nothing is changed.
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
      try statement.run()
      count += try connection.changes()
      statement.reset()
    }
    return count
  }
}

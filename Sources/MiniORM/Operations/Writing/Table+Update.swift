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

  /// Updates the columns that differ between two versions of a row, if the row is among the
  /// selected rows.
  ///
  /// ```swift
  /// var edited = company
  /// edited.name = "Acme"
  /// try await Company.all.update(edited, from: company, in: database)  // SET "name" = ?
  /// ```
  /// Columns that are equal in both versions keep the values that others have stored since, and
  /// their observers are not woken. If nothing differs, nothing is written.
  /// - Parameters:
  ///   - row: The new version.
  ///   - old: The earlier version, with the same key.
  ///   - connection: The connection of a transaction.
  /// - Returns: Whether the row exists.
  /// - Throws: ``DatabaseError`` if the keys differ, a constraint is violated, or a value cannot be
  ///   stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func update(
    _ row: T, from old: T, in connection: isolated Connection
  ) throws(DatabaseError) -> Bool where T: PrimaryKeyedModel {
    let columns = schema.insertion.model.columns
    let versions = try EchoDatabase.values(count: columns.count, of: [old, row]) {
      (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1)
    }
    let keys = Set(schema.primaryKey.map { ExactText($0.name) })
    var (changes, conditions): ([SQL], [SQL]) = ([], [])
    for (index, column) in columns.enumerated() {
      let isKey = keys.contains(ExactText(column.name))
      let part = SQL(raw: "\(column.name.quotedIdentifier) = ").appending(
        SQL(binding: versions[1][index]))
      if isKey { conditions.append(part) }
      guard versions[0][index] != versions[1][index] else { continue }
      guard !isKey else {
        throw .query(
          "update(_:from:) takes two versions of one row, but \(T.schema.name).\(column.name) "
            + "differs: update the key with update { … }")
      }
      changes.append(part)
    }
    guard !changes.isEmpty else { return try find(row.primaryKey, in: connection) != nil }
    var sql = SQL(raw: "UPDATE \(schema.source) SET ")
      .appending(.joined(changes, separator: ", "), SQL(raw: " WHERE "))
      .appending(.joined(conditions, separator: " AND "))
    if !isWhole {
      let list = schema.primaryKey.map(\.name.quotedIdentifier).joined(separator: ", ")
      sql = sql.appending(SQL(raw: " AND (\(list)) IN ("), select(list), SQL(raw: ")"))
    }
    let statement = try connection.statement(sql)
    let before = try connection.allChanges()
    try statement.run()
    return try connection.changes(by: statement, since: before) > 0
  }
}

/// See [DELETE](https://www.sqlite.org/lang_delete.html).
extension Table {
  /// Deletes the row with a primary key, if the row is selected.
  ///
  /// ```swift
  /// let existed = try companies.delete(1, in: db)
  /// ```
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - connection: The connection of a transaction.
  /// - Returns: True if a row was deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func delete(_ key: T.PrimaryKey, in connection: isolated Connection) throws(DatabaseError)
    -> Bool
  where T: PrimaryKeyedModel {
    guard isWhole else { return try delete(keys: CollectionOfOne(key), in: connection) > 0 }
    let statement = try connection.statement(schema.deleteByKey)
    try T.bind(key, to: statement, at: 1)
    return try connection.changedRows(by: statement) > 0
  }

  /// Deletes the row with a model's key, if the row is selected. Returns true if a row was deleted.
  @inlinable
  @discardableResult
  public func delete(_ row: T, in connection: isolated Connection) throws(DatabaseError) -> Bool
  where T: PrimaryKeyedModel {
    try delete(row.primaryKey, in: connection)
  }

  /// Deletes the selected rows with the given primary keys: all of them, or after an error none.
  /// - Parameters:
  ///   - keys: The primary keys. May be empty.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion. Nothing is then deleted.
  @inlinable
  @discardableResult
  public func delete<Keys: Collection<T.PrimaryKey>>(
    keys: Keys, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    guard !keys.isEmpty else { return 0 }
    return isWhole
      ? try deleteEach(keys, in: connection)
      : try deleteEach(selected(keys, by: { $0 }, in: connection), in: connection)
  }

  @inlinable
  func deleteEach(
    _ keys: some Collection<T.PrimaryKey>, in connection: isolated Connection
  ) throws(DatabaseError) -> Int where T: PrimaryKeyedModel {
    try runEach(
      schema.deleteByKey, schema.deleteOfRows, of: keys, width: schema.primaryKey.count,
      in: connection,
      { (key, statement) throws(DatabaseError) in try T.bind(key, to: statement, at: 1) })
  }

  /// Deletes the selected rows. Without conditions, deletes every row.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion.
  @discardableResult
  public func deleteAll(in connection: isolated Connection) throws(DatabaseError) -> Int {
    try delete().run(in: connection)
  }

  /// Deletes every row, including rows that ``Model/defaultScope`` excludes, and restarts rowids
  /// from 1, even with AUTOINCREMENT.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion, or the table has
  ///   conditions: use ``deleteAll(in:)-(Connection)`` for selected rows. Nothing is then deleted.
  @discardableResult
  public func truncate(in connection: isolated Connection) throws(DatabaseError) -> Int {
    try checkWhole(
      "truncate empties the whole table: call deleteAll(in:) to delete a selection of rows")
    let name = T.schema.name
    let database = schema.qualifier
    return try connection.atomically { () throws(DatabaseError) in
      let count = try connection.execute(SQL(raw: "DELETE FROM \(schema.source)"))
      // sqlite_sequence exists only after the creation of a table with AUTOINCREMENT.
      let counts = try connection.value(
        Int.self,
        "SELECT count(*) FROM \(raw: database)sqlite_schema WHERE name = 'sqlite_sequence'")
      if counts == 1 {
        try connection.execute(
          "DELETE FROM \(raw: database)sqlite_sequence WHERE name = \(name) COLLATE NOCASE")
      }
      return count
    }
  }
}

// Each function runs on the writing connection, in a transaction of its own.
extension Table {
  /// Deletes the row with a primary key, if the row is selected, in a transaction of its own.
  /// Returns true if a row was deleted.
  @inlinable
  @discardableResult
  public func delete(_ key: T.PrimaryKey, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try delete(key, in: $0) }
  }

  /// Deletes the row with a model's key, if the row is selected, in a transaction of its own.
  /// Returns true if a row was deleted.
  @inlinable
  @discardableResult
  public func delete(_ row: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try delete(row, in: $0) }
  }

  /// Deletes the selected rows with the given primary keys in a transaction of its own, and returns
  /// the number of rows deleted.
  @inlinable
  @discardableResult
  public func delete<Keys: Collection<T.PrimaryKey> & Sendable>(
    keys: Keys, in database: Database
  ) async throws -> Int where T: PrimaryKeyedModel {
    try await database.writeOperation { try delete(keys: keys, in: $0) }
  }

  /// Deletes the selected rows in a transaction of its own, and returns the number of rows deleted.
  /// Without conditions, deletes every row.
  @discardableResult
  public func deleteAll(in database: Database) async throws -> Int {
    try await database.writeOperation { try deleteAll(in: $0) }
  }

  /// Deletes every row in a transaction of its own, including rows that ``Model/defaultScope``
  /// excludes, restarts rowids from 1, and returns the number of rows deleted.
  @discardableResult
  public func truncate(in database: Database) async throws -> Int {
    try await database.writeOperation { try truncate(in: $0) }
  }
}

// The writing methods for a database, outside a transaction. Each runs on the writing connection, in
// a transaction. Inlinable, so that their implementations are specialized for the model.
extension Table {
  /// Inserts a row.
  /// - Parameters:
  ///   - row: A draft, whose rowid the database assigns, or a model with its key.
  ///   - database: The database.
  /// - Returns: The row as stored, with its key and its defaults.
  /// - Throws: ``DatabaseError`` if a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table, for each index.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in database: Database) async throws
    -> T
  where Row.Stored == T {
    try await inserting(row, in: database)
  }

  @inlinable
  func inserting<Row: Insertable>(_ row: Row, in database: Database) async throws -> T
  where Row.Stored == T {
    if !isWhole { try checkInsertable() }
    let schema = schema
    let insertion = schema.insertion(of: Row.self)
    // The whole transaction is rolled back if the row cannot be read, so it needs no savepoint.
    return try await database.write { db in
      try insertedRow(row, schema, insertion, in: db)
    }
  }

  /// Inserts rows, all or nothing.
  /// - Parameters:
  ///   - rows: Drafts or models, which may be empty.
  ///   - database: The database.
  /// - Returns: The number of rows inserted.
  /// - Throws: ``DatabaseError`` if a constraint is violated or a value cannot be stored. No row is
  ///   then inserted.
  /// - Complexity: O(*m* log *n*) in the numbers of rows inserted and stored, for each index.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    try await database.write { db in
      try insert(contentsOf: rows, in: db)
    }
  }

  /// Updates the row with a model's key, if it is among the selected rows.
  /// - Parameters:
  ///   - row: The model. All columns except the key are set.
  ///   - database: The database.
  /// - Returns: Whether the row exists.
  /// - Throws: ``DatabaseError`` if a constraint is violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func update(_ row: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.write { db in
      try update(row, in: db)
    }
  }

  /// Updates the rows with the models' keys, all or nothing. If the table has
  /// conditions, only selected rows are updated.
  /// - Parameters:
  ///   - rows: The models, which may be empty.
  ///   - database: The database.
  /// - Returns: The number of rows updated. Models whose row is missing or not selected are
  ///   skipped.
  /// - Throws: ``DatabaseError`` if a constraint is violated or a value cannot be stored. Nothing
  ///   is then changed.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T> & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where T: PrimaryKeyedModel {
    try await database.write { db in
      try update(contentsOf: rows, in: db)
    }
  }

  /// Deletes the row with a primary key, if it is among the selected rows.
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - database: The database.
  /// - Returns: Whether the row existed.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  @discardableResult
  public func delete(_ key: T.PrimaryKey, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.write { db in
      try delete(key, in: db)
    }
  }

  /// Deletes the row with a model's key, if it is among the selected rows.
  /// - Parameters:
  ///   - row: The model.
  ///   - database: The database.
  /// - Returns: Whether the row existed.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion.
  @inlinable
  @discardableResult
  public func delete(_ row: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.write { db in
      try delete(row, in: db)
    }
  }

  /// Deletes the rows with the given primary keys, all or nothing. If the table has
  /// conditions, only selected rows are deleted.
  /// - Parameters:
  ///   - keys: The primary keys, which may be empty.
  ///   - database: The database.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion. Nothing is then deleted.
  @inlinable
  @discardableResult
  public func delete<Keys: Collection<T.PrimaryKey> & Sendable>(
    keys: Keys, in database: Database
  ) async throws -> Int where T: PrimaryKeyedModel {
    try await database.write { db in
      try delete(keys: keys, in: db)
    }
  }

  /// Deletes the selected rows, or all rows without a selection.
  /// - Parameter database: The database.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion.
  @discardableResult
  public func deleteAll(in database: Database) async throws -> Int {
    try await database.write { db in
      try deleteAll(in: db)
    }
  }

  /// Deletes every row, including the rows that the model's ``Model/defaultScope`` excludes, and
  /// restarts rowids from 1, even with AUTOINCREMENT.
  /// - Parameter database: The database.
  /// - Returns: The number of rows deleted.
  /// - Throws: ``DatabaseError`` if a foreign key forbids the deletion, in which case nothing is
  ///   deleted, or if the table has conditions.
  @discardableResult
  public func truncate(in database: Database) async throws -> Int {
    try await database.write { db in
      try truncate(in: db)
    }
  }

  /// Inserts a row, or updates the row with the same values in a unique set of columns.
  ///
  /// An existing row keeps its primary key.
  /// - Parameters:
  ///   - row: A draft or a model.
  ///   - target: A closure that takes the table's columns and returns the column or tuple of
  ///     columns of a UNIQUE constraint, a unique index or the primary key.
  ///   - overwritesWithNil: Whether a `nil` in `row` replaces a stored value. Otherwise the column
  ///     keeps its value.
  ///   - database: The database.
  /// - Returns: The outcome, with the stored row.
  /// - Throws: ``DatabaseError`` if the columns are not unique together, a different constraint is
  ///   violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert<Row: Insertable, each Value>(
    _ row: Row, onConflict target: @Sendable (T.Columns) -> (repeat SQLExpression<each Value>),
    overwritesWithNil: Bool = true, in database: Database
  ) async throws -> UpsertOutcome<T> where Row.Stored == T {
    try await database.write { db in
      try upsert(
        row, onConflict: target, overwritesWithNil: overwritesWithNil, in: db)
    }
  }

  /// Inserts a row, or updates some columns of the row with the same values in a unique set of
  /// columns.
  ///
  /// - Parameters:
  ///   - row: A draft or a model.
  ///   - target: A closure that takes the table's columns and returns the column or tuple of
  ///     columns of a UNIQUE constraint, a unique index or the primary key.
  ///   - updated: A closure that takes the table's columns and returns the column or tuple of
  ///     columns to update.
  ///   - overwritesWithNil: Whether a `nil` in `row` replaces a stored value. Otherwise the column
  ///     keeps its value.
  ///   - database: The database.
  /// - Returns: The outcome, with the stored row.
  /// - Throws: ``DatabaseError`` if the columns are not unique together, a different constraint is
  ///   violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert<Row: Insertable, each Value, each Updated>(
    _ row: Row, onConflict target: @Sendable (T.Columns) -> (repeat SQLExpression<each Value>),
    updating updated: @Sendable (T.Columns) -> (repeat SQLExpression<each Updated>),
    overwritesWithNil: Bool = true,
    in database: Database
  ) async throws -> UpsertOutcome<T> where Row.Stored == T {
    try await database.write { db in
      try upsert(
        row, onConflict: target, updating: updated, overwritesWithNil: overwritesWithNil,
        in: db)
    }
  }
}

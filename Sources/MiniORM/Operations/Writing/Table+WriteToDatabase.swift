// Each method runs on the writing connection, in a transaction of its own. Inlinable methods are
// specialized for the model.
extension Table {
  /// Inserts a row in a transaction of its own, and returns the row as stored.
  @inlinable
  @discardableResult
  public func insert<Row: Insertable>(_ row: Row, in database: Database) async throws
    -> T
  where Row.Stored == T {
    try await database.writeOperation { try inserting(row, in: $0) }
  }

  /// Inserts rows in a transaction of its own, and returns the number of rows.
  @inlinable
  @discardableResult
  public func insert<Rows: Collection & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where Rows.Element: Insertable, Rows.Element.Stored == T {
    try await database.writeOperation { try insert(contentsOf: rows, in: $0) }
  }

  /// Updates the row with a model's key, if the row is selected, in a transaction of its own.
  /// Returns true if the row exists. For a view, returns true if its triggers changed a row.
  @inlinable
  @discardableResult
  public func update(_ row: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(row, in: $0) }
  }

  /// Updates the columns that differ between two versions of a row, in a transaction of its own.
  /// See ``Table/update(_:from:in:)-(_,_,Connection)``.
  @discardableResult
  public func update(_ row: T, from old: T, in database: Database) async throws -> Bool
  where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(row, from: old, in: $0) }
  }

  /// Sets the columns of a draft in the row with a primary key, if the row is selected, in a
  /// transaction of its own. See ``Table/update(_:to:in:)-(_,_,Connection)``.
  @discardableResult
  public func update(_ key: T.PrimaryKey, to draft: T.Draft, in database: Database) async throws
    -> Bool
  where T: PrimaryKeyedModel, T.Draft: Insertable<T> {
    try await database.writeOperation { try update(key, to: draft, in: $0) }
  }

  /// Updates the selected rows with the models' keys in a transaction of its own, and returns the
  /// number of rows updated. A model whose row is missing or not selected is skipped.
  @inlinable
  @discardableResult
  public func update<Rows: Collection<T> & Sendable>(
    contentsOf rows: Rows, in database: Database
  ) async throws -> Int where T: PrimaryKeyedModel {
    try await database.writeOperation { try update(contentsOf: rows, in: $0) }
  }

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

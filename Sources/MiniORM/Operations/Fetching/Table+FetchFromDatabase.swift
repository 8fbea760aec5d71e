// Each method runs on a reading connection. Inlinable methods are specialized for the model.
extension Table {
  /// Returns all the rows, read on a reading connection.
  @inlinable
  public func fetchAll(in database: Database) async throws -> [T] {
    try await database.read { db in
      try fetchAll(in: db)
    }
  }

  /// Returns the first row, or `nil` if there is no row, read on a reading connection.
  @inlinable
  public func fetchOne(in database: Database) async throws -> T? {
    try await database.read { db in
      try fetchOne(in: db)
    }
  }

  /// Returns the row with a primary key, or `nil`, read on a reading connection.
  @inlinable
  public func find(_ key: T.PrimaryKey, in database: Database) async throws -> T?
  where T: PrimaryKeyedModel {
    try await database.read { db in
      try find(key, in: db)
    }
  }

  /// Calls a closure with each row in order, on a reading connection's executor.
  @inlinable
  public func forEach(in database: Database, _ body: @Sendable (T) throws -> Void) async throws {
    try await database.read { db in try forEach(in: db, body) }
  }

  /// Returns the number of rows, counted on a reading connection.
  public func count(in database: Database) async throws -> Int {
    try await database.read { db in
      try count(in: db)
    }
  }

  /// Returns true if a row is selected, read on a reading connection.
  public func exists(in database: Database) async throws -> Bool {
    try await database.read { db in
      try exists(in: db)
    }
  }

  /// Returns the smallest value of an expression, or `nil` if all values are NULL.
  public func min<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { db in
      try min(of: expression, in: db)
    }
  }

  /// Returns the greatest value of an expression, or `nil` if all values are NULL.
  public func max<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { db in
      try max(of: expression, in: db)
    }
  }

  /// Returns the sum of an expression's values that are not NULL, or `nil` if all values are NULL.
  public func sum<Value: SQLSummable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.Unwrapped? {
    try await database.read { db in
      try sum(of: expression, in: db)
    }
  }

  /// Returns the average of an expression's values that are not NULL, or `nil` if all values are
  /// NULL.
  public func average<Value: SQLNumeric>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Double? {
    try await database.read { db in
      try average(of: expression, in: db)
    }
  }
}

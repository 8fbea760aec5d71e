// The reading methods for a database, outside a transaction. Each runs on a reading connection.
// Inlinable, so that their implementations are specialized for the model.
extension Table {
  /// Returns all the rows.
  /// - Parameter database: The database.
  /// - Returns: The rows, or an empty array.
  /// - Throws: ``DatabaseError`` if the table does not exist, or a value's type does not match its
  ///   property.
  /// - Complexity: O(*n*) in the number of rows, plus the search.
  @inlinable
  public func fetchAll(in database: Database) async throws -> [T] {
    try await database.read { db in
      try fetchAll(in: db)
    }
  }

  /// Returns the first row.
  /// - Parameter database: The database.
  /// - Returns: The row, or `nil` if there is no row.
  /// - Throws: ``DatabaseError`` if the table does not exist, or a value's type does not match its
  ///   property.
  @inlinable
  public func fetchOne(in database: Database) async throws -> T? {
    try await database.read { db in
      try fetchOne(in: db)
    }
  }

  /// Returns the row with a primary key, if it is among the selected rows.
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - database: The database.
  /// - Returns: The row, or `nil` if there is no row.
  /// - Throws: ``DatabaseError`` if the table does not exist, or a value's type does not match its
  ///   property.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  public func find(_ key: T.PrimaryKey, in database: Database) async throws -> T?
  where T: PrimaryKeyedModel {
    try await database.read { db in
      try find(key, in: db)
    }
  }

  /// Calls a closure with each row in order, with only one row in memory at a time.
  /// - Parameters:
  ///   - database: The database.
  ///   - body: The closure, called on the connection's executor. If it throws, no more rows are
  ///     read.
  /// - Throws: Any error that the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  @inlinable
  public func forEach(in database: Database, _ body: @Sendable (T) throws -> Void) async throws {
    try await database.read { db in try forEach(in: db, body) }
  }

  /// Returns the number of rows.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` if the table does not exist.
  /// - Complexity: O(*n*) in the number of rows: SQLite does not store a count.
  public func count(in database: Database) async throws -> Int {
    try await database.read { db in
      try count(in: db)
    }
  }

  /// Returns whether there is a row.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` if the table does not exist.
  public func exists(in database: Database) async throws -> Bool {
    try await database.read { db in
      try exists(in: db)
    }
  }

  /// Returns the smallest value of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the table's columns and returns the expression.
  ///   - database: The database.
  /// - Returns: The value, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the table does not exist, or the value's type does not match.
  public func min<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { db in
      try min(of: expression, in: db)
    }
  }

  /// Returns the greatest value of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the table's columns and returns the expression.
  ///   - database: The database.
  /// - Returns: The value, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the table does not exist, or the value's type does not match.
  public func max<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { db in
      try max(of: expression, in: db)
    }
  }

  /// Returns the sum of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the table's columns and returns the expression.
  ///   - database: The database.
  /// - Returns: The sum, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the table does not exist, or the sum exceeds the range of its
  ///   type.
  public func sum<Value: SQLSummable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.Unwrapped? {
    try await database.read { db in
      try sum(of: expression, in: db)
    }
  }

  /// Returns the average of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the table's columns and returns the expression.
  ///   - database: The database.
  /// - Returns: The average, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the table does not exist.
  public func average<Value: SQLNumeric>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Double? {
    try await database.read { db in
      try average(of: expression, in: db)
    }
  }
}

extension SelectStatement {
  /// Returns all the rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  /// - Complexity: O(*n*) in the number of rows, plus the search.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    let select = asSelect
    return try select.reader.all(try connection.statement(select.clauses.sql))
  }

  /// Returns the first row, or `nil` if there is no row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> Output? {
    let select = asSelect.first
    return try select.reader.one(try connection.statement(select.clauses.sql))
  }

  /// Calls a closure with each row in order, with a single row in memory at a time.
  /// - Parameters:
  ///   - connection: The connection of a transaction.
  ///   - body: The closure. If it throws, no more rows are read.
  /// - Throws: ``DatabaseError``, or the closure's error.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  public func forEach(in connection: isolated Connection, _ body: (Output) throws -> Void) throws {
    let select = asSelect
    try select.reader.each(try connection.statement(select.clauses.sql), body)
  }

  /// Returns all the rows, read on a reading connection.
  public func fetchAll(in database: Database) async throws -> [Output] {
    try await database.read { db in
      try fetchAll(in: db)
    }
  }

  /// Returns the first row, or `nil` if there is no row, read on a reading connection.
  public func fetchOne(in database: Database) async throws -> Output? {
    try await database.read { db in
      try fetchOne(in: db)
    }
  }

  /// Calls a closure on a reading connection's executor with each row in order.
  public func forEach(
    in database: Database, _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await database.read { db in try forEach(in: db, body) }
  }
}

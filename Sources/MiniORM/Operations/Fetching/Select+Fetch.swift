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

  /// Calls a closure with each row in order. Only one row is in memory at a time.
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

  /// Calls a closure with each row in order, on a reading connection's executor.
  public func forEach(
    in database: Database, _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await database.read { db in try forEach(in: db, body) }
  }
}

extension Select {
  /// Returns the first row's value, for example of an aggregate, which always has a row.
  ///
  /// ```swift
  /// let total: Int? = try await orders.join(customers)
  ///   .select { order, _ in order.amount.sum() }.value(in: database)
  /// ```
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query has no row or is invalid, or the value's type does
  ///   not match. Without a row, ``SelectStatement/fetchOne(in:)-(Connection)`` returns `nil`.
  public func value(in connection: isolated Connection) throws(DatabaseError) -> Output {
    guard let value = try fetchOne(in: connection) else {
      throw .query("The query has no row: call fetchOne(in:), which then returns nil")
    }
    return value
  }

  /// Returns the first row's value, read on a reading connection. Throws ``DatabaseError`` without
  /// a row.
  public func value(in database: Database) async throws -> Output {
    try await database.read { db in
      try value(in: db)
    }
  }
}

extension From {
  /// Returns the first row for which a condition is true, or `nil` if there is no row.
  /// - Parameters:
  ///   - condition: A closure that takes the columns and returns the condition.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  public func first(
    where condition: (Columns) -> any SQLCondition, in connection: isolated Connection
  ) throws(DatabaseError) -> Output? {
    try self.where(condition).fetchOne(in: connection)
  }

  /// Returns the first row for which a condition is true, or `nil`, read on a reading connection.
  public func first(
    where condition: (Columns) -> any SQLCondition, in database: Database
  ) async throws -> Output? {
    try await self.where(condition).fetchOne(in: database)
  }
}

extension Source {
  /// Returns the first row for which a condition is true, or `nil` if there is no row.
  /// - Parameters:
  ///   - condition: A closure that takes the columns and returns the condition.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  public func first(
    where condition: (Columns) -> any SQLCondition, in connection: isolated Connection
  ) throws(DatabaseError) -> Output? {
    try from.where(condition).fetchOne(in: connection)
  }

  /// Returns the first row for which a condition is true, or `nil`, read on a reading connection.
  public func first(
    where condition: (Columns) -> any SQLCondition, in database: Database
  ) async throws -> Output? {
    try await from.where(condition).fetchOne(in: database)
  }
}

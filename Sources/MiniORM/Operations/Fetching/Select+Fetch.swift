// The functions of ``Table`` are specialized for the model, and use its prepared SQL.
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

  /// Returns the number of rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  /// - Complexity: O(*n*) in the number of rows. SQLite stores no count.
  public func count(in connection: isolated Connection) throws(DatabaseError) -> Int {
    try connection.statement(counted.sql).firstValue(Int.self) ?? 0
  }

  /// Returns true if the query has a row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  public func exists(in connection: isolated Connection) throws(DatabaseError) -> Bool {
    var sql = SQL(segments: [.note(.reads(.subquery)), .text("SELECT ")])
    sql.append(exists().sql)
    return try connection.statement(sql).firstValue(Bool.self) ?? false
  }

  /// Returns SQLite's plan for fetching the rows, without fetching them. See [EXPLAIN QUERY
  /// PLAN](https://www.sqlite.org/eqp.html).
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  public func queryPlan(in connection: isolated Connection) throws(DatabaseError) -> QueryPlan {
    try connection.queryPlan(sql)
  }
}

// Each function runs on a reading connection.
extension SelectStatement {
  /// Returns all the rows, read on a reading connection.
  @inlinable
  public func fetchAll(in database: Database) async throws -> [Output] {
    try await database.read { try fetchAll(in: $0) }
  }

  /// Returns the first row, or `nil` if there is no row, read on a reading connection.
  @inlinable
  public func fetchOne(in database: Database) async throws -> Output? {
    try await database.read { try fetchOne(in: $0) }
  }

  /// Calls a closure with each row in order, on a reading connection's executor.
  @inlinable
  public func forEach(
    in database: Database, _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await database.read { try forEach(in: $0, body) }
  }

  /// Returns the number of rows, counted on a reading connection.
  public func count(in database: Database) async throws -> Int {
    try await database.read { try count(in: $0) }
  }

  /// Returns true if the query has a row, read on a reading connection.
  public func exists(in database: Database) async throws -> Bool {
    try await database.read { try exists(in: $0) }
  }

  /// Returns SQLite's plan for fetching the rows, without fetching them.
  public func queryPlan(in database: Database) async throws -> QueryPlan {
    try await database.read { try queryPlan(in: $0) }
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
    try await database.read { try value(in: $0) }
  }
}

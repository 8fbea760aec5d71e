extension SelectStatement {
  /// Returns the number of rows.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  /// - Complexity: O(*n*) in the number of rows.
  public func count(in connection: isolated Connection) throws(DatabaseError) -> Int {
    let statement = try connection.statement(counted.sql)
    guard try statement.step() else { return 0 }
    return try Int(cell: Cell(statement.pointer, 0))
  }

  /// Returns true if the query has a row.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  public func exists(in connection: isolated Connection) throws(DatabaseError) -> Bool {
    var sql = SQL(segments: [.note(.reads(.subquery)), .text("SELECT ")])
    sql.append(exists().sql)
    let statement = try connection.statement(sql)
    guard try statement.step() else { return false }
    return try Bool(cell: Cell(statement.pointer, 0))
  }

  /// Returns SQLite's plan for the query, without running it.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  public func queryPlan(in connection: isolated Connection) throws(DatabaseError) -> QueryPlan {
    try connection.queryPlan(sql)
  }

  /// Returns the number of rows, counted on a reading connection.
  public func count(in database: Database) async throws -> Int {
    try await database.read { db in
      try count(in: db)
    }
  }

  /// Returns true if the query has a row, read on a reading connection.
  public func exists(in database: Database) async throws -> Bool {
    try await database.read { db in
      try exists(in: db)
    }
  }

  /// Returns SQLite's plan for the query, without running it.
  public func queryPlan(in database: Database) async throws -> QueryPlan {
    try await database.read { db in
      try queryPlan(in: db)
    }
  }
}

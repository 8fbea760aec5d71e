/// See [EXPLAIN QUERY PLAN](https://www.sqlite.org/eqp.html).
extension Table {
  /// Returns SQLite's plan for fetching the rows, without fetching them.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the table does not exist.
  public func queryPlan(in connection: isolated Connection) throws(DatabaseError) -> QueryPlan {
    try connection.queryPlan(sql)
  }

  /// Returns SQLite's plan for fetching the rows, without fetching them.
  public func queryPlan(in database: Database) async throws -> QueryPlan {
    try await database.read { db in
      try queryPlan(in: db)
    }
  }
}

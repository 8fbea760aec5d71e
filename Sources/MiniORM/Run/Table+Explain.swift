/// See [EXPLAIN QUERY PLAN](https://www.sqlite.org/eqp.html).
extension Table {
  /// How SQLite would go about fetching the rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` when the table does not exist.
  public func queryPlan(in connection: isolated Connection) throws(DatabaseError) -> QueryPlan {
    try connection.queryPlan(sql)
  }

  /// How SQLite would go about fetching the rows.
  /// - Parameter database: The database.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` when the table does not exist.
  public func queryPlan(in database: Database) async throws(DatabaseError) -> QueryPlan {
    try await queryPlan(in: database.reader)
  }
}

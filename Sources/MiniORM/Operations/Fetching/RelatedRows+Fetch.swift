extension RelatedRows {
  /// Returns all the rows with their related rows. One statement reads the rows, and another
  /// statement each kind of related row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  /// - Complexity: O(*n*) in the number of rows read, plus the search.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    // All statements must read the same state of the database.
    guard connection.depth == 0 else {
      return try rows(in: connection)
    }
    try connection.begin(.deferred)
    let found: [Output]
    do throws(DatabaseError) {
      found = try rows(in: connection)
    } catch {
      connection.rollback()
      throw error
    }
    try connection.commit()
    return found
  }

  /// Returns the first row with its related rows, or `nil` if there is no row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> Output? {
    var first = parents
    if first.clauses.limit.map({ $0 > 0 }) ?? true {
      first = first.limit(1, offset: first.clauses.offset ?? 0)
    }
    return try RelatedRows(first, repeat each children).fetchAll(in: connection).first
  }

  /// Returns all the rows with their related rows, read in a single transaction.
  public func fetchAll(in database: Database) async throws -> [Output] {
    try await database.read { try fetchAll(in: $0) }
  }

  /// Returns the first row with its related rows, or `nil`, read in a single transaction.
  public func fetchOne(in database: Database) async throws -> Output? {
    try await database.read { try fetchOne(in: $0) }
  }

  private func rows(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    var found = try rows(of: parents.clauses, key: []) { (sql) throws(DatabaseError) in
      try connection.statement(sql)
    }
    return found.rows.take()
  }
}

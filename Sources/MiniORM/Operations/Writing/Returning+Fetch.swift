extension Returning {
  /// Runs the change and returns a value for each changed row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if a constraint is violated, the statement is invalid, or a
  ///   returned value's type does not match. Nothing is then changed, unless
  ///   ``ConflictResolution/fail`` applies.
  /// - Complexity: O(*n*) in the number of changed rows, plus the change.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    if let problem { throw problem.adding(sql: sql.text) }
    guard !parts.isEmpty else { return [] }
    return try connection.atomically(resolution) { () throws(DatabaseError) in
      var rows: [Output] = []
      for part in parts {
        rows += try reader.all(try statement(part, in: connection))
      }
      return rows
    }
  }

  /// Runs the change and returns the value for the first changed row, or `nil` without a changed
  /// row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` as `fetchAll`.
  /// - Complexity: O(*n*) in the number of changed rows, which are all read.
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> Output? {
    try fetchAll(in: connection).first
  }

  /// Runs the change in a transaction of its own, and returns a value for each changed row.
  public func fetchAll(in database: Database) async throws -> [Output] {
    try await database.write(keepingRowsBeforeFailure: resolution) { (db) throws(DatabaseError) in
      try fetchAll(in: db)
    }
  }

  /// Runs the change in a transaction of its own, and returns the value for the first changed row,
  /// or `nil`.
  public func fetchOne(in database: Database) async throws -> Output? {
    try await database.write(keepingRowsBeforeFailure: resolution) { (db) throws(DatabaseError) in
      try fetchOne(in: db)
    }
  }

  private func statement(_ sql: SQL, in connection: isolated Connection) throws(DatabaseError)
    -> Statement
  {
    do throws(DatabaseError) {
      return try connection.statement(sql)
    } catch {
      throw explaining(error)
    }
  }
}

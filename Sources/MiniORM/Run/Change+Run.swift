extension Change {
  /// Runs the change.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The number of rows inserted, updated or deleted, not counting those of triggers and
  ///   foreign keys.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   statement contains a mistake. Nothing is then changed, unless ``ConflictResolution/fail``
  ///   applies.
  @discardableResult
  public func run(in connection: isolated Connection) throws(DatabaseError) -> Int {
    let statement = asStatement
    if let problem = statement.problem { throw problem.adding(sql: statement.sql.text) }
    // One statement is atomic by itself.
    if let part = statement.parts.first, statement.parts.count == 1 {
      return try connection.change(part)
    }
    guard !statement.parts.isEmpty else { return 0 }
    return try connection.atomically(statement.resolution) { () throws(DatabaseError) in
      var count = 0
      for part in statement.parts { count += try connection.change(part) }
      return count
    }
  }

  /// Runs the change.
  /// - Parameter database: The database.
  /// - Returns: The number of rows inserted, updated or deleted, not counting those of triggers and
  ///   foreign keys.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   statement contains a mistake. Nothing is then changed, unless ``ConflictResolution/fail``
  ///   applies.
  @discardableResult
  public func run(in database: Database) async throws -> Int {
    // Deleting all rows of a table is one instruction to SQLite.
    let isShort = (self as? Delete<Changed>).map { !$0.table.isWhole } ?? true
    return try await database.writing(isShort: isShort) { (db) throws(DatabaseError) in
      try run(in: db)
    }
  }
}

extension Connection {
  /// Runs an INSERT, an UPDATE or a DELETE.
  /// - Returns: How many rows it has changed.
  fileprivate func change(_ sql: SQL) throws(DatabaseError) -> Int {
    try statement(sql).run()
    // SQLite sets it at the end of each of them.
    return try changes()
  }

  /// Runs a change, either all of it or none, except for what ``ConflictResolution/fail`` keeps.
  func atomically<Result>(
    _ resolution: ConflictResolution?, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard resolution == .fail else { return try atomically(.deferred, body) }
    var failure: DatabaseError?
    let result = try atomically(.deferred) { () throws(DatabaseError) -> Result? in
      do throws(DatabaseError) {
        return try body()
      } catch {
        // A value that cannot be read is the whole statement's failure, and not that of one row.
        guard error.code.primary == .constraint else { throw error }
        failure = error
        return nil
      }
    }
    guard let result else { throw failure ?? DatabaseError(.step, "The statement failed") }
    return result
  }
}

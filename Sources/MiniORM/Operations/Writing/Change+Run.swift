extension Change {
  // Inlinable, so that generic code is specialized in the calling module.

  /// Runs the change.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The number of rows inserted, updated or deleted, without changes by triggers and
  ///   foreign keys.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   statement is invalid. The statement then changes nothing, unless ``ConflictResolution/fail``
  ///   applies.
  @inlinable
  @discardableResult
  public func run(in connection: isolated Connection) throws(DatabaseError) -> Int {
    try connection.run(asStatement.content)
  }

  /// Runs the change in a transaction of its own. See ``run(in:)-(Connection)``.
  @discardableResult
  public func run(in database: Database) async throws -> Int {
    let statement = asStatement
    return try await database.write(keepingRowsBeforeFailure: statement.resolution) {
      try $0.run(statement.content)
    }
  }
}

extension Database {
  /// With ``ConflictResolution/fail``, a violated constraint throws, but the rows changed before
  /// are committed.
  func write<Result: Sendable>(
    keepingRowsBeforeFailure resolution: ConflictResolution?,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    guard resolution == .fail else { return try await writeOperation(body) }
    return try await writeOperation { db throws -> Swift.Result<Result, DatabaseError> in
      do {
        return .success(try body(db))
      } catch let error as DatabaseError where error.code.primary == .constraint {
        // SQLite has rolled the statement back for any other error.
        return .failure(error)
      }
    }.get()
  }
}

extension Connection {
  @usableFromInline
  func run(_ change: consuming ChangeContent) throws(DatabaseError) -> Int {
    if let problem = change.problem { throw problem.adding(sql: change.sql.text) }
    let parts = change.parts
    // A single statement is atomic without a savepoint.
    if let part = parts.first, parts.count == 1 { return try runToEnd(try statement(part)) }
    guard !parts.isEmpty else { return 0 }
    return try atomically(change.resolution) { () throws(DatabaseError) in
      var count = 0
      for part in parts { count += try runToEnd(try statement(part)) }
      return count
    }
  }

  @usableFromInline
  func runToEnd(_ statement: consuming Statement) throws(DatabaseError) -> Int {
    try statement.run()
    // The count of INSERT, UPDATE and DELETE is set when the statement ends.
    return statement.changes
  }

  /// Runs a change atomically, except for the rows that ``ConflictResolution/fail`` keeps.
  func atomically<Result>(
    _ resolution: ConflictResolution?, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard resolution == .fail else { return try atomically(body) }
    return try atomically { () throws(DatabaseError) -> Swift.Result<Result, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try body())
      } catch {
        // Any other error, such as a value that cannot be read, rolls the whole change back.
        guard error.code.primary == .constraint else { throw error }
        return .failure(error)
      }
    }.get()
  }
}

extension Returning {
  /// Runs the change and returns a value for each changed row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if a constraint is violated, the statement is invalid, or a
  ///   returned value's type does not match. Nothing is then changed, unless
  ///   ``ConflictResolution/fail`` applies.
  /// - Complexity: O(*n*) in the number of changed rows, plus the change.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    if let problem = content.problem { throw problem.adding(sql: sql.text) }
    return try fetchAll(content.parts, in: connection) { (part) throws(DatabaseError) in
      try connection.statement(part)
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
    try await database.write(keepingRowsBeforeFailure: content.resolution) {
      try fetchAll(in: $0)
    }
  }

  /// Runs the change in a transaction of its own, and returns the value for the first changed row,
  /// or `nil`.
  public func fetchOne(in database: Database) async throws -> Output? {
    try await fetchAll(in: database).first
  }

  /// Runs the parts of the change, and rolls them back if a returned value cannot be read.
  func fetchAll<Part>(
    _ parts: [Part], in connection: isolated Connection,
    _ statement: (Part) throws(DatabaseError) -> Statement
  ) throws(DatabaseError) -> [Output] {
    guard !parts.isEmpty else { return [] }
    return try connection.atomically(content.resolution) { () throws(DatabaseError) in
      var rows: [Output] = []
      for part in parts {
        let prepared = try explaining { () throws(DatabaseError) in try statement(part) }
        let found = try reader.all(prepared)
        if rows.isEmpty { rows = found } else { rows += found }
      }
      return rows
    }
  }

  private func explaining(_ statement: () throws(DatabaseError) -> Statement) throws(DatabaseError)
    -> Statement
  {
    do throws(DatabaseError) { return try statement() } catch { throw explaining(error) }
  }
}

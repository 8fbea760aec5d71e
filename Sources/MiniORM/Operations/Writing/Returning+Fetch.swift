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
        let found = try reader.all(try explaining { () throws(DatabaseError) in try statement(part) })
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

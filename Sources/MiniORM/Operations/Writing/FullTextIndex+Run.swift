extension FullTextIndex {
  /// Rebuilds, optimizes or checks the index.
  ///
  /// ```swift
  /// try await index.run(.rebuild, in: database)
  /// ```
  /// - Parameters:
  ///   - command: The command.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the index does not exist. If a check fails, the code is
  ///   ``ResultCode/corrupt``.
  /// - Complexity: O(*n*) in the size of the text.
  public func run(_ command: FullTextCommand, in connection: isolated Connection)
    throws(DatabaseError)
  {
    do throws(DatabaseError) {
      try connection.execute(SQL(raw: command.sql(name)))
    } catch {
      guard command == .integrityCheck, error.code.primary == .corrupt else { throw error }
      throw DatabaseError(
        error.operation, code: error.code,
        "The full-text index \(name) does not match its text: rebuild it", sql: error.sql,
        table: name)
    }
  }

  /// Rebuilds, optimizes or checks the index, in a transaction of its own.
  public func run(_ command: FullTextCommand, in database: Database) async throws {
    try await database.write { try run(command, in: $0) }
  }
}

extension SelectStatement {
  /// All the rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    let select = asSelect
    return try select.reader.all(try connection.statement(select.clauses.sql))
  }

  /// The first row.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> Output? {
    let select = asSelect.first
    return try select.reader.one(try connection.statement(select.clauses.sql))
  }

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - connection: The connection of a transaction.
  ///   - body: What to do with a row. When it throws, the reading ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  public func forEach(in connection: isolated Connection, _ body: (Output) throws -> Void) throws {
    let select = asSelect
    try select.reader.each(try connection.statement(select.clauses.sql), body)
  }

  /// All the rows.
  /// - Parameter database: The database.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  public func fetchAll(in database: Database) async throws(DatabaseError) -> [Output] {
    try await fetchAll(in: database.reader)
  }

  /// The first row.
  /// - Parameter database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(in database: Database) async throws(DatabaseError) -> Output? {
    try await fetchOne(in: database.reader)
  }

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - database: The database.
  ///   - body: What to do with a row, on the connection's executor. When it throws, the reading
  ///     ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  public func forEach(
    in database: Database, _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await forEach(in: database.reader, body)
  }
}

extension RelatedRows {
  /// All the rows with what belongs to them.
  ///
  /// One statement reads the rows, and one more each kind of what belongs to them.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of all rows that are read, beside the search.
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    // One state of the database for all statements: outside of a transaction there could be several.
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

  /// The first row with what belongs to it.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> Output? {
    var first = parents
    if first.clauses.limit != 0 { first = first.limit(1, offset: first.clauses.offset ?? 0) }
    return try RelatedRows(first, repeat each children).fetchAll(in: connection).first
  }

  /// All the rows with what belongs to them, as they are at one moment.
  /// - Parameter database: The database.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of all rows that are read, beside the search.
  public func fetchAll(in database: Database) async throws(DatabaseError) -> [Output] {
    try await fetchAll(in: database.reader)
  }

  /// The first row with what belongs to it.
  /// - Parameter database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(in database: Database) async throws(DatabaseError) -> Output? {
    try await fetchOne(in: database.reader)
  }

  private func rows(in connection: isolated Connection) throws(DatabaseError) -> [Output] {
    // No key path: in a context with a parameter pack the runtime (6.3) crashes making one.
    try rows(of: parents.clauses, key: nil) { (sql) throws(DatabaseError) in
      try connection.statement(sql)
    }.map { $0.row }
  }
}

extension PreparedQuery {
  @usableFromInline
  func statement(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Statement
  {
    try check()
    let statement = try connection.statement(text)
    for (index, value) in constants { try value.bind(to: statement.parameter(index)) }
    var number = 0
    for argument in repeat each arguments {
      try places[number].bind(argument, to: statement)
      number += 1
    }
    return statement
  }

  /// All the rows.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  public func fetchAll(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> [Output]
  {
    try reader.all(try statement(repeat each arguments, in: connection))
  }

  /// The first row.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Output?
  {
    try reader.one(try statement(repeat each arguments, in: connection))
  }

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  ///   - body: What to do with a row. When it throws, the reading ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  public func forEach(
    _ arguments: repeat each Argument, in connection: isolated Connection,
    _ body: (Output) throws -> Void
  ) throws {
    try reader.each(try statement(repeat each arguments, in: connection), body)
  }

  /// How SQLite would go about the query.
  /// - Parameters:
  ///   - arguments: Values for the parameters: a plan can depend on them.
  ///   - connection: The connection of a transaction.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  public func queryPlan(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> QueryPlan
  {
    try check()
    return try connection.queryPlan(sql(repeat each arguments))
  }

  /// All the rows.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - database: The database.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  public func fetchAll(_ arguments: repeat each Argument, in database: Database)
    async throws(DatabaseError) -> [Output]
  {
    try await fetchAll(repeat each arguments, in: database.reader)
  }

  /// The first row.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  public func fetchOne(_ arguments: repeat each Argument, in database: Database)
    async throws(DatabaseError) -> Output?
  {
    try await fetchOne(repeat each arguments, in: database.reader)
  }

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - database: The database.
  ///   - body: What to do with a row, on the connection's executor. When it throws, the reading
  ///     ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  public func forEach(
    _ arguments: repeat each Argument, in database: Database,
    _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await forEach(repeat each arguments, in: database.reader, body)
  }
}

// The same, specialised for a model in the caller's module: a tenth faster where rows are few.
extension PreparedQuery where Output: Model {
  /// All the rows.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  @inlinable
  public func fetchAll(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> [Output]
  {
    try statement(repeat each arguments, in: connection).fetchAll(Output.self)
  }

  /// The first row.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  @inlinable
  public func fetchOne(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Output?
  {
    try statement(repeat each arguments, in: connection).fetchOne(Output.self)
  }

  /// All the rows.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - database: The database.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  @inlinable
  public func fetchAll(_ arguments: repeat each Argument, in database: Database)
    async throws(DatabaseError) -> [Output]
  {
    try await fetchAll(repeat each arguments, in: database.reader)
  }

  /// The first row.
  /// - Parameters:
  ///   - arguments: The values of this run, in the order of the closure's parameters.
  ///   - database: The database.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the query is mistaken, or a value is not of its type.
  @inlinable
  public func fetchOne(_ arguments: repeat each Argument, in database: Database)
    async throws(DatabaseError) -> Output?
  {
    try await fetchOne(repeat each arguments, in: database.reader)
  }
}

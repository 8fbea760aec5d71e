extension PreparedQuery {
  @usableFromInline
  func statement(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Statement
  {
    try prepared.check()
    let statement = try connection.statement(prepared)
    var number = 0
    for argument in repeat each arguments {
      try prepared.bind(argument, number: &number, to: statement)
    }
    if statement.isRecorded { statement.choose(prepared.chosen(by: repeat each arguments)) }
    return statement
  }

  /// Returns all the rows.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  /// - Complexity: O(*n*) in the number of rows, plus the search.
  public func fetchAll(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> [Output]
  {
    try reader.all(try statement(repeat each arguments, in: connection))
  }

  /// Returns the first row, or `nil` if there is no row.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the query is invalid, or a value's type does not match.
  public func fetchOne(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Output?
  {
    try reader.one(try statement(repeat each arguments, in: connection))
  }

  /// Calls a closure with each row in order. Only one row is in memory at a time.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  ///   - body: The closure. If it throws, no more rows are read.
  /// - Throws: ``DatabaseError``, or the closure's error.
  public func forEach(
    _ arguments: repeat each Argument, in connection: isolated Connection,
    _ body: (Output) throws -> Void
  ) throws {
    try reader.each(try statement(repeat each arguments, in: connection), body)
  }

  /// Returns all the rows, read on a reading connection.
  public func fetchAll(_ arguments: repeat each Argument, in database: Database)
    async throws -> [Output]
  {
    try await database.read { try fetchAll(repeat each arguments, in: $0) }
  }

  /// Returns the first row, or `nil` if there is no row, read on a reading connection.
  public func fetchOne(_ arguments: repeat each Argument, in database: Database)
    async throws -> Output?
  {
    try await database.read { try fetchOne(repeat each arguments, in: $0) }
  }

  /// Calls a closure with each row in order, on a reading connection's executor.
  public func forEach(
    _ arguments: repeat each Argument, in database: Database,
    _ body: @Sendable (Output) throws -> Void
  ) async throws {
    try await database.read { try forEach(repeat each arguments, in: $0, body) }
  }
}

// Overloads for models, specialized in the caller's module.
extension PreparedQuery where Output: Model {
  /// Returns all the rows as models.
  @inlinable
  public func fetchAll(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> [Output]
  {
    try statement(repeat each arguments, in: connection).fetchAll(Output.self)
  }

  /// Returns the first row as a model, or `nil` if there is no row.
  @inlinable
  public func fetchOne(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Output?
  {
    try statement(repeat each arguments, in: connection).fetchOne(Output.self)
  }

  /// Returns all the rows as models, read on a reading connection.
  @inlinable
  public func fetchAll(_ arguments: repeat each Argument, in database: Database)
    async throws -> [Output]
  {
    try await database.read { try fetchAll(repeat each arguments, in: $0) }
  }

  /// Returns the first row as a model, or `nil` if there is no row, read on a reading connection.
  @inlinable
  public func fetchOne(_ arguments: repeat each Argument, in database: Database)
    async throws -> Output?
  {
    try await database.read { try fetchOne(repeat each arguments, in: $0) }
  }
}

extension Connection {
  @usableFromInline
  func statement(_ prepared: PreparedSQL) throws(DatabaseError) -> Statement {
    let statement = try statement(prepared.text)
    try prepared.bindConstants(to: statement)
    return statement
  }
}

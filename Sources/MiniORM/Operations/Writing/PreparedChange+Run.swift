extension PreparedChange {
  /// Runs the change.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Returns: The number of rows inserted, updated or deleted, without changes by triggers and
  ///   foreign keys.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, or the
  ///   statement is invalid. The statement then changes nothing, unless ``ConflictResolution/fail``
  ///   applies.
  @inlinable
  @discardableResult
  public func run(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Int
  {
    // Forwarding the pack to a function would make a tuple, whose type is looked up in every run,
    // even on paths that do not forward the pack.
    guard let only = parts.only else {
      var values: [any ColumnValue] = []
      for argument in repeat each arguments { values.append(argument) }
      return try parts.run(values, in: connection)
    }
    let statement = try connection.statement(only)
    var number = 0
    repeat try only.bind(each arguments, number: &number, to: statement)
    return try connection.runToEnd(statement)
  }

  /// Runs the change in a transaction of its own, and returns the number of changed rows.
  @discardableResult
  public func run(_ arguments: repeat each Argument, in database: Database) async throws -> Int {
    try await database.write(keepingRowsBeforeFailure: parts.resolution) {
      try run(repeat each arguments, in: $0)
    }
  }
}

extension PreparedReturning {
  /// Runs the change and returns a value for each changed row.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if a constraint is violated, a value cannot be stored, the
  ///   statement is invalid, or a returned value's type does not match. Nothing is then changed,
  ///   unless ``ConflictResolution/fail`` applies.
  /// - Complexity: O(*n*) in the number of changed rows, plus the change.
  public func fetchAll(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> [Output]
  {
    try parts.check()
    return try returning.fetchAll(parts.all, in: connection) { (part) throws(DatabaseError) in
      let statement = try connection.statement(part)
      var number = 0
      for argument in repeat each arguments {
        try part.bind(argument, number: &number, to: statement)
      }
      return statement
    }
  }

  /// Runs the change and returns the value for the first changed row, or `nil` without a changed
  /// row.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` as `fetchAll`.
  /// - Complexity: O(*n*) in the number of changed rows, which are all read.
  public func fetchOne(_ arguments: repeat each Argument, in connection: isolated Connection)
    throws(DatabaseError) -> Output?
  {
    try fetchAll(repeat each arguments, in: connection).first
  }

  /// Runs the change in a transaction of its own, and returns a value for each changed row.
  public func fetchAll(_ arguments: repeat each Argument, in database: Database)
    async throws -> [Output]
  {
    try await database.write(keepingRowsBeforeFailure: parts.resolution) {
      try fetchAll(repeat each arguments, in: $0)
    }
  }

  /// Runs the change in a transaction of its own, and returns the value for the first changed row,
  /// or `nil`.
  public func fetchOne(_ arguments: repeat each Argument, in database: Database)
    async throws -> Output?
  {
    try await fetchAll(repeat each arguments, in: database).first
  }
}

extension PreparedParts {
  @usableFromInline
  func run(
    _ arguments: [any ColumnValue], in connection: isolated Connection
  ) throws(DatabaseError) -> Int {
    try check()
    guard !all.isEmpty else { return 0 }
    return try connection.atomically(resolution) { () throws(DatabaseError) in
      var count = 0
      for part in all {
        let statement = try connection.statement(part)
        var number = 0
        for argument in arguments { try part.bind(argument, number: &number, to: statement) }
        count += try connection.runToEnd(statement)
      }
      return count
    }
  }
}

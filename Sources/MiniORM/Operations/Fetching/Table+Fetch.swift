extension Table {
  @usableFromInline
  func selectStatement(in connection: isolated Connection) throws(DatabaseError) -> Statement {
    if isWhole { return try connection.statement(schema.selectAll) }
    return try connection.statement(select)
  }

  /// Returns all the rows.
  @_documentation(visibility: internal)
  @inlinable
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [T] {
    try selectStatement(in: connection).fetchAll(T.self)
  }

  /// Returns the first row, or `nil` if there is no row.
  @_documentation(visibility: internal)
  @inlinable
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> T? {
    try first.selectStatement(in: connection).fetchOne(T.self)
  }

  @usableFromInline
  var first: Table { limit.map { $0 < 1 } ?? false ? self : limit(1, offset: offset ?? 0) }

  /// Returns the row with a primary key, or `nil` if there is no such row or it is not selected.
  ///
  /// ```swift
  /// let company = try companies.find(1, in: db)
  /// ```
  /// - Parameters:
  ///   - key: The primary key, or a tuple for a composite key.
  ///   - connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` if the table does not exist, or a value's type does not match its
  ///   property.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  public func find(_ key: T.PrimaryKey, in connection: isolated Connection) throws(DatabaseError)
    -> T?
  where T: PrimaryKeyedModel {
    if isWhole {
      let statement = try connection.statement(schema.selectByKey)
      try T.bind(key, to: statement, at: 1)
      choose(key, by: statement)
      return try statement.fetchOne(T.self)
    }
    return try selectionByKey(key, in: connection).fetchOne(T.self)
  }

  /// Returns the row with a primary key, or `nil`, read on a reading connection.
  @inlinable
  public func find(_ key: T.PrimaryKey, in database: Database) async throws -> T?
  where T: PrimaryKeyedModel {
    try await database.read { try find(key, in: $0) }
  }

  /// Tells the observation that the statement reads only the row with this key.
  @usableFromInline
  func choose(_ key: T.PrimaryKey, by statement: borrowing Statement) where T: PrimaryKeyedModel {
    statement.choose(
      {
        guard schema.primaryKey.count == 1, let column = schema.primaryKey.first else { return nil }
        let values = try? EchoDatabase.values(count: 1, of: [key]) {
          (key, statement) throws(DatabaseError) in
          try T.bind(key, to: statement, at: 1)
        }
        guard case .integer(let row) = values?.first?.first else { return nil }
        return ChosenRows(table: schema.name.folded, column: column.name.folded, values: [row])
      }())
  }

  @usableFromInline
  func selectionByKey(_ key: T.PrimaryKey, in connection: isolated Connection) throws(DatabaseError)
    -> Statement
  where T: PrimaryKeyedModel {
    var sql = SQL(raw: "SELECT * FROM (")
    sql.append(select)
    let columns = T.schema.primaryKey.map { "\($0.name.quotedIdentifier) = ?" }
    sql.append(") WHERE \(columns.joined(separator: " AND "))")
    let statement = try connection.statement(sql, following: columns.count)
    try T.bind(key, to: statement, at: Int32(sql.parameterCount + 1))
    // With a limit, the result depends on other rows too.
    if limit == nil, SingleTableQuery(select) != nil { choose(key, by: statement) }
    return statement
  }

  /// Returns the elements whose rows are selected. All keys are looked up before the first change,
  /// which could affect the selection by a limit or by a condition on other rows.
  @usableFromInline
  func selected<Element>(
    _ elements: some Collection<Element>, by key: (Element) -> T.PrimaryKey,
    in connection: isolated Connection
  ) throws(DatabaseError) -> [Element] where T: PrimaryKeyedModel {
    var selected: [Element] = []
    for element in elements
    where try selectionByKey(key(element), in: connection).step() { selected.append(element) }
    return selected
  }

  /// Calls a closure with each row in order. Only one row is in memory at a time.
  @_documentation(visibility: internal)
  @inlinable
  public func forEach(in connection: isolated Connection, _ body: (T) throws -> Void) throws {
    let statement = try selectStatement(in: connection)
    guard try statement.step() else { return }
    repeat { try body(try statement.read(T.self)) } while try statement.step()
  }
}

// The functions of ``SelectStatement`` would not read by the specialized functions above.
extension Table {
  /// Returns all the rows, read on a reading connection.
  @_documentation(visibility: internal)
  @inlinable
  public func fetchAll(in database: Database) async throws -> [T] {
    try await database.read { try fetchAll(in: $0) }
  }

  /// Returns the first row, or `nil` if there is no row, read on a reading connection.
  @_documentation(visibility: internal)
  @inlinable
  public func fetchOne(in database: Database) async throws -> T? {
    try await database.read { try fetchOne(in: $0) }
  }

  /// Calls a closure with each row in order, on a reading connection's executor.
  @_documentation(visibility: internal)
  @inlinable
  public func forEach(in database: Database, _ body: @Sendable (T) throws -> Void) async throws {
    try await database.read { try forEach(in: $0, body) }
  }
}

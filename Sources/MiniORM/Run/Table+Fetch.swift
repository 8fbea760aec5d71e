extension Table {
  @usableFromInline
  func selectStatement(in connection: isolated Connection) throws(DatabaseError) -> Statement {
    isWhole ? try connection.statement(schema.selectAll) : try connection.statement(select)
  }

  /// All the rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The rows; none is an empty array.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  /// - Complexity: O(*n*) in the number of rows, beside the search.
  @inlinable
  public func fetchAll(in connection: isolated Connection) throws(DatabaseError) -> [T] {
    try selectStatement(in: connection).fetchAll(T.self)
  }

  /// The first row.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  @inlinable
  public func fetchOne(in connection: isolated Connection) throws(DatabaseError) -> T? {
    try first.selectStatement(in: connection).fetchOne(T.self)
  }

  @usableFromInline
  var first: Table { limit.map { $0 < 1 } ?? false ? self : limit(1, offset: offset ?? 0) }

  /// The row with a primary key, among those selected.
  /// - Parameters:
  ///   - key: The primary key; a tuple where it has several columns.
  ///   - connection: The connection of a transaction.
  /// - Returns: The row, or `nil` when there is none.
  /// - Throws: ``DatabaseError`` when the table does not exist, or a value is not of its property's
  ///   type.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @inlinable
  public func find(_ key: T.PrimaryKey, in connection: isolated Connection) throws(DatabaseError)
    -> T?
  where T: PrimaryKeyedModel {
    if isWhole {
      let statement = try connection.statement(schema.selectByKey)
      try T.bind(key, to: statement, at: 1)
      return try statement.fetchOne(T.self)
    }
    return try selectionByKey(key, in: connection).fetchOne(T.self)
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
    return statement
  }

  /// Those of some rows that are among the selected ones, by their keys.
  ///
  /// All are looked for before one is changed: a limit, or a condition that looks at other rows, would
  /// otherwise choose anew after each change.
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

  /// Calls a closure with each row in turn, holding one in memory.
  /// - Parameters:
  ///   - connection: The connection of a transaction.
  ///   - body: What to do with a row. When it throws, the reading ends.
  /// - Throws: What the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of rows; O(1) memory.
  @inlinable
  public func forEach(in connection: isolated Connection, _ body: (T) throws -> Void) throws {
    let statement = try selectStatement(in: connection)
    guard try statement.step() else { return }
    let layout = RowLayout(statement.pointer)
    repeat { try body(try statement.read(T.self, layout)) } while try statement.step()
  }
}

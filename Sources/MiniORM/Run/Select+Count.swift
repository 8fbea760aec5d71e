extension SelectStatement {
  /// The number of rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  /// - Complexity: O(*n*) in the number of rows.
  public func count(in connection: isolated Connection) throws(DatabaseError) -> Int {
    let statement = try connection.statement(counting)
    guard try statement.step() else { return 0 }
    return try Int(cell: Cell(statement.pointer, 0))
  }

  /// Whether there is a row.
  /// - Parameter connection: The connection of a transaction.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  public func exists(in connection: isolated Connection) throws(DatabaseError) -> Bool {
    var sql = SQL(raw: "SELECT ")
    sql.append(exists().sql)
    let statement = try connection.statement(sql)
    guard try statement.step() else { return false }
    return try Bool(cell: Cell(statement.pointer, 0))
  }

  /// How SQLite would go about fetching the rows.
  /// - Parameter connection: The connection of a transaction.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  public func queryPlan(in connection: isolated Connection) throws(DatabaseError) -> QueryPlan {
    try connection.queryPlan(sql)
  }

  /// The number of rows.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  /// - Complexity: O(*n*) in the number of rows.
  public func count(in database: Database) async throws(DatabaseError) -> Int {
    try await count(in: database.reader)
  }

  /// Whether there is a row.
  /// - Parameter database: The database.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  public func exists(in database: Database) async throws(DatabaseError) -> Bool {
    try await exists(in: database.reader)
  }

  /// How SQLite would go about fetching the rows.
  /// - Parameter database: The database.
  /// - Returns: The plan.
  /// - Throws: ``DatabaseError`` when the query is mistaken.
  public func queryPlan(in database: Database) async throws(DatabaseError) -> QueryPlan {
    try await queryPlan(in: database.reader)
  }

  /// `SELECT count(*) FROM` the query.
  private var counting: SQL {
    var clauses = asSelect.clauses
    if !clauses.isLimited { clauses.ordering = [] }
    // Its columns are those of one row as well where they aggregate.
    if !clauses.isPlain || clauses.isLimited
      || clauses.columns.contains(where: { $0.coding != nil })
    {
      clauses = clauses.nested(as: nil)
    }
    clauses.isWhole = false
    clauses.columns = [ResultColumn(SQL(raw: "count(*)"), name: nil)]
    return clauses.sql
  }
}

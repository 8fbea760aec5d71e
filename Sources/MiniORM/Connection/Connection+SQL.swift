import CSQLCipher

extension Connection {
  /// Runs one statement, with the values that its literal interpolates.
  ///
  /// ```swift
  /// try db.execute("UPDATE company SET name = \(name) WHERE id = \(id)")
  /// ```
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: How many rows an INSERT, UPDATE or DELETE changed; 0 for every other statement.
  /// - Throws: ``DatabaseError`` with SQLite's message, or for an argument that is missing or
  ///   surplus.
  @discardableResult
  public func execute(_ sql: SQL, _ arguments: Arguments = []) throws(DatabaseError) -> Int {
    let statement = try statement(sql, arguments)
    let before = sqlite3_total_changes64(try handle)
    try statement.run()
    // sqlite3_changes keeps the number of an earlier statement where this one changed nothing.
    return sqlite3_total_changes64(try handle) == before ? 0 : try changes()
  }

  /// Runs any number of statements without values, such as a file of SQL.
  ///
  /// - Parameter script: The statements, separated by semicolons.
  /// - Throws: ``DatabaseError`` for the first that fails. Run the script in a transaction to have
  ///   all or nothing.
  public func execute(script: String) throws(DatabaseError) {
    let database = try handle
    // Before each statement: one of the script itself may end the transaction.
    try Script.run(
      script, on: database, allowedBy: cache?.authorizer, watchedBy: cache?.watch,
      interruptedBy: cache?.interruption, undo: cache?.undoJournal
    ) {
      (statement) throws(DatabaseError) in
      try checkTransaction(database)
      try check(statement)
      try checkControl(statement)
    }
  }

  /// Returns the rows of a query, untyped.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: Every row, in memory.
  /// - Throws: ``DatabaseError`` with SQLite's message, or for an argument that is missing or
  ///   surplus.
  /// - Complexity: O(*n*) in the number of values.
  public func query(_ sql: SQL, _ arguments: Arguments = []) throws(DatabaseError) -> [ResultRow] {
    let statement = try statement(sql, arguments)
    var rows: [ResultRow] = []
    guard try statement.step() else { return rows }
    // After the first step: only then has SQLite compiled the statement anew for a changed schema.
    let header = ResultRow.Header(statement.columnNames)
    repeat {
      rows.append(ResultRow(header: header, values: try statement.values))
    } while try statement.step()
    return rows
  }

  /// Reads the rows of a query one by one.
  /// - Parameters:
  ///   - sql: The query.
  ///   - names: Is called once before the first row, with the names of the columns, also where there is none.
  ///   - row: Is called with the values of each row.
  package func forEachRow(
    of sql: SQL, names: ([String]) throws -> Void, row: ([DatabaseValue]) throws -> Void
  ) throws {
    let statement = try statement(sql, [])
    var hasRow = try statement.step()
    try names(statement.columnNames)
    while hasRow {
      try row(try statement.values)
      hasRow = try statement.step()
    }
  }

  /// Returns the first value of the first row of a query.
  ///
  /// - Parameters:
  ///   - type: The type to read it as.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: The value, or `nil` when there is no row.
  /// - Throws: ``DatabaseError`` with SQLite's message, or when the value is not of that type.
  public func value<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, _ arguments: Arguments = []
  ) throws(DatabaseError) -> Value? {
    let statement = try statement(sql, arguments)
    guard try statement.step() else { return nil }
    let value = try Value(cell: Cell(statement.pointer, 0))
    // Only at its end is it known whether a change was committed.
    if sqlite3_stmt_readonly(statement.pointer) == 0 { try statement.run() }
    return value
  }

  /// Compiles a statement anew, to see whether the schema still allows it.
  func compile(_ sql: String) throws(DatabaseError) {
    var pointer: OpaquePointer?
    let database = try handle
    func prepare() -> Int32 { sqlite3_prepare_v3(database, sql, -1, 0, &pointer, nil) }
    let authorizer = cache?.authorizer
    let code = CurrentSchema.compiling(on: database, undo: cache?.undoJournal) {
      authorizer.map { $0.preparing(sql, prepare) } ?? prepare()
    }
    sqlite3_finalize(pointer)
    guard code == SQLITE_OK else {
      let error = DatabaseError(.prepare, code: code, from: database, sql: sql)
      throw authorizer?.explain(error) ?? error
    }
  }

  /// Returns a statement with its values bound, of SQL that the user wrote.
  func statement(_ sql: SQL, _ arguments: Arguments) throws(DatabaseError) -> Statement {
    guard arguments.isEmpty || sql.parameterCount == 0 else {
      throw DatabaseError(
        .bind, code: .range,
        "Give values by interpolation or as arguments, and not both in one statement", sql: sql.text
      )
    }
    let sql = try sql.runnable
    let statement = try statement(sql.text)
    try (sql.parameterCount == 0 ? arguments : Arguments(sql.bindings)).bind(to: statement)
    return statement
  }
}

extension Statement {
  fileprivate var columnNames: [String] { (0..<columnCount).map { columnName($0) } }

  /// The values of the row at which it is.
  fileprivate var values: [DatabaseValue] {
    get throws(DatabaseError) {
      var values: [DatabaseValue] = []
      values.reserveCapacity(Int(columnCount))
      for index in 0..<columnCount {
        values.append(try DatabaseValue(cell: Cell(pointer, index)))
      }
      return values
    }
  }
}

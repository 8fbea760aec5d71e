import CSQLCipher

extension Connection {
  /// Runs a single statement. Interpolated values are bound, not pasted into the text.
  ///
  /// ```swift
  /// try db.execute("UPDATE company SET name = \(name) WHERE id = \(id)")
  /// ```
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  /// - Returns: The number of rows changed by an INSERT, UPDATE or DELETE; else 0.
  /// - Throws: ``DatabaseError`` with SQLite's message, or for a missing or surplus argument.
  @discardableResult
  public func execute(_ sql: SQL, _ arguments: Arguments = []) throws(DatabaseError) -> Int {
    let statement = try statement(sql, arguments)
    let before = sqlite3_total_changes64(try handle)
    try statement.run()
    // After a statement that changes nothing, sqlite3_changes still counts the previous statement.
    return sqlite3_total_changes64(try handle) == before ? 0 : try changes()
  }

  /// Runs any number of statements without values, such as an SQL file.
  ///
  /// - Parameter script: The statements, separated by semicolons.
  /// - Throws: ``DatabaseError`` for the first statement that fails. Earlier statements remain in
  ///   effect, unless the script runs in a transaction.
  public func execute(script: String) throws(DatabaseError) {
    let database = try handle
    // The script may end the transaction: check before each statement.
    try cache?.run(script: script, on: database) { (statement) throws(DatabaseError) in
      try checkTransaction(database)
      try check(statement)
      try checkControl(statement)
      try checkVersion(before: statement)
      if depth > 0, let opened = state.opened {
        try state.checkFormats(of: statement, in: opened)
      }
    }
  }

  /// Returns the rows of a query, untyped.
  ///
  /// ```swift
  /// try db.query("SELECT * FROM company WHERE size > ?", [10])
  /// ```
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  /// - Returns: All rows, in memory.
  /// - Throws: ``DatabaseError`` with SQLite's message, or for a missing or surplus argument.
  /// - Complexity: O(*n*) in the number of values.
  public func query(_ sql: SQL, _ arguments: Arguments = []) throws(DatabaseError) -> [ResultRow] {
    let statement = try statement(sql, arguments)
    var (rows, header): ([ResultRow], ResultRow.Header?) = ([], nil)
    while let row = try statement.nextRow(&header) { rows.append(row) }
    return rows
  }

  /// Calls a closure with each untyped row of a query. Only one row is in memory at a time.
  ///
  /// ```swift
  /// try db.forEach("SELECT name, size FROM company") { row in
  ///   print(try row["name", as: String.self])
  /// }
  /// ```
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  ///   - body: The closure. If it throws, no more rows are read.
  /// - Throws: Any error that the closure throws, or ``DatabaseError``.
  /// - Complexity: O(*n*) in the number of values; O(1) memory.
  public func forEach(
    _ sql: SQL, _ arguments: Arguments = [], _ body: (ResultRow) throws -> Void
  ) throws {
    let statement = try statement(sql, arguments)
    var header: ResultRow.Header?
    while let row = try statement.nextRow(&header) { try body(row) }
  }

  /// Calls `row` with the values of each row.
  /// - Parameter names: Called once before the first row, even if there is no row.
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

  /// Returns the first value of a query.
  ///
  /// ```swift
  /// try db.value(Int.self, "SELECT count(*) FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The Swift type of the value.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  /// - Returns: The first value of the first row, or `nil` if there is no row.
  /// - Throws: ``DatabaseError`` with SQLite's message, or if the value cannot be converted.
  public func value<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, _ arguments: Arguments = []
  ) throws(DatabaseError) -> Value? {
    let statement = try statement(sql, arguments)
    guard try statement.step() else { return nil }
    let value = try Value(cell: Cell(statement.pointer, 0))
    // The commit of a statement that writes is certain only after the last step.
    if sqlite3_stmt_readonly(statement.pointer) == 0 { try statement.run() }
    return value
  }

  package func compile(_ sql: String) throws(DatabaseError) {
    let database = try handle
    _ = try cache?.prepare(sql, on: database)
  }

  func statement(_ sql: SQL, _ arguments: Arguments) throws(DatabaseError) -> Statement {
    let rendered = RenderedSQL(try sql.runnable)
    let hasValues = rendered.parameterCount > 0
    guard arguments.isEmpty || !hasValues else {
      throw DatabaseError(
        .bind, code: .range,
        "The statement has both interpolated values and arguments: use only interpolation, or only arguments",
        sql: rendered.text)
    }
    let statement = try statement(rendered.text)
    try checkVersion(before: statement.storage)
    guard hasValues else {
      try arguments.bind(to: statement)
      return statement
    }
    try Self.check(rendered, statement)
    try rendered.bind(to: statement)
    return statement
  }
}

extension Statement {
  fileprivate borrowing func nextRow(
    _ header: inout ResultRow.Header?
  ) throws(DatabaseError) -> ResultRow? {
    guard try step() else { return nil }
    // The first step recompiles the statement if the schema has changed, so the names are read
    // after it.
    let names = header ?? ResultRow.Header(columnNames)
    header = names
    return ResultRow(header: names, values: try values)
  }

  fileprivate var columnNames: [String] { (0..<columnCount).map { columnName($0) } }
}

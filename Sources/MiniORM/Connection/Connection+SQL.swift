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
    try Script.run(script, on: database, allowedBy: cache?.authorizer) {
      (statement) throws(DatabaseError) in
      try checkTransaction(database)
      try checkReading(statement)
    }
  }

  /// The rows of a query, untyped.
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
    let header = ResultRow.Header((0..<statement.columnCount).map { statement.columnName($0) })
    repeat {
      var values: [DatabaseValue] = []
      values.reserveCapacity(header.names.count)
      for index in 0..<statement.columnCount {
        values.append(try DatabaseValue(cell: Cell(statement.pointer, index)))
      }
      rows.append(ResultRow(header: header, values: values))
    } while try statement.step()
    return rows
  }

  /// The rows of a query, read as a model or a ``Selection``. Their columns are found by their names,
  /// in any order; those of a model within a selection after its property's name and a dot.
  ///
  /// ```swift
  /// try db.query(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// ```
  /// - Parameters:
  ///   - type: The model or the selection.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: Every row.
  /// - Throws: ``DatabaseError``; for a column that the result does not have, it names the column, and
  ///   the table of a model.
  /// - Complexity: O(*n*) in the number of values.
  public func query<T: Selection>(_ type: T.Type, _ sql: SQL, _ arguments: Arguments = [])
    throws(DatabaseError) -> [T]
  {
    try statement(sql, arguments).fetchAllByName(type)
  }

  /// The rows of a query of one column, read as values.
  ///
  /// ```swift
  /// try db.query(String.self, "SELECT name FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type to read a value as: an optional where it can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: The value of every row.
  /// - Throws: ``DatabaseError`` with SQLite's message, when a value is not of that type, or when there
  ///   are more columns.
  /// - Complexity: O(*n*) in the number of values.
  public func query<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, _ arguments: Arguments = []
  ) throws(DatabaseError) -> [Value] {
    let statement = try statement(sql, arguments)
    var values: [Value] = []
    try statement.forEachRow(of: 1, as: type) { () throws(DatabaseError) in
      values.append(try Value(cell: Cell(statement.pointer, 0)))
    }
    return values
  }

  /// The rows of a query, read as tuples. The columns are found by their places.
  ///
  /// ```swift
  /// try db.query((String, Int?).self, "SELECT name, size FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type to read a row as: optionals where a value can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: Every row.
  /// - Throws: ``DatabaseError`` with SQLite's message, when a value is not of its type, or when there
  ///   are more columns or fewer.
  /// - Complexity: O(*n*) in the number of values.
  public func query<First: ColumnValue, Second: ColumnValue, each Rest: ColumnValue>(
    _ type: (First, Second, repeat each Rest).Type, _ sql: SQL, _ arguments: Arguments = []
  ) throws(DatabaseError) -> [(First, Second, repeat each Rest)] {
    let statement = try statement(sql, arguments)
    var count = 2
    repeat count += ((each Rest).self, 1).1
    var rows: [(First, Second, repeat each Rest)] = []
    try statement.forEachRow(of: count, as: type) { () throws(DatabaseError) in
      var index: Int32 = 0
      rows.append(
        (
          try statement.value(First.self, at: &index), try statement.value(Second.self, at: &index),
          repeat try statement.value((each Rest).self, at: &index)
        ))
    }
    return rows
  }

  /// The first value of the first row of a query.
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
    return try Value(cell: Cell(statement.pointer, 0))
  }

  /// Compiles a statement anew, to see whether the schema still allows it.
  func compile(_ sql: String) throws(DatabaseError) {
    var pointer: OpaquePointer?
    let database = try handle
    func prepare() -> Int32 { sqlite3_prepare_v3(database, sql, -1, 0, &pointer, nil) }
    let authorizer = cache?.authorizer
    let code = authorizer.map { $0.preparing(sql, prepare) } ?? prepare()
    sqlite3_finalize(pointer)
    guard code == SQLITE_OK else {
      let error = DatabaseError(.prepare, code: code, from: database, sql: sql)
      throw authorizer?.explain(error) ?? error
    }
  }

  private func statement(_ sql: SQL, _ arguments: Arguments) throws(DatabaseError) -> Statement {
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

extension Connection {
  /// Returns the rows of a query as models or as a ``Selection``. Columns are matched by name, in
  /// any order. For a model within a selection, the name consists of the property's name, a dot,
  /// and the column's name.
  ///
  /// ```swift
  /// try db.query(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// ```
  /// - Parameters:
  ///   - type: The model or the selection.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Returns: Every row.
  /// - Throws: ``DatabaseError``. If a column is missing in the result, the error names the column,
  ///   and a model's table.
  /// - Complexity: O(*n*) in the number of values.
  public func query<T: Selection>(_ type: T.Type, _ sql: SQL, _ arguments: Arguments = [])
    throws(DatabaseError) -> [T]
  {
    try statement(sql, arguments).fetchAllByName(type)
  }

  /// Returns the rows of a query with a single column, as values.
  ///
  /// ```swift
  /// try db.query(String.self, "SELECT name FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type of a value: an optional if the value can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Returns: The value of every row.
  /// - Throws: ``DatabaseError`` with SQLite's message, if a value's type does not match, or if
  ///   there is more than a single column.
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

  /// Returns the rows of a query as tuples. Columns are matched by position.
  ///
  /// ```swift
  /// try db.query((String, Int?).self, "SELECT name, size FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type of a row, with optionals for values that can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Returns: Every row.
  /// - Throws: ``DatabaseError`` with SQLite's message, if a value's type does not match, or if the
  ///   number of columns differs.
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
}

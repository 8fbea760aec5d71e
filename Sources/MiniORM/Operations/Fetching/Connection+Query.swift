extension Connection {
  /// Returns the rows of a query as models or as a ``Selection``.
  ///
  /// ```swift
  /// try db.query(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// ```
  /// Columns are matched by name, in any order. The columns of a model within a selection are named
  /// `property.column`.
  /// - Parameters:
  ///   - type: The model or the selection.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Throws: ``DatabaseError`` if the query is invalid, a value's type does not match, or a
  ///   column is missing. The error names the column, and a model's table.
  /// - Complexity: O(*n*) in the number of values.
  public func query<T: Selection>(_ type: T.Type, _ sql: SQL, _ arguments: Arguments = [])
    throws(DatabaseError) -> [T]
  {
    try statement(sql, arguments).fetchAllByName(type)
  }

  /// Returns the values of a query with a single column.
  ///
  /// ```swift
  /// try db.query(String.self, "SELECT name FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type of a value. Use an optional type if the value can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Throws: ``DatabaseError`` if the query is invalid, a value's type does not match, or the
  ///   result has several columns.
  /// - Complexity: O(*n*) in the number of rows.
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

  /// Returns the rows of a query as tuples, with columns matched by position.
  ///
  /// ```swift
  /// try db.query((String, Int?).self, "SELECT name, size FROM company")
  /// ```
  /// - Parameters:
  ///   - type: The type of a row. Use optional types for values that can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Throws: ``DatabaseError`` if the query is invalid, a value's type does not match, or the
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

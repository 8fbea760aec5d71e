extension Connection {
  /// Returns the rows of a query, read as a model or a ``Selection``. Their columns are found by
  /// their names, in any order; those of a model within a selection after its property's name and a
  /// dot.
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

  /// Returns the rows of a query of one column, read as values.
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

  /// Returns the rows of a query, read as tuples. The columns are found by their places.
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
}

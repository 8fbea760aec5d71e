extension Database {
  /// Observes a closure: returns its result now, and again after each commit that could change the
  /// result.
  ///
  /// ```swift
  /// let counts = database.values { db in
  ///   (try companies.count(in: db), try cities.count(in: db))
  /// }
  /// for try await (companies, cities) in counts { … }
  /// ```
  /// Each run of the closure reads a single state of the database. All its statements are observed.
  /// The choice of statements must depend only on the database, because the closure runs again only
  /// after a change of the data read.
  /// - Parameter read: The closure, which runs on a connection's executor. Writes throw.
  /// - Returns: A sequence of results. The closure runs only during the iteration.
  public func values<Value: Sendable>(
    _ read: @escaping @Sendable (isolated Connection) throws -> Value
  ) -> DatabaseValues<Value> {
    DatabaseValues(in: self, read)
  }

  /// Observes an SQL query whose rows are read as a model or a ``Selection``.
  ///
  /// ```swift
  /// database.values(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// ```
  /// - Parameters:
  ///   - type: The model or the selection.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  /// - Returns: A sequence whose elements contain all rows. The query runs only during the
  ///   iteration.
  public func values<T: Selection>(
    _ type: T.Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[T]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }

  /// Observes an SQL query with a single column.
  /// - Parameters:
  ///   - type: The type of the values. Use an optional type for a column that can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  public func values<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[Value]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }

  /// Observes an SQL query whose rows are read as tuples.
  /// - Parameters:
  ///   - type: The type of a row. Use optional types for columns that can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the SQL text.
  public func values<First: ColumnValue, Second: ColumnValue, each Rest: ColumnValue>(
    _ type: (First, Second, repeat each Rest).Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[(First, Second, repeat each Rest)]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }
}

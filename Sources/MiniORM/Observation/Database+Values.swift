extension Database {
  /// Returns what a closure reads, and again after each commit that could change it.
  ///
  /// ```swift
  /// let counts = database.values { db in
  ///   (try companies.count(in: db), try cities.count(in: db))
  /// }
  /// for try await (companies, cities) in counts { … }
  /// ```
  /// All that is read in one run is from one state of the database, and each statement of the run counts.
  /// What decides which statements run has to be in the database, too: the closure is called again when
  /// what it has read changes, and for nothing else.
  /// - Parameter read: What to read. It runs on a connection's executor; a write in it throws.
  /// - Returns: A sequence of what the closure returns. It is not called before that is iterated.
  public func values<Value: Sendable>(
    _ read: @escaping @Sendable (isolated Connection) throws -> Value
  ) -> DatabaseValues<Value> {
    DatabaseValues(in: self, read)
  }

  /// Returns the rows of SQL, read as a model or a ``Selection``, and again after each commit that
  /// could change them.
  ///
  /// ```swift
  /// database.values(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// ```
  /// - Parameters:
  ///   - type: The model or the selection.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: A sequence of all the rows at a time. Nothing is read before it is iterated.
  public func values<T: Selection>(
    _ type: T.Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[T]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }

  /// Returns the rows of SQL with one column, read as values, and again after each commit that
  /// could change them.
  /// - Parameters:
  ///   - type: The type to read a value as: an optional where it can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: A sequence of the values of all the rows at a time. Nothing is read before it is iterated.
  public func values<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[Value]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }

  /// Returns the rows of SQL, read as tuples, and again after each commit that could change them.
  /// - Parameters:
  ///   - type: The type to read a row as: optionals where a value can be NULL.
  ///   - sql: The query.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in its text.
  /// - Returns: A sequence of all the rows at a time. Nothing is read before it is iterated.
  public func values<First: ColumnValue, Second: ColumnValue, each Rest: ColumnValue>(
    _ type: (First, Second, repeat each Rest).Type, _ sql: SQL, _ arguments: Arguments = []
  ) -> DatabaseValues<[(First, Second, repeat each Rest)]> {
    DatabaseValues(in: self) { db in try db.query(type, sql, arguments) }
  }
}

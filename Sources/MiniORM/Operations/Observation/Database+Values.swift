extension Database {
  /// Observes a closure: returns its result now, and again after each commit that could change the
  /// result.
  ///
  /// ```swift
  /// let counts = database.values { db in
  ///   (try companies.count(in: db), try cities.count(in: db))
  /// }
  /// for try await (companies, cities) in counts { … }
  ///
  /// let large = database.values { db in
  ///   try db.query(Company.self, "SELECT * FROM company WHERE size > \(size)")
  /// }
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
}

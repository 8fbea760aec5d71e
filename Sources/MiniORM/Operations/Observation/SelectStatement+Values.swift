extension SelectStatement {
  /// Observes the rows: returns the rows now, and again after each commit that could change them.
  ///
  /// ```swift
  /// for try await row in companies.select { ($0.name, $0.size) }.values(in: database) { … }
  /// ```
  /// - Returns: A sequence whose elements contain all rows. The query runs only during the
  ///   iteration.
  public func values(in database: Database) -> DatabaseValues<[Output]> {
    let select = asSelect
    return DatabaseValues(in: database) { db in try select.fetchAll(in: db) }
  }
}

extension Table {
  /// Observes the rows: returns the rows now, and again after each commit that could change them.
  ///
  /// ```swift
  /// for try await list in companies.where { $0.size > 10 }.values(in: database) { show(list) }
  /// ```
  /// - Returns: A sequence whose elements contain all rows. The query runs only during the
  ///   iteration.
  public func values(in database: Database) -> DatabaseValues<[T]> {
    let table = self
    return DatabaseValues(in: database) { db in try table.fetchAll(in: db) }
  }
}

extension RelatedRows {
  /// Observes the rows with their related rows. See ``SelectStatement/values(in:)``.
  public func values(in database: Database) -> DatabaseValues<[Output]> {
    let rows = self
    return DatabaseValues(in: database) { db in try rows.fetchAll(in: db) }
  }
}

extension PreparedQuery {
  /// Observes the rows of a run. See ``SelectStatement/values(in:)``.
  /// - Parameters:
  ///   - arguments: The values, in the order of the closure's parameters.
  ///   - database: The database.
  public func values(
    _ arguments: repeat each Argument, in database: Database
  ) -> DatabaseValues<[Output]> {
    let query = self
    return DatabaseValues(
      in: database,
      { db in try query.fetchAll(repeat each arguments, in: db) })
  }
}

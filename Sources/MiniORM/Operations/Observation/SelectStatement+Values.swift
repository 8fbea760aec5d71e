extension SelectStatement {
  /// Observes the rows: returns the rows now, and again after each commit that could change them.
  ///
  /// ```swift
  /// for try await row in companies.select { ($0.name, $0.size) }.values(in: database) { … }
  /// ```
  /// - Returns: A sequence whose elements contain all rows. The query runs only during the
  ///   iteration.
  public func values(in database: Database) -> DatabaseValues<[Output]> {
    DatabaseValues(in: database) { try fetchAll(in: $0) }
  }
}

extension RelatedRows {
  /// Observes the rows with their related rows. See ``SelectStatement/values(in:)``.
  public func values(in database: Database) -> DatabaseValues<[Output]> {
    DatabaseValues(in: database) { try fetchAll(in: $0) }
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
    DatabaseValues(in: database) { try fetchAll(repeat each arguments, in: $0) }
  }
}

/// Aggregates of the rows. See [Built-in Aggregate
/// Functions](https://www.sqlite.org/lang_aggfunc.html).
extension FromStatement {
  private func aggregate<Value, Result>(
    _ expression: (Columns) -> SQLExpression<Value>, in connection: isolated Connection,
    _ aggregate: (SQLExpression<Value>) -> SQLExpression<Result?>
  ) throws(DatabaseError) -> Result? {
    let from = from.distinguished
    var (clauses, value) = (from.clauses, from.calling(expression))
    if clauses.isFilter {
      clauses.ordering = []
    } else {
      // Aggregate over a subquery, because DISTINCT, GROUP BY and LIMIT apply first.
      let name = "miniorm_value"
      clauses.columns =
        (clauses.isDistinct ? from.resultColumns : [])
        + [ResultColumn(value.sql, name: name)]
      clauses = clauses.nested(as: nil)
      value = SQLExpression(SQL(raw: name.quotedIdentifier), value.coding)
    }
    let result = aggregate(value)
    clauses.columns = SQLExpression.resultColumns(result)
    let statement = try connection.statement(clauses.sql)
    guard try statement.step() else { return nil }
    return try result.coding.decode(Cell(statement.pointer, 0))
  }

  /// Returns the smallest value of an expression, ignoring NULL.
  ///
  /// ```swift
  /// let smallest = try companies.min(of: { $0.size }, in: db)
  /// ```
  /// - Parameters:
  ///   - expression: A closure that takes the columns and returns the expression.
  ///   - connection: The connection of a transaction.
  /// - Returns: The value, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the query is invalid, or the value's type does not match.
  public func min<Value: SQLComparable>(
    of expression: (Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.SQLUnwrapped? {
    try aggregate(expression, in: connection) { $0.min() }
  }

  /// Returns the greatest value of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the columns and returns the expression.
  ///   - connection: The connection of a transaction.
  /// - Returns: The value, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the query is invalid, or the value's type does not match.
  public func max<Value: SQLComparable>(
    of expression: (Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.SQLUnwrapped? {
    try aggregate(expression, in: connection) { $0.max() }
  }

  /// Returns the sum of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the columns and returns the expression.
  ///   - connection: The connection of a transaction.
  /// - Returns: The sum, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the query is invalid, or the sum exceeds the range of its type.
  public func sum<Value: SQLSummable>(
    of expression: (Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.Unwrapped? {
    try aggregate(expression, in: connection) { $0.sum() }
  }

  /// Returns the average of an expression, ignoring NULL.
  /// - Parameters:
  ///   - expression: A closure that takes the columns and returns the expression.
  ///   - connection: The connection of a transaction.
  /// - Returns: The average, or `nil` without values.
  /// - Throws: ``DatabaseError`` if the query is invalid.
  public func average<Value: SQLNumeric>(
    of expression: (Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Double? {
    try aggregate(expression, in: connection) { $0.average() }
  }

  /// Returns the smallest value of an expression, read on a reading connection. See
  /// ``FromStatement/min(of:in:)-(_,Connection)``.
  public func min<Value: SQLComparable>(
    of expression: @Sendable (Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { try min(of: expression, in: $0) }
  }

  /// Returns the greatest value of an expression, read on a reading connection. See
  /// ``FromStatement/max(of:in:)-(_,Connection)``.
  public func max<Value: SQLComparable>(
    of expression: @Sendable (Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { try max(of: expression, in: $0) }
  }

  /// Returns the sum of an expression, read on a reading connection. See
  /// ``FromStatement/sum(of:in:)-(_,Connection)``.
  public func sum<Value: SQLSummable>(
    of expression: @Sendable (Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.Unwrapped? {
    try await database.read { try sum(of: expression, in: $0) }
  }

  /// Returns the average of an expression, read on a reading connection. See
  /// ``FromStatement/average(of:in:)-(_,Connection)``.
  public func average<Value: SQLNumeric>(
    of expression: @Sendable (Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Double? {
    try await database.read { try average(of: expression, in: $0) }
  }
}

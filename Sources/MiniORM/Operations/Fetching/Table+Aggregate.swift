/// Aggregates of a table's rows. See [Built-in Aggregate
/// Functions](https://www.sqlite.org/lang_aggfunc.html).
extension Table {
  private func value<Value: ColumnValue>(
    _ type: Value.Type, _ sql: SQL, in connection: isolated Connection
  ) throws(DatabaseError) -> Value? {
    try decoded(sql, Coding<Value?>(), in: connection) ?? nil
  }

  private func decoded<Value>(
    _ sql: SQL, _ coding: Coding<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value? {
    let statement = try connection.statement(sql)
    guard try statement.step() else { return nil }
    return try coding.decode(Cell(statement.pointer, 0))
  }

  /// Returns the number of rows.
  @_documentation(visibility: internal)
  public func count(in connection: isolated Connection) throws(DatabaseError) -> Int {
    try value(Int.self, aggregate("count", nil), in: connection) ?? 0
  }

  /// Returns true if a row is selected.
  @_documentation(visibility: internal)
  public func exists(in connection: isolated Connection) throws(DatabaseError) -> Bool {
    var sql = SQL(segments: [.note(.reads(.subquery)), .text("SELECT EXISTS (")])
    // With constants, DISTINCT would merge all rows into a single row.
    sql.append(select(isDistinct ? T.schema.columnList : "1"))
    sql.append(")")
    return try value(Bool.self, sql, in: connection) ?? false
  }

  /// Returns the smallest value of an expression, or `nil` if all values are NULL.
  ///
  /// ```swift
  /// let smallest = try companies.min(of: { $0.size }, in: db)
  /// ```
  /// - Throws: ``DatabaseError`` if the table does not exist, or the value's type does not match.
  public func min<Value: SQLComparable>(
    of expression: (T.Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.SQLUnwrapped? {
    let table = distinguished
    let expression = table.calling(expression)
    let value = try table.decoded(
      table.aggregate("min", expression.compared), expression.coding.optional, in: connection)
    // The cast unwraps nullable values: a single overload serves both.
    return (value ?? nil) as? Value.SQLUnwrapped
  }

  /// Returns the greatest value of an expression, or `nil` if all values are NULL.
  /// - Throws: ``DatabaseError`` if the table does not exist, or the value's type does not match.
  public func max<Value: SQLComparable>(
    of expression: (T.Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.SQLUnwrapped? {
    let table = distinguished
    let expression = table.calling(expression)
    let value = try table.decoded(
      table.aggregate("max", expression.compared), expression.coding.optional, in: connection)
    return (value ?? nil) as? Value.SQLUnwrapped
  }

  /// Returns the sum of an expression's values that are not NULL, or `nil` if all values are NULL.
  /// - Throws: ``DatabaseError`` if the table does not exist, or the sum exceeds the range of its
  ///   type.
  public func sum<Value: SQLSummable>(
    of expression: (T.Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Value.Unwrapped? {
    let table = distinguished
    let expression = table.calling(expression)
    let coding: Coding<Value.Unwrapped?> = expression.coding.summed()
    let sql = table.aggregate(expression.sumName, expression.asReal.sql)
    return try decoded(sql, coding, in: connection) ?? nil
  }

  /// Returns the average of an expression's values that are not NULL, or `nil` if all values are
  /// NULL.
  /// - Throws: ``DatabaseError`` if the table does not exist.
  public func average<Value: SQLNumeric>(
    of expression: (T.Columns) -> SQLExpression<Value>, in connection: isolated Connection
  ) throws(DatabaseError) -> Double? {
    let table = distinguished
    let sql = table.aggregate("avg", table.calling(expression).sql)
    return try value(Double.self, sql, in: connection)
  }

  /// Returns the smallest value of an expression, or `nil` if all values are NULL.
  public func min<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { try min(of: expression, in: $0) }
  }

  /// Returns the greatest value of an expression, or `nil` if all values are NULL.
  public func max<Value: SQLComparable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.SQLUnwrapped?
  where Value: SendableMetatype, Value.SQLUnwrapped: Sendable {
    try await database.read { try max(of: expression, in: $0) }
  }

  /// Returns the sum of an expression's values that are not NULL, or `nil` if all values are NULL.
  public func sum<Value: SQLSummable>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Value.Unwrapped? {
    try await database.read { try sum(of: expression, in: $0) }
  }

  /// Returns the average of an expression's values that are not NULL, or `nil` if all values are
  /// NULL.
  public func average<Value: SQLNumeric>(
    of expression: @Sendable (T.Columns) -> SQLExpression<Value>, in database: Database
  ) async throws -> Double? {
    try await database.read { try average(of: expression, in: $0) }
  }
}

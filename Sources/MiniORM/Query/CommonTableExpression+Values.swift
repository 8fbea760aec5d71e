/// What WITH names where the rows are single values.
extension CommonTableExpression {
  /// Names a query of single values. The value is the column: `$0`.
  /// - Parameters:
  ///   - name: The name, which no table of the statement has.
  ///   - isMaterialized: Whether SQLite computes the rows once and keeps them, or runs the query
  ///     wherever its name stands. Without a word it decides by itself.
  ///   - query: The query.
  public init<Value: ColumnValue>(
    _ name: String, materialized isMaterialized: Bool? = nil, as query: some SelectStatement<Value>
  ) where Columns == SQLExpression<Value> {
    let query = query.asSelect
    self = Self(name, query.valueColumn(of: name), nil)
      .defined(as: query.clauses, isMaterialized: isMaterialized)
  }

  /// Names a recursive query of single values. The value is the column: `$0`.
  ///
  /// ```swift
  /// let numbers = CommonTableExpression("n", startingWith: SQL.select { SQL.value(1) }) { n in
  ///   n.where { $0 < 10 }.select { $0 + 1 }
  /// }
  /// ```
  /// - Parameters:
  ///   - name: The name, which no table of the statement has.
  ///   - isMaterialized: Whether SQLite computes the rows once and keeps them.
  ///   - base: The values to begin with.
  ///   - isDistinct: Whether to skip values that were found before: UNION instead of UNION ALL.
  ///   - limit: How many values to find at most, those to begin with included.
  ///   - step: A closure from what was found to a query for more, which names it once in FROM.
  ///     It is asked until it finds nothing more.
  public init<Value: ColumnValue, Step: SelectStatement>(
    _ name: String, materialized isMaterialized: Bool? = nil,
    startingWith base: some SelectStatement<Value>,
    distinct isDistinct: Bool = false, limit: Int? = nil,
    finding step: (CommonTableExpression) -> Step
  ) where Columns == SQLExpression<Value>, Step.Output == Value {
    let base = base.asSelect
    let found = Self(name, base.valueColumn(of: name), nil)
    self = found.recursive(
      base, isDistinct ? "UNION" : "UNION ALL", step(found).asSelect,
      isMaterialized: isMaterialized, limit: limit)
  }
}

/// Common table expressions whose rows are single values. The value is the column: `$0`.
extension CommonTableExpression {
  /// Names a query of single values.
  /// - Parameters:
  ///   - name: The name, which must differ from the names of tables in the statement.
  ///   - isMaterialized: Whether SQLite computes the values once, or in each place where the name
  ///     is used. By default, SQLite decides.
  ///   - query: The query.
  public init<Value: ColumnValue>(
    _ name: String, materialized isMaterialized: Bool? = nil, as query: some SelectStatement<Value>
  ) where Columns == SQLExpression<Value> {
    let query = query.asSelect
    self = Self(name, query.valueColumn(of: name), nil)
      .defined(as: query.clauses, isMaterialized: isMaterialized)
  }

  /// Names a recursive query of single values.
  ///
  /// ```swift
  /// let numbers = CommonTableExpression("n", startingWith: SQL.select { SQL.value(1) }) { n in
  ///   n.where { $0 < 10 }.select { $0 + 1 }
  /// }
  /// ```
  /// - Parameters:
  ///   - name: The name, which must differ from the names of tables in the statement.
  ///   - isMaterialized: Whether SQLite computes the values once.
  ///   - base: The initial values.
  ///   - isDistinct: Whether to skip duplicates: UNION instead of UNION ALL.
  ///   - limit: The maximum number of values, including the initial values.
  ///   - step: A closure that takes the common table expression and returns a query for further
  ///     values. The query refers to the expression once, in FROM. SQLite repeats the query until
  ///     no value is new.
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

/// Common table expressions whose rows are single values. The value is the column: `$0`.
extension CommonTableExpression {
  /// Names a query whose rows are single values.
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

extension SQL.StringInterpolation {
  /// Appends an expression, such as a column.
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {
    sql.append(expression.sql)
    if expression.isParameter {
      sql.record((Value.self as? any ColumnValue.Type)?.formatProblem)
    }
  }

  /// Appends a value in the storage format of a column; nil is NULL.
  ///
  /// ```swift
  /// articles.where { SQLExpression<Bool>("\($0.arrived) < \(cutoff, as: $0.arrived)") }
  /// ```
  /// A date is rounded as if it were stored in the column.
  public mutating func appendInterpolation<Value>(
    _ value: Value?, as column: SQLExpression<Value>
  ) {
    sql.append(SQL(binding: value.map(column.coding.encode) ?? DatabaseValue.null))
  }

  /// Appends a list of values in the storage format of a column: `IN \(ids, as: $0.id)`.
  public mutating func appendInterpolation<Value>(
    _ values: [Value], as column: SQLExpression<Value>
  ) {
    sql.append(SQL(listing: values.map(column.coding.encode)))
  }
}

extension SQLExpression {
  /// True for a bound value, or an argument of a prepared query.
  fileprivate var isParameter: Bool {
    guard sql.segments.count == 1, case .parameter = sql.segments[0] else { return false }
    return true
  }
}

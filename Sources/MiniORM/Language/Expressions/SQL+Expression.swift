extension SQL.StringInterpolation {
  /// Appends a column or a different expression.
  /// - Parameter expression: The expression.
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {
    sql.append(expression.sql)
  }
}

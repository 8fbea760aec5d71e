extension SQL.StringInterpolation {
  /// Appends a column or another expression.
  /// - Parameter expression: The expression.
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {
    sql.append(expression.sql)
  }
}

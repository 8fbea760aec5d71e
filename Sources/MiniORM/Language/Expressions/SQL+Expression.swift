extension SQL.StringInterpolation {
  /// Appends an expression, such as a column.
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {
    sql.append(expression.sql)
  }
}

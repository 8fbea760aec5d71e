extension SQLFunction {
  /// Returns the function of some expressions, as an expression.
  /// - Parameter arguments: The arguments.
  public func callAsFunction(_ arguments: repeat SQLExpression<each Argument>) -> SQLExpression<
    Result
  > {
    var list: [SQL] = []
    repeat list.append((each arguments).sql)
    return call(definition.name, list)
  }
}

extension SQLVariadicFunction {
  /// Returns the function of some expressions, as an expression.
  /// - Parameter arguments: The arguments.
  public func callAsFunction<each Argument>(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> SQLExpression<Result> {
    var list: [SQL] = []
    repeat list.append((each arguments).sql)
    return call(definition.name, list)
  }
}

extension SQLAggregate {
  /// Returns the function of some expressions, as an expression.
  ///
  /// With `over(partitionBy:orderBy:frame:)` behind it, it is a window function.
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - distinct: Whether equal values count once, which SQLite allows with one argument.
  ///   - filter: The condition of the rows to take.
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>, distinct: Bool = false,
    filter: (any SQLCondition)? = nil
  ) -> SQLExpression<Result> {
    .aggregate(
      definition.name.quotedIdentifier, SQL.parts(repeat each arguments),
      distinct: distinct, filter: filter, Coding())
  }
}

private func call<Result: ColumnValue>(_ name: String, _ arguments: [SQL]) -> SQLExpression<Result>
{
  var sql = SQL(raw: "\(name.quotedIdentifier)(")
  sql.append(SQL.joined(arguments, separator: ", "))
  sql.append(")")
  return SQLExpression(sql, Coding())
}

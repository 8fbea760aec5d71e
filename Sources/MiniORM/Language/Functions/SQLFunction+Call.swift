extension SQLFunction {
  /// Returns a call of the function.
  public func callAsFunction(_ arguments: repeat SQLExpression<each Argument>) -> SQLExpression<
    Result
  > {
    SQLExpression(
      .call(definition.name.quotedIdentifier, SQL.parts(repeat each arguments)), Coding())
  }
}

extension SQLVariadicFunction {
  /// Returns a call of the function.
  public func callAsFunction<each Argument>(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> SQLExpression<Result> {
    SQLExpression(
      .call(definition.name.quotedIdentifier, SQL.parts(repeat each arguments)), Coding())
  }
}

extension SQLAggregate {
  /// Returns a call of the function, which is a window function with
  /// `over(partitionBy:orderBy:frame:)`.
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - distinct: Whether equal values count once, which requires a single argument.
  ///   - filter: A condition for the rows to include.
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>, distinct: Bool = false,
    filter: (any SQLCondition)? = nil
  ) -> SQLExpression<Result> {
    .aggregate(
      definition.name.quotedIdentifier, SQL.parts(repeat each arguments),
      distinct: distinct, filter: filter, Coding())
  }
}

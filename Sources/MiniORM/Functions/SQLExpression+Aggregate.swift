extension SQLExpression {
  /// `name(DISTINCT arguments ORDER BY terms) FILTER (WHERE condition)`.
  static func aggregate(
    _ name: String, _ arguments: [SQL], distinct: Bool = false, ordering: [SQL] = [],
    filter: (any SQLCondition)?, _ coding: Coding<Value>
  ) -> SQLExpression<Value> {
    var sql = SQL(raw: distinct ? "\(name)(DISTINCT " : "\(name)(")
    sql.append(SQL.joined(arguments, separator: ", "))
    if !ordering.isEmpty {
      sql.append(" ORDER BY ")
      sql.append(SQL.joined(ordering, separator: ", "))
    }
    sql.append(")")
    if let filter {
      sql.append(" FILTER (WHERE ")
      sql.append(filter.sql)
      sql.append(")")
    }
    var aggregate = SQLExpression(sql, coding)
    aggregate.isAggregate = true
    return aggregate
  }

  static func terms<each Term: OrderingTerm>(_ terms: repeat each Term) -> [SQL] {
    Ordering.all(repeat each terms).map(\.sql)
  }
}

/// See [Built-in Aggregate Functions](https://www.sqlite.org/lang_aggfunc.html). Each leaves NULL out.
extension SQLExpression {
  /// The number of values: `count`. `SQL.count()` counts rows.
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: The condition of the rows to count.
  public func count(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<Int>
  {
    .aggregate("count", [compared], distinct: distinct, filter: filter, Coding())
  }

  /// The least value, NULL when there is none: `min`.
  /// - Parameter filter: The condition of the rows to take.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func min(filter: (any SQLCondition)? = nil) -> SQLExpression<Value?> {
    .aggregate("min", [compared], filter: filter, coding.optional)
  }
  /// The least value, NULL when there is none: `min`.
  /// - Parameter filter: The condition of the rows to take.
  public func min<Wrapped>(filter: (any SQLCondition)? = nil) -> Self where Value == Wrapped? {
    .aggregate("min", [compared], filter: filter, coding)
  }
  /// The greatest value, NULL when there is none: `max`.
  /// - Parameter filter: The condition of the rows to take.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func max(filter: (any SQLCondition)? = nil) -> SQLExpression<Value?> {
    .aggregate("max", [compared], filter: filter, coding.optional)
  }
  /// The greatest value, NULL when there is none: `max`.
  /// - Parameter filter: The condition of the rows to take.
  public func max<Wrapped>(filter: (any SQLCondition)? = nil) -> Self where Value == Wrapped? {
    .aggregate("max", [compared], filter: filter, coding)
  }

  /// The texts of the values, joined: `group_concat`. NULL when there is none.
  /// - Parameters:
  ///   - separator: What stands between two of them.
  ///   - terms: The order of the texts; without one, any.
  ///   - filter: The condition of the rows to take.
  public func groupConcat<each Term: OrderingTerm>(
    separator: String, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<String?> {
    .aggregate(
      "group_concat", [sql, SQL(binding: separator)],
      ordering: Self.terms(repeat each terms), filter: filter, Coding())
  }
  /// The texts of the values, joined by commas: `group_concat`. NULL when there is none.
  /// - Parameters:
  ///   - distinct: Whether equal values come once, for which SQLite allows no other separator.
  ///   - terms: The order of the texts; without one, any.
  ///   - filter: The condition of the rows to take.
  public func groupConcat<each Term: OrderingTerm>(
    distinct: Bool = false, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<String?> {
    .aggregate(
      "group_concat", [sql], distinct: distinct,
      ordering: Self.terms(repeat each terms),
      filter: filter, Coding())
  }
}

extension SQLExpression where Value: SQLSummable {
  /// The sum, NULL when there is nothing to add: `sum`.
  ///
  /// A sum of integers beyond 64 bits is an error. Decimals are added exactly, however they are stored.
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: The condition of the rows to take.
  public func sum(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Value.Unwrapped?
  > {
    .aggregate(
      sumName, [distinct ? compared : sql], distinct: distinct, filter: filter, coding.summed())
  }
}

extension SQLExpression where Value: SQLNumeric {
  /// The sum as a floating-point number, 0 when there is nothing to add: `total`.
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: The condition of the rows to take.
  public func total(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Double
  > {
    .aggregate("total", [sql], distinct: distinct, filter: filter, Coding())
  }

  /// The average, NULL when there is nothing to average: `avg`.
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: The condition of the rows to take.
  public func average(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Double?
  > { .aggregate("avg", [sql], distinct: distinct, filter: filter, Coding()) }
}

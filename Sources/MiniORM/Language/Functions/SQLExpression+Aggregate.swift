extension SQLExpression {
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

/// Every function skips NULL. See [Built-in Aggregate
/// Functions](https://www.sqlite.org/lang_aggfunc.html).
extension SQLExpression {
  /// Returns the number of values that are not NULL: `count`. `SQL.count()` counts rows.
  ///
  /// ```swift
  /// cities.select { $0.country.count(distinct: true) }
  /// ```
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: A condition for the rows to count.
  public func count(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<Int>
  {
    .aggregate("count", [compared], distinct: distinct, filter: filter, Coding())
  }

  /// Returns the texts of the values with a separator, or NULL without values: `group_concat`.
  /// - Parameters:
  ///   - separator: The text between two values.
  ///   - terms: The order of the texts, which is undefined without terms.
  ///   - filter: A condition for the rows to include.
  public func groupConcat<each Term: OrderingTerm>(
    separator: String, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<String?> {
    .aggregate(
      "group_concat", [decimalText ?? sql, SQL(binding: separator)],
      ordering: Self.terms(repeat each terms), filter: filter, Coding())
  }
  /// Returns the texts of the values with commas, or NULL without values: `group_concat`.
  ///
  /// SQLite supports `distinct`, which skips equal values, only with commas. Without `terms`, the
  /// order is undefined.
  public func groupConcat<each Term: OrderingTerm>(
    distinct: Bool = false, orderBy terms: repeat each Term, filter: (any SQLCondition)? = nil
  ) -> SQLExpression<String?> {
    .aggregate(
      "group_concat", [decimalText ?? sql], distinct: distinct,
      ordering: Self.terms(repeat each terms),
      filter: filter, Coding())
  }
}

extension SQLExpression where Value: SQLSummable {
  /// Returns the sum, or NULL without values: `sum`.
  ///
  /// A sum of integers that exceeds 64 bits throws. Decimals are added exactly in every storage
  /// format.
  /// - Parameters:
  ///   - distinct: Whether equal values count once.
  ///   - filter: A condition for the rows to include.
  public func sum(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Value.Unwrapped?
  > {
    .aggregate(
      sumName, [distinct ? asReal.compared : asReal.sql], distinct: distinct, filter: filter,
      coding.summed())
  }
}

extension SQLExpression where Value: SQLNumeric {
  /// Returns the sum as a floating-point number, or 0 without values: `total`.
  ///
  /// The parameters are the same as for `sum(distinct:filter:)`.
  public func total(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Double
  > {
    .aggregate("total", [sql], distinct: distinct, filter: filter, Coding())
  }

  /// Returns the average, or NULL without values: `avg`.
  ///
  /// The parameters are the same as for `sum(distinct:filter:)`.
  public func average(distinct: Bool = false, filter: (any SQLCondition)? = nil) -> SQLExpression<
    Double?
  > { .aggregate("avg", [sql], distinct: distinct, filter: filter, Coding()) }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns the smallest value, or NULL without values: `min`.
  /// - Parameter filter: A condition for the rows to include.
  @_disfavoredOverload  // Without a call, `$0.age.min` has a message of its own
  public func min(filter: (any SQLCondition)? = nil) -> SQLExpression<Value.SQLUnwrapped?> {
    .aggregate("min", [compared], filter: filter, coding.nullable())
  }
  /// Returns the greatest value, or NULL without values: `max`.
  /// - Parameter filter: A condition for the rows to include.
  @_disfavoredOverload  // Without a call, `$0.age.max` has a message of its own
  public func max(filter: (any SQLCondition)? = nil) -> SQLExpression<Value.SQLUnwrapped?> {
    .aggregate("max", [compared], filter: filter, coding.nullable())
  }
}

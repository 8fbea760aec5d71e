// `==` with an optional means IS, so that nil equals nil and `!=` finds rows with NULL, as in
// Swift. With a value that cannot be NULL it is `=`.
extension SQLExpression {
  private var equal: String { coding.isNullable ? "IS" : "=" }
  private var unequal: String { coding.isNullable ? "IS NOT" : "<>" }

  /// Returns whether two expressions are equal; two NULLs are equal.
  public static func == (left: consuming Self, right: consuming Self) -> SQLExpression<Bool> {
    let name = left.equal
    return infix(left, name, right, Coding())
  }
  /// Returns whether an expression equals a value. `nil` matches NULL.
  public static func == (left: consuming Self, right: Value) -> SQLExpression<Bool> {
    let name = left.equal
    return left.infix(name, value: right, Coding())
  }
  /// Returns whether two expressions differ; two NULLs do not.
  public static func != (left: consuming Self, right: consuming Self) -> SQLExpression<Bool> {
    let name = left.unequal
    return infix(left, name, right, Coding())
  }
  /// Returns whether an expression differs from a value. `nil` matches everything that is not NULL.
  public static func != (left: consuming Self, right: Value) -> SQLExpression<Bool> {
    let name = left.unequal
    return left.infix(name, value: right, Coding())
  }

  /// Returns whether two expressions are equal, of which the first can be NULL, which equals
  /// nothing.
  public static func == <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS", right, Coding()) }
  /// Returns whether two expressions are equal, of which the second can be NULL, which equals
  /// nothing.
  public static func == <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS", right, Coding()) }
  /// Returns whether two expressions differ, of which the first can be NULL, which differs from
  /// everything.
  public static func != <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS NOT", right, Coding()) }
  /// Returns whether two expressions differ, of which the second can be NULL, which differs from
  /// everything.
  public static func != <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS NOT", right, Coding()) }

  // Better than the compiler's own message, which calls nil an SQLExpression of the column's type.
  /// Unavailable: an expression of this type cannot be NULL.
  @available(
    *, unavailable,
    message: "only an optional is compared with nil; 'isNil' says whether SQLite finds NULL here"
  )
  public static func == (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    left.isNil
  }
  /// Unavailable: an expression of this type cannot be NULL.
  @available(
    *, unavailable,
    message: "only an optional is compared with nil; 'isNil' says whether SQLite finds NULL here"
  )
  public static func != (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    !left.isNil
  }
}

// A comparison with NULL is NULL: it is true for no row, and neither is its negation. So a
// comparison of a value that can be NULL is a `Bool?`, which every condition takes.
extension SQLExpression where Value: SQLComparable {
  /// Returns whether one expression is less than another, or NULL if one of them is NULL.
  public static func < (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, "<", right, Coding())
  }
  /// Returns whether an expression is less than a value, or NULL if one of them is NULL.
  public static func < (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<", value: right, Coding())
  }
  /// Returns whether one expression is at most another, or NULL if one of them is NULL.
  public static func <= (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, "<=", right, Coding())
  }
  /// Returns whether an expression is at most a value, or NULL if one of them is NULL.
  public static func <= (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<=", value: right, Coding())
  }
  /// Returns whether one expression is greater than another, or NULL if one of them is NULL.
  public static func > (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, ">", right, Coding())
  }
  /// Returns whether an expression is greater than a value, or NULL if one of them is NULL.
  public static func > (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">", value: right, Coding())
  }
  /// Returns whether one expression is at least another, or NULL if one of them is NULL.
  public static func >= (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, ">=", right, Coding())
  }
  /// Returns whether an expression is at least a value, or NULL if one of them is NULL.
  public static func >= (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">=", value: right, Coding())
  }
}

extension SQLExpression {
  /// Returns whether one expression is less than another, of which the first can be NULL.
  public static func < <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, "<", right, Coding()) }
  /// Returns whether one expression is less than another, of which the second can be NULL.
  public static func < <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "<", right, Coding()) }
  /// Returns whether one expression is at most another, of which the first can be NULL.
  public static func <= <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, "<=", right, Coding()) }
  /// Returns whether one expression is at most another, of which the second can be NULL.
  public static func <= <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "<=", right, Coding()) }
  /// Returns whether one expression is greater than another, of which the first can be NULL.
  public static func > <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, ">", right, Coding()) }
  /// Returns whether one expression is greater than another, of which the second can be NULL.
  public static func > <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, ">", right, Coding()) }
  /// Returns whether one expression is at least another, of which the first can be NULL.
  public static func >= <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, ">=", right, Coding()) }
  /// Returns whether one expression is at least another, of which the second can be NULL.
  public static func >= <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, ">=", right, Coding()) }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns whether the value lies in a range, including both bounds, or NULL if one of them is
  /// NULL: `BETWEEN`.
  /// - Parameters:
  ///   - low: The lower bound.
  ///   - high: The upper bound.
  public func between(_ low: Value, and high: Value) -> SQLExpression<Value.SQLTruth> {
    var range = binding(low)
    range.append(" AND ")
    range.append(binding(high))
    return infix("BETWEEN", range, Coding())
  }

  /// Returns whether the value lies between two expressions, including both, or NULL if one of them
  /// is NULL: `BETWEEN`.
  /// - Parameters:
  ///   - low: The lower bound.
  ///   - high: The upper bound.
  public func between(_ low: Self, and high: Self) -> SQLExpression<Value.SQLTruth> {
    infix(
      "BETWEEN",
      SQL.joined(
        [low.unified(with: coding), high.unified(with: coding)], separator: " AND "), Coding())
  }

  /// Returns whether the value is one of several values: `IN`. There may be any number of them;
  /// with none, no row matches. For NULL the result is NULL, even if the values include `nil`.
  /// - Parameter values: The values.
  /// - Complexity: O(*n*) in the number of values, once for each run of the statement.
  public func isIn(_ values: some Sequence<Value>) -> SQLExpression<Value.SQLTruth> {
    infix("IN", SQL(segments: [.parameter(.list(ValueList(values.map(coding.encode))))]), Coding())
  }

  /// Returns whether the value is one of those of other expressions: `IN`. For NULL the result is
  /// NULL.
  /// - Parameters:
  ///   - first: An expression.
  ///   - others: More expressions.
  public func isIn(_ first: Self, _ others: Self...) -> SQLExpression<Value.SQLTruth> {
    infix("IN", SQL.list(([first] + others).map { $0.unified(with: coding) }), Coding())
  }
}

extension SQLExpression {
  /// Whether the value is NULL: `IS NULL`.
  public var isNil: SQLExpression<Bool> { infix("IS", SQL(raw: "NULL"), Coding()) }

  /// Returns the text with another collation: `COLLATE`.
  /// - Parameter collation: The collation.
  public func collate(_ collation: Collation) -> SQLExpression<Value> {
    infix(SQLPart.collate, SQL(raw: collation.name), coding)
  }
}

// `==` with an optional means IS, so that nil equals nil and `!=` finds the rows that hold NULL, as
// in Swift. With a value that cannot be NULL it is `=`.
extension SQLExpression {
  private var equal: String { coding.isNullable ? "IS" : "=" }
  private var unequal: String { coding.isNullable ? "IS NOT" : "<>" }

  /// Whether two expressions are equal; two NULLs are.
  public static func == (left: Self, right: Self) -> SQLExpression<Bool> {
    infix(left, left.equal, right, Coding())
  }
  /// Whether an expression has a value. `nil` finds NULL.
  public static func == (left: Self, right: Value) -> SQLExpression<Bool> {
    left.infix(left.equal, left.binding(right), Coding())
  }
  /// Whether two expressions differ; two NULLs do not.
  public static func != (left: Self, right: Self) -> SQLExpression<Bool> {
    infix(left, left.unequal, right, Coding())
  }
  /// Whether an expression has another value. `nil` finds what is not NULL.
  public static func != (left: Self, right: Value) -> SQLExpression<Bool> {
    left.infix(left.unequal, left.binding(right), Coding())
  }

  /// Whether two expressions are equal, of which the first can be NULL: then they are not.
  public static func == <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS", right, Coding()) }
  /// Whether two expressions are equal, of which the second can be NULL: then they are not.
  public static func == <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS", right, Coding()) }
  /// Whether two expressions differ, of which the first can be NULL: then they do.
  public static func != <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS NOT", right, Coding()) }
  /// Whether two expressions differ, of which the second can be NULL: then they do.
  public static func != <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS NOT", right, Coding()) }

  // Better than the compiler's own message, which calls nil an SQLExpression of the column's type.
  /// Not there: an expression of this type cannot be NULL.
  @available(
    *, unavailable,
    message: "only an optional is compared with nil; 'isNil' says whether SQLite finds NULL here"
  )
  public static func == (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    left.isNil
  }
  /// Not there: an expression of this type cannot be NULL.
  @available(
    *, unavailable,
    message: "only an optional is compared with nil; 'isNil' says whether SQLite finds NULL here"
  )
  public static func != (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    !left.isNil
  }
}

// A comparison with NULL is NULL: it is true of no row, and neither is its opposite. So what can be NULL
// gives a `Bool?`, which every condition takes.
extension SQLExpression where Value: SQLComparable {
  /// Whether one expression is less than another: NULL where one of them is.
  public static func < (left: Self, right: Self) -> SQLExpression<Value.SQLTruth> {
    infix(left, "<", right, Coding())
  }
  /// Whether an expression is less than a value: NULL where one of them is.
  public static func < (left: Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<", left.binding(right), Coding())
  }
  /// Whether one expression is at most another: NULL where one of them is.
  public static func <= (left: Self, right: Self) -> SQLExpression<Value.SQLTruth> {
    infix(left, "<=", right, Coding())
  }
  /// Whether an expression is at most a value: NULL where one of them is.
  public static func <= (left: Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<=", left.binding(right), Coding())
  }
  /// Whether one expression is greater than another: NULL where one of them is.
  public static func > (left: Self, right: Self) -> SQLExpression<Value.SQLTruth> {
    infix(left, ">", right, Coding())
  }
  /// Whether an expression is greater than a value: NULL where one of them is.
  public static func > (left: Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">", left.binding(right), Coding())
  }
  /// Whether one expression is at least another: NULL where one of them is.
  public static func >= (left: Self, right: Self) -> SQLExpression<Value.SQLTruth> {
    infix(left, ">=", right, Coding())
  }
  /// Whether an expression is at least a value: NULL where one of them is.
  public static func >= (left: Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">=", left.binding(right), Coding())
  }
}

extension SQLExpression {
  /// Whether one expression is less than another, of which the first can be NULL.
  public static func < <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, "<", right, Coding()) }
  /// Whether one expression is less than another, of which the second can be NULL.
  public static func < <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "<", right, Coding()) }
  /// Whether one expression is at most another, of which the first can be NULL.
  public static func <= <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, "<=", right, Coding()) }
  /// Whether one expression is at most another, of which the second can be NULL.
  public static func <= <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "<=", right, Coding()) }
  /// Whether one expression is greater than another, of which the first can be NULL.
  public static func > <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, ">", right, Coding()) }
  /// Whether one expression is greater than another, of which the second can be NULL.
  public static func > <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, ">", right, Coding()) }
  /// Whether one expression is at least another, of which the first can be NULL.
  public static func >= <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? { infix(left, ">=", right, Coding()) }
  /// Whether one expression is at least another, of which the second can be NULL.
  public static func >= <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool?>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, ">=", right, Coding()) }
}

extension SQLExpression where Value: SQLComparable {
  /// BETWEEN: whether a value lies in a range, both ends included: NULL where the value or an end is.
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func between(_ low: Value, and high: Value) -> SQLExpression<Value.SQLTruth> {
    var range = binding(low)
    range.append(" AND ")
    range.append(binding(high))
    return infix("BETWEEN", range, Coding())
  }

  /// BETWEEN: whether a value lies between two others, both included: NULL where one of them
  /// is.
  /// - Parameters:
  ///   - low: The least value.
  ///   - high: The greatest value.
  public func between(_ low: Self, and high: Self) -> SQLExpression<Value.SQLTruth> {
    infix(
      "BETWEEN",
      SQL.joined(
        [low.stored(like: coding), high.stored(like: coding)], separator: " AND "), Coding())
  }

  /// IN: whether a value is among others. Any number of them works; none gives no rows. Of
  /// NULL it is NULL, also where the list has `nil`.
  /// - Parameter values: The values.
  /// - Complexity: O(*n*) in their number, once for each run of the statement.
  public func isIn(_ values: some Sequence<Value>) -> SQLExpression<Value.SQLTruth> {
    infix("IN", SQL(segments: [.list(ValueList(values.map(coding.encode)))]), Coding())
  }

  /// IN: whether a value is among those of other expressions. Of NULL it is NULL.
  /// - Parameters:
  ///   - first: An expression.
  ///   - others: More expressions.
  public func isIn(_ first: Self, _ others: Self...) -> SQLExpression<Value.SQLTruth> {
    infix("IN", SQL.list(([first] + others).map { $0.stored(like: coding) }), Coding())
  }
}

extension SQLExpression {
  /// IS NULL.
  public var isNil: SQLExpression<Bool> { infix("IS", SQL(raw: "NULL"), Coding()) }

  /// COLLATE: the same text compared in another way.
  /// - Parameter collation: The collation.
  public func collate(_ collation: Collation) -> SQLExpression<Value> {
    infix("COLLATE", SQL(raw: collation.name), coding)
  }
}

// For an optional, `==` is SQL's IS, so that nil equals nil, and `!=` finds rows with NULL.
extension SQLExpression {
  var equal: String { coding.isNullable ? "IS" : "=" }
  private var unequal: String { coding.isNullable ? "IS NOT" : "<>" }

  /// Returns whether two expressions are equal. Two NULLs are equal.
  public static func == (left: consuming Self, right: consuming Self) -> SQLExpression<Bool> {
    let name = left.equal
    return infix(left, name, right, Coding())
  }
  /// Returns whether an expression equals a value. `nil` matches NULL.
  public static func == (left: consuming Self, right: Value) -> SQLExpression<Bool> {
    let name = left.equal
    return left.infix(name, value: right, Coding())
  }
  /// Returns whether two expressions differ. Two NULLs are equal.
  public static func != (left: consuming Self, right: consuming Self) -> SQLExpression<Bool> {
    let name = left.unequal
    return infix(left, name, right, Coding())
  }
  /// Returns whether an expression differs from a value. `nil` differs from every value but NULL.
  public static func != (left: consuming Self, right: Value) -> SQLExpression<Bool> {
    let name = left.unequal
    return left.infix(name, value: right, Coding())
  }

  /// Returns whether two expressions are equal, or false if the nullable expression is NULL.
  public static func == <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS", right, Coding()) }
  /// Returns whether two expressions are equal, or false if the nullable expression is NULL.
  public static func == <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS", right, Coding()) }
  /// Returns whether two expressions differ, or true if the nullable expression is NULL.
  public static func != <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<Bool>
  where Value == Wrapped? { infix(left, "IS NOT", right, Coding()) }
  /// Returns whether two expressions differ, or true if the nullable expression is NULL.
  public static func != <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> SQLExpression<Bool>
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "IS NOT", right, Coding()) }
}

// Replaces the compiler's message, which treats nil as an SQLExpression.
@available(
  *, unavailable,
  message: "only an optional can be compared with nil; 'isNil' tests for NULL in SQL"
)
extension SQLExpression {
  /// Unavailable: an expression of this type cannot be NULL.
  public static func == (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    left.isNil
  }
  /// Unavailable: an expression of this type cannot be NULL.
  public static func != (left: Self, right: _OptionalNilComparisonType) -> SQLExpression<Bool> {
    !left.isNil
  }
}

// A comparison with NULL is NULL, and so is its negation. The comparison of a nullable value is
// therefore a `Bool?`, which every condition accepts.
extension SQLExpression where Value: SQLComparable {
  /// Returns whether the left expression is less than the right, or NULL if either is NULL.
  public static func < (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, "<", right, Coding())
  }
  /// Returns whether an expression is less than a value, or NULL if either is NULL.
  public static func < (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<", value: right, Coding())
  }
  /// Returns whether the left expression is at most the right, or NULL if either is NULL.
  public static func <= (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, "<=", right, Coding())
  }
  /// Returns whether an expression is at most a value, or NULL if either is NULL.
  public static func <= (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix("<=", value: right, Coding())
  }
  /// Returns whether the left expression is greater than the right, or NULL if either is NULL.
  public static func > (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, ">", right, Coding())
  }
  /// Returns whether an expression is greater than a value, or NULL if either is NULL.
  public static func > (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">", value: right, Coding())
  }
  /// Returns whether the left expression is at least the right, or NULL if either is NULL.
  public static func >= (left: consuming Self, right: consuming Self)
    -> SQLExpression<Value.SQLTruth>
  {
    infix(left, ">=", right, Coding())
  }
  /// Returns whether an expression is at least a value, or NULL if either is NULL.
  public static func >= (left: consuming Self, right: Value) -> SQLExpression<Value.SQLTruth> {
    left.infix(">=", value: right, Coding())
  }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns whether `left < right`, or NULL if either is NULL.
  public static func < <Other: SQLComparable>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Bool?> where Other.SQLUnwrapped == Value.SQLUnwrapped
  { infix(left, "<", right, Coding()) }
  /// Returns whether `left <= right`, or NULL if either is NULL.
  public static func <= <Other: SQLComparable>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Bool?> where Other.SQLUnwrapped == Value.SQLUnwrapped
  { infix(left, "<=", right, Coding()) }
  /// Returns whether `left > right`, or NULL if either is NULL.
  public static func > <Other: SQLComparable>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Bool?> where Other.SQLUnwrapped == Value.SQLUnwrapped
  { infix(left, ">", right, Coding()) }
  /// Returns whether `left >= right`, or NULL if either is NULL.
  public static func >= <Other: SQLComparable>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Bool?> where Other.SQLUnwrapped == Value.SQLUnwrapped
  { infix(left, ">=", right, Coding()) }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns whether the value lies in a range, including both bounds, or NULL for NULL: `BETWEEN`.
  public func between(_ low: Value, and high: Value) -> SQLExpression<Value.SQLTruth> {
    var range = comparing(low)
    range.append(" AND ")
    range.append(comparing(high))
    return infix("BETWEEN", range, Coding())
  }

  /// Returns whether the value lies between two expressions, including both: `BETWEEN`.
  public func between(_ low: Self, and high: Self) -> SQLExpression<Value.SQLTruth> {
    guard !needsConversion(beside: low), !needsConversion(beside: high) else {
      let above: SQLExpression<Value.SQLTruth> = Self.infix(self, ">=", low, Coding())
      let below: SQLExpression<Value.SQLTruth> = Self.infix(self, "<=", high, Coding())
      return above.infix("AND", below.sql, Coding())
    }
    return infix(
      "BETWEEN",
      SQL.joined(
        [low.unified(with: coding, sql), high.unified(with: coding, sql)], separator: " AND "),
      Coding())
  }

  /// Returns whether the value is in a list: `IN`.
  ///
  /// ```swift
  /// companies.where { $0.name.isIn(["Acme", "Globex"]) }
  /// ```
  /// The number of values is not limited. An empty list matches no row. The result for NULL is
  /// NULL, even if the list contains `nil`.
  ///
  /// Up to 1,024 values have a parameter each, rounded up to a power of two by repeating the last
  /// value, so that SQLite chooses an index by their number. A longer list is a single parameter, and
  /// SQLite assumes 25 values.
  /// - Complexity: O(*n*) in the number of values, for each run of the statement.
  public func isIn(_ values: some Sequence<Value>) -> SQLExpression<Value.SQLTruth> {
    infix(
      "IN", SQL(segments: [.parameter(.list(ValueList(values.map(coding.encodeCompared))))]),
      Coding())
  }

  /// Returns whether the value equals any of several expressions, or NULL for NULL: `IN`.
  public func isIn(_ first: Self, _ others: Self...) -> SQLExpression<Value.SQLTruth> {
    let all = [first] + others
    guard !all.contains(where: { needsConversion(beside: $0) }) else {
      let equal = all.map { Self.infix(self, "=", $0, Coding<Bool>()).sql }
      let any = SQL(raw: "(").appending(.joined(equal, separator: " OR "), SQL(raw: ")"))
      return SQLExpression<Value.SQLTruth>(any, Coding())
    }
    return infix("IN", SQL.list(all.map { $0.unified(with: coding, sql) }), Coding())
  }
}

extension SQLExpression {
  /// True if the value is NULL: `IS NULL`.
  public var isNil: SQLExpression<Bool> { infix("IS", SQL(raw: "NULL"), Coding()) }

  /// Returns the text with a different collation: `COLLATE`.
  public func collate(_ collation: Collation) -> SQLExpression<Value> {
    infix(SQLPart.collate, SQL(raw: collation.name), coding)
  }
}

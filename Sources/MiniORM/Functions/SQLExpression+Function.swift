extension SQLExpression where Value: ColumnValue {
  /// A constant, where an expression is expected.
  /// - Parameter value: The value, which is bound.
  public init(value: Value) { self.init(SQL(binding: value), Coding()) }
}

/// See [CAST expressions](https://www.sqlite.org/lang_expr.html#castexpr).
extension SQLExpression {
  private func casting<Other: ColumnValue>(to type: Other.Type) -> SQL {
    SQL(raw: "CAST(").appending(sql, SQL(raw: " AS \(Other.columnType.rawValue))"))
  }

  /// CAST: the value converted to the storage class of another type.
  /// - Parameter type: The type. A text that is no number becomes 0.
  public func cast<Other: ColumnValue>(to type: Other.Type) -> SQLExpression<Other>
  where Value: SQLComparable, Value.SQLTruth == Bool {
    SQLExpression<Other>(casting(to: type), Coding())
  }

  /// CAST: the value converted to the storage class of another type; NULL stays NULL.
  /// - Parameter type: The type. A text that is no number becomes 0.
  public func cast<Other: ColumnValue, Wrapped>(to type: Other.Type) -> SQLExpression<Other?>
  where Value == Wrapped? {
    SQLExpression<Other?>(casting(to: type), Coding())
  }
}

/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression {
  /// This expression's value, or another where it is NULL: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: Wrapped) -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    left.function("ifnull", [left.binding(right)], left.coding.unwrapped())
  }
  /// This expression's value, or that of another where it is NULL: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<
    Wrapped
  >
  where Value == Wrapped? {
    left.function("ifnull", [right.stored(like: left.coding)], left.coding.unwrapped())
  }
  /// This expression's value, or where it is NULL that of another, which can be NULL too: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: Self) -> Self where Value == Wrapped? {
    left.function("ifnull", [right.stored(like: left.coding)], left.coding)
  }

  /// This expression's value, or the first of others that is not NULL: `coalesce`.
  ///
  /// With a value to end with, chain `??`.
  /// - Parameter others: The others.
  public func coalesce<Wrapped>(_ others: Self...) -> Self where Value == Wrapped? {
    // Of one argument alone SQLite makes no call.
    others.isEmpty ? self : function("coalesce", others.map { $0.stored(like: coding) }, coding)
  }

  /// NULL where this expression equals a value: `nullif`.
  /// - Parameter value: The value.
  public func nullif(_ value: Value) -> SQLExpression<Value?> {
    function("nullif", [binding(value)], coding.optional)
  }
  /// NULL where this expression equals a value: `nullif`.
  /// - Parameter value: The value.
  public func nullif<Wrapped>(_ value: Wrapped) -> Self where Value == Wrapped? {
    function("nullif", [binding(value)], coding)
  }
  /// NULL where two expressions are equal: `nullif`.
  /// - Parameter other: The other.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func nullif(_ other: Self) -> SQLExpression<Value?> {
    function("nullif", [other.stored(like: coding)], coding.optional)
  }
  /// NULL where two expressions are equal: `nullif`.
  /// - Parameter other: The other.
  public func nullif<Wrapped>(_ other: Self) -> Self where Value == Wrapped? {
    function("nullif", [other.stored(like: coding)], coding)
  }

  /// The least of several values, NULL where one is: `min` with more than one argument.
  /// - Parameters:
  ///   - other: Another expression.
  ///   - more: More expressions.
  public func min(_ other: Self, _ more: Self...) -> Self {
    function("min", ([other] + more).map { $0.stored(like: coding) }, coding)
  }
  /// The lesser of this expression and a value, NULL where this is: `min` with two arguments.
  /// - Parameter value: The value.
  public func min(_ value: Value) -> Self { function("min", [binding(value)], coding) }
  /// The greatest of several values, NULL where one is: `max` with more than one argument.
  /// - Parameters:
  ///   - other: Another expression.
  ///   - more: More expressions.
  public func max(_ other: Self, _ more: Self...) -> Self {
    function("max", ([other] + more).map { $0.stored(like: coding) }, coding)
  }
  /// The greater of this expression and a value, NULL where this is: `max` with two arguments.
  /// - Parameter value: The value.
  public func max(_ value: Value) -> Self { function("max", [binding(value)], coding) }

  /// The bytes in hexadecimal, those of its text for what is no blob; empty for NULL: `hex`.
  public func hex() -> SQLExpression<String> { function("hex", [], Coding()) }
  /// The value as an SQL literal: `quote`.
  public func quote() -> SQLExpression<String> { function("quote", [], Coding()) }
  /// The name of the value's storage class, such as `integer` or `null`: `typeof`.
  public func typeof() -> SQLExpression<String> { function("typeof", [], Coding()) }
  /// The number of bytes of a text or blob, or of a number's text: `octet_length`. Of NULL, NULL.
  public func octetLength() -> SQLExpression<Int?> { function("octet_length", [], Coding()) }
}

extension SQLExpression where Value: SQLBoolean {
  /// One value where this is true, another where it is false or NULL: `iif`.
  ///
  /// ``Case`` has more branches.
  /// - Parameters:
  ///   - value: The value where it is true.
  ///   - other: The value otherwise.
  public func iif<Result: ColumnValue>(_ value: Result, else other: Result) -> SQLExpression<Result>
  {
    function("iif", [SQL(binding: value), SQL(binding: other)], Coding())
  }
  /// One expression where this is true, another where it is false or NULL: `iif`.
  /// - Parameters:
  ///   - value: The expression where it is true.
  ///   - other: The expression otherwise.
  public func iif<Result>(_ value: SQLExpression<Result>, else other: SQLExpression<Result>)
    -> SQLExpression<Result>
  { function("iif", [value.sql, other.stored(like: value.coding)], value.coding) }
}

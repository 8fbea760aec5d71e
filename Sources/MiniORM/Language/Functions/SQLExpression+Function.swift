/// See [CAST expressions](https://www.sqlite.org/lang_expr.html#castexpr).
extension SQLExpression {
  private func casting<Other: ColumnValue>(to type: Other.Type) -> SQL {
    guard let digits = scale, [.real, .integer].contains(Other.columnType) else {
      return SQL(raw: "CAST(").appending(
        decimalText ?? sql, SQL(raw: " AS \(Other.columnType.rawValue))"))
    }
    let units = "1" + String(repeating: "0", count: digits)
    return SQL(raw: "(").appending(
      sql, SQL(raw: Other.columnType == .real ? " / \(units).0)" : " / \(units))"))
  }

  private var scale: Int? { (coding.stored as? any ScaledStorage.Type)?.digits }

  var decimalText: SQL? {
    scale.map { .call(NumberFunctions.decimal, [sql, SQL(raw: "\($0)")]) }
  }

  /// Returns the value converted to the storage class of a type: `CAST`. The text `abc` becomes the
  /// number 0.
  ///
  /// ```swift
  /// companies.select { $0.employeeCount.cast(to: Double.self) / 12 }
  /// ```
  public func cast<Other: ColumnValue>(to type: Other.Type) -> SQLExpression<Other>
  where Value: SQLComparable, Value.SQLTruth == Bool {
    SQLExpression<Other>(casting(to: type), Coding())
  }

  /// Returns the nullable value converted to the storage class of a type: `CAST`. NULL stays NULL.
  public func cast<Other: ColumnValue, Wrapped>(to type: Other.Type) -> SQLExpression<Other?>
  where Value == Wrapped? {
    SQLExpression<Other?>(casting(to: type), Coding())
  }
}

/// See [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQLExpression {
  /// Returns the value, or a default value for NULL: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: Wrapped) -> SQLExpression<Wrapped>
  where Value == Wrapped? {
    left.function("ifnull", [left.binding(right)], left.coding.unwrapped())
  }
  /// Returns the value, or the right expression's value for NULL: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> SQLExpression<
    Wrapped
  >
  where Value == Wrapped? {
    left.function("ifnull", [right.unified(with: left.coding, left.sql)], left.coding.unwrapped())
  }
  /// Returns the value, or the right expression's nullable value for NULL: `ifnull`.
  public static func ?? <Wrapped>(left: Self, right: Self) -> Self where Value == Wrapped? {
    left.function("ifnull", [right.unified(with: left.coding, left.sql)], left.coding)
  }

  /// Returns the first value that is not NULL: `coalesce`.
  ///
  /// For a constant at the end, append `?? value`.
  public func coalesce<Wrapped>(_ others: Self...) -> Self where Value == Wrapped? {
    // SQLite does not allow a call with a single argument.
    others.isEmpty
      ? self : function("coalesce", others.map { $0.unified(with: coding, sql) }, coding)
  }

  /// Returns the smallest of several values, or NULL if any value is NULL: the scalar `min`.
  public func min(_ other: Self, _ more: Self...) -> Self {
    function("min", ([other] + more).map { $0.unified(with: coding, sql) }, coding)
  }
  /// Returns the smaller of the expression and a value, or NULL for NULL: the scalar `min`.
  public func min(_ value: Value) -> Self { function("min", [binding(value)], coding) }
  /// Returns the greatest of several values, or NULL if any value is NULL: the scalar `max`.
  public func max(_ other: Self, _ more: Self...) -> Self {
    function("max", ([other] + more).map { $0.unified(with: coding, sql) }, coding)
  }
  /// Returns the greater of the expression and a value, or NULL for NULL: the scalar `max`.
  public func max(_ value: Value) -> Self { function("max", [binding(value)], coding) }

  /// Returns the bytes in hexadecimal: `hex`. A value that is not a blob is converted to text
  /// first. NULL gives an empty text.
  public func hex() -> SQLExpression<String> { function("hex", [], Coding()) }
  /// Returns the value as an SQL literal: `quote`.
  public func quote() -> SQLExpression<String> { function("quote", [], Coding()) }
  /// Returns the name of the value's storage class, such as `integer` or `null`: `typeof`.
  public func typeof() -> SQLExpression<String> { function("typeof", [], Coding()) }
  /// Returns the number of bytes of a text or a blob, or of a number's text: `octet_length`.
  public func octetLength() -> SQLExpression<Int?> { function("octet_length", [], Coding()) }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns NULL if the expression equals a value, or the expression's value if not: `nullif`.
  public func nullif(_ value: Value) -> SQLExpression<Value.SQLUnwrapped?> {
    function("nullif", [comparing(value)], coding.nullable())
  }
  /// Returns NULL if both expressions are equal, or this expression's value if not: `nullif`.
  public func nullif(_ other: Self) -> SQLExpression<Value.SQLUnwrapped?> {
    guard needsConversion(beside: other) else {
      return function("nullif", [other.unified(with: coding, sql)], coding.nullable())
    }
    let isEqual = Self.infix(self, "=", other, Coding<Bool>())
    return SQLExpression<Value.SQLUnwrapped?>(
      .call("iif", [isEqual.sql, SQL(raw: "NULL"), sql]), coding.nullable())
  }
}

extension SQLExpression where Value: SQLBoolean {
  /// Returns `value` if the condition is true, or `other` if the condition is false or NULL: `iif`.
  ///
  /// For more branches, use ``Case``.
  public func iif<Result: ColumnValue>(_ value: Result, else other: Result) -> SQLExpression<Result>
  {
    function("iif", [SQL(binding: value), SQL(binding: other)], Coding())
  }
  /// Returns `value` if the condition is true, or `other` if the condition is false or NULL: `iif`.
  public func iif<Result>(_ value: SQLExpression<Result>, else other: SQLExpression<Result>)
    -> SQLExpression<Result>
  { function("iif", [value.sql, other.unified(with: value.coding, value.sql)], value.coding) }
}

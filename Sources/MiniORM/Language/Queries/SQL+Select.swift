/// SELECT without FROM: a single row of constants, functions and subqueries.
///
/// See [SELECT](https://www.sqlite.org/lang_select.html#simpleselect).
extension SQL {
  /// Returns a constant as an expression: `select { ($0.name, SQL.value(3)) }`.
  /// - Parameter value: The value, which is bound. Pass `nil as Int?` for NULL.
  public static func value<Value: ColumnValue>(_ value: Value) -> SQLExpression<Value> {
    SQLExpression(value: value)
  }

  /// Returns a query for a single row with a single value: SELECT without FROM.
  ///
  /// ```swift
  /// let count = SQL.select { companies.select { $0.id.count() }.scalar() }
  /// ```
  public static func select<Value: Sendable>(
    _ projection: () -> SQLExpression<Value>
  ) -> Select<Value> { selectPart(projection()) }

  /// Returns a query for a single row that is a ``Selection``: SELECT without FROM.
  /// - Parameter projection: A closure that returns the `Columns` of a `@Selection`.
  @_disfavoredOverload
  public static func select<Part: Projection>(
    _ projection: () -> Part
  ) -> Select<Part.Projected> where Part.Projected: Sendable { selectPart(projection()) }

  /// Returns a query for a single row with several values: SELECT without FROM.
  ///
  /// ```swift
  /// let row = SQL.select { (SQL.value("Acme"), SQL.value(3), SQL.value(nil as Int?)) }
  /// ```
  public static func select<First: Sendable, Second: Sendable, each Rest: Sendable>(
    _ projection: () -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> Select<(First, Second, repeat each Rest)> { selectTuple(projection) }

  /// Unavailable: only expressions, and the columns of a `@Selection`, can be selected.
  @available(
    *, unavailable,
    message:
      "select an expression or a tuple of expressions: { (SQL.value(3), SQL.value(nil as Int?)) }"
  )
  public static func select(_ projection: () -> Void) -> Select<Int> {
    select { SQL.value(0) }
  }

  private static var nothing: SelectClauses { SelectClauses(from: SQL(segments: [])) }

  private static func selectPart<Part: Projection>(_ part: Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    Select(nothing, Part.resultColumns(part), Part.reader(part))
  }

  private static func selectTuple<each Part: Projection>(
    _ projection: () -> (repeat each Part)
  ) -> Select<(repeat (each Part).Projected)> where repeat (each Part).Projected: Sendable {
    let parts = projection()
    let tuple = TupleProjection(repeat each parts)
    return Select(nothing, TupleProjection.resultColumns(tuple), TupleProjection.reader(tuple))
  }
}

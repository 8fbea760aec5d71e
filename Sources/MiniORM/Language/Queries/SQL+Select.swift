/// SELECT without FROM: a single row of constants, functions and subqueries.
///
/// See [SELECT](https://www.sqlite.org/lang_select.html#simpleselect).
extension SQL {
  /// Returns a constant as an expression: `select { ($0.name, SQL.value(3)) }`.
  /// - Parameter value: The value, which is bound. Pass `nil as Int?` for NULL.
  public static func value<Value: ColumnValue>(_ value: Value) -> SQLExpression<Value> {
    SQLExpression(SQL(binding: value), Coding())
  }

  /// Returns a query for a single row with a single value: SELECT without FROM.
  ///
  /// ```swift
  /// let count = SQL.select { companies.select { $0.id.count() }.scalar() }
  /// ```
  public static func select<Value: Sendable>(
    _ projection: () -> SQLExpression<Value>
  ) -> Select<Value> { select(SelectedColumns(projection())) }

  /// Returns a query for a single row that is a ``Selection``: SELECT without FROM.
  /// - Parameter projection: A closure that returns the `Columns` of a `@Selection`.
  @_disfavoredOverload
  public static func select<Part: Projection>(
    _ projection: () -> Part
  ) -> Select<Part.Projected> where Part.Projected: Sendable {
    select(SelectedColumns(projection()))
  }

  /// Returns a query for a single row with several values: SELECT without FROM.
  ///
  /// ```swift
  /// let row = SQL.select { (SQL.value("Acme"), SQL.value(3), SQL.value(nil as Int?)) }
  /// ```
  public static func select<First: Sendable, Second: Sendable, each Rest: Sendable>(
    _ projection: () -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> Select<(First, Second, repeat each Rest)> {
    select(SelectedColumns.tuple((), projection))
  }

  /// Unavailable: only expressions, and the columns of a `@Selection`, can be selected.
  @available(
    *, unavailable,
    message:
      "select an expression or a tuple of expressions: { (SQL.value(3), SQL.value(nil as Int?)) }"
  )
  public static func select(_ projection: () -> Void) -> Select<Int> {
    select { SQL.value(0) }
  }

  private static func select<Output>(_ selected: SelectedColumns<Output>) -> Select<Output> {
    Select(SelectClauses(from: SQL(segments: [])), selected.columns, selected.reader)
  }
}

extension SQL {
  /// Returns the rowid of a row. Tables WITHOUT ROWID have no rowid.
  ///
  /// See [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
  /// - Parameters:
  ///   - model: The model of the table.
  ///   - name: The table's alias in the query, or nil for the table's own name.
  public static func rowID<T: Model>(of model: T.Type, as name: String? = nil) -> SQLExpression<
    Int64
  > {
    let table = (name ?? T.schema.name).quotedIdentifier
    return SQLExpression(SQL(raw: "\(table).\(T.schema.rowIDName)"), Coding())
  }
}

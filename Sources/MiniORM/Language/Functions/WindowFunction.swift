/// A window function, which needs `over` to become an expression.
///
/// ```swift
/// SQL.rank().over(partitionBy: $0.cityID, orderBy: $0.score.descending)
/// ```
///
/// See [Built-in Window Functions](https://www.sqlite.org/windowfunctions.html#biwinfunc).
public struct WindowFunction<Value>: Sendable {
  let expression: SQLExpression<Value>

  init(_ name: String, _ arguments: [SQL], _ coding: Coding<Value>) {
    var expression = SQLExpression(SQL.call(name, arguments), coding)
    expression.isAggregate = true
    self.expression = expression
  }

  /// Returns the function over the rows of a window: `OVER`.
  ///
  /// The parameters are the same as for ``WindowDefinition``.
  public func over<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) -> SQLExpression<Value> {
    expression.over(partitionBy: repeat each parts, orderBy: repeat each terms, frame: frame)
  }

  /// Returns the function over the rows of a named window: `OVER`.
  /// - Parameter window: The name passed to ``FromStatement/window(_:as:)``.
  public func over(_ window: String) -> SQLExpression<Value> { expression.over(window) }
}

extension SQLExpression {
  /// Returns an aggregate over the rows of a window, with a result for each row: `OVER`.
  ///
  /// ```swift
  /// $0.amount.sum().over(partitionBy: $0.account, orderBy: $0.day, frame: .rows(.preceding(3)))
  /// ```
  ///
  /// The parameters are the same as for ``WindowDefinition``. If the expression is not an
  /// aggregate, or has DISTINCT, running the query throws. See [Window
  /// Functions](https://www.sqlite.org/windowfunctions.html).
  public func over<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) -> Self {
    let window = WindowDefinition(
      partitionBy: repeat each parts, orderBy: repeat each terms, frame: frame)
    return windowed(SQL(raw: "(").appending(window.sql, SQL(raw: ")")))
  }

  /// Returns an aggregate over the rows of a named window: `OVER`.
  /// - Parameter window: The name passed to ``FromStatement/window(_:as:)``.
  public func over(_ window: String) -> Self {
    windowed(SQL(raw: window.quotedIdentifier))
  }

  private func windowed(_ window: SQL) -> Self {
    var sql = sql.appending(SQL(raw: " OVER "), window)
    if !isAggregate {
      sql.record(
        .query(
          "\(self.sql.text) is not an aggregate or a window function: call over() as in $0.size.sum().over()"
        ))
    }
    return SQLExpression(sql, coding)
  }

  /// Returns the value in an earlier row of the partition, or a default value: `lag`.
  public func lag(_ rows: Int = 1, default value: Value) -> WindowFunction<Value> {
    WindowFunction("lag", [sql, SQL(binding: rows), binding(value)], coding)
  }
  /// Returns the value in a later row of the partition, or a default value: `lead`.
  public func lead(_ rows: Int = 1, default value: Value) -> WindowFunction<Value> {
    WindowFunction("lead", [sql, SQL(binding: rows), binding(value)], coding)
  }
}

extension SQLExpression where Value: SQLComparable {
  /// Returns the value in an earlier row of the partition, or NULL if there is no such row: `lag`.
  /// - Parameter rows: The number of rows to go back.
  public func lag(_ rows: Int = 1) -> WindowFunction<Value.SQLUnwrapped?> {
    WindowFunction("lag", [sql, SQL(binding: rows)], coding.nullable())
  }
  /// Returns the value in a later row of the partition, or NULL if there is no such row: `lead`.
  /// - Parameter rows: The number of rows to go forward.
  public func lead(_ rows: Int = 1) -> WindowFunction<Value.SQLUnwrapped?> {
    WindowFunction("lead", [sql, SQL(binding: rows)], coding.nullable())
  }
  /// Returns the value in the first row of the frame, or NULL if the frame is empty: `first_value`.
  public func firstValue() -> WindowFunction<Value.SQLUnwrapped?> {
    WindowFunction("first_value", [sql], coding.nullable())
  }
  /// Returns the value in the last row of the frame, or NULL if the frame is empty: `last_value`.
  public func lastValue() -> WindowFunction<Value.SQLUnwrapped?> {
    WindowFunction("last_value", [sql], coding.nullable())
  }
  /// Returns the value in a row of the frame, or NULL if the frame has fewer rows: `nth_value`.
  /// - Parameter row: The number of the row, from 1.
  public func nthValue(_ row: Int) -> WindowFunction<Value.SQLUnwrapped?> {
    WindowFunction("nth_value", [sql, SQL(binding: row)], coding.nullable())
  }
}

extension SQL {
  /// Returns the number of the row in its partition, from 1: `row_number`.
  public static func rowNumber() -> WindowFunction<Int> {
    WindowFunction("row_number", [], Coding())
  }
  /// Returns the rank of the row in its partition, from 1: `rank`. Equal rows have the same rank,
  /// and the next ranks are skipped.
  public static func rank() -> WindowFunction<Int> { WindowFunction("rank", [], Coding()) }
  /// Returns the rank of the row, without skipping ranks after equal rows: `dense_rank`.
  public static func denseRank() -> WindowFunction<Int> {
    WindowFunction("dense_rank", [], Coding())
  }
  /// Returns the rank of the row as a fraction from 0 to 1: `percent_rank`.
  public static func percentRank() -> WindowFunction<Double> {
    WindowFunction("percent_rank", [], Coding())
  }
  /// Returns the fraction of the partition's rows up to this row and its peers: `cume_dist`.
  public static func cumeDist() -> WindowFunction<Double> {
    WindowFunction("cume_dist", [], Coding())
  }
  /// Divides the partition into groups of nearly equal size, and returns the number of the row's
  /// group: `ntile`.
  /// - Parameter groups: The number of groups, at least 1. The first group has number 1.
  public static func ntile(_ groups: Int) -> WindowFunction<Int> {
    WindowFunction("ntile", [SQL(binding: groups)], Coding())
  }
}

/// A function of a row's place among others, which `over` makes an expression.
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

  /// OVER: the function over the rows of a window.
  /// - Parameters:
  ///   - parts: The expressions that rows of one partition have in common; none for all the rows.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current one; those up to it and its equals when there is an
  ///     order, and the whole partition when there is none.
  public func over<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) -> SQLExpression<Value> {
    expression.over(partitionBy: repeat each parts, orderBy: repeat each terms, frame: frame)
  }

  /// OVER: the function over the rows of a window that the query names.
  /// - Parameter window: The name that ``From/window(_:as:)`` was given.
  public func over(_ window: String) -> SQLExpression<Value> { expression.over(window) }
}

extension SQLExpression {
  /// OVER: an aggregate over the rows of a window, and a row for each row.
  ///
  /// ```swift
  /// $0.amount.sum().over(partitionBy: $0.account, orderBy: $0.day, frame: .rows(.preceding(3)))
  /// ```
  ///
  /// With an expression that is no aggregate the query throws when it runs, and with DISTINCT in one
  /// too. See [Window Functions](https://www.sqlite.org/windowfunctions.html).
  /// - Parameters:
  ///   - parts: The expressions that rows of one partition have in common; none for all the rows.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current one; those up to it and its equals when there is an
  ///     order, and the whole partition when there is none.
  public func over<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) -> Self {
    let window = WindowDefinition(
      partitionBy: repeat each parts, orderBy: repeat each terms, frame: frame)
    return windowed(SQL(raw: "(").appending(window.sql, SQL(raw: ")")))
  }

  /// OVER: an aggregate over the rows of a window that the query names.
  /// - Parameter window: The name that ``From/window(_:as:)`` was given.
  public func over(_ window: String) -> Self {
    windowed(SQL(raw: window.quotedIdentifier))
  }

  private func windowed(_ window: SQL) -> Self {
    var sql = sql.appending(SQL(raw: " OVER "), window)
    if !isAggregate {
      sql.record(
        .query(
          "OVER follows an aggregate or a window function, as in $0.size.sum().over(): \(self.sql.text) is none"
        ))
    }
    return SQLExpression(sql, coding)
  }

  /// The value in an earlier row of the partition, NULL where there is none: `lag`.
  /// - Parameter rows: How many rows earlier.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func lag(_ rows: Int = 1) -> WindowFunction<Value?> {
    WindowFunction("lag", [sql, SQL(binding: rows)], coding.optional)
  }
  /// The value in an earlier row of the partition, NULL where there is none: `lag`.
  /// - Parameter rows: How many rows earlier.
  public func lag<Wrapped>(_ rows: Int = 1) -> WindowFunction<Value> where Value == Wrapped? {
    WindowFunction("lag", [sql, SQL(binding: rows)], coding)
  }
  /// The value in an earlier row of the partition, or another where there is none: `lag`.
  /// - Parameters:
  ///   - rows: How many rows earlier.
  ///   - value: The value where there is none.
  public func lag(_ rows: Int = 1, default value: Value) -> WindowFunction<Value> {
    WindowFunction("lag", [sql, SQL(binding: rows), binding(value)], coding)
  }
  /// The value in a later row of the partition, NULL where there is none: `lead`.
  /// - Parameter rows: How many rows later.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func lead(_ rows: Int = 1) -> WindowFunction<Value?> {
    WindowFunction("lead", [sql, SQL(binding: rows)], coding.optional)
  }
  /// The value in a later row of the partition, NULL where there is none: `lead`.
  /// - Parameter rows: How many rows later.
  public func lead<Wrapped>(_ rows: Int = 1) -> WindowFunction<Value> where Value == Wrapped? {
    WindowFunction("lead", [sql, SQL(binding: rows)], coding)
  }
  /// The value in a later row of the partition, or another where there is none: `lead`.
  /// - Parameters:
  ///   - rows: How many rows later.
  ///   - value: The value where there is none.
  public func lead(_ rows: Int = 1, default value: Value) -> WindowFunction<Value> {
    WindowFunction("lead", [sql, SQL(binding: rows), binding(value)], coding)
  }

  /// The value in the first row of the frame, NULL where it has none: `first_value`.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func firstValue() -> WindowFunction<Value?> {
    WindowFunction("first_value", [sql], coding.optional)
  }
  /// The value in the first row of the frame, NULL where it has none: `first_value`.
  public func firstValue<Wrapped>() -> WindowFunction<Value> where Value == Wrapped? {
    WindowFunction("first_value", [sql], coding)
  }
  /// The value in the last row of the frame, NULL where it has none: `last_value`.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func lastValue() -> WindowFunction<Value?> {
    WindowFunction("last_value", [sql], coding.optional)
  }
  /// The value in the last row of the frame, NULL where it has none: `last_value`.
  public func lastValue<Wrapped>() -> WindowFunction<Value> where Value == Wrapped? {
    WindowFunction("last_value", [sql], coding)
  }
  /// The value in a row of the frame, NULL where it has fewer: `nth_value`.
  /// - Parameter row: The number of the row, from 1.
  @_disfavoredOverload  // of an optional the compiler would make an optional of an optional
  public func nthValue(_ row: Int) -> WindowFunction<Value?> {
    WindowFunction("nth_value", [sql, SQL(binding: row)], coding.optional)
  }
  /// The value in a row of the frame, NULL where it has fewer: `nth_value`.
  /// - Parameter row: The number of the row, from 1.
  public func nthValue<Wrapped>(_ row: Int) -> WindowFunction<Value> where Value == Wrapped? {
    WindowFunction("nth_value", [sql, SQL(binding: row)], coding)
  }
}

extension SQL {
  /// The number of the row in its partition, from 1: `row_number`.
  public static func rowNumber() -> WindowFunction<Int> {
    WindowFunction("row_number", [], Coding())
  }
  /// The number of the first of the rows that are equal in the order: `rank`.
  public static func rank() -> WindowFunction<Int> { WindowFunction("rank", [], Coding()) }
  /// The number of rows that differ in the order, up to this one: `dense_rank`.
  public static func denseRank() -> WindowFunction<Int> {
    WindowFunction("dense_rank", [], Coding())
  }
  /// The rank as a share, from 0 to 1: `percent_rank`.
  public static func percentRank() -> WindowFunction<Double> {
    WindowFunction("percent_rank", [], Coding())
  }
  /// The share of rows up to this one and its equals, up to 1: `cume_dist`.
  public static func cumeDist() -> WindowFunction<Double> {
    WindowFunction("cume_dist", [], Coding())
  }
  /// The number of the group, from 1, when the partition is divided into groups: `ntile`.
  /// - Parameter groups: How many groups: at least 1.
  public static func ntile(_ groups: Int) -> WindowFunction<Int> {
    WindowFunction("ntile", [SQL(binding: groups)], Coding())
  }
}

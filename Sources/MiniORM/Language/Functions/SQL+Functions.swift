#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Functions that take no column. See [Built-In Scalar SQL
/// Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQL {
  /// Returns the number of rows: `count(*)`.
  /// - Parameter filter: A condition for the rows to count.
  public static func count(filter: (any SQLCondition)? = nil) -> SQLExpression<Int> {
    .aggregate("count", [SQL(raw: "*")], filter: filter, Coding())
  }

  /// Returns a random integer of 64 bits, different for each row: `random`.
  public static func random() -> SQLExpression<Int64> {
    SQLExpression(SQL(raw: "random()"), Coding())
  }

  /// Returns random bytes: `randomblob`.
  /// - Parameter count: The number of bytes, at least 1.
  public static func randomBlob(_ count: Int) -> SQLExpression<[UInt8]> {
    SQLExpression(.call("randomblob", [SQL(binding: count)]), Coding())
  }

  /// The current UTC time, with milliseconds and constant within a statement: `datetime('now')`.
  public static var now: SQLExpression<Date> {
    SQLExpression(SQL(raw: "datetime('now', 'subsec')"), Coding())
  }

  /// Returns a formatted text, like C's `printf`: `format`.
  ///
  /// ```swift
  /// SQL.format("%s: %d", $0.name, $0.employeeCount)
  /// ```
  /// - Parameters:
  ///   - format: The format, with placeholders such as `%d`, `%.2f`, `%s` and `%Q`.
  ///   - values: The values. Missing values count as 0 or the empty text.
  public static func format<each Value>(
    _ format: String, _ values: repeat SQLExpression<each Value>
  )
    -> SQLExpression<String>
  {
    let text = SQL.call("format", [SQL(binding: format)] + texts(repeat each values))
    // If the output is empty, SQLite returns NULL.
    let mayBeNull = format.utf8.isEmpty || format.utf8.elementsEqual("%n".utf8)
    return SQLExpression(
      mayBeNull ? .call("ifnull", [text, SQL(raw: "''")]) : text, Coding())
  }

  /// Returns the concatenated texts of values, skipping NULLs: `concat`, or with a separator
  /// `concat_ws`.
  public static func concat<First, each Value>(
    _ first: SQLExpression<First>, _ others: repeat SQLExpression<each Value>,
    separator: String? = nil
  ) -> SQLExpression<String> {
    let values = texts(first, repeat each others)
    return SQLExpression(
      separator.map { .call("concat_ws", [SQL(binding: $0)] + values) } ?? .call("concat", values),
      Coding())
  }

  private static func texts<each Value>(_ values: repeat SQLExpression<each Value>) -> [SQL] {
    var list: [SQL] = []
    repeat list.append((each values).decimalText ?? (each values).sql)
    return list
  }

  static func parts<each Value>(_ values: repeat SQLExpression<each Value>) -> [SQL] {
    var list: [SQL] = []
    repeat list.append((each values).sql)
    return list
  }
}

extension SQLFunction {
  /// Returns a call of the function.
  public func callAsFunction(_ arguments: repeat SQLExpression<each Argument>) -> SQLExpression<
    Result
  > {
    SQLExpression(
      .call(definition.name.quotedIdentifier, SQL.parts(repeat each arguments)), Coding())
  }
}

extension SQLVariadicFunction {
  /// Returns a call of the function.
  public func callAsFunction<each Argument>(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> SQLExpression<Result> {
    SQLExpression(
      .call(definition.name.quotedIdentifier, SQL.parts(repeat each arguments)), Coding())
  }
}

extension SQLAggregate {
  /// Returns a call of the function, which is a window function with
  /// `over(partitionBy:orderBy:frame:)`.
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - distinct: Whether equal values count once, which requires a single argument.
  ///   - filter: A condition for the rows to include.
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>, distinct: Bool = false,
    filter: (any SQLCondition)? = nil
  ) -> SQLExpression<Result> {
    .aggregate(
      definition.name.quotedIdentifier, SQL.parts(repeat each arguments),
      distinct: distinct, filter: filter, Coding())
  }
}

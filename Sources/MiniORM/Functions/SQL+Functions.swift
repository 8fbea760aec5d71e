#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Functions of no column. See
/// [Built-In Scalar SQL Functions](https://www.sqlite.org/lang_corefunc.html).
extension SQL {
  /// The number of rows: `count(*)`.
  /// - Parameter filter: The condition of the rows to count.
  public static func count(filter: (any SQLCondition)? = nil) -> SQLExpression<Int> {
    .aggregate("count", [SQL(raw: "*")], filter: filter, Coding())
  }

  /// A random integer of 64 bits, another for each row: `random`.
  public static func random() -> SQLExpression<Int64> {
    SQLExpression(SQL(raw: "random()"), Coding())
  }

  /// Random bytes: `randomblob`.
  /// - Parameter count: How many: at least 1.
  public static func randomBlob(_ count: Int) -> SQLExpression<[UInt8]> {
    SQLExpression(.call("randomblob", [SQL(binding: count)]), Coding())
  }

  /// The time at which the statement runs, in UTC and to the millisecond: `datetime('now')`.
  public static var now: SQLExpression<Date> {
    SQLExpression(SQL(raw: "datetime('now', 'subsec')"), Coding())
  }

  /// Values written into a text, as `printf` of C does: `format`.
  /// - Parameters:
  ///   - format: The text, with `%d`, `%.2f`, `%s`, `%Q` and the like for the values.
  ///   - values: The values; missing ones count as 0 or the empty text.
  public static func format<each Value>(
    _ format: String, _ values: repeat SQLExpression<each Value>
  )
    -> SQLExpression<String>
  {
    let text = SQL.call("format", [SQL(binding: format)] + parts(repeat each values))
    // Where nothing is written, SQLite's answer is NULL.
    let mayBeNull = format.utf8.isEmpty || format.utf8.elementsEqual("%n".utf8)
    return SQLExpression(
      mayBeNull ? .call("ifnull", [text, SQL(raw: "''")]) : text, Coding())
  }

  /// The texts of values one after another, those that are NULL left out: `concat`.
  /// - Parameters:
  ///   - first: The first value.
  ///   - others: The others.
  public static func concat<First, each Value>(
    _ first: SQLExpression<First>, _ others: repeat SQLExpression<each Value>
  ) -> SQLExpression<String> {
    SQLExpression(.call("concat", [first.sql] + parts(repeat each others)), Coding())
  }

  /// The texts of values with a separator between them, those that are NULL left out: `concat_ws`.
  /// - Parameters:
  ///   - first: The first value.
  ///   - others: The others.
  ///   - separator: What stands between two of them.
  public static func concat<First, each Value>(
    _ first: SQLExpression<First>, _ others: repeat SQLExpression<each Value>, separator: String
  ) -> SQLExpression<String> {
    let values = [SQL(binding: separator), first.sql] + parts(repeat each others)
    return SQLExpression(.call("concat_ws", values), Coding())
  }

  /// The SQL of several expressions.
  static func parts<each Value>(_ values: repeat SQLExpression<each Value>) -> [SQL] {
    var list: [SQL] = []
    repeat list.append((each values).sql)
    return list
  }

  /// The name of each column of a tuple.
  static func columnNames<Columns, each Value>(
    _ columns: Columns, _ terms: (Columns) -> (repeat SQLExpression<each Value>)
  ) -> [String] {
    var names: [String] = []
    repeat names.append((each terms(columns)).columnName)
    return names
  }

  /// The SQL of each expression of a tuple.
  static func expressions<Columns, each Value>(
    _ columns: Columns, _ terms: (Columns) -> (repeat SQLExpression<each Value>)
  ) -> [SQL] {
    var list: [SQL] = []
    repeat list.append((each terms(columns)).compared)
    return list
  }
}

/// What rows can be ordered by: an expression, or one with a direction.
public protocol OrderingTerm {
  /// The term with its direction.
  var ordering: Ordering { get }
}

/// An expression with a direction.
///
/// See [The ORDER BY clause](https://www.sqlite.org/lang_select.html#orderby).
public struct Ordering: OrderingTerm, Sendable {
  let expression: SQL
  let direction: String
  /// The column's name, where the expression is nothing but one.
  let column: String?

  /// The term itself.
  public var ordering: Ordering { self }

  /// NULLs before everything else: SQLite's own choice when ascending.
  public var nullsFirst: Ordering { with("NULLS FIRST") }
  /// NULLs after everything else: SQLite's own choice when descending.
  public var nullsLast: Ordering { with("NULLS LAST") }

  private func with(_ nulls: String) -> Ordering {
    Ordering(expression: expression, direction: "\(direction) \(nulls)", column: column)
  }

  var sql: SQL {
    var sql = expression
    sql.append(direction)
    return sql
  }

  /// The terms of a tuple that a closure makes of columns.
  static func all<Columns, each Term: OrderingTerm>(
    _ columns: Columns, _ terms: (Columns) -> (repeat each Term)
  ) -> [Ordering] {
    // The closure, and not its result: the compiler (6.3) crashes where a tuple of some types and a
    // pack is passed on.
    var list: [Ordering] = []
    repeat list.append((each terms(columns)).ordering)
    return list
  }

  /// Several terms.
  static func all<each Term: OrderingTerm>(_ terms: repeat each Term) -> [Ordering] {
    var list: [Ordering] = []
    repeat list.append((each terms).ordering)
    return list
  }

  /// The term in CREATE INDEX, which allows no parameters, nor the table's name before a column's.
  func indexed(table: String) throws(DatabaseError) -> String {
    if let column { return column.quotedIdentifier + direction }
    return try expression.literalText(columnsOf: table) + direction
  }
}

extension SQLExpression: OrderingTerm {
  private func directed(_ direction: String) -> Ordering {
    Ordering(expression: compared, direction: direction, column: column?.name)
  }
  /// The expression, ascending.
  public var ordering: Ordering { directed("") }
  /// From the least to the greatest.
  public var ascending: Ordering { directed(" ASC") }
  /// From the greatest to the least.
  public var descending: Ordering { directed(" DESC") }
}

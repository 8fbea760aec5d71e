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
  /// The column's name, and its quoted form for an index.
  let column: String?
  let name: String

  /// The term itself.
  public var ordering: Ordering { self }

  /// NULLs before everything else: SQLite's own choice when ascending.
  public var nullsFirst: Ordering { with("NULLS FIRST") }
  /// NULLs after everything else: SQLite's own choice when descending.
  public var nullsLast: Ordering { with("NULLS LAST") }

  private func with(_ nulls: String) -> Ordering {
    Ordering(expression: expression, direction: "\(direction) \(nulls)", column: column, name: name)
  }

  var sql: SQL {
    var sql = expression
    sql.append(direction)
    return sql
  }

  var indexed: String { name + direction }
}

extension Expression: OrderingTerm {
  private func directed(_ direction: String) -> Ordering {
    Ordering(expression: sql, direction: direction, column: column?.name, name: columnName)
  }
  /// The expression, ascending.
  public var ordering: Ordering { directed("") }
  /// From the least to the greatest.
  public var ascending: Ordering { directed(" ASC") }
  /// From the greatest to the least.
  public var descending: Ordering { directed(" DESC") }
}

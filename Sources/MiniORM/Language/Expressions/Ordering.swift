/// A term of ORDER BY: an expression, optionally with a direction.
public protocol OrderingTerm {
  /// The term with its direction.
  @_documentation(visibility: internal)
  var ordering: Ordering { get }
}

/// An expression with a direction, such as `$0.name.descending.nullsLast`.
///
/// See [The ORDER BY clause](https://www.sqlite.org/lang_select.html#orderby).
public struct Ordering: OrderingTerm, Sendable {
  let expression: SQL
  let direction: String
  let column: String?
  private let quotedColumn: String?

  init(expression: SQL, direction: String, column: String?, quoted: String? = nil) {
    (self.expression, self.direction, self.column) = (expression, direction, column)
    quotedColumn = quoted ?? column?.quotedIdentifier
  }

  /// The term itself.
  @_documentation(visibility: internal)
  public var ordering: Ordering { self }

  /// The ordering with NULLs first, which is SQLite's default for ascending order.
  public var nullsFirst: Ordering { with("NULLS FIRST") }
  /// The ordering with NULLs last, which is SQLite's default for descending order.
  public var nullsLast: Ordering { with("NULLS LAST") }

  private func with(_ nulls: String) -> Ordering {
    Ordering(expression: expression, direction: "\(direction) \(nulls)", column: column)
  }

  var name: String { column ?? expression.text }

  var sql: SQL {
    var sql = expression
    sql.append(direction)
    return sql
  }

  static func all<each Term: OrderingTerm>(_ terms: repeat each Term) -> [Ordering] {
    var list: [Ordering] = []
    repeat list.append((each terms).ordering)
    return list
  }

  /// The term for CREATE INDEX, which allows neither parameters nor qualified columns.
  func indexed(table: String) throws(DatabaseError) -> String {
    if let quotedColumn { return direction.isEmpty ? quotedColumn : quotedColumn + direction }
    return try expression.literalText(columnsOf: table) + direction
  }
}

extension SQLExpression: OrderingTerm {
  private func directed(_ direction: String) -> Ordering {
    let column = column
    return Ordering(
      expression: compared, direction: direction, column: column?.name, quoted: column?.quotedName)
  }
  /// The expression without a direction: ascending order.
  @_documentation(visibility: internal)
  public var ordering: Ordering { directed("") }
  /// The expression in ascending order.
  public var ascending: Ordering { directed(" ASC") }
  /// The expression in descending order.
  public var descending: Ordering { directed(" DESC") }
}

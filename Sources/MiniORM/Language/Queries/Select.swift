/// A query with its result columns, which `select` creates from a table, a join or groups.
///
/// ```swift
/// let names: [String] = try await companies.select { $0.name }.fetchAll(in: database)
/// ```
///
/// See [SELECT](https://www.sqlite.org/lang_select.html).
public struct Select<Output: Sendable>: SelectStatement {
  var clauses: SelectClauses
  let reader: RowReader<Output>

  init(_ clauses: SelectClauses, _ columns: [ResultColumn], _ reader: RowReader<Output>) {
    self.clauses = clauses
    self.clauses.columns = columns
    self.reader = reader
  }

  /// The query itself.
  @_documentation(visibility: internal)
  public var asSelect: Select { self }

  private func with(_ change: (inout SelectClauses) -> Void) -> Select {
    var select = self
    change(&select.clauses)
    return select
  }

  /// Returns each distinct row of the result once.
  public func distinct() -> Select {
    let select = clauses.compounds.isEmpty ? self : nested
    return select.with { $0.isDistinct = true }
  }

  /// Returns at most `count` rows, skipping `offset`. For a negative count, running the query
  /// throws.
  public func limit(_ count: Int, offset: Int = 0) -> Select {
    let select = clauses.bounds == nil ? self : nested
    return select.with { $0.limit(count, offset: offset) }
  }

  var first: Select {
    clauses.bounds != nil || clauses.limit.map { $0 < 1 } ?? false
      ? self : limit(1, offset: clauses.offset ?? 0)
  }
}

/// A query for rows: a ``Table``, a ``From``, a ``Select`` or a ``NamedSource``.
public protocol SelectStatement<Output>: Sendable {
  /// The type of a row.
  associatedtype Output: Sendable
  /// The query with its result columns.
  var asSelect: Select<Output> { get }
  /// The SQL and the bound values of the query.
  var sql: SQL { get }
}

extension SelectStatement {
  /// Returns at most `count` rows, skipping `offset`. Each run of a ``PreparedQuery`` gives the
  /// numbers.
  ///
  /// ```swift
  /// PreparedQuery(Int.self, Int.self) { count, offset in
  ///   companies.order { $0.name }.limit(count, offset: offset)
  /// }
  /// ```
  /// For a negative count, running the query throws. A negative offset counts as 0.
  public func limit(_ count: SQLExpression<Int>, offset: SQLExpression<Int>? = nil) -> Select<
    Output
  > {
    var select = asSelect
    if select.clauses.isLimited { select = select.nested }
    select.clauses.limit(by: count.sql, offset: offset?.sql)
    return select
  }

  /// The SQL and the bound values of the query.
  @_documentation(visibility: internal)
  public var sql: SQL { asSelect.clauses.sql.statement }
}

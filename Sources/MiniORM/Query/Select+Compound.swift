/// Compounds, which combine the results of two queries. Both have rows of the same type.
///
/// They are evaluated from left to right: `a.union(b).except(c)` removes the rows of `c` from the
/// union. An order or a limit of `a` or `b` is its own; one that follows applies to the whole.
///
/// See [Compound Select Statements](https://www.sqlite.org/lang_select.html#compound).
extension SelectStatement {
  /// Returns the rows of this query and of another, each once: UNION.
  /// - Parameter other: The other query.
  public func union(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("UNION", other.asSelect)
  }

  /// Returns the rows of this query and of another: UNION ALL.
  /// - Parameter other: The other query.
  public func unionAll(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("UNION ALL", other.asSelect)
  }

  /// Returns the rows that this query and another have in common, each once: INTERSECT.
  /// - Parameter other: The other query.
  public func intersect(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("INTERSECT", other.asSelect)
  }

  /// Returns the rows of this query that another does not have, each once: EXCEPT.
  /// - Parameter other: The other query.
  public func except(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("EXCEPT", other.asSelect)
  }
}

extension Select {
  fileprivate func compound(_ name: String, _ other: Select) -> Select {
    var whole = clauses.isOrdered ? nested : self
    // They are evaluated from left to right; a compound on the right is a unit.
    let arm = other.clauses.isOrdered || !other.clauses.compounds.isEmpty ? other.nested : other
    whole.clauses.compounds.append((name, arm.clauses.sql))
    whole.clauses.record(clauses.difference(from: other.clauses.columns.map(\.coding)))
    return whole
  }

  /// `SELECT * FROM (this)`.
  var nested: Select { nested(as: nil) }

  func nested(as name: String?) -> Select {
    var inner = clauses
    inner.columns = clauses.columns.enumerated().map { $1.named($0) }
    var outer = inner.nested(as: name)
    outer.isWhole = true
    outer.names = name.map { [$0] } ?? []
    return Select(outer, inner.columns, reader)
  }
}

extension SelectClauses {
  /// Whether the rows have an order or a limit of their own.
  var isOrdered: Bool { !ordering.isEmpty || isLimited }
}

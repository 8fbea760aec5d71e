/// Compound queries, which combine the results of two queries with rows of the same type.
///
/// Operators apply from left to right: `a.union(b).except(c)` removes the rows of `c` from the
/// union. An order or a limit of `a` or `b` applies to that query. After the operator, an order or
/// a limit applies to the whole result.
///
/// See [Compound Select Statements](https://www.sqlite.org/lang_select.html#compound).
extension SelectStatement {
  /// Returns the rows of both queries without duplicates: UNION.
  ///
  /// ```swift
  /// companies.where { $0.cityID == nil }.union(companies.where { $0.employeeCount < 10 })
  /// ```
  public func union(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("UNION", other.asSelect, "union")
  }

  /// Returns the rows of both queries: UNION ALL.
  public func unionAll(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("UNION ALL", other.asSelect, "unionAll")
  }

  /// Returns the rows that both queries have in common, without duplicates: INTERSECT.
  public func intersect(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("INTERSECT", other.asSelect, "intersect")
  }

  /// Returns the rows of this query that the other query does not have, without duplicates: EXCEPT.
  public func except(_ other: some SelectStatement<Output>) -> Select<Output> {
    asSelect.compound("EXCEPT", other.asSelect, "except")
  }
}

extension Select {
  fileprivate func compound(_ name: String, _ other: Select, _ call: String) -> Select {
    var whole = clauses.isOrdered ? nested : self
    for var part in [clauses, other.clauses] {
      part.recordLostOrder(before: "\(call)(_:)")
      whole.clauses.record(part.problem)
    }
    // Operators apply from left to right, so a compound on the right side needs a subquery.
    let arm = other.clauses.isOrdered || !other.clauses.compounds.isEmpty ? other.nested : other
    whole.clauses.compounds.append((name, arm.clauses.sql))
    whole.clauses.record(clauses.difference(from: other.clauses.operands))
    return whole
  }

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
  var isOrdered: Bool { !ordering.isEmpty || isLimited }
}

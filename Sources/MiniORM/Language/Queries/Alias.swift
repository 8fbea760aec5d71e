/// A table under an alias, for a self join or a correlated subquery, or a ``NamedSource`` with
/// conditions, an order or a limit.
///
/// ```swift
/// let bosses = people.alias("boss")
/// let pairs = people.join(bosses) { $0.bossID == $1.id }.select { ($0.name, $1.name) }
/// ```
public struct Alias<Columns: SourceColumns>: NamedSource {
  /// The FROM clause with only this source.
  @_documentation(visibility: internal)
  public let from: From<Columns, Columns.Projected>

  init(_ columns: Columns, clauses: SelectClauses, table: JoinedTable) {
    from = From(columns, clauses: clauses, table: table)
  }

  init(_ from: From<Columns, Columns.Projected>) { self.from = from }
}

extension Select {
  /// Returns the query as a named table for an outer query: a subquery in FROM.
  ///
  /// ```swift
  /// let sizes = companies.group { $0.cityID }.select {
  ///   CitySize.Columns(cityID: $0.cityID, size: $0.employeeCount.sum())
  /// }
  /// let large = sizes.alias("sizes").where { $0.size > 1_000 }
  /// ```
  public func alias(_ name: String) -> Alias<Output.Columns> where Output: Selection {
    Alias(
      Output.columns(of: name), clauses: clauses.aliased(name),
      table: JoinedTable(name: name, model: Output.self as? any Model.Type))
  }
}

extension Table {
  /// Returns the same rows under an alias.
  public func alias(_ name: String) -> Alias<AliasedColumns<T.Columns>> {
    var clauses = SelectClauses(
      from: SQL(segments: [.name(.table(source: schema.source, name: T.schema.name, alias: name))]))
    if !isWhole {
      // The conditions so far refer to the table's own name.
      var inner = from.clauses
      inner.columns = T.Columns.resultColumns(columns)
      clauses = inner.nested(as: name)
      clauses.order(as: inner, named: self.name, in: name)
    }
    return Alias(
      AliasedColumns(T.columns, as: name), clauses: clauses,
      table: JoinedTable(name: name, model: T.self))
  }
}

extension SelectClauses {
  func aliased(_ name: String) -> SelectClauses {
    var clauses = self
    clauses.recordLostOrder(before: "alias(_:)")
    return clauses.nested(as: name)
  }

  /// Applies the inner query's order to the outer query, unless a limit needs the order inside.
  mutating func order(as inner: SelectClauses, named table: String, in name: String) {
    guard !inner.isLimited else { return }
    guard inner.ordering.allSatisfy({ $0.namesWithin.isEmpty }) else {
      var inner = inner
      inner.recordLostOrder(before: "alias(_:)")
      return record(inner.problem)
    }
    ordering = inner.ordering.map { $0.renaming(Renames(table, to: name)) }
  }
}

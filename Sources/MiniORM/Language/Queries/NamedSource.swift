/// A source with its own name in a FROM clause: a ``DatabaseView``, a ``CommonTableExpression`` or
/// an ``Alias``.
///
/// A filter or an order returns an ``Alias``, which can be joined and filtered further. Only
/// MiniORM's types conform.
public protocol NamedSource<Columns>: Source {}

extension NamedSource {
  /// The query that selects all columns of the rows.
  @_documentation(visibility: internal)
  public var asSelect: Select<Output> { from.asSelect }

  /// Returns the rows for which a condition is true. Further calls add conditions with AND.
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> Alias<Columns> {
    Alias(from.where(condition))
  }

  /// Sorts the rows.
  @_documentation(visibility: internal)
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> Alias<Columns> {
    Alias(from.order(terms))
  }

  /// Returns at most `count` rows, skipping `offset`. For a negative count, running the query
  /// throws.
  public func limit(_ count: Int, offset: Int = 0) -> Alias<Columns> {
    Alias(from.limit(count, offset: offset))
  }

  /// Returns each distinct row once, comparing all columns.
  public func distinct() -> Alias<Columns> { Alias(from.distinct()) }

  /// Returns the same rows under an alias, for a self join.
  public func alias(_ name: String) -> Alias<Columns> {
    let from = from
    // In an inner query with the same table name, the alias would resolve to the inner table.
    if from.clauses.isFilter,
      !from.clauses.namesWithin.contains(where: { $0.folded == name.folded })
    {
      return Alias(from.renaming(Renames(from.clauses.names[0], to: name)))
    }
    var clauses = from.asSelect.clauses.nested(as: name)
    clauses.order(as: from.clauses, named: from.clauses.names[0], in: name)
    return Alias(
      Columns.renamed(from.columns, as: name), clauses: clauses,
      table: JoinedTable(name: name, model: from.tables[0].model))
  }
}

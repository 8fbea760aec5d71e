/// What stands in a FROM clause under a name of its own, and is narrowed and put in an order there: a
/// ``DatabaseView``, a ``CommonTableExpression``, an ``Alias``.
///
/// Each gives an ``Alias``, which is joined and narrowed again. Nobody but MiniORM conforms to it.
public protocol NamedSource<Columns>: Source {}

extension NamedSource {
  /// The rows as they are.
  public var asSelect: Select<Output> { from.asSelect }

  /// Only the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition.
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> Alias<Columns> {
    Alias(from.where(condition))
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a term, or to a tuple of terms.
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> Alias<Columns> {
    Alias(from.order(terms))
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter term: A closure from the columns to a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> Alias<Columns> {
    Alias(from.order(term))
  }

  /// The rows in an order of several terms. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> Alias<Columns> {
    Alias(from.order(terms))
  }

  /// At most so many rows, after leaving some out.
  /// - Parameters:
  ///   - count: How many rows: 0 for none. A negative number counts as 0.
  ///   - offset: How many to leave out first.
  public func limit(_ count: Int, offset: Int = 0) -> Alias<Columns> {
    Alias(from.limit(count, offset: offset))
  }

  /// Each row once, where rows are equal in all their columns.
  public func distinct() -> Alias<Columns> { Alias(from.distinct()) }

  /// The same rows under another name, for joining them with themselves.
  /// - Parameter name: The name.
  public func alias(_ name: String) -> Alias<Columns> {
    let from = from
    // A name that a query within has would take the columns of this table there.
    if from.clauses.isFilter,
      !from.clauses.namesWithin.contains(where: { $0.folded == name.folded })
    {
      return Alias(from.renaming(Renames(from.clauses.names[0], to: name)))
    }
    return Alias(
      Columns.renamed(from.columns, as: name), clauses: from.asSelect.clauses.nested(as: name),
      table: JoinedTable(name: name, schema: from.tables[0].schema))
  }
}

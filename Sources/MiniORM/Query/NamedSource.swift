/// A source in a FROM clause with a name of its own, which can be filtered and ordered there: a
/// ``DatabaseView``, a ``CommonTableExpression``, an ``Alias``.
///
/// Each of its methods returns an ``Alias``, which can be joined and filtered further. Only
/// MiniORM's own types conform.
public protocol NamedSource<Columns>: Source {}

extension NamedSource {
  /// The query that selects the rows as they are.
  public var asSelect: Select<Output> { from.asSelect }

  /// Returns the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure that takes the columns and returns the condition.
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> Alias<Columns> {
    Alias(from.where(condition))
  }

  /// Sorts the rows. A further call sorts rows that are equal so far.
  /// - Parameter terms: A closure that takes the columns and returns a term or a tuple of terms.
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> Alias<Columns> {
    Alias(from.order(terms))
  }

  /// Sorts the rows. A further call sorts rows that are equal so far.
  /// - Parameter term: A closure that takes the columns and returns a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> Alias<Columns> {
    Alias(from.order(term))
  }

  /// Sorts the rows by several terms. A further call sorts rows that are equal so far.
  /// - Parameter terms: A closure that takes the columns and returns a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> Alias<Columns> {
    Alias(from.order(terms))
  }

  /// Returns at most `count` rows, skipping `offset`.
  /// - Parameters:
  ///   - count: The maximum number of rows. A negative number counts as 0.
  ///   - offset: The number of rows to skip.
  public func limit(_ count: Int, offset: Int = 0) -> Alias<Columns> {
    Alias(from.limit(count, offset: offset))
  }

  /// Returns each distinct row once, comparing all columns.
  public func distinct() -> Alias<Columns> { Alias(from.distinct()) }

  /// Returns the same rows under another name, for joining them with themselves.
  /// - Parameter name: The name.
  public func alias(_ name: String) -> Alias<Columns> {
    let from = from
    // A name used in an inner query would capture the columns of this table there.
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

/// A table under another name, for joining it with itself or for naming it in a subquery.
///
/// ```swift
/// let bosses = people.alias("boss")
/// let pairs = people.join(bosses) { $0.bossID == $1.id }.select { ($0.name, $1.name) }
/// ```
public struct Alias<Columns: SourceColumns>: Source {
  /// The type of a row.
  public typealias Output = Columns.Projected

  /// The FROM clause of nothing but this.
  public private(set) var from: From<Columns, Columns.Projected>

  init(_ columns: Columns, clauses: SelectClauses, table: JoinedTable) {
    from = From(columns, clauses: clauses, table: table)
  }

  /// The rows as they are.
  public var asSelect: Select<Columns.Projected> { from.asSelect }

  private func with(_ change: (inout From<Columns, Columns.Projected>) -> Void) -> Alias {
    var alias = self
    change(&alias.from)
    return alias
  }

  /// Only the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition.
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> Alias {
    with { $0 = $0.where(condition) }
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a term, or to a tuple of terms.
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> Alias {
    with { $0 = $0.order(terms) }
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter term: A closure from the columns to a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> Alias {
    with { $0 = $0.order(term) }
  }

  /// The rows in an order of several terms. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> Alias {
    with { $0 = $0.order(terms) }
  }

  /// At most so many rows, after leaving some out.
  /// - Parameters:
  ///   - count: How many rows: 0 for none. A negative number counts as 0.
  ///   - offset: How many to leave out first.
  public func limit(_ count: Int, offset: Int = 0) -> Alias {
    with { $0 = $0.limit(count, offset: offset) }
  }
}

extension Select {
  /// The rows as a table of another query, under a name: a subquery in FROM.
  ///
  /// ```swift
  /// let sizes = companies.group { $0.cityID }.select {
  ///   CitySize.Columns(cityID: $0.cityID, size: $0.employeeCount.sum())
  /// }
  /// let large = sizes.alias("sizes").where { $0.size > 1_000 }
  /// ```
  /// - Parameter name: The name.
  public func alias(_ name: String) -> Alias<Output.Columns>
  where Output: Selection, Output.Columns: SelectionColumns {
    Alias(
      Output.Columns(of: name), clauses: clauses.nested(as: name),
      table: JoinedTable(name: name, schema: nil))
  }

  /// The rows as a table of another query, under a name: a subquery in FROM.
  /// - Parameter name: The name.
  public func alias(_ name: String) -> Alias<AliasedColumns<Output.Columns>> where Output: Model {
    Alias(
      AliasedColumns(Output.columns, as: name), clauses: clauses.nested(as: name),
      table: JoinedTable(name: name, schema: Output.schema))
  }
}

extension Table {
  /// The same rows under another name.
  /// - Parameter name: The name.
  public func alias(_ name: String) -> Alias<AliasedColumns<T.Columns>> {
    var clauses = SelectClauses(
      from: SQL(segments: [.table(source: schema.source, name: T.schema.name, alias: name)]))
    if !isWhole {
      // What has been said names the table itself.
      var inner = from.clauses
      inner.columns = T.Columns.resultColumns(columns)
      clauses = inner.nested(as: name)
    }
    return Alias(
      AliasedColumns(T.columns, as: name), clauses: clauses,
      table: JoinedTable(name: name, schema: T.schema))
  }
}

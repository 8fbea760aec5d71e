/// A FROM clause with its following clauses: joined, filtered, grouped and ordered tables.
///
/// ```swift
/// let rows: [(Company, City?)] = try await companies
///   .leftJoin(cities) { company, city in company.cityID == city.id }
///   .order { company, city in (city.name, company.name) }
///   .fetchAll(in: database)
/// ```
///
/// `join` and `group` of a ``Table`` create a value. A row is a tuple of the joined models, unless
/// `select` chooses a different result. A closure can name every table: `{ company, city in … }`.
/// With `$0`, `$1` and so on, a closure must use the last table's number. A closure that uses only
/// `$0` gets a tuple of all tables: `$0.0`, `$0.1`.
///
/// `Columns` is the parameter type of closures: the table's columns, or a tuple of each table's
/// columns. `Output` is the type of a row: the model, or a tuple of models. In an outer join, a
/// model can be optional.
///
/// See [SELECT](https://www.sqlite.org/lang_select.html).
public struct From<Columns: Sendable, Output: Sendable>: SelectStatement {
  private(set) var columns: Columns
  var clauses: SelectClauses
  private(set) var tables: [JoinedTable]
  private let renamed: @Sendable (Columns, _ names: [String]) -> Columns
  private let whole: @Sendable (Columns) -> (columns: [ResultColumn], reader: RowReader<Output>)

  init(_ columns: Columns, clauses: SelectClauses, table: JoinedTable)
  where Columns: SourceColumns, Output == Columns.Projected {
    self.init(columns, clauses, [table]) { columns, names in
      names.first.map { Columns.renamed(columns, as: $0) } ?? columns
    } whole: { columns in
      (Columns.resultColumns(columns), Columns.reader(columns))
    }
  }

  init(
    _ columns: Columns, _ clauses: SelectClauses, _ tables: [JoinedTable],
    renamed: @escaping @Sendable (Columns, _ names: [String]) -> Columns,
    whole: @escaping @Sendable (Columns) -> (columns: [ResultColumn], reader: RowReader<Output>)
  ) {
    (self.columns, self.clauses, self.tables) = (columns, clauses, tables)
    (self.renamed, self.whole) = (renamed, whole)
    self.clauses.names = tables.map(\.name)
  }

  func with(_ clauses: SelectClauses, _ tables: [JoinedTable]) -> From {
    From(columns, clauses, tables, renamed: renamed, whole: whole)
  }

  var resultColumns: [ResultColumn] { whole(columns).columns }

  /// The same rows, with aliases for tables whose names an enclosing query uses.
  var distinguished: From {
    guard
      let renames = EnclosingQueries.renames(
        for: clauses.names, besides: { clauses.namesWithin })
    else { return self }
    return renaming(renames)
  }

  func renaming(_ renames: Renames) -> From {
    var from = self
    from.tables = tables.map { $0.renaming(renames) }
    from.clauses = clauses.renaming(renames)
    from.columns = renamed(columns, from.clauses.names)
    return from
  }

  func calling<Result>(_ body: (Columns) -> Result) -> Result {
    EnclosingQueries.calling(with: clauses.names) { body(columns) }
  }

  /// The query that selects the joined models.
  @_documentation(visibility: internal)
  public var asSelect: Select<Output> {
    let (columns, reader) = whole(columns)
    return Select(clauses, columns, reader)
  }

  private func with(_ change: (inout SelectClauses) -> Void) -> From {
    var from = self
    change(&from.clauses)
    return from
  }

  /// Returns the rows for which a condition is true. Further calls add conditions with AND.
  ///
  /// ```swift
  /// companies.join(cities).where { company, city in city.name == "Reims" }
  /// ```
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> From {
    let from = distinguished
    let sql = from.calling { condition($0).sql }
    return from.with { $0.filter(sql) }
  }

  // Separate overloads for a single term and for several: the compiler (Swift 6.3) crashes if a
  // closure that names the joined tables returns a pack with a single element.

  /// Sorts the rows by a term or a tuple of terms. A further call sorts rows that compare equal.
  ///
  /// ```swift
  /// companies.join(cities).order { company, city in (city.name, company.name.descending) }
  /// ```
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> From {
    let from = distinguished
    let ordering = from.calling(terms).map(\.sql)
    return from.with { $0.ordering += ordering }
  }

  /// Sorts the rows by a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> From {
    let from = distinguished
    let ordering = from.calling { term($0).ordering.sql }
    return from.with { $0.ordering.append(ordering) }
  }

  /// Sorts the rows by several terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> From {
    let from = distinguished
    let ordering = from.calling { Ordering.all($0, terms).map(\.sql) }
    return from.with { $0.ordering += ordering }
  }

  /// Groups rows with equal values of an expression or a tuple of expressions, with a result for
  /// each group. A further call adds expressions.
  ///
  /// ```swift
  /// companies.join(cities).group { company, city in city.id }.select { ($1.name, $0.id.count()) }
  /// ```
  public func group(@GroupBuilder _ terms: (Columns) -> [SQL]) -> From {
    let from = distinguished
    let grouping = from.calling(terms)
    return from.with { $0.grouping += grouping }
  }

  /// Groups rows with equal values of an expression.
  @_disfavoredOverload
  public func group<Term>(_ term: (Columns) -> SQLExpression<Term>) -> From {
    let from = distinguished
    let sql = from.calling { term($0).compared }
    return from.with { $0.grouping.append(sql) }
  }

  /// Groups rows with equal values of several expressions.
  @_disfavoredOverload
  public func group<First, Second, each Rest>(
    _ terms: (Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> From {
    let from = distinguished
    let grouping = from.calling { SQL.expressions($0, terms) }
    return from.with { $0.grouping += grouping }
  }

  /// Returns the groups for which a condition is true. Further calls add conditions with AND. The
  /// condition can use aggregates of the group.
  public func having(_ condition: (Columns) -> any SQLCondition) -> From {
    let from = distinguished
    let sql = from.calling { condition($0).sql }
    return from.with { $0.having = SQL.and($0.having, sql) }
  }

  /// Returns at most `count` rows, skipping `offset`. For a negative count, running the query
  /// throws.
  public func limit(_ count: Int, offset: Int = 0) -> From {
    with { $0.limit(count, offset: offset) }
  }

  /// Returns each distinct row of the result once.
  public func distinct() -> From { with { $0.isDistinct = true } }

  /// Selects the result of each row: an expression, a table's columns, the `Columns` of a
  /// `@Selection`, or a tuple of these.
  ///
  /// A `@Selection` is faster to read than a tuple.
  public func select<Selected: Sendable>(
    @SelectBuilder _ projection: (Columns) -> SelectedColumns<Selected>
  ) -> Select<Selected> {
    let from = distinguished
    let selected = from.calling(projection)
    return Select(from.clauses, selected.columns, selected.reader)
  }

  /// Selects a ``Selection`` or a model.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    let from = distinguished
    let part = from.calling(projection)
    return Select(from.clauses, Part.resultColumns(part), Part.reader(part))
  }

  /// Selects a tuple of values, models or selections.
  @_disfavoredOverload
  public func select<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Columns) -> (First, Second, repeat each Rest)
  ) -> Select<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    // The tuple has at least two parts: with an empty tuple, a closure of any other type would
    // match as a closure that returns Void.
    selectTuple(projection)
  }

  private func selectTuple<each Part: Projection>(
    _ projection: (Columns) -> (repeat each Part)
  ) -> Select<(repeat (each Part).Projected)> where repeat (each Part).Projected: Sendable {
    let from = distinguished
    let tuple = from.calling { columns in
      let parts = projection(columns)
      return TupleProjection(repeat each parts)
    }
    return Select(
      from.clauses, TupleProjection.resultColumns(tuple), TupleProjection.reader(tuple))
  }
}

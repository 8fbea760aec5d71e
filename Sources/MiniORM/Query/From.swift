/// A FROM clause and what follows it: tables joined, filtered, grouped and in order.
///
/// A ``Table`` becomes one by `join`, `group` or `alias`. Its own rows are tuples of the joined
/// models; `select` chooses something else of them.
///
/// ```swift
/// let rows: [(Company, City?)] = try await companies
///   .leftJoin(cities) { company, city in company.cityID == city.id }
///   .order { company, city in (city.name, company.name) }
///   .fetchAll(in: database)
/// ```
///
/// A closure names every table, `{ company, city in … }`, or numbers them: by `$0`, `$1` and so on where
/// it needs the last of them, and else by the places in a tuple, `$0.0`, `$0.1`.
///
/// See [SELECT](https://www.sqlite.org/lang_select.html).
///
/// `Columns` is what closures are given: the columns of the table, or a tuple of those of each.
/// `Output` is the type of a row: the model, or a tuple of the joined ones, with those that a row
/// may lack as optionals.
public struct From<Columns: Sendable, Output: Sendable>: SelectStatement {
  private(set) var columns: Columns
  var clauses: SelectClauses
  private(set) var tables: [JoinedTable]
  /// The columns of tables that have other names.
  private let renamed: @Sendable (Columns, _ names: [String]) -> Columns
  /// Reads all of the columns.
  private let whole: @Sendable (Columns) -> (columns: [ResultColumn], reader: RowReader<Output>)

  /// One table.
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

  /// The rows of more tables, of which nothing is read.
  func with(_ clauses: SelectClauses, _ tables: [JoinedTable]) -> From {
    From(columns, clauses, tables, renamed: renamed, whole: whole)
  }

  /// All of the columns.
  var resultColumns: [ResultColumn] { whole(columns).columns }

  /// The same rows, with names that no query around this one has for a table.
  var distinguished: From {
    guard
      let renames = EnclosingQueries.renames(
        for: clauses.names, besides: { clauses.namesWithin })
    else { return self }
    return renaming(renames)
  }

  /// The same rows, with other names for tables.
  func renaming(_ renames: Renames) -> From {
    var from = self
    from.tables = tables.map { $0.renaming(renames) }
    from.clauses = clauses.renaming(renames)
    from.columns = renamed(columns, from.clauses.names)
    return from
  }

  /// Calls a closure with the columns.
  func calling<Result>(_ body: (Columns) -> Result) -> Result {
    EnclosingQueries.calling(with: clauses.names) { body(columns) }
  }

  /// The joined models as they are.
  public var asSelect: Select<Output> {
    let (columns, reader) = whole(columns)
    return Select(clauses, columns, reader)
  }

  private func with(_ change: (inout SelectClauses) -> Void) -> From {
    var from = self
    change(&from.clauses)
    return from
  }

  /// Only the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition.
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> From {
    let from = distinguished
    let sql = from.calling { condition($0).sql }
    return from.with { $0.filter(sql) }
  }

  // Of one term, and of two or more: the compiler (6.3) crashes where a closure that names the joined
  // tables one by one returns a pack of one.

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a term, or to a tuple of terms.
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> From {
    let from = distinguished
    let ordering = from.calling(terms).map(\.sql)
    return from.with { $0.ordering += ordering }
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter term: A closure from the columns to a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> From {
    let from = distinguished
    let ordering = from.calling { term($0).ordering.sql }
    return from.with { $0.ordering.append(ordering) }
  }

  /// The rows in an order of several terms. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> From {
    let from = distinguished
    let ordering = from.calling { Ordering.all($0, terms).map(\.sql) }
    return from.with { $0.ordering += ordering }
  }

  /// One row for each group of rows that are equal in some expressions. A second call adds to them.
  /// - Parameter terms: A closure from the columns to an expression, or to a tuple of some.
  public func group(@GroupBuilder _ terms: (Columns) -> [SQL]) -> From {
    let from = distinguished
    let grouping = from.calling(terms)
    return from.with { $0.grouping += grouping }
  }

  /// One row for each group of rows that are equal in an expression. A second call adds to it.
  /// - Parameter term: A closure from the columns to an expression.
  @_disfavoredOverload
  public func group<Term>(_ term: (Columns) -> SQLExpression<Term>) -> From {
    let from = distinguished
    let sql = from.calling { term($0).compared }
    return from.with { $0.grouping.append(sql) }
  }

  /// One row for each group of rows that are equal in several expressions. A second call adds to
  /// them.
  /// - Parameter terms: A closure from the columns to a tuple of expressions.
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

  /// Only the groups for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition, in which
  ///   aggregate functions stand for the group.
  public func having(_ condition: (Columns) -> any SQLCondition) -> From {
    let from = distinguished
    let sql = from.calling { condition($0).sql }
    return from.with { $0.having = SelectClauses.and($0.having, sql) }
  }

  /// At most so many rows, after leaving some out.
  /// - Parameters:
  ///   - count: How many rows: 0 for none. A negative number counts as 0.
  ///   - offset: How many to leave out first.
  public func limit(_ count: Int, offset: Int = 0) -> From {
    with { $0.limit(count, offset: offset) }
  }

  /// Each row of the result once.
  public func distinct() -> From { with { $0.isDistinct = true } }

  /// Chooses what a row of the result is: a value, a ``Selection`` or a model, or a tuple of these.
  ///
  /// A `@Selection` is faster to read than a tuple: its initializer knows the types of its values, and
  /// those of a tuple are asked for with each row.
  /// - Parameter projection: A closure from the columns to an expression, to the columns of a table, to
  ///   `Columns` of a `@Selection`, or to a tuple of some.
  public func select<Selected: Sendable>(
    @SelectBuilder _ projection: (Columns) -> SelectedColumns<Selected>
  ) -> Select<Selected> {
    let from = distinguished
    let selected = from.calling(projection)
    return Select(from.clauses, selected.columns, selected.reader)
  }

  /// Chooses what a row of the result is: a ``Selection`` or a model.
  /// - Parameter projection: A closure from the columns to the columns of a table, or to `Columns`
  ///   of a `@Selection`.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    let from = distinguished
    let part = from.calling(projection)
    return Select(from.clauses, Part.resultColumns(part), Part.reader(part))
  }

  /// Chooses what a row of the result is: a tuple of values, models and the like.
  ///
  /// A `@Selection` is faster to read: its initializer knows the types of its values, and those of
  /// a tuple are asked for with each row.
  /// - Parameter projection: A closure from the columns to a tuple of expressions and of columns of
  ///   tables.
  @_disfavoredOverload
  public func select<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Columns) -> (First, Second, repeat each Rest)
  ) -> Select<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    // Of at least two: a tuple of none would let a closure of any other type pass for one that
    // returns nothing.
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

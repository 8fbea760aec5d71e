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
public struct From<Columns: Sendable, Output: Sendable>: Query {
  let columns: Columns
  var clauses: SelectClauses
  let tables: [JoinedTable]
  /// The columns under names that no table has.
  let renamed: @Sendable () -> Columns
  /// Reads all of the columns.
  let whole: @Sendable () -> (columns: [ResultColumn], reader: RowReader<Output>)

  /// One table.
  init(_ columns: Columns, clauses: SelectClauses, table: JoinedTable)
  where Columns: SourceColumns, Output == Columns.Projected {
    self.init(
      columns, clauses, [table], renamed: { Columns.renamed(columns, as: Capture.name(of: table)) }
    ) {
      (Columns.resultColumns(columns), Columns.reader(columns))
    }
  }

  init(
    _ columns: Columns, _ clauses: SelectClauses, _ tables: [JoinedTable],
    renamed: @escaping @Sendable () -> Columns,
    whole: @escaping @Sendable () -> (columns: [ResultColumn], reader: RowReader<Output>)
  ) {
    (self.columns, self.clauses, self.tables) = (columns, clauses, tables)
    (self.renamed, self.whole) = (renamed, whole)
    self.clauses.names = tables.map(\.name)
  }

  /// The joined models as they are.
  public var asSelect: Select<Output> {
    let (columns, reader) = whole()
    return Select(clauses, columns, reader)
  }

  private func with(_ change: (inout SelectClauses) -> Void) -> From {
    var from = self
    change(&from.clauses)
    return from
  }

  /// What a closure makes of the columns.
  private func sql(_ make: (Columns) -> SQL) -> SQL {
    Capture.checked(make(columns), in: clauses.names) { make(renamed()) }
  }

  /// Only the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition.
  public func `where`(_ condition: (Columns) -> Expression<Bool>) -> From {
    let sql = sql { condition($0).sql }
    return with { $0.filter(sql) }
  }

  // Of one term, and of two or more: the compiler (6.3) crashes where a closure that names the joined
  // tables one by one returns a pack of one.

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter term: A closure from the columns to a term.
  public func order<Term: OrderingTerm>(_ term: (Columns) -> Term) -> From {
    let ordering = sql { term($0).ordering.sql }
    return with { $0.ordering.append(ordering) }
  }

  /// The rows in an order of several terms. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a tuple of terms.
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (Columns) -> (First, Second, repeat each Rest)
  ) -> From {
    let ordering = Ordering.all(columns, terms).map(\.sql)
    return with { $0.ordering += ordering }
  }

  /// One row for each group of rows that are equal in an expression. A second call adds to it.
  /// - Parameter term: A closure from the columns to an expression.
  public func group<Term>(_ term: (Columns) -> Expression<Term>) -> From {
    let sql = term(columns).sql
    return with { $0.grouping.append(sql) }
  }

  /// One row for each group of rows that are equal in several expressions. A second call adds to
  /// them.
  /// - Parameter terms: A closure from the columns to a tuple of expressions.
  public func group<First, Second, each Rest>(
    _ terms: (Columns) -> (Expression<First>, Expression<Second>, repeat Expression<each Rest>)
  ) -> From {
    let grouping = SQL.expressions(columns, terms)
    return with { $0.grouping += grouping }
  }

  /// Only the groups for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the columns to the condition, in which
  ///   aggregate functions stand for the group.
  public func having(_ condition: (Columns) -> Expression<Bool>) -> From {
    let sql = sql { condition($0).sql }
    return with { $0.having = SelectClauses.and($0.having, sql) }
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

  // Of expressions, and of whatever can be selected. Where expressions will do, the compiler knows the
  // types of the operators in them, and checks a tuple of arithmetic in 5 ms and not in 1,000.

  /// Chooses what a row of the result is: a value.
  /// - Parameter projection: A closure from the columns to an expression.
  public func select<Value: Sendable>(
    _ projection: (Columns) -> Expression<Value>
  ) -> Select<Value> { selectPart(projection) }

  /// Chooses what a row of the result is: a ``Selection`` or a model.
  /// - Parameter projection: A closure from the columns to the columns of a table, or to `Columns`
  ///   of a `@Selection`.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable { selectPart(projection) }

  private func selectPart<Part: Projection>(_ projection: (Columns) -> Part) -> Select<
    Part.Projected
  >
  where Part.Projected: Sendable {
    let part = projection(columns)
    return selection(part, Part.resultColumns(part)) { Part.resultColumns(projection($0)) }
  }

  private func selection<Part: Projection>(
    _ part: Part, _ list: [ResultColumn], _ make: (Columns) -> [ResultColumn]
  ) -> Select<Part.Projected> {
    var clauses = clauses
    let selected = SQL.joined(list.map(\.sql), separator: ", ")
    let checked = Capture.checked(selected, in: clauses.names) {
      SQL.joined(make(renamed()).map(\.sql), separator: ", ")
    }
    clauses.problem = clauses.problem ?? checked.problem
    return Select(clauses, list, Part.reader(part))
  }

  /// Chooses what a row of the result is: a tuple of values.
  ///
  /// A `@Selection` is faster to read: its initializer knows the types of its values, and those of
  /// a tuple are asked for with each row.
  /// - Parameter projection: A closure from the columns to a tuple of expressions.
  public func select<First: Sendable, Second: Sendable, each Rest: Sendable>(
    _ projection: (Columns) -> (
      Expression<First>, Expression<Second>, repeat Expression<each Rest>
    )
  ) -> Select<(First, Second, repeat each Rest)> { selectTuple(projection) }

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
    func tuple(_ columns: Columns) -> TupleProjection<repeat each Part> {
      let parts = projection(columns)
      return TupleProjection(repeat each parts)
    }
    let parts = tuple(columns)
    return selection(parts, TupleProjection.resultColumns(parts)) {
      TupleProjection.resultColumns(tuple($0))
    }
  }
}

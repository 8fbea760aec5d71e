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
public struct From<Columns: Sendable, Output: Sendable>: FromStatement {
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

  /// The query itself.
  @_documentation(visibility: internal)
  public var from: From { self }

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

  /// Adds what a closure returns for the columns to a clause.
  func adding<Part>(
    _ part: (Columns) -> Part, to clause: (inout SelectClauses, Part) -> Void
  ) -> From {
    let from = distinguished
    let part = from.calling(part)
    return from.with { clause(&$0, part) }
  }

  /// Returns the rows for which a condition is true. Further calls add conditions with AND.
  ///
  /// ```swift
  /// companies.join(cities).where { company, city in city.name == "Reims" }
  /// ```
  public func `where`(_ condition: (Columns) -> any SQLCondition) -> From {
    adding(condition) { $0.filter($1.sql) }
  }

  /// Sorts the rows.
  @_documentation(visibility: internal)
  public func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> From {
    adding(terms) { $0.ordering += $1.map(\.sql) }
  }

  /// Returns the groups for which a condition is true. Further calls add conditions with AND. The
  /// condition can use aggregates of the group.
  public func having(_ condition: (Columns) -> any SQLCondition) -> From {
    adding(condition) { $0.having = SQL.and($0.having, $1.sql) }
  }

  /// Returns at most `count` rows, skipping `offset`. For a negative count, running the query
  /// throws.
  public func limit(_ count: Int, offset: Int = 0) -> From {
    with { $0.limit(count, offset: offset) }
  }

  /// Returns each distinct row of the result once.
  public func distinct() -> From { with { $0.isDistinct = true } }
}

/// The rows of a model's table, optionally filtered and ordered.
///
/// A table is a value that describes a query: `where`, `order`, `limit` and `distinct` return a new
/// one, and the methods with `in:` run it. They take a ``Database``, and are then called with
/// `await`, or the ``Connection`` of a transaction, without `await`.
///
/// ```swift
/// let companies = Table<Company>()
/// let large = try await companies
///   .where { $0.employeeCount >= 100 && $0.name.like("A%") }
///   .order { ($0.employeeCount.descending, $0.name) }
///   .limit(20)
///   .fetchAll(in: database)
/// ```
public struct Table<T: Model>: Sendable {
  /// The conditions of `where`.
  @usableFromInline var filter: SQL?
  /// The model's default scope, unless it was removed.
  @usableFromInline var scope: SQL?
  /// The table's name in the query, if an enclosing query already uses the table's own.
  @usableFromInline var alias: String?
  /// The table in an attached database, or nil for the main database.
  @usableFromInline var attached: TableSchema?
  @usableFromInline var ordering: [SQL] = []
  @usableFromInline var limit: Int?
  @usableFromInline var offset: Int?
  @usableFromInline var isDistinct = false
  // Whether there are no clauses yet, so that SQL prepared once for the model can be used.
  @usableFromInline var isWhole = true

  /// Creates a table with all the rows, except those that the model's ``Model/defaultScope``
  /// excludes.
  @inlinable
  public init() { self.init(scope: T.defaultScope.condition) }

  @inlinable
  init(scope: SQL?) {
    self.scope = scope
    isWhole = scope == nil
  }

  @usableFromInline var schema: TableSchema { attached ?? T.schema }

  /// The default scope and the conditions of `where`.
  var condition: SQL? {
    guard let scope else { return filter }
    return filter.map { SQL.joined([scope, $0], separator: " AND ") } ?? scope
  }

  /// Returns the same query without the model's default scope.
  ///
  /// ```swift
  /// let deleted = Table<Note>().unscoped().where { $0.deletedAt != nil }
  /// ```
  public func unscoped() -> Table {
    guard scope != nil else { return self }
    var table = self
    table.scope = nil
    table.isWhole =
      filter == nil && ordering.isEmpty && limit == nil && offset == nil && !isDistinct
    return table
  }

  private func with(_ change: (inout Table) -> Void) -> Table {
    var table = self
    change(&table)
    table.isWhole = false
    return table
  }

  /// Returns the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure that takes the table's columns and returns the condition.
  public func `where`(_ condition: (T.Columns) -> any SQLCondition) -> Table {
    let table = distinguished
    return table.adding(table.calling { condition($0).sql })
  }

  /// Returns the rows for which raw SQL is true.
  ///
  /// ```swift
  /// companies.where(sql: "length(name) > \(limit)")
  /// ```
  /// - Parameter sql: The condition; interpolated values are bound.
  public func `where`(sql: SQL) -> Table {
    var wrapped = SQL(raw: "(")
    wrapped.append(sql)
    wrapped.append(")")
    return adding(wrapped)
  }

  func adding(_ condition: SQL) -> Table {
    with { table in
      table.filter =
        table.filter.map { SQL.joined([$0, condition], separator: " AND ") } ?? condition
    }
  }

  // For one term, and for two or more: a tuple of none would let a closure of any other type pass
  // for one that returns nothing.

  /// Sorts the rows. A further call sorts rows that are equal so far.
  /// - Parameter terms: A closure that takes the columns and returns a term or a tuple of terms.
  public func order(@OrderBuilder _ terms: (T.Columns) -> [Ordering]) -> Table {
    let table = distinguished
    let ordering = table.calling(terms).map(\.sql)
    return table.with { $0.ordering += ordering }
  }

  /// Sorts the rows. A further call sorts rows that are equal so far.
  /// - Parameter term: A closure that takes the table's columns and returns a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (T.Columns) -> Term) -> Table {
    let table = distinguished
    let ordering = table.calling { term($0).ordering.sql }
    return table.with { $0.ordering.append(ordering) }
  }

  /// Sorts the rows by several terms. A further call sorts rows that are equal so far.
  /// - Parameter terms: A closure that takes the table's columns and returns a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (T.Columns) -> (First, Second, repeat each Rest)
  ) -> Table {
    let table = distinguished
    let ordering = table.calling { Ordering.all($0, terms).map(\.sql) }
    return table.with { $0.ordering += ordering }
  }

  /// Returns at most `count` rows, skipping `offset`.
  /// - Parameters:
  ///   - count: The maximum number of rows. A negative number counts as 0.
  ///   - offset: The number of rows to skip.
  public func limit(_ count: Int, offset: Int = 0) -> Table {
    with { table in
      table.limit = Swift.max(0, count)
      table.offset = offset > 0 ? offset : nil
    }
  }

  /// Returns each distinct row once, comparing all columns.
  public func distinct() -> Table { with { $0.isDistinct = true } }
}

extension Model {
  /// A table with all the rows of the model, except those that its ``defaultScope`` excludes:
  /// `Company.all.where { … }` is `Table<Company>().where { … }`.
  @inlinable
  public static var all: Table<Self> { Table() }
}

extension Table {
  /// The table's name in the query.
  var name: String { alias ?? T.schema.name }

  /// The columns, with the table's name in the query.
  var columns: T.Columns { alias.map { T.Columns.renamed(T.columns, as: $0) } ?? T.columns }

  /// The table in FROM.
  var source: SQL {
    guard alias != nil else { return SQL(raw: schema.source) }
    return SQL(segments: [.table(source: schema.source, name: T.schema.name, alias: name)])
  }

  /// The same rows, with a name for the table that no enclosing query uses.
  var distinguished: Table {
    guard !EnclosingQueries.isEmpty else { return self }
    let others = {
      ([filter, scope].compactMap { $0 } + ordering).flatMap(\.namesWithin)
    }
    guard let renames = EnclosingQueries.renames(for: [name], besides: others) else { return self }
    var table = self
    table.alias = renames[name]
    table.filter = filter?.renaming(renames)
    table.scope = scope?.renaming(renames)
    table.ordering = ordering.map { $0.renaming(renames) }
    table.isWhole = false
    return table
  }

  /// Calls a closure with the columns.
  func calling<Result>(_ body: (T.Columns) -> Result) -> Result {
    guard let alias else {
      return EnclosingQueries.calling(with: T.schema.tables) { body(T.columns) }
    }
    return EnclosingQueries.calling(with: [alias]) { body(columns) }
  }

  /// Refuses a table with conditions, of which ``Model/defaultScope`` is none: that is what chooses
  /// among the rows that are there.
  @usableFromInline
  func checkInsertable() throws(DatabaseError) {
    try checkWhole(
      "A row is inserted into the whole table, and not into some of its rows: call this on a table "
        + "without where, limit and distinct")
  }

  /// Refuses what pays no heed to conditions where there are some.
  func checkWhole(_ message: @autoclosure () -> String) throws(DatabaseError) {
    guard filter == nil, limit == nil, !isDistinct else { throw .query(message()) }
  }
}

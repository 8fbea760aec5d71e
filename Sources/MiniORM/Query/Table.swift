/// The rows of a model's table, or those that a condition selects, in an order.
///
/// A table is a value that describes a query: `where`, `order`, `limit` and `distinct` return
/// another one, and the methods with `in:` run it. They take a ``Database``, and are then called
/// with `await`, or the ``Connection`` of a transaction, and are then not.
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
  /// What `where` has said.
  var filter: SQL?
  /// The model's standing condition, unless it was lifted.
  var scope: SQL?
  /// The table's name in the query, where a query around it has the table's own.
  var alias: String?
  /// The table in an attached database; nil in the main one.
  @usableFromInline var attached: TableSchema?
  var ordering: [SQL] = []
  var limit: Int?
  var offset: Int?
  var isDistinct = false
  // Whether nothing has been said yet, so that SQL prepared once for the model can be used.
  @usableFromInline var isWhole = true

  /// All the rows, but for those that the model's ``Model/defaultScope`` leaves out.
  @inlinable
  public init() { self.init(scope: T.defaultScope.condition) }

  @usableFromInline
  init(scope: SQL?) {
    self.scope = scope
    isWhole = scope == nil
  }

  @usableFromInline var schema: TableSchema { attached ?? T.schema }

  /// The standing condition and what `where` has said.
  var condition: SQL? {
    guard let scope else { return filter }
    return filter.map { SQL.joined([scope, $0], separator: " AND ") } ?? scope
  }

  /// The same query without the model's standing condition.
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

  /// Only the rows for which a condition is true. Several conditions must all be true.
  /// - Parameter condition: A closure from the table's columns to the condition.
  public func `where`(_ condition: (T.Columns) -> any SQLCondition) -> Table {
    let table = distinguished
    return table.adding(table.calling { condition($0).sql })
  }

  /// Only the rows for which raw SQL is true.
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

  // Of one term, and of two or more: a tuple of none would let a closure of any other type pass for
  // one that returns nothing.

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the columns to a term, or to a tuple of terms.
  public func order(@OrderBuilder _ terms: (T.Columns) -> [Ordering]) -> Table {
    let table = distinguished
    let ordering = table.calling(terms).map(\.sql)
    return table.with { $0.ordering += ordering }
  }

  /// The rows in an order. A second call orders what the first leaves equal.
  /// - Parameter term: A closure from the table's columns to a term.
  @_disfavoredOverload
  public func order<Term: OrderingTerm>(_ term: (T.Columns) -> Term) -> Table {
    let table = distinguished
    let ordering = table.calling { term($0).ordering.sql }
    return table.with { $0.ordering.append(ordering) }
  }

  /// The rows in an order of several terms. A second call orders what the first leaves equal.
  /// - Parameter terms: A closure from the table's columns to a tuple of terms.
  @_disfavoredOverload
  public func order<First: OrderingTerm, Second: OrderingTerm, each Rest: OrderingTerm>(
    _ terms: (T.Columns) -> (First, Second, repeat each Rest)
  ) -> Table {
    let table = distinguished
    let ordering = table.calling { Ordering.all($0, terms).map(\.sql) }
    return table.with { $0.ordering += ordering }
  }

  /// At most so many rows, after leaving some out.
  /// - Parameters:
  ///   - count: How many rows: 0 for none. A negative number counts as 0.
  ///   - offset: How many to leave out first.
  public func limit(_ count: Int, offset: Int = 0) -> Table {
    with { table in
      table.limit = Swift.max(0, count)
      table.offset = offset > 0 ? offset : nil
    }
  }

  /// Each row once, where rows are equal in all their columns.
  public func distinct() -> Table { with { $0.isDistinct = true } }
}

extension Model {
  /// All the rows of the model's table, but for those that the model's ``defaultScope`` leaves out:
  /// `Company.all.where { … }` is `Table<Company>().where { … }`.
  @inlinable
  public static var all: Table<Self> { Table() }
}

extension Table {
  /// What the table is called in the query.
  var name: String { alias ?? T.schema.name }

  /// The columns, by the name that the table has in the query.
  var columns: T.Columns { alias.map { T.Columns.renamed(T.columns, as: $0) } ?? T.columns }

  /// The table in FROM.
  var source: SQL {
    guard alias != nil else { return SQL(raw: schema.source) }
    return SQL(segments: [.table(source: schema.source, name: T.schema.name, alias: name)])
  }

  /// The same rows, with a name that no query around this one has for a table.
  var distinguished: Table {
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
    EnclosingQueries.calling(with: [name]) { body(columns) }
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

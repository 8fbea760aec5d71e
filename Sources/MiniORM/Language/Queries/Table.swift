/// The rows of a model's table, optionally filtered and ordered.
///
/// A table describes a query: `where`, `order`, `limit` and `distinct` return a new table. The
/// methods with `in:` run the query. Pass a ``Database`` with `await`, or the ``Connection`` of a
/// transaction without `await`.
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
  @usableFromInline var clauses: TableClauses
  // True without clauses: the model's prepared SQL can be used.
  @usableFromInline var isWhole: Bool

  /// Creates a table with all rows that the model's ``Model/defaultScope`` includes.
  @inlinable
  public init() { self.init(scope: T.defaultScope.condition) }

  @inlinable
  init(scope: SQL?) {
    clauses = TableClauses(scope: scope)
    isWhole = scope == nil
  }

  @usableFromInline var schema: TableSchema { attached ?? T.schema }

  /// Returns the same query without the model's default scope.
  ///
  /// ```swift
  /// let deleted = Table<Note>().unscoped().where { $0.deletedAt != nil }
  /// ```
  public func unscoped() -> Table {
    guard clauses.scope != nil else { return self }
    var table = self
    table.clauses.scope = nil
    table.isWhole = !clauses.choosesRows
    return table
  }

  private func with(_ change: (inout Table) -> Void) -> Table {
    var table = self
    change(&table)
    table.isWhole = false
    return table
  }

  /// Returns the rows for which a condition is true. Further calls add conditions with AND.
  ///
  /// ```swift
  /// companies.where { $0.employeeCount > 100 && $0.name.hasPrefix("A") }
  /// ```
  @inlinable
  public consuming func `where`(_ condition: (T.Columns) -> any SQLCondition) -> Table {
    // Consuming, so that a chain of calls passes the value on without copies.
    if !EnclosingQueries.isEmpty { self = distinguished }
    let met = calling(condition)
    return adding(met)
  }

  /// Returns the rows for which raw SQL is true.
  ///
  /// ```swift
  /// companies.where(sql: "length(name) > \(limit)")
  /// ```
  /// - Parameter sql: The condition. Interpolated values are bound.
  public func `where`(sql: SQL) -> Table {
    var wrapped = SQL(raw: "(")
    wrapped.append(written: sql)
    wrapped.append(")")
    return adding(wrapped)
  }

  @usableFromInline
  consuming func adding(_ condition: any SQLCondition) -> Table { adding(condition.part) }

  consuming func adding(_ condition: SQL) -> Table { adding(SQLPart(condition)) }

  private consuming func adding(_ condition: SQLPart) -> Table {
    var table = self
    table.clauses.add(condition)
    table.isWhole = false
    return table
  }

  /// Sorts the rows.
  @_documentation(visibility: internal)
  public func order(@OrderBuilder _ terms: (T.Columns) -> [Ordering]) -> Table {
    let table = distinguished
    let ordering = table.calling(terms).map(\.sql)
    return table.with { $0.clauses.ordering += ordering }
  }

  /// Returns at most `count` rows, skipping `offset`. For a negative count, running the query
  /// throws.
  public func limit(_ count: Int, offset: Int = 0) -> Table {
    with { $0.clauses.limit(count, offset: offset) }
  }

  /// Returns each distinct row once, comparing all columns.
  public func distinct() -> Table { with { $0.clauses.isDistinct = true } }
}

extension Table {
  var alias: String? { clauses.alias }
  var attached: TableSchema? { clauses.attached }
  var condition: SQL? { clauses.condition }
  var ordering: [SQL] { clauses.ordering }
  var limit: Int? { clauses.limit }
  var offset: Int? { clauses.offset }
  var isDistinct: Bool { clauses.isDistinct }

  var name: String { alias ?? T.schema.name }

  @usableFromInline
  var columns: T.Columns { alias.map { T.Columns.renamed(T.columns, as: $0) } ?? T.columns }

  var source: SQL {
    guard alias != nil else { return SQL(raw: schema.source) }
    return SQL(segments: [.name(.table(source: schema.source, name: T.schema.name, alias: name))])
  }

  /// The same rows, with an alias if an enclosing query uses the table's name.
  @usableFromInline
  var distinguished: Table {
    guard !EnclosingQueries.isEmpty else { return self }
    guard let renames = EnclosingQueries.renames(for: [name], besides: { clauses.namesWithin })
    else { return self }
    var table = self
    table.clauses.rename(renames)
    table.clauses.alias = renames[name]
    table.isWhole = false
    return table
  }

  @inlinable
  func calling<Result>(_ body: (T.Columns) -> Result) -> Result {
    // Inlined, this copies only the columns that the closure uses.
    guard hasAlias else {
      return EnclosingQueries.calling(with: T.schema.tables) { body(T.columns) }
    }
    return EnclosingQueries.calling(with: aliasTables) { body(columns) }
  }

  @usableFromInline var hasAlias: Bool { clauses.alias != nil }

  @usableFromInline var aliasTables: EnclosingQueries.Tables { EnclosingQueries.Tables([name]) }

  /// Throws if the table has conditions other than the default scope, which only filters existing
  /// rows.
  @usableFromInline
  func checkInsertable() throws(DatabaseError) {
    try checkWhole(
      "A row cannot be inserted into a selection of rows: call this method on a table "
        + "without where, limit and distinct")
  }

  /// Throws if the table has conditions, which the operation would ignore.
  func checkWhole(_ message: @autoclosure () -> String) throws(DatabaseError) {
    guard clauses.filter == nil, limit == nil, !isDistinct else { throw .query(message()) }
  }
}

extension Table: Source {
  /// The table as the FROM clause of a query, with its conditions, DISTINCT, order and limit.
  @_documentation(visibility: internal)
  public var from: From<T.Columns, T> {
    var clauses = SelectClauses(
      from: SQL(segments: [.name(.table(source: schema.source, name: T.schema.name, alias: name))]))
    clauses.isDistinct = isDistinct
    clauses.condition = condition
    clauses.ordering = ordering
    clauses.limit = limit
    clauses.offset = offset
    return From(
      columns, clauses: clauses, table: JoinedTable(name: name, model: T.self))
  }
}

/// The entry point of a model's queries. Each function calls a function of ``Table``:
/// `Company.where { … }` is `Table<Company>().where { … }`.
extension Model {
  /// All rows of the model's table that the ``defaultScope`` includes.
  @inlinable
  public static var all: Table<Self> { Table() }

  /// Returns the rows for which a condition is true.
  @inlinable
  public static func `where`(_ condition: (Columns) -> any SQLCondition) -> Table<Self> {
    Table().where(condition)
  }
}

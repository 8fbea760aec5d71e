/// A named query that a statement uses like a table: WITH.
///
/// ```swift
/// let large = CommonTableExpression("large", as: companies.where { $0.employeeCount > 100 })
/// let pairs = large.join(cities) { $0.cityID == $1.id }
/// ```
/// The statement contains the query once, at its start.
///
/// A recursive query begins with some rows, and finds further rows from the rows found so far:
///
/// ```swift
/// let tree = CommonTableExpression("tree", startingWith: parts.where { $0.id == 1 }) { tree in
///   parts.join(tree) { $0.wholeID == $1.id }.select { $0.0 }
/// }
/// ```
///
/// See [The WITH Clause](https://www.sqlite.org/lang_with.html).
public struct CommonTableExpression<Columns: SourceColumns>: NamedSource {
  /// The source as the FROM clause of a query.
  @_documentation(visibility: internal)
  public private(set) var from: From<Columns, Columns.Projected>
  private let name: String

  init(_ name: String, _ columns: Columns, _ model: (any Model.Type)?) {
    self.name = name
    from = From(
      columns,
      clauses: SelectClauses(from: SQL(segments: [.note(.commonName)]).appending(SQL(table: name))),
      table: JoinedTable(name: name, model: model))
  }

  func defined(
    as query: SelectClauses, isMaterialized: Bool?, isRecursive: Bool = false
  ) -> CommonTableExpression {
    let hint = isMaterialized.map { $0 ? "MATERIALIZED " : "NOT MATERIALIZED " } ?? ""
    var query = query
    query.recordLostOrder(before: "CommonTableExpression")
    var definition = SQL(raw: "\(name.quotedIdentifier) AS \(hint)(")
    definition.append(query.naming.sql(namingColumns: true))
    definition.append(")")
    var table = self
    table.from.clauses.from.add(
      CommonTable(name, isRecursive: isRecursive, definition: definition))
    return table
  }

  func recursive(
    _ base: Select<Output>, _ name: String, _ step: Select<Output>, isMaterialized: Bool?,
    limit: Int?
  ) -> CommonTableExpression {
    var query = base.clauses.isOrdered ? base.nested.clauses : base.clauses
    var start = base.clauses
    start.recordLostOrder(before: "CommonTableExpression")
    query.record(start.problem)
    var first = step.clauses
    first.compounds = []
    query.compounds.append((name, first.sql))
    query.compounds += step.clauses.compounds
    query.record(base.clauses.difference(from: step.clauses.operands))
    if step.clauses.isOrdered || step.clauses.compounds.contains(where: { $0.operator != name }) {
      query.record(
        .query(
          "The recursive query of \(self.name) cannot have order or limit, and can be combined only by \(name): order or limit the query that reads it"
        ))
    }
    if let limit { query.limit(limit, offset: 0) }
    return defined(as: query, isMaterialized: isMaterialized, isRecursive: true)
  }
}

extension CommonTableExpression {
  /// Names a query whose rows are a ``Selection`` or a model.
  /// - Parameters:
  ///   - name: The name, which must differ from the names of tables in the statement.
  ///   - isMaterialized: Whether SQLite computes the rows once, or in each place where the name
  ///     occurs. By default, SQLite decides.
  ///   - query: The query.
  public init<Row: Selection>(
    _ name: String, materialized isMaterialized: Bool? = nil, as query: some SelectStatement<Row>
  ) where Columns == Row.Columns {
    self = Self(name, Row.columns(of: name), Row.self as? any Model.Type)
      .defined(as: query.asSelect.clauses, isMaterialized: isMaterialized)
  }

  /// Names a recursive query whose rows are a ``Selection`` or a model.
  /// - Parameters:
  ///   - name: The name, which must differ from the names of tables in the statement.
  ///   - isMaterialized: Whether SQLite computes the rows once.
  ///   - base: The initial rows.
  ///   - isDistinct: Whether to skip duplicates, which ends cycles: UNION instead of UNION ALL.
  ///   - limit: The maximum number of rows, including the initial rows.
  ///   - step: A closure that returns a query for further rows, with the closure's parameter once
  ///     in FROM. SQLite repeats the query until no row is new.
  public init<Row: Selection, Step: SelectStatement>(
    _ name: String, materialized isMaterialized: Bool? = nil,
    startingWith base: some SelectStatement<Row>,
    distinct isDistinct: Bool = false, limit: Int? = nil,
    finding step: (CommonTableExpression) -> Step
  ) where Columns == Row.Columns, Step.Output == Row {
    let found = Self(name, Row.columns(of: name), Row.self as? any Model.Type)
    self = found.recursive(
      base.asSelect, isDistinct ? "UNION" : "UNION ALL", step(found).asSelect,
      isMaterialized: isMaterialized, limit: limit)
  }
}

extension Table: Source {
  /// The type of a row: the model.
  @_documentation(visibility: internal)
  public typealias Output = T
  /// The columns of the model.
  @_documentation(visibility: internal)
  public typealias Columns = T.Columns

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

  /// The query that selects all columns of the rows.
  @_documentation(visibility: internal)
  public var asSelect: Select<T> { from.asSelect }
}

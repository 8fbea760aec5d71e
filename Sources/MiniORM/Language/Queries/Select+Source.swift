// Clauses after `select`, which make the query a subquery in FROM.

extension Select: FromStatement where Output: Selection {
  /// The query as a subquery in a FROM clause, named after the model's table or the selection's
  /// type. `alias(_:)` chooses a different name.
  @_documentation(visibility: internal)
  public var from: From<Output.Columns, Output> {
    let model = Output.self as? any Model.Type
    let name = model?.schema.name ?? "\(Output.self)"
    return From(
      Output.columns(of: name), clauses: subquery.nested(as: name),
      table: JoinedTable(name: name, model: model))
  }
}

extension Select: Source where Output: Selection {}

/// Conditions on the rows of a result, after `distinct`, `limit` and UNION.
extension Select {
  /// Returns the rows for which a condition is true.
  public func `where`(_ condition: (Output.Columns) -> any SQLCondition) -> Alias<Output.Columns>
  where Output: Selection {
    Alias(from.where(condition))
  }

  /// Returns the values for which a condition is true: `where { $0 > 3 }`.
  public func `where`(_ condition: (SQLExpression<Output>) -> any SQLCondition) -> Select
  where Output: ColumnValue {
    let taken = EnclosingQueries.renames(for: [Self.result], besides: { clauses.namesWithin })
    let name = taken?[Self.result] ?? Self.result
    var select = Select(subquery, clauses.columns, reader).nested(as: name)
    var number = 0
    let value: SQLExpression<Output> = column(&number, of: name)
    let sql = EnclosingQueries.calling(with: [name]) { condition(value).sql }
    select.clauses.filter(sql)
    return select
  }

  /// The clauses as a subquery. An order is an error, because a subquery loses the order.
  private var subquery: SelectClauses {
    var clauses = clauses
    clauses.recordLostOrder(before: "where(_:) or join(_:)")
    return clauses
  }
}

// ORDER BY on a whole result: on a compound, or after `select` and `limit`.

extension Select where Output: Selection {
  /// Sorts the rows of the result.
  @_documentation(visibility: internal)
  public func order(@OrderBuilder _ terms: (Output.Columns) -> [Ordering]) -> Select {
    let name = Output.tableName ?? Self.result
    let terms = EnclosingQueries.calling(with: [name]) { terms(Output.columns(of: name)) }
    return ordered(terms, by: name)
  }
}

extension Select where Output: ColumnValue {
  /// Sorts the values: `order { $0.descending }`.
  public func order(@OrderBuilder _ terms: (SQLExpression<Output>) -> [Ordering]) -> Select {
    var number = 0
    return ordered(terms(column(&number)), by: Self.result)
  }
}

extension Select {
  /// Sorts the tuples: `order { $1.descending }`. The closure takes the values as separate
  /// arguments. A further call sorts tuples that compare equal.
  public func order<First: ColumnValue, Second: ColumnValue, each Rest: ColumnValue>(
    @OrderBuilder _ terms: (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    ) -> [Ordering]
  ) -> Select where Output == (First, Second, repeat each Rest) {
    var number = 0
    let (first, second) = (column(&number, First.self), column(&number, Second.self))
    return ordered(
      terms(first, second, repeat column(&number, (each Rest).self)), by: Self.result)
  }

  static var result: String { "result" }

  func column<Value: ColumnValue>(
    _ number: inout Int, _ type: Value.Type = Value.self, of table: String = Self.result
  ) -> SQLExpression<Value> {
    defer { number += 1 }
    let column = number < clauses.columns.count ? clauses.columns[number].named(number) : nil
    return SQLExpression(
      column?.name ?? "", of: table, column?.coding as? Coding<Value> ?? Coding())
  }

  private func ordered(_ terms: [Ordering], by table: String) -> Select {
    var select = self
    let areColumns = terms.allSatisfy { $0.column != nil }
    if !clauses.isLimited, clauses.isWhole, clauses.names.map(\.folded) == [table.folded] {
      // The result is already in FROM under this name.
      select.clauses.ordering += terms.map(\.sql)
    } else if !clauses.isLimited, clauses.compounds.isEmpty, !clauses.isWhole, areColumns {
      for term in terms {
        let column = clauses.columns.enumerated().first { number, column in
          column.named(number).name.map { ExactText($0) } == term.column.map { ExactText($0) }
        }
        select.clauses.ordering.append(
          (column?.element.sql ?? term.expression).appending(SQL(raw: term.direction)))
      }
    } else if !clauses.isLimited, areColumns {
      // SQLite orders a compound only by columns of the result.
      select.clauses.columns = clauses.columns.enumerated().map { $1.named($0) }
      select.clauses.isNamed = true
      select.clauses.ordering += terms.map {
        SQL(raw: ($0.column ?? "").quotedIdentifier + $0.direction)
      }
    } else {
      // The order of a compound uses names of result columns, which are also valid outside.
      let isMovable = !clauses.isLimited && !clauses.compounds.isEmpty
      if isMovable { select.clauses.ordering = [] }
      select = select.nested(as: table)
      if isMovable { select.clauses.ordering = clauses.ordering }
      if !clauses.isLimited, !isMovable, !clauses.ordering.isEmpty {
        select.clauses.record(
          .query("The query is ordered before and after select: call order only after select"))
      }
      select.clauses.ordering += terms.map(\.sql)
    }
    return select
  }
}

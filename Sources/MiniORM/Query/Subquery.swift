extension SQL {
  /// Creates a query inside another statement, in parentheses.
  init(subquery clauses: SelectClauses) {
    self.init(raw: "(")
    append(clauses.sql)
    append(")")
  }
}

/// See [Subquery Expressions](https://www.sqlite.org/lang_expr.html#subquery_expressions).
extension SelectStatement {
  /// Returns whether the query has a row: EXISTS.
  ///
  /// ```swift
  /// cities.where { city in !companies.where { $0.cityID == city.id }.exists() }
  /// ```
  /// The condition may name columns of the enclosing queries, even if both use the same table: a
  /// query made inside the closure has its own name for the table.
  public func exists() -> SQLExpression<Bool> {
    let select = asSelect
    var clauses = select.clauses
    // A model's columns make no difference; other columns may aggregate, and then there is always a
    // row.
    if clauses.isPlain, clauses.columns.allSatisfy({ $0.coding == nil }) {
      clauses.columns = [ResultColumn(SQL(raw: "1"), name: nil)]
      clauses.isWhole = false
    }
    return SQLExpression(
      SQL(raw: "EXISTS ").appending(SQL(subquery: clauses)), Coding())
  }
}

extension Select {
  // Disfavored: for a value that can be NULL, the compiler would make an optional of an optional.
  /// Returns the value of the first row, or NULL if there is no row.
  ///
  /// ```swift
  /// let average = companies.select { $0.employeeCount.average() }.scalar()
  /// let large = companies.where { $0.employeeCount.cast(to: Double.self) > average }
  /// ```
  @_disfavoredOverload
  public func scalar() -> SQLExpression<Output?> where Output: ColumnValue {
    let (sql, coding) = value()
    return SQLExpression(sql, coding.optional)
  }

  /// Returns the value of the first row, or NULL if there is no row.
  public func scalar<Wrapped>() -> SQLExpression<Output>
  where Output == Wrapped?, Wrapped: ColumnValue {
    let (sql, coding) = value()
    return SQLExpression(sql, coding)
  }

  private func value() -> (SQL, Coding<Output>) where Output: ColumnValue {
    // A value has one column, whose coding knows how it is stored.
    let coding = clauses.columns.first?.coding as? Coding<Output> ?? Coding()
    return (SQL(subquery: clauses), coding)
  }

  // The parameter makes the compiler prefer the two above for a type that is a value both ways.

  /// Returns the value of the first row, which is stored as JSON, or NULL if there is no row.
  ///
  /// ```swift
  /// let tags = companies.where { $0.id == 1 }.select { $0.tags }.scalar()
  /// ```
  /// - Parameter type: `JSON` of the selected type.
  @_disfavoredOverload
  public func scalar(as type: JSON<Output>.Type = JSON<Output>.self) -> SQLExpression<Output?>
  where Output: Codable {
    let (sql, coding) = json(type)
    return SQLExpression(sql, coding.optional)
  }

  /// Returns the value of the first row, which is stored as JSON, or NULL if there is no row.
  /// - Parameter type: `JSON` of the selected type.
  public func scalar<Wrapped: Codable & Sendable>(
    as type: JSON<Wrapped>.Type = JSON<Wrapped>.self
  ) -> SQLExpression<Output> where Output == Wrapped? {
    let (sql, coding) = json(JSON<Wrapped?>.self)
    return SQLExpression(sql, coding)
  }

  private func json(_ type: JSON<Output>.Type) -> (SQL, Coding<Output>) where Output: Codable {
    let coding = clauses.columns.first?.coding as? Coding<Output>
    var sql = SQL(subquery: clauses)
    if coding == nil || clauses.columns.count > 1 {
      sql.record(
        .query("\(Output.self) is no value of one column: select that before scalar()"))
    }
    return (sql, coding ?? Coding(type))
  }

  /// Returns the query as the right side of IN, with columns stored as others are.
  fileprivate func list(like codings: [any StoredCoding]) -> SQL {
    var sql = SQL(subquery: clauses)
    sql.record(clauses.difference(from: codings))
    return sql
  }
}

extension SelectClauses {
  /// Whether each row of the tables is a row of the result.
  var isPlain: Bool { !isDistinct && grouping.isEmpty && having == nil && compounds.isEmpty }

  /// Returns a mistake if values of the columns cannot be compared with others.
  func difference(from codings: [(any StoredCoding)?]) -> DatabaseError? {
    for (column, other) in zip(columns, codings) {
      guard let coding = column.coding, let other, !coding.isStored(like: other) else { continue }
      return coding.mistake(beside: other)
    }
    return nil
  }
}

extension SQLExpression {
  /// Returns whether a value is one of those that a query finds: `IN`.
  ///
  /// NULL is in no list, and if the list contains NULL, no value is outside it: `!isIn` is then
  /// true for no row.
  /// - Parameter query: A query with one value in each row.
  public func isIn(_ query: Select<Value>) -> SQLExpression<Value.SQLTruth>
  where Value: SQLComparable & Sendable {
    infix("IN", query.list(like: [coding]), Coding())
  }

  /// Returns whether a value that can be NULL is one of those that a query finds: `IN`. NULL is
  /// not.
  /// - Parameter query: A query with one value in each row.
  public func isIn<Wrapped: Sendable>(_ query: Select<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? {
    infix("IN", query.list(like: [coding]), Coding())
  }

  /// Returns whether a value is one of those that a query finds, some of which can be NULL: `IN`.
  ///
  /// If the list contains NULL, no value is outside it: `!isIn` is then true for no row.
  /// - Parameter query: A query with one value in each row.
  public func isIn(_ query: Select<Value?>) -> SQLExpression<Bool?> where Value: Sendable {
    infix("IN", query.list(like: [coding]), Coding())
  }
}

extension RowValue where repeat each Value: Sendable {
  /// Returns whether the row is one of those that a query finds: `IN`. A row with NULL is not.
  /// - Parameter query: A query with the same number of values in each row.
  public func isIn(_ query: Select<(repeat each Value)>) -> SQLExpression<Bool?> {
    compare("IN", query.list(like: codings))
  }
}

extension SQL {
  init(subquery clauses: SelectClauses) {
    self.init(raw: "(")
    append(clauses.sql)
    append(")")
  }
}

extension SQL.StringInterpolation {
  /// Appends a query in parentheses: `IN \(query)` or `FROM \(query)`.
  /// - Parameter query: The query, whose values are bound.
  public mutating func appendInterpolation(_ query: some SelectStatement) {
    sql.append("(")
    sql.append(query.asSelect.clauses.naming.sql(namingColumns: true))
    sql.append(")")
  }
}

/// See [Subquery Expressions](https://www.sqlite.org/lang_expr.html#subquery_expressions).
extension SelectStatement {
  /// Returns whether the query has a row: EXISTS.
  ///
  /// ```swift
  /// cities.where { city in !companies.where { $0.cityID == city.id }.exists() }
  /// ```
  /// The condition may refer to columns of the enclosing queries, even of the same table: a query
  /// created inside the closure gets an alias for its table.
  public func exists() -> SQLExpression<Bool> {
    let select = asSelect
    var clauses = select.clauses
    // A model's columns do not matter. Other columns may be aggregates, which always give a row.
    if clauses.isPlain, clauses.columns.allSatisfy({ $0.coding == nil }) {
      clauses.columns = [ResultColumn(SQL(raw: "1"), name: nil)]
      clauses.isWhole = false
    }
    return SQLExpression(
      SQL(raw: "EXISTS ").appending(SQL(subquery: clauses)), Coding())
  }
}

extension SelectStatement {
  /// Returns the number of rows as a value of an enclosing query.
  ///
  /// ```swift
  /// cities.select { city in (city.name, companies.where { $0.cityID == city.id }.count()) }
  /// ```
  public func count() -> SQLExpression<Int> {
    SQLExpression(SQL(subquery: counted), Coding())
  }

  var counted: SelectClauses {
    var clauses = asSelect.clauses
    if !clauses.isLimited { clauses.ordering = [] }
    // Aggregates as columns give a single row, so count the rows of a subquery.
    if !clauses.isPlain || clauses.isLimited
      || clauses.columns.contains(where: { $0.coding != nil })
    {
      clauses = clauses.nested(as: nil)
    }
    clauses.isWhole = false
    clauses.columns = [ResultColumn(SQL(raw: "count(*)"), name: nil)]
    return clauses
  }
}

extension Select {
  // Disfavored, because for a nullable value the compiler would choose a nested optional.
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

  /// Returns the nullable value of the first row, or NULL if there is no row.
  public func scalar<Wrapped>() -> SQLExpression<Output>
  where Output == Wrapped?, Wrapped: ColumnValue {
    let (sql, coding) = value()
    return SQLExpression(sql, coding)
  }

  private func value() -> (SQL, Coding<Output>) where Output: ColumnValue {
    // A value has a single column, whose coding has the storage format.
    let coding = clauses.columns.first?.coding as? Coding<Output> ?? Coding()
    return (SQL(subquery: clauses), coding)
  }

  // The parameter makes the overloads above take precedence for a type that matches both.

  /// Returns the JSON value of the first row, or NULL if there is no row.
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

  /// Returns the nullable JSON value of the first row, or NULL if there is no row.
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
        .query(
          "\(Output.self) is not the value of a single column: select a column before scalar()"))
    }
    return (sql, coding ?? Coding(type))
  }

  /// Returns the query as the right side of IN. Different storage formats are an error.
  fileprivate func list(like operands: [(coding: (any StoredCoding)?, sql: SQL)]) -> SQL {
    var sql = SQL(subquery: clauses)
    sql.record(clauses.difference(from: operands))
    return sql
  }
}

extension SelectClauses {
  var isPlain: Bool { !isDistinct && grouping.isEmpty && having == nil && compounds.isEmpty }

  func difference(from operands: [(coding: (any StoredCoding)?, sql: SQL)]) -> DatabaseError? {
    for (column, other) in zip(columns, operands) {
      guard let coding = column.coding, let format = other.coding?.format,
        coding.format.meeting(format) != .equal
      else { continue }
      return coding.format.refusal(column.sql.text, format, other.sql.text)
    }
    return nil
  }

  var operands: [(coding: (any StoredCoding)?, sql: SQL)] { columns.map { ($0.coding, $0.sql) } }
}

extension SQLExpression {
  /// Returns whether the query's values contain this value: `IN`.
  ///
  /// ```swift
  /// companies.where { $0.cityID.isIn(cities.where { $0.name == "Reims" }.select { $0.id }) }
  /// ```
  /// `NULL IN (…)` is never true. If the query's values contain NULL, `!isIn` is never true either.
  /// - Parameter query: A query for single values.
  public func isIn(_ query: Select<Value>) -> SQLExpression<Value.SQLTruth>
  where Value: SQLComparable & Sendable {
    infix("IN", query.list(like: [(coding, sql)]), Coding())
  }

  /// Returns whether the query's values contain this nullable value: `IN`. `NULL IN (…)` is never
  /// true.
  public func isIn<Wrapped: Sendable>(_ query: Select<Wrapped>) -> SQLExpression<Bool?>
  where Value == Wrapped? {
    infix("IN", query.list(like: [(coding, sql)]), Coding())
  }

  /// Returns whether the query's nullable values contain this value: `IN`. If the values contain
  /// NULL, `!isIn` is never true.
  public func isIn(_ query: Select<Value?>) -> SQLExpression<Bool?> where Value: Sendable {
    infix("IN", query.list(like: [(coding, sql)]), Coding())
  }
}

extension RowValue where repeat each Value: Sendable {
  /// Returns whether the query's rows contain this row: `IN`. Never true for a row with NULL.
  /// - Parameter query: A query with the same number of values in each row.
  public func isIn(_ query: Select<(repeat each Value)>) -> SQLExpression<Bool?> {
    compare("IN", query.list(like: operands))
  }
}

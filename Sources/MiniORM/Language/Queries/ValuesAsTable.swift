// A query of single values as a table of an outer query, in FROM or WITH. The value is the column:
// `$0`.

extension SQLExpression: SourceColumns where Value: ColumnValue {
  /// The optional value in an outer join.
  @_documentation(visibility: internal)
  public typealias OptionalColumns = SQLExpression<Value?>
  /// The type of the value in an optional `@Selection` property.
  public typealias _OptionalPart = SQLExpression<Value?>
  /// The value for an optional `@Selection` property.
  public var _optionalPart: SQLExpression<Value?> { optional }

  /// Returns the value as an optional for an outer join.
  @_documentation(visibility: internal)
  public static func nullable(_ columns: Self) -> SQLExpression<Value?> { columns.nullableColumn }

  /// Returns the value, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self {
    columns.qualified(by: table)
  }

  fileprivate init(_ number: Int, of table: String, _ coding: Coding<Value>) {
    let name = ResultColumn.name(number)
    self.init(
      SQL(column: name, of: table), coding,
      ColumnSchema(name, table: table, type: coding.type, isNullable: coding.isNullable, []))
  }
}

extension Select {
  func valueColumn(of table: String) -> SQLExpression<Output> where Output: ColumnValue {
    SQLExpression(0, of: table, coding(0))
  }

  private func coding<Value: ColumnValue>(_ number: Int) -> Coding<Value> {
    guard number < clauses.columns.count else { return Coding() }
    return clauses.columns[number].coding as? Coding<Value> ?? Coding()
  }

  /// Returns the values as a named table for an outer query: a subquery in FROM. The value is the
  /// only column.
  ///
  /// ```swift
  /// let sizes = companies.group { $0.cityID }.select { $0.employeeCount.total() }
  /// let middle = sizes.alias("sizes").select { $0.average() }
  /// ```
  public func alias(_ name: String) -> Alias<SQLExpression<Output>> where Output: ColumnValue {
    Alias(
      valueColumn(of: name), clauses: clauses.aliased(name),
      table: JoinedTable(name: name, model: nil))
  }
}

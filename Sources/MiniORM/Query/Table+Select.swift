extension Table {
  /// `SELECT … FROM` the table, with all its clauses.
  var select: SQL {
    // The SQL that already exists: building it takes as long as a small search.
    isDistinct || alias != nil
      ? select(schema.columnList) : selection(of: SQL(raw: schema.selectAll.sql))
  }

  func select(_ columns: String) -> SQL {
    selection(
      of: SQL(raw: "SELECT \(isDistinct ? "DISTINCT " : "")\(columns) FROM ").appending(source))
  }

  private func selection(of head: SQL) -> SQL {
    var sql = SQL(capacity: 5 + head.parts.count)
    sql.append(clauses.reads(from: T.schema.name))
    sql.append(head)
    if alias == nil, attached == nil { sql.append(.note(.named(T.schema.name))) }
    clauses.append(to: &sql)
    return sql
  }

  func appendCondition(to sql: inout SQL) {
    guard let condition else { return }
    sql.append(" WHERE ")
    sql.append(condition)
  }

  /// Returns the condition for UPDATE and DELETE, which have no ORDER BY and LIMIT of their own: if
  /// these are set, they choose the rows in a subquery.
  /// - Parameter besideOthers: Whether there are other tables, which may have a column with the
  ///   key's name.
  func selection(besideOthers: Bool = false) -> SQL? {
    guard limit != nil else { return condition }
    let schema = T.schema
    let names = schema.primaryKey.map(\.name.quotedIdentifier)
    let key = names.isEmpty ? [schema.rowIDName] : names
    let table = besideOthers ? "\(name.quotedIdentifier)." : ""
    var chosen = self
    chosen.clauses.isDistinct = false
    return SQL(raw: "(\(key.map { table + $0 }.joined(separator: ", "))) IN (").appending(
      chosen.select(key.joined(separator: ", ")), SQL(raw: ")"))
  }

  /// Returns SQL that computes a value over the rows.
  func aggregate(_ function: String, _ expression: SQL?) -> SQL {
    // DISTINCT and LIMIT act on rows, before the function: they need a query of their own.
    guard isDistinct || limit != nil else {
      var sql = SQL(segments: [clauses.reads(from: T.schema.name), .text("SELECT \(function)(")])
      sql.append(expression ?? SQL(raw: "*"))
      sql.append(") FROM ")
      sql.append(source)
      if alias == nil, attached == nil { sql.append(.note(.named(T.schema.name))) }
      appendCondition(to: &sql)
      return sql
    }
    var sql = SQL(raw: "SELECT \(function)(")
    sql.append(expression ?? SQL(raw: "*"))
    sql.append(") FROM (")
    sql.append(select)
    sql.append(") AS \(name.quotedIdentifier)")
    return sql
  }

  /// The SQL of the query and the values bound to it, without running it.
  public var sql: SQL { isWhole ? SQL(raw: schema.selectAll.sql) : select.statement }
}

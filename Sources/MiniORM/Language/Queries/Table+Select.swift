extension Table {
  var select: SQL {
    // Reuses existing SQL: building the SQL would take as long as a small search.
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

  /// UPDATE and DELETE support neither ORDER BY nor LIMIT, so a limit becomes a subquery for the
  /// keys.
  /// - Parameter besideOthers: Whether to qualify the key, because other tables may have a column
  ///   with the same name.
  func selection(besideOthers: Bool = false) -> SQL? {
    guard limit != nil else { return condition }
    let schema = T.schema
    let names = schema.primaryKey.map(\.name.quotedIdentifier)
    let key = names.isEmpty ? [schema.rowIDName] : names
    let table = besideOthers ? "\(name.quotedIdentifier)." : ""
    return SQL(raw: "(\(key.map { table + $0 }.joined(separator: ", "))) IN (").appending(
      select(key.joined(separator: ", ")), SQL(raw: ")"))
  }

  var changeProblem: DatabaseError? {
    guard isDistinct else { return nil }
    return .query("distinct() has no effect on update and delete: remove it")
  }

  var returningProblem: DatabaseError? {
    guard !ordering.isEmpty, limit == nil else { return nil }
    return .query("order(_:) has no effect on returning: sort the returned array")
  }

  /// The SQL and the bound values of the query.
  @_documentation(visibility: internal)
  public var sql: SQL { isWhole ? SQL(raw: schema.selectAll.sql) : select.statement }
}

struct SelectClauses: Sendable {
  var isDistinct = false
  /// True if the columns are written as `*`, because FROM is a subquery with these columns.
  var isWhole = false
  /// True if the columns have names, which the ORDER BY of a compound needs.
  var isNamed = false
  var columns: [ResultColumn] = []
  var from: SQL
  var condition: SQL?
  var grouping: [SQL] = []
  var having: SQL?
  var windows: [SQL] = []
  var compounds: [(operator: String, select: SQL)] = []
  var ordering: [SQL] = []
  var limit: Int?
  var offset: Int?
  private(set) var bounds: (limit: SQL, offset: SQL?)?
  var names: [String] = []
  private(set) var problem: DatabaseError?

  init(from: SQL) { self.from = from }

  var isFilter: Bool {
    !isDistinct && grouping.isEmpty && having == nil && !isLimited && compounds.isEmpty
  }

  mutating func filter(_ condition: SQL) {
    self.condition = SQL.and(self.condition, condition)
  }

  mutating func limit(_ count: Int, offset: Int) {
    limit = count
    self.offset = offset > 0 ? offset : nil
  }

  var isLimited: Bool { limit != nil || bounds != nil }

  mutating func limit(by count: SQL, offset: SQL?) {
    // SQLite takes a negative limit for no limit, and NULL for an error.
    bounds = (
      .call("nullif", [.call("max", [count, SQL(raw: "-1")]), SQL(raw: "-1")]), offset
    )
  }

  /// Records an error for an order without a limit, because an outer query loses the order.
  /// - Parameter place: The clause or the call that makes the rows part of a query.
  mutating func recordLostOrder(before place: String) {
    guard !ordering.isEmpty, !isLimited else { return }
    record(
      .query(
        "order(_:) before \(place) has no effect, because SQLite keeps no order of a subquery: call "
          + "it after \(place)"))
  }

  mutating func record(_ problem: DatabaseError?) { self.problem = self.problem ?? problem }

  var sql: SQL { sql(namingColumns: false) }

  /// The columns of a subquery need AS: without AS, SQLite guarantees no names.
  func sql(namingColumns: Bool) -> SQL {
    var sql = SQL(segments: [
      .note(.reads(reads)), .note(.open(names)), .text(isDistinct ? "SELECT DISTINCT " : "SELECT "),
    ])
    let isNamed = namingColumns || isNamed
    let list = isWhole ? [SQL(raw: "*")] : columns.map { $0.definition(isNamed: isNamed) }
    sql.append(SQL.joined(list, separator: ", "))
    if !from.segments.isEmpty {
      sql.append(" FROM ")
      sql.append(from)
    }
    sql.append(" WHERE ", condition)
    sql.append(" GROUP BY ", grouping)
    sql.append(" HAVING ", having)
    sql.append(" WINDOW ", windows)
    for (name, select) in compounds {
      sql.append(" \(name) ")
      sql.append(select)
    }
    sql.append(" ORDER BY ", ordering)
    sql.append(" LIMIT ", limit.map { SQL(limit: $0) } ?? bounds?.limit)
    sql.append(" OFFSET ", offset.map { SQL(binding: $0) } ?? bounds?.offset)
    sql.record(problem)
    sql.append(.note(.close))
    return sql
  }

  /// The rows that the SELECT reads. Parts other than a single table record their own reads.
  private var reads: RowsRead {
    guard from.parts.count == 1, case .name(.table(_, let name, _)) = from.parts[0] else {
      return .others
    }
    return .table(name, condition: condition)
  }

  var naming: SelectClauses {
    guard columns.contains(where: { $0.name == nil }) else { return self }
    var clauses = self
    clauses.columns = columns.enumerated().map { $1.named($0) }
    return clauses
  }

  func nested(as name: String?) -> SelectClauses {
    var from = SQL(raw: "(")
    from.append(naming.sql(namingColumns: true))
    from.append(")")
    if let name { from.append(.name(.alias(name))) }
    return SelectClauses(from: from)
  }
}

extension SelectClauses {
  func renaming(_ renames: Renames) -> SelectClauses {
    var clauses = self
    clauses.from = from.renaming(renames)
    clauses.condition = condition?.renaming(renames)
    clauses.grouping = grouping.map { $0.renaming(renames) }
    clauses.having = having?.renaming(renames)
    clauses.windows = windows.map { $0.renaming(renames) }
    clauses.ordering = ordering.map { $0.renaming(renames) }
    clauses.columns = columns.map { $0.renaming(renames) }
    clauses.names = names.map { renames[$0] }
    return clauses
  }

  var namesWithin: [String] {
    let parts = [from] + grouping + windows + ordering + [condition, having].compactMap { $0 }
    return parts.flatMap(\.namesWithin)
  }
}

extension SQL {
  /// A negative number is an error, because SQLite takes it for no limit.
  init(limit count: Int) {
    self.init(binding: count)
    if count < 0 {
      record(
        .query(
          "The limit is negative: give a number of 0 or more, or remove limit(_:) to select all rows"
        ))
    }
  }
  /// Appends a clause, if there is one.
  mutating func append(_ clause: String, _ part: SQL?) {
    guard let part else { return }
    append(clause)
    append(part)
  }

  /// Appends a clause with a list, if the list is not empty.
  mutating func append(_ clause: String, _ parts: [SQL]) {
    append(clause, parts.isEmpty ? nil : SQL.joined(parts, separator: ", "))
  }
}

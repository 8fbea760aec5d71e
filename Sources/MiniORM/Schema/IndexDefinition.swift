/// An index as its CREATE INDEX statement declares it.
struct IndexDefinition: Sendable {
  let name: String
  let table: String
  let sql: String

  /// What it covers and whether it is unique, without its name. ASC is what no order means.
  let clause: TableDefinition.Clause

  init(name: String, table: String, sql: String) {
    (self.name, self.table, self.sql) = (name, table, sql)
    let all = SQLToken.all(in: sql)
    let isUnique = all.count > 1 && all[1].isKeyword("unique")
    let on = all.firstIndex { $0.isKeyword("on") } ?? all.endIndex
    let table = all.dropFirst(on + 1).first?.text.string ?? ""
    let rest = all.dropFirst(on + 2)
    let end = rest.firstIndex { $0.isKeyword("where") } ?? rest.endIndex
    let columns = TableDefinition.Clause.compared(rest[..<end], table: table)
      .filter { !$0.isKeyword("asc") }
    let condition = TableDefinition.clause(rest[end...].dropFirst(), of: sql, table: table)
    let text = all[on...].first.map {
      String(decoding: Array(sql.utf8)[$0.range.lowerBound...], as: UTF8.self)
    }
    clause = TableDefinition.Clause(
      tokens: (isUnique ? [all[1]] : []) + columns + rest[end...].prefix(1) + condition.tokens,
      text: (isUnique ? "UNIQUE " : "") + (text ?? ""))
  }
}

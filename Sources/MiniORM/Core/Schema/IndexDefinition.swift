package struct IndexDefinition: Sendable {
  package let name: String
  package let table: String
  package let sql: String

  package init(name: String, table: String, sql: String) {
    (self.name, self.table, self.sql) = (name, table, sql)
  }

  package var isUnique: Bool {
    SQLToken.all(in: sql).dropFirst().first?.isKeyword("unique") ?? false
  }

  /// The folded name of the table in the SQL.
  package var tableInSQL: ExactText? {
    SQLToken.all(in: sql).drop { !$0.isKeyword("on") }.dropFirst().first?.written.folded
  }

  func hasSameClause(as other: IndexDefinition) -> Bool {
    sql.hasSameBytes(as: other.sql) || clause == other.clause
  }

  /// The UNIQUE keyword, the indexed terms and the condition, without the name and the default ASC.
  ///
  /// - Complexity: O(*n*) in the length of the statement, which is tokenized.
  package var clause: TableDefinition.Clause {
    let all = SQLToken.all(in: sql)
    let isUnique = all.count > 1 && all[1].isKeyword("unique")
    let on = all.firstIndex { $0.isKeyword("on") } ?? all.endIndex
    let table = all.dropFirst(on + 1).first?.text.string ?? ""
    let rest = all.dropFirst(on + 2)
    let end = rest.firstIndex { $0.isKeyword("where") } ?? rest.endIndex
    let columns = Self.terms(
      rest[..<end].removingQualifier(table).filter { !$0.isKeyword("asc") })
    let condition = TableDefinition.clause(rest[end...].dropFirst(), of: sql, table: table)
    let text = all[on...].first.map { sql.part($0.range.lowerBound..<sql.utf8.count) }
    return TableDefinition.Clause(
      tokens: (isUnique ? [all[1]] : []) + columns + rest[end...].prefix(1) + condition.tokens,
      text: (isUnique ? "UNIQUE " : "") + (text ?? ""))
  }

  /// Removes redundant outer parentheses, as in `(lower(name))` and `(name COLLATE NOCASE) DESC`.
  private static func terms(_ tokens: [SQLToken]) -> [SQLToken] {
    guard tokens.first?.isSymbol("(") ?? false, let close = tokens[...].matchingClose else {
      return tokens
    }
    var result = [tokens[0]]
    var term: ArraySlice<SQLToken> = []
    var depth = 0
    for token in tokens[1...close] {
      if depth == 0, token.isSymbol(",") || token.isSymbol(")") {
        let order = term.last?.isKeyword("desc") ?? false ? term.suffix(1) : []
        result += term.dropLast(order.count).bare + order + [token]
        term = []
        continue
      }
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0
      term.append(token)
    }
    return result + tokens[(close + 1)...]
  }
}

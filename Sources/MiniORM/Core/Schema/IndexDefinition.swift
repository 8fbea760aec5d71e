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
      TableDefinition.Clause.compared(rest[..<end], table: table).filter { !$0.isKeyword("asc") })
    let condition = TableDefinition.clause(rest[end...].dropFirst(), of: sql, table: table)
    let text = all[on...].first.map {
      String(decoding: Array(sql.utf8)[$0.range.lowerBound...], as: UTF8.self)
    }
    return TableDefinition.Clause(
      tokens: (isUnique ? [all[1]] : []) + columns + rest[end...].prefix(1) + condition.tokens,
      text: (isUnique ? "UNIQUE " : "") + (text ?? ""))
  }

  /// Removes redundant outer parentheses, as in `(lower(name))` and `(name COLLATE NOCASE) DESC`.
  private static func terms(_ tokens: [SQLToken]) -> [SQLToken] {
    guard let open = tokens.first, let close = tokens[...].matchingClose, close > 0 else {
      return tokens
    }
    var result = [open]
    var term: [SQLToken] = []
    var depth = 0
    for token in tokens[1..<close] {
      if depth == 0, token.isSymbol(",") {
        result += bare(term) + [token]
        term = []
        continue
      }
      depth += token.isSymbol("(") ? 1 : token.isSymbol(")") ? -1 : 0
      term.append(token)
    }
    return result + bare(term) + tokens[close...]
  }

  private static func bare(_ term: [SQLToken]) -> [SQLToken] {
    var term = term
    while term.first?.isSymbol("(") ?? false, let close = term[...].matchingClose,
      close + 1 == term.count || (close + 2 == term.count && term[close + 1].isKeyword("desc"))
    {
      term = Array(term[1..<close] + term[(close + 1)...])
    }
    return term
  }
}

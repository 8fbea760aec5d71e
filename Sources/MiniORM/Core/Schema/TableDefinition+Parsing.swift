extension TableDefinition {
  /// Parses a CREATE TABLE statement.
  /// - Throws: ``DatabaseError`` for any other statement, such as CREATE VIRTUAL TABLE.
  ///
  /// See [CREATE TABLE](https://www.sqlite.org/lang_createtable.html).
  package init(parsing sql: String) throws(DatabaseError) {
    var parser = TableParser(sql)
    guard let table = parser.table() else {
      throw DatabaseError(
        .migrate, "The SQL is not a CREATE TABLE statement of an ordinary table", sql: sql,
        sqlOffset: parser.offset)
    }
    self = table
  }

  static func foreignKeys(in constraints: [String]) -> [ForeignKey] {
    // Most tables have no such constraint.
    let references = constraints.filter { text in
      SQLToken.all(in: text).contains { $0.isKeyword("references") }
    }
    guard !references.isEmpty else { return [] }
    let sql = "CREATE TABLE t (c, \(references.joined(separator: ", ")))"
    let keys = (try? TableDefinition(parsing: sql))?.foreignKeys ?? []
    // The set has no order.
    return keys.sorted { "\($0.columns)" < "\($1.columns)" }
  }

  static func clause(_ sql: String, table: String = "") -> Clause {
    clause(SQLToken.all(in: sql)[...], of: sql, table: table)
  }

  /// SQLite reads `DEFAULT "none"` and `DEFAULT none` as `DEFAULT 'none'`, but `DEFAULT ("none")`
  /// as a column.
  static func textOfName(_ tokens: ArraySlice<SQLToken>, _ sql: String)
    -> Clause?
  {
    guard tokens.count == 1, let token = tokens.first else { return nil }
    let written = String(decoding: Array(sql.utf8)[token.range], as: UTF8.self)
    let name: String
    switch token.kind {
    case .word where !constants.contains(token.text): name = written
    case .quotedName where written.utf8.first == UInt8(ascii: "["):
      name = String(written.dropFirst().dropLast())
    case .quotedName:
      guard let mark = written.utf8.first else { return nil }
      name = written.unquoted(by: mark)
    default: return nil
    }
    return clause(name.quotedLiteral)
  }

  private static let constants: Set<ExactText> = [
    "null", "true", "false", "current_date", "current_time", "current_timestamp",
  ]

  static func clause(_ all: ArraySlice<SQLToken>, of sql: String, table: String)
    -> Clause
  {
    var tokens = all
    // (((x))) is x.
    while tokens.count > 1, tokens.first?.isSymbol("(") ?? false,
      tokens.matchingClose == tokens.endIndex - 1
    {
      tokens = tokens.dropFirst().dropLast()
    }
    guard let first = tokens.first, let last = tokens.last else {
      return Clause(tokens: [], text: "")
    }
    let text = String(
      decoding: Array(sql.utf8)[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    return Clause(tokens: Clause.compared(tokens, table: table), text: text)
  }
}

extension TableDefinition.Clause {
  /// Creates a clause from an expression of the user.
  init(parsing sql: String) { self.init(tokens: SQLToken.all(in: sql), text: sql) }

  /// Returns whether the clause names a column. Functions, collations and types do not count.
  func names(_ column: ExactText) -> Bool {
    tokens.indices.contains { index in
      guard tokens[index].isName, tokens[index].text == column else { return false }
      let isFunction = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
      let isOther =
        index > 0 && ["collate", "as"].contains { tokens[index - 1].isKeyword($0) }
      return !isFunction && !isOther
    }
  }

  static func compared(_ tokens: ArraySlice<SQLToken>, table: String) -> [SQLToken] {
    var compared: [SQLToken] = []
    var index = tokens.startIndex
    while index < tokens.endIndex {
      if !table.isEmpty, index + 2 < tokens.endIndex, tokens[index + 1].isSymbol("."),
        tokens[index].isName, tokens[index].text == table.folded
      {
        index += 2
        continue
      }
      compared.append(tokens[index])
      index += 1
    }
    return compared
  }
}

extension ArraySlice<SQLToken> {
  var matchingClose: Int? {
    var depth = 0
    for index in indices where self[index].kind == .symbol {
      if self[index].text == "(" { depth += 1 }
      if self[index].text == ")" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}

extension TableDefinition {
  /// SQL without redundant outer parentheses. Equivalent spellings are equal.
  package struct Clause: Hashable, Sendable {
    package let tokens: [SQLToken]
    package let text: String

    package static func == (left: Clause, right: Clause) -> Bool { left.tokens == right.tokens }
    package func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
  }

  static func clause(_ sql: String, table: String = "") -> Clause {
    clause(SQLToken.all(in: sql)[...], of: sql, table: table)
  }

  /// - Parameter table: The table, whose name is ignored before columns.
  static func clause(_ all: ArraySlice<SQLToken>, of sql: String, table: String) -> Clause {
    let tokens = all.bare
    guard let first = tokens.first, let last = tokens.last else {
      return Clause(tokens: [], text: "")
    }
    return Clause(
      tokens: tokens.removingQualifier(table),
      text: sql.part(first.range.lowerBound..<last.range.upperBound))
  }

  /// SQLite reads `DEFAULT "none"` and `DEFAULT none` as `DEFAULT 'none'`, but `DEFAULT ("none")`
  /// as a column.
  static func textOfName(_ tokens: ArraySlice<SQLToken>) -> Clause? {
    guard tokens.count == 1, let token = tokens.first,
      token.kind == .quotedName || token.kind == .word && !constants.contains(token.text)
    else { return nil }
    return clause(token.written.quotedLiteral)
  }

  private static let constants: Set<ExactText> = [
    "null", "true", "false", "current_date", "current_time", "current_timestamp",
  ]
}

extension TableDefinition.Clause {
  /// Creates a clause from an expression of the user.
  init(parsing sql: String) { self.init(tokens: SQLToken.all(in: sql), text: sql) }

  /// Returns whether the clause names a column. Functions, collations and types do not count.
  package func names(_ column: ExactText) -> Bool {
    tokens.indices.contains { index in
      guard tokens[index].isName, tokens[index].text == column else { return false }
      let isFunction = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
      let isOther =
        index > 0 && ["collate", "as"].contains { tokens[index - 1].isKeyword($0) }
      return !isFunction && !isOther
    }
  }
}

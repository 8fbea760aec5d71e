import MiniORM

/// An expression as SQL with interpolated columns: the compiler checks the columns, and MiniORM can
/// qualify them.
struct ModelExpression {
  let swift: String
  let sql: String
  let usesColumns: Bool

  init(
    _ tokens: ArraySlice<SQLToken>, of statement: [UInt8], table: String, columns: [ModelColumn]
  ) {
    var tokens = tokens
    while let inner = Self.inner(tokens) { tokens = inner }
    guard let first = tokens.first, let last = tokens.last else {
      (swift, sql, usesColumns) = ("\"\"", "", false)
      return
    }
    func text(_ range: Range<Int>) -> String { String(decoding: statement[range], as: UTF8.self) }
    func part(_ range: Range<Int>) -> String {
      String(SwiftName.literal(text(range)).dropFirst().dropLast())
    }
    sql = text(first.range.lowerBound..<last.range.upperBound)
    var literal = "\""
    var position = first.range.lowerBound
    var index = tokens.startIndex
    var usesColumns = false
    while index < tokens.endIndex {
      // The table name before a column is omitted, because MiniORM writes the qualifier.
      let isQualified =
        index + 2 < tokens.endIndex && tokens[index + 1].isSymbol(".")
        && tokens[index].kind != .string && tokens[index].text == table.folded
      let name = isQualified ? index + 2 : index
      if let column = Self.column(tokens, at: name, isQualified: isQualified, columns) {
        literal += part(position..<tokens[index].range.lowerBound) + "\\($0.\(column.written))"
        position = tokens[name].range.upperBound
        usesColumns = true
        index = name
      }
      index += 1
    }
    swift = literal + part(position..<last.range.upperBound) + "\""
    self.usesColumns = usesColumns
  }

  private static func inner(_ tokens: ArraySlice<SQLToken>) -> ArraySlice<SQLToken>? {
    guard tokens.count > 2, tokens.first?.isSymbol("(") ?? false else { return nil }
    var depth = 0
    for index in tokens.indices {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      if depth == 0 { return index == tokens.endIndex - 1 ? tokens.dropFirst().dropLast() : nil }
    }
    return nil
  }

  private static func column(
    _ tokens: ArraySlice<SQLToken>, at index: Int, isQualified: Bool, _ columns: [ModelColumn]
  ) -> ModelColumn? {
    let token = tokens[index]
    guard token.kind == .quotedName || (token.kind == .word && !keywords.contains(token.text))
    else { return nil }
    // The name of a function or a collation.
    if index + 1 < tokens.endIndex, tokens[index + 1].isSymbol("(") { return nil }
    if index > tokens.startIndex, !isQualified {
      let previous = tokens[index - 1]
      if previous.isKeyword("collate") || previous.isSymbol(".") || previous.isKeyword("as") {
        return nil
      }
    }
    return columns.first { $0.key == token.text }
  }

  /// Keywords of expressions. The name of a column that is a keyword is quoted.
  private static let keywords: Set<ExactText> = [
    "and", "as", "between", "case", "cast", "collate", "current_date", "current_time",
    "current_timestamp", "else", "end", "escape", "exists", "false", "glob", "in", "is", "isnull",
    "like", "match", "not", "notnull", "null", "or", "regexp", "then", "true", "when",
  ]
}

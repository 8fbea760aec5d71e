import MiniORM

/// An index in Swift. Expressions are the file's SQL with interpolated columns: the compiler checks
/// the columns, and MiniORM can qualify them.
struct ModelIndex {
  private(set) var swift = ""
  /// Why typed queries do not use the index.
  private(set) var note: String?
  private let columns: [ModelColumn]
  private var usesColumns = false

  init(_ name: String, _ sql: String, columns: [ModelColumn]) {
    self.columns = columns
    let parts = SchemaText.Table(sql)
    var arguments = [SwiftName.literal(name)]
    if IndexDefinition(name: name, table: "", sql: sql).isUnique {
      arguments.append("unique: true")
    }
    let condition = SQLToken.all(in: parts.options).dropFirst()
    if !condition.isEmpty {
      arguments.append("where: \(closure(expression(condition, in: parts.options, "Bool")))")
      note = note(name, condition, parts.options)
    }
    let terms = parts.declarations.map { term in
      var tokens = SQLToken.all(in: term.text)[...]
      // A single word is a column, whose name may be DESC.
      let direction = tokens.count > 1 ? tokens.last : nil
      let isDescending = direction?.isKeyword("desc") ?? false
      if isDescending || direction?.isKeyword("asc") ?? false { tokens.removeLast() }
      let only = tokens.count == 1 ? tokens.first.flatMap { column($0) } : nil
      usesColumns = usesColumns || only != nil
      return (only?.reference ?? expression(tokens, in: term.text, "DatabaseValue"))
        + (isDescending ? ".descending" : "")
    }
    let texts = terms.joined(separator: ", ")
    swift =
      "Index(\(arguments.joined(separator: ", "))) "
      + closure(terms.count == 1 ? texts : "(\(texts))")
  }

  private mutating func closure(_ text: String) -> String {
    defer { usesColumns = false }
    return usesColumns ? "{ \(text) }" : "{ _ in \(text) }"
  }

  private func column(_ token: SQLToken) -> ModelColumn? {
    token.isName ? columns.first { $0.key == token.text } : nil
  }

  private mutating func expression(
    _ all: ArraySlice<SQLToken>, in sql: String, _ type: String
  ) -> String {
    let tokens = all.bare
    var literal = ""
    var end = tokens.first?.range.lowerBound ?? 0
    for (index, token) in zip(tokens.indices, tokens) {
      let (last, next) = (tokens[..<index].last, tokens[(index + 1)...].first)
      literal += SwiftName.escaped(sql.part(end..<token.range.lowerBound))
      end = token.range.upperBound
      // The table's name before a column.
      if token.isSymbol(".") || next?.isSymbol(".") ?? false { continue }
      // A function, a collation and a type are not columns.
      let isColumn =
        token.kind == .quotedName || token.kind == .word && !Self.keywords.contains(token.text)
      let isOther =
        next?.isSymbol("(") ?? false || ["collate", "as"].contains { last?.isKeyword($0) ?? false }
      let column = isColumn && !isOther ? column(token) : nil
      usesColumns = usesColumns || column != nil
      literal += column.map { "\\(\($0.reference))" } ?? SwiftName.escaped(sql.part(token.range))
    }
    return "SQLExpression<\(type)>(\"\(literal)\")"
  }

  /// A query with a Bool column as its condition compares the column with 1 or 0. SQLite does not
  /// use an index whose condition is the column alone, or NOT.
  private func note(_ name: String, _ condition: ArraySlice<SQLToken>, _ sql: String) -> String? {
    let tokens = condition.filter { !$0.isSymbol("(") && !$0.isSymbol(")") }
    let not = tokens.first?.isKeyword("not") ?? false ? ("NOT ", "!") : ("", "")
    guard tokens.count == (not.0.isEmpty ? 1 : 2), let last = tokens.last,
      let column = column(last), column.type == .bool
    else { return nil }
    let text = SwiftName.literal(not.0 + sql.part(last.range))
    return
      "the index \(name.quotedIdentifier) is not used by where { \(not.1)\(column.reference) }, "
      + "but by where(sql: \(text))"
  }

  /// Keywords of expressions. The name of a column that is a keyword is quoted.
  private static let keywords: Set<ExactText> = [
    "and", "as", "between", "case", "cast", "collate", "current_date", "current_time",
    "current_timestamp", "else", "end", "escape", "exists", "false", "glob", "in", "is", "isnull",
    "like", "match", "not", "notnull", "null", "or", "regexp", "then", "true", "when",
  ]
}

import MiniORM

/// An index on columns in Swift. The schema has the SQL of other indexes.
struct ModelIndex {
  let name: ExactText
  /// Nil for an index with a condition or an expression.
  private(set) var swift: String?
  /// Why typed queries do not use the index.
  private(set) var note: String?

  init(_ name: String, _ sql: String, columns: [ModelColumn]) {
    self.name = name.folded
    let tokens = SQLToken.all(in: sql)
    let list = tokens.list(from: tokens.firstIndex { $0.isKeyword("on") } ?? 0)
    guard list.end == tokens.count else {
      note = Self.note(name, tokens[list.end...].dropFirst(), columns)
      return
    }
    var terms: [String] = []
    for var term in list.items {
      // A single word is a column, whose name may be DESC.
      let direction = term.count > 1 ? term.last : nil
      let isDescending = direction?.isKeyword("desc") ?? false
      if isDescending || direction?.isKeyword("asc") ?? false { term.removeLast() }
      guard term.count == 1, let column = Self.column(term.first, columns) else { return }
      terms.append(column.reference + (isDescending ? ".descending" : ""))
    }
    let isUnique = tokens.count > 1 && tokens[1].isKeyword("unique")
    let texts = terms.joined(separator: ", ")
    swift =
      "Index(\(SwiftName.literal(name))\(isUnique ? ", unique: true" : "")) "
      + "{ \(terms.count == 1 ? texts : "(\(texts))") }"
  }

  private static func column(_ token: SQLToken?, _ columns: [ModelColumn]) -> ModelColumn? {
    token.flatMap { token in token.isName ? columns.first { $0.key == token.text } : nil }
  }

  /// A query with a Bool column as its condition compares the column with 1 or 0. SQLite does not
  /// use an index whose condition is the column alone, or NOT.
  private static func note(
    _ name: String, _ condition: ArraySlice<SQLToken>, _ columns: [ModelColumn]
  ) -> String? {
    let tokens = condition.filter { !$0.isSymbol("(") && !$0.isSymbol(")") }
    let isNegated = tokens.first?.isKeyword("not") ?? false
    guard tokens.count == (isNegated ? 2 : 1), let last = tokens.last,
      let column = column(last, columns), column.type == .bool
    else { return nil }
    let text = last.kind == .word ? last.written : last.written.quotedIdentifier
    let sql = (isNegated ? "NOT " : "") + text
    return "the index \(name.quotedIdentifier) is not used by where { \(isNegated ? "!" : "")"
      + "\(column.reference) }, but by where(sql: \(SwiftName.literal(sql)))"
  }
}

import MiniORM

/// An index in Swift. Expressions are the file's SQL with interpolated columns: the compiler checks
/// the columns, and MiniORM can qualify them.
struct ModelIndex {
  private(set) var swift = ""
  /// Why typed queries do not use the index.
  private(set) var note: String?
  private let bytes: [UInt8]
  private let columns: [ModelColumn]
  private var usesColumns = false

  init(_ name: String, _ sql: String, columns: [ModelColumn]) {
    (bytes, self.columns) = (Array(sql.utf8), columns)
    let tokens = SQLToken.all(in: sql)
    let list = tokens.list(from: tokens.firstIndex { $0.isKeyword("on") } ?? 0)
    var arguments = [SwiftName.literal(name)]
    if tokens.count > 1, tokens[1].isKeyword("unique") { arguments.append("unique: true") }
    let rest = tokens.dropFirst(list.end)
    if rest.first?.isKeyword("where") ?? false {
      arguments.append("where: \(closure(expression(rest.dropFirst(), of: "Bool")))")
      note = note(name, rest.dropFirst())
    }
    var terms: [String] = []
    for var term in list.items {
      // A single word is a column, whose name may be DESC.
      let direction = term.count > 1 ? term.last : nil
      let isDescending = direction?.isKeyword("desc") ?? false
      if isDescending || direction?.isKeyword("asc") ?? false { term.removeLast() }
      let only = term.count == 1 ? term.first.flatMap { column($0) } : nil
      usesColumns = usesColumns || only != nil
      terms.append(
        (only?.reference ?? expression(term, of: "DatabaseValue"))
          + (isDescending ? ".descending" : ""))
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

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func expression(_ tokens: ArraySlice<SQLToken>, of type: String) -> String {
    var tokens = tokens
    while tokens.first?.isSymbol("(") ?? false, Array(tokens).list(from: 0).end == tokens.count {
      tokens = tokens.dropFirst().dropLast()
    }
    var literal = ""
    var end = tokens.first?.range.lowerBound ?? 0
    func add(to position: Int) {
      literal += SwiftName.literal(text(end..<position)).dropFirst().dropLast()
    }
    for index in tokens.indices {
      let token = tokens[index]
      guard token.kind == .quotedName || token.kind == .word && !Self.keywords.contains(token.text),
        let column = column(token), !(tokens[(index + 1)...].first?.isSymbol("(") ?? false)
      else { continue }
      // The name of a collation or a type, or the table's name before a column.
      let last = tokens[..<index].last
      if let last, last.isKeyword("collate") || last.isKeyword("as") { continue }
      if tokens[(index + 1)...].first?.isSymbol(".") ?? false { continue }
      let isQualified = last?.isSymbol(".") ?? false
      add(to: tokens[isQualified ? index - 2 : index].range.lowerBound)
      literal += "\\(\(column.reference))"
      usesColumns = true
      end = token.range.upperBound
    }
    add(to: tokens.last?.range.upperBound ?? end)
    return "SQLExpression<\(type)>(\"\(literal)\")"
  }

  /// A query with a Bool column as its condition compares the column with 1 or 0. SQLite does not
  /// use an index whose condition is the column alone, or NOT.
  private func note(_ name: String, _ condition: ArraySlice<SQLToken>) -> String? {
    let tokens = condition.filter { !$0.isSymbol("(") && !$0.isSymbol(")") }
    let isNegated = tokens.first?.isKeyword("not") ?? false
    guard tokens.count == (isNegated ? 2 : 1), let last = tokens.last, let column = column(last),
      column.type == .bool
    else { return nil }
    let sql = (isNegated ? "NOT " : "") + text(last.range)
    return "the index \(name.quotedIdentifier) is not used by where { \(isNegated ? "!" : "")"
      + "\(column.reference) }, but by where(sql: \(SwiftName.literal(sql)))"
  }

  /// Keywords of expressions. The name of a column that is a keyword is quoted.
  private static let keywords: Set<ExactText> = [
    "and", "as", "between", "case", "cast", "collate", "current_date", "current_time",
    "current_timestamp", "else", "end", "escape", "exists", "false", "glob", "in", "is", "isnull",
    "like", "match", "not", "notnull", "null", "or", "regexp", "then", "true", "when",
  ]
}

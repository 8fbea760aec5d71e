import MiniORM

struct ModelIndex {
  let swift: String
  /// Why the model's index would differ from the file's index.
  let obstacle: String?
  /// Why typed queries do not use the index.
  let note: String?

  init(_ name: String, _ sql: String, of table: String, columns: [ModelColumn]) {
    let bytes = Array(sql.utf8)
    let tokens = SQLToken.all(in: sql)
    func expression(_ tokens: ArraySlice<SQLToken>) -> ModelExpression {
      ModelExpression(tokens, of: bytes, table: table, columns: columns)
    }
    let on = tokens.firstIndex { $0.isKeyword("on") } ?? tokens.startIndex
    let open = tokens[on...].firstIndex { $0.isSymbol("(") } ?? tokens.startIndex
    var depth = 0
    var close = tokens.endIndex - 1
    var ends: [Int] = []
    for index in tokens.indices[open...] {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      if depth == 1, tokens[index].isSymbol(",") { ends.append(index) }
      if depth == 0 {
        close = index
        break
      }
    }
    var terms: [(swift: String, sql: String)] = []
    var usesColumns = false
    var start = open + 1
    for end in ends + [close] where start < end {
      var term = tokens[start..<end]
      start = end + 1
      let isDescending = term.last?.isKeyword("desc") ?? false
      if isDescending || term.last?.isKeyword("asc") ?? false { term.removeLast() }
      let direction = (swift: isDescending ? ".descending" : "", sql: isDescending ? " DESC" : "")
      if term.count == 1, let only = term.first, only.isName,
        let column = columns.first(where: { $0.key == only.text })
      {
        usesColumns = true
        terms.append(
          ("$0.\(column.written)\(direction.swift)", column.name.quotedIdentifier + direction.sql))
      } else {
        let expression = expression(term)
        usesColumns = usesColumns || expression.usesColumns
        terms.append(
          (
            "SQLExpression<DatabaseValue>(\(expression.swift))\(direction.swift)",
            "(\(expression.sql))\(direction.sql)"
          ))
      }
    }
    let rest = tokens[(close + 1)...]
    let condition = rest.first?.isKeyword("where") ?? false ? expression(rest.dropFirst()) : nil
    let isUnique = tokens.count > 1 && tokens[1].isKeyword("unique")

    var arguments = [SwiftName.literal(name)]
    if isUnique { arguments.append("unique: true") }
    if let condition {
      let head = condition.usesColumns ? "" : "_ in "
      arguments.append("where: { \(head)SQLExpression<Bool>(\(condition.swift)) }")
    }
    let list = terms.map(\.swift).joined(separator: ", ")
    swift =
      "Index(\(arguments.joined(separator: ", "))) { \(usesColumns ? "" : "_ in ")"
      + (terms.count == 1 ? list : "(\(list))") + " }"
    let declared =
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name.quotedIdentifier) ON \(table.quotedIdentifier) "
      + "(\(terms.map(\.sql).joined(separator: ", ")))"
      + (condition.map { " WHERE (\($0.sql))" } ?? "")
    let isSame =
      IndexDefinition(name: name, table: table, sql: sql).clause
      == IndexDefinition(name: name, table: table, sql: declared).clause
    note = condition.flatMap { Self.note(name, $0.sql, columns) }
    obstacle = isSame ? nil : "the index \(name) cannot be declared as it is"
  }

  /// A query with a Bool column as its condition compares the column with 1 or 0. SQLite does not use
  /// an index whose condition is the column alone, or NOT.
  private static func note(_ name: String, _ condition: String, _ columns: [ModelColumn]) -> String?
  {
    let tokens = SQLToken.all(in: condition).filter { !$0.isSymbol("(") && !$0.isSymbol(")") }
    let isNegated = tokens.first?.isKeyword("not") ?? false
    guard tokens.count == (isNegated ? 2 : 1), let last = tokens.last, last.isName,
      let column = columns.first(where: { $0.key == last.text && $0.type == .bool })
    else { return nil }
    return "the index \(name.quotedIdentifier) is not used by where { \(isNegated ? "!" : "")$0."
      + "\(column.written) }, but by where(sql: \(SwiftName.literal(condition)))"
  }
}

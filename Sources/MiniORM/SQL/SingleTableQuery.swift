/// A SELECT that reads one table once and nothing else, and the rows that its WHERE leaves to it.
///
/// It is told from segments: columns, values and lists are what operators have appended, and no text is taken
/// for one. The text between them is only looked at for what could bring in another table or another
/// meaning, and then nothing is said of the query. That is always allowed: whoever observes it is woken by
/// every change of its table.
struct SingleTableQuery {
  /// The table's name, folded.
  let table: ExactText
  /// The rows, where it can read no others.
  let chosen: ChosenRows?

  /// - Parameter sql: A whole statement.
  /// - Returns: `nil` where it may be something else.
  init?(_ sql: SQL) {
    guard var items = Item.all(in: sql)?[...] else { return nil }
    // SELECT EXISTS (SELECT …) reads what the inner one does.
    if items.count > 4, items[1].isKeyword("exists"), items[2].isSymbol("("),
      items.closing(2) == items.endIndex - 1
    {
      items = items[3..<(items.endIndex - 1)]
    }
    guard items.first?.isKeyword("select") == true, items.holdsOneQuery,
      let from = items.topLevel.first(where: { items[$0].isKeyword("from") })
    else { return nil }
    // FROM "database"."table" AS "name"
    var index = from + 1
    guard var name = items.name(at: index) else { return nil }
    index += 1
    if items.at(index)?.isSymbol(".") == true {
      guard let second = items.name(at: index + 1) else { return nil }
      (name, index) = (second, index + 2)
    }
    table = name
    if items.at(index)?.isKeyword("as") == true {
      guard items.name(at: index + 1) != nil else { return nil }
      index += 2
    }
    let ends: [ExactText] = ["group", "having", "order", "limit"]
    let clauses = items.topLevel.filter { index in
      index > from && (ends + ["where", "window"]).contains { items[index].isKeyword($0) }
    }
    guard clauses.first ?? items.endIndex == index else { return nil }
    guard let clause = clauses.first, items[clause].isKeyword("where") else {
      chosen = nil
      return
    }
    // A column may be called window.
    guard !clauses.contains(where: { items[$0].isKeyword("window") }) else { return nil }
    let end = clauses.dropFirst().first ?? items.endIndex
    chosen = Self.rows(of: items[(clause + 1)..<end]).map { column, values in
      ChosenRows(table: name, column: column, values: values)
    }
  }

  /// How many conditions within each other are looked at: each needs the stack, and SQLite takes any number of
  /// parentheses.
  private static let deepest = 100

  /// The values of one column without which a condition is not true; nil where it says nothing of that.
  private static func rows(
    of condition: ArraySlice<Item>, depth: Int = 0
  ) -> (column: ExactText, values: Set<Int64>)? {
    guard depth < deepest else { return nil }
    if condition.first?.isSymbol("(") == true,
      condition.closing(condition.startIndex) == condition.endIndex - 1
    {
      return rows(of: condition.dropFirst().dropLast(), depth: depth + 1)
    }
    let topLevel = condition.topLevel
    // AND stands within these two as well.
    guard
      !topLevel.contains(where: { index in
        condition[index].isKeyword("between") || condition[index].isKeyword("case")
      })
    else { return nil }
    func parts(_ word: ExactText) -> [ArraySlice<Item>]? {
      let places = topLevel.filter { condition[$0].isKeyword(word) }
      guard !places.isEmpty else { return nil }
      return zip([condition.startIndex] + places.map { $0 + 1 }, places + [condition.endIndex])
        .map { condition[$0..<$1] }
    }
    if let parts = parts("or") {
      var all: (column: ExactText, values: Set<Int64>)?
      for part in parts {
        guard let some = rows(of: part, depth: depth + 1),
          all.map({ $0.column == some.column }) ?? true
        else { return nil }
        all = (some.column, (all?.values ?? []).union(some.values))
      }
      return all
    }
    if let parts = parts("and") {
      return parts.compactMap { rows(of: $0, depth: depth + 1) }
        .min { $0.values.count < $1.values.count }
    }
    guard condition.count == 3 else { return nil }
    let (first, last) = (condition[condition.startIndex], condition[condition.endIndex - 1])
    let relation = condition[condition.startIndex + 1]
    switch (first, last) {
    case (.column(let column), .value(let value)), (.value(let value), .column(let column)):
      guard relation.isSymbol("=") || relation.isKeyword("is"), let row = integer(value) else {
        return nil
      }
      return (column, [row])
    case (.column(let column), .list(let values)):
      guard relation.isKeyword("in"), values.count <= ChosenRows.limit else { return nil }
      var rows: Set<Int64> = []
      for value in values {
        guard let row = integer(value) else { return nil }
        rows.insert(row)
      }
      return (column, rows)
    default: return nil
    }
  }

  private static func integer(_ value: any ColumnValue) -> Int64? {
    guard case .integer(let value) = try? DatabaseValue(value) else { return nil }
    return value
  }
}

private enum Item {
  case token(SQLToken)
  case column(ExactText)
  case value(any ColumnValue)
  case list([any ColumnValue])

  func isKeyword(_ word: ExactText) -> Bool {
    if case .token(let token) = self { token.isKeyword(word) } else { false }
  }
  func isSymbol(_ symbol: ExactText) -> Bool {
    if case .token(let token) = self { token.isSymbol(symbol) } else { false }
  }

  /// Stands for a column, a value or a list while the text is read.
  private static let mark = UInt8(1)

  /// The tokens of a text, with what is not text in its place.
  static func all(in sql: SQL) -> [Item]? {
    var text: [UInt8] = []
    var others: [Item] = []
    var quotes = 0
    var isAfterMark = false
    func isBoundary(_ byte: UInt8?) -> Bool { byte.map { " (),".utf8.contains($0) } ?? true }
    func append(_ part: String) -> Bool {
      guard let first = part.utf8.first else { return true }
      // Another token could begin or end in the middle of it.
      if isAfterMark, !isBoundary(first) { return false }
      isAfterMark = false
      for byte in part.utf8 {
        // Texts, comments, parameters and statements beside this one.
        if byte < 9 || "'`[?:@#$;\\".utf8.contains(byte) { return false }
        if let last = text.last,
          last == UInt8(ascii: "-") && byte == last
            || last == UInt8(ascii: "/") && byte == UInt8(ascii: "*")
        {
          return false
        }
        if byte == UInt8(ascii: "\"") { quotes += 1 }
        text.append(byte)
      }
      return true
    }
    func append(_ item: Item) -> Bool {
      guard quotes % 2 == 0, isBoundary(text.last), !isAfterMark else { return false }
      text += [UInt8(ascii: " "), mark, UInt8(ascii: " ")]
      others.append(item)
      isAfterMark = true
      return true
    }
    for segment in sql.segments {
      let isPlain =
        switch segment {
        case .text(let part): append(part)
        case .table: append(SQL(segments: [segment]).text)
        case .column(let column): append(.column(column.name.folded))
        case .value(let value): append(.value(value))
        case .list(let list): append(.list(list.values))
        case .named, .open, .close: true
        case .argument, .row, .part, .alias, .commonName, .commonTable, .problem: false
        }
      guard isPlain else { return nil }
    }
    guard quotes % 2 == 0 else { return nil }
    var next = others.makeIterator()
    return SQLToken.all(in: String(decoding: text, as: UTF8.self)).map { token in
      let isMark = token.text.string.utf8.elementsEqual([mark])
      return isMark ? next.next() ?? .token(token) : .token(token)
    }
  }
}

extension ArraySlice where Element == Item {
  fileprivate func at(_ index: Int) -> Item? { indices.contains(index) ? self[index] : nil }

  fileprivate func name(at index: Int) -> ExactText? {
    guard case .token(let token) = at(index), token.kind == .quotedName || token.kind == .word
    else { return nil }
    return token.text
  }

  /// The places outside of all parentheses; none where these do not match.
  fileprivate var topLevel: [Int] {
    var (depth, places): (Int, [Int]) = (0, [])
    for index in indices {
      if self[index].isSymbol(")") { depth -= 1 }
      guard depth >= 0 else { return [] }
      if depth == 0 { places.append(index) }
      if self[index].isSymbol("(") { depth += 1 }
    }
    return depth == 0 ? places : []
  }

  /// The place of the parenthesis that closes another one.
  fileprivate func closing(_ place: Int) -> Int? {
    var depth = 0
    for index in place..<endIndex {
      if self[index].isSymbol("(") { depth += 1 }
      if self[index].isSymbol(")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// Whether there is one SELECT with one FROM, and nothing else that could name a table.
  fileprivate var holdsOneQuery: Bool {
    func number(of word: ExactText) -> Int { self.count { $0.isKeyword(word) } }
    let others: [ExactText] = [
      "with", "values", "join", "union", "intersect", "except", "returning",
    ]
    guard number(of: "select") == 1, number(of: "from") == 1,
      !others.contains(where: { number(of: $0) > 0 })
    else { return false }
    // IN takes the name of a table, too.
    return indices.allSatisfy { index in
      guard self[index].isKeyword("in") else { return true }
      if case .list = at(index + 1) { return true }
      return false
    }
  }
}

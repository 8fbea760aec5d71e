extension TableDefinition {
  /// Reads a CREATE TABLE statement that SQLite accepts.
  ///
  /// See [CREATE TABLE](https://www.sqlite.org/lang_createtable.html).
  /// - Throws: ``DatabaseError`` with the operation `migrate` for what is none, such as a virtual
  ///   table's.
  init(parsing sql: String) throws(DatabaseError) {
    var parser = Parser(sql)
    guard let table = parser.table() else {
      throw DatabaseError(
        .migrate, "This is not the declaration of an ordinary table", sql: sql,
        sqlOffset: parser.offset)
    }
    self = table
  }

  /// SQL text as a clause. The table's name before a column's is no part of it: SQLite does not ask
  /// for it, and it changes with the table.
  static func clause(_ sql: String, table: String = "") -> Clause {
    clause(SQLToken.all(in: sql)[...], of: sql, table: table)
  }

  static func clause(_ all: ArraySlice<SQLToken>, of sql: String, table: String)
    -> Clause
  {
    var tokens = all
    // (((x))) is x.
    while tokens.count > 1, tokens.first?.text == "(", tokens.matchingClose == tokens.endIndex - 1 {
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
  /// The tokens without the table's name before a column's.
  static func compared(_ tokens: ArraySlice<SQLToken>, table: String) -> [SQLToken] {
    var compared: [SQLToken] = []
    var index = tokens.startIndex
    while index < tokens.endIndex {
      if !table.isEmpty, index + 2 < tokens.endIndex, tokens[index + 1].text == ".",
        tokens[index].isName, tokens[index].text == table.lowercased()
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
  /// The index of the parenthesis that closes the first one.
  fileprivate var matchingClose: Int? {
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

/// Reads a statement from left to right. A method returns nil, or false, where the text is not what
/// it expects.
private struct Parser {
  private let sql: String
  private let tokens: [SQLToken]
  private var index = 0
  private var result = TableDefinition()

  init(_ sql: String) {
    self.sql = sql
    tokens = SQLToken.all(in: sql)
  }

  /// Where the reading has come to, in UTF-8 bytes.
  var offset: Int { index < tokens.count ? tokens[index].range.lowerBound : sql.utf8.count }

  private var current: SQLToken? { index < tokens.count ? tokens[index] : nil }

  private mutating func take(_ words: String...) -> Bool {
    guard index + words.count <= tokens.count else { return false }
    for (offset, word) in words.enumerated() {
      let token = tokens[index + offset]
      guard token.isKeyword(word) || (token.kind == .symbol && token.text == word) else {
        return false
      }
    }
    index += words.count
    return true
  }

  /// The next name, in small letters.
  private mutating func name() -> String? { rawName()?.lowercased() }

  /// The next name, unquoted, as it is written.
  private mutating func rawName() -> String? {
    guard let token = current, token.isName else { return nil }
    index += 1
    let written = String(decoding: Array(sql.utf8)[token.range], as: UTF8.self)
    guard token.kind != .word, let quote = written.first else { return written }
    let inner = String(written.dropFirst().dropLast())
    return quote == "[" ? inner : inner.replacing("\(quote)\(quote)", with: "\(quote)")
  }

  /// What stands between two parentheses.
  private mutating func group() -> TableDefinition.Clause? {
    let rest = tokens[index...]
    guard rest.first?.text == "(", let close = rest.matchingClose else { return nil }
    index = close + 1
    return TableDefinition.clause(
      rest[(rest.startIndex + 1)..<close], of: sql, table: result.name)
  }

  /// Names in parentheses, separated by commas. What follows a name, such as DESC, is kept apart.
  private mutating func names() -> [String]? {
    guard take("(") else { return nil }
    var names: [String] = []
    repeat {
      guard let name = name() else { return nil }
      names.append(name)
      if take("collate"), let collation = self.name() {
        result.others.insert("COLLATE \(collation) in a key")
      }
      if !take("asc"), take("desc") { result.others.insert("DESC in a key") }
    } while take(",")
    return take(")") ? names : nil
  }

  private mutating func conflict(of constraint: String) {
    guard take("on", "conflict"), let action = name() else { return }
    // Without a clause a conflict aborts.
    guard action != "abort" else { return }
    result.others.insert("\(constraint) ON CONFLICT \(action.uppercased())")
  }

  mutating func table() -> TableDefinition? {
    guard take("create") else { return nil }
    if !take("temp") { _ = take("temporary") }
    guard take("table") else { return nil }
    _ = take("if", "not", "exists")
    guard var name = rawName() else { return nil }
    if take(".") {
      guard let second = rawName() else { return nil }
      name = second
    }
    result.sql = sql
    result.name = name
    result.nameRange = tokens[index - 1].range
    guard take("(") else { return nil }
    repeat {
      if startsTableConstraint {
        // A comma between two of them may be left out.
        repeat { guard tableConstraint() else { return nil } } while startsTableConstraint
      } else {
        guard column() else { return nil }
      }
    } while take(",")
    guard take(")") else { return nil }
    while index < tokens.count {
      if take("strict") {
        result.isStrict = true
      } else if take("without", "rowid") {
        result.isWithoutRowID = true
      } else if !take(",") {
        return nil
      }
    }
    // These keys hold no NULL, whatever is declared.
    if result.isStrict || result.isWithoutRowID || result.hasRowIDKey {
      for index in result.columns.indices
      where result.primaryKey.contains(result.columns[index].key) {
        result.columns[index].isNotNull = true
      }
    }
    return result
  }

  private var startsTableConstraint: Bool {
    ["constraint", "primary", "unique", "check", "foreign"].contains { word in
      current?.isKeyword(word) ?? false
    }
  }

  private mutating func tableConstraint() -> Bool {
    if take("constraint"), name() == nil { return false }
    if take("primary", "key") {
      guard let names = names() else { return false }
      result.primaryKey = names
      if take("autoincrement") { result.isAutoincrement = true }
      conflict(of: "PRIMARY KEY")
    } else if take("unique") {
      guard let names = names() else { return false }
      result.uniques.insert(names)
      conflict(of: "UNIQUE")
    } else if take("check") {
      guard let clause = group() else { return false }
      result.checks.append(clause)
      conflict(of: "CHECK")
    } else if take("foreign", "key") {
      guard let names = names(), take("references") else { return false }
      return reference(from: names)
    }
    return true
  }

  private mutating func column() -> Bool {
    let start = offset
    guard let name = rawName() else { return false }
    var column = TableDefinition.Column(name: name)
    var type: [String] = []
    while let token = current, token.isName, !startsColumnConstraint {
      index += 1
      type.append(token.text.uppercased())
    }
    column.type = type.joined(separator: " ")
    if !type.isEmpty, current?.text == "(", let size = group() {
      column.type += "(\(size.tokens.map(\.text).joined()))"
    }
    while startsColumnConstraint { guard constraint(of: &column) else { return false } }
    column.range = start..<tokens[index - 1].range.upperBound
    result.columns.append(column)
    return true
  }

  private var startsColumnConstraint: Bool {
    [
      "constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references",
      "generated", "as", "deferrable",
    ].contains { word in current?.isKeyword(word) ?? false }
  }

  private mutating func constraint(of column: inout TableDefinition.Column) -> Bool {
    if take("constraint") { return name() != nil }
    if take("primary", "key") {
      if !take("asc"), take("desc") { result.others.insert("PRIMARY KEY DESC") }
      conflict(of: "PRIMARY KEY")
      result.isAutoincrement = take("autoincrement") || result.isAutoincrement
      result.primaryKey = [column.key]
    } else if take("not", "null") {
      column.isNotNull = true
      conflict(of: "NOT NULL")
    } else if take("null") {
      conflict(of: "NULL")
    } else if take("unique") {
      result.uniques.insert([column.key])
      conflict(of: "UNIQUE")
    } else if take("check") {
      guard let clause = group() else { return false }
      result.checks.append(clause)
      conflict(of: "CHECK")
    } else if take("default") {
      return defaultValue(of: &column)
    } else if take("collate") {
      guard let collation = name() else { return false }
      column.collation = collation.uppercased()
    } else if take("references") {
      return reference(from: [column.key])
    } else if take("generated", "always", "as") || take("as") {
      guard let clause = group() else { return false }
      column.generated = clause
      column.isStored = take("stored")
      if !column.isStored { _ = take("virtual") }
    } else {
      return false
    }
    return true
  }

  private mutating func defaultValue(of column: inout TableDefinition.Column) -> Bool {
    if current?.text == "(" {
      column.defaultValue = group()
      return column.defaultValue != nil
    }
    let start = index
    if current?.text == "-" || current?.text == "+" { index += 1 }
    guard current != nil else { return false }
    index += 1
    column.defaultValue = TableDefinition.clause(
      tokens[start..<index], of: sql, table: result.name)
    return true
  }

  private mutating func reference(from columns: [String]) -> Bool {
    guard let parent = name() else { return false }
    var key = TableDefinition.ForeignKey(columns: columns, parent: parent)
    if current?.text == "(" {
      guard let names = names() else { return false }
      key.parentColumns = names
    }
    while true {
      if take("on", "delete") {
        guard let action = action() else { return false }
        key.onDelete = action
      } else if take("on", "update") {
        guard let action = action() else { return false }
        key.onUpdate = action
      } else if take("match") {
        guard name() != nil else { return false }  // SQLite parses it and does nothing
      } else if take("not", "deferrable") {
        if take("initially") { _ = name() }
      } else if take("deferrable") {
        if take("initially") { key.isDeferred = name() == "deferred" }
      } else {
        break
      }
    }
    result.foreignKeys.insert(key)
    return true
  }

  private mutating func action() -> String? {
    if take("set", "null") { return "SET NULL" }
    if take("set", "default") { return "SET DEFAULT" }
    if take("no", "action") { return "NO ACTION" }
    if take("cascade") { return "CASCADE" }
    return take("restrict") ? "RESTRICT" : nil
  }
}

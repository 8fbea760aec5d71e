/// Parses CREATE TABLE. A method returns nil or false if the next tokens do not match.
struct TableParser {
  private let sql: String
  private let bytes: [UInt8]
  private let tokens: [SQLToken]
  private var index = 0
  private var result = TableDefinition()
  private var lastForeignKey: TableDefinition.ForeignKey?

  init(_ sql: String) {
    self.sql = sql
    bytes = Array(sql.utf8)
    tokens = SQLToken.all(in: sql)
  }

  var offset: Int { index < tokens.count ? tokens[index].range.lowerBound : sql.utf8.count }

  private var current: SQLToken? { index < tokens.count ? tokens[index] : nil }

  private func isAt(_ symbol: ExactText) -> Bool { current?.isSymbol(symbol) ?? false }

  private mutating func take(_ words: ExactText...) -> Bool {
    guard index + words.count <= tokens.count else { return false }
    for (offset, word) in words.enumerated() {
      let token = tokens[index + offset]
      guard token.isKeyword(word) || token.isSymbol(word) else {
        return false
      }
    }
    index += words.count
    return true
  }

  private mutating func name() -> ExactText? { rawName()?.folded }

  private mutating func rawName() -> String? {
    guard let token = current, token.isName else { return nil }
    index += 1
    let bytes = bytes[token.range]
    let written = String(decoding: bytes, as: UTF8.self)
    guard token.kind != .word, let quote = bytes.first else { return written }
    // In [brackets], a closing bracket cannot be escaped.
    guard quote != UInt8(ascii: "[") else {
      return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
    return written.unquoted(by: quote)
  }

  private mutating func group() -> TableDefinition.Clause? {
    let rest = tokens[index...]
    guard rest.first?.isSymbol("(") ?? false, let close = rest.matchingClose else { return nil }
    index = close + 1
    return TableDefinition.clause(
      rest[(rest.startIndex + 1)..<close], of: sql, table: result.name)
  }

  private mutating func names() -> [ExactText]? {
    guard take("(") else { return nil }
    var names: [ExactText] = []
    repeat {
      guard let name = name() else { return nil }
      names.append(name)
      if take("collate"), let collation = self.name() {
        result.others.insert(ExactText("COLLATE \(collation) in a key"))
      }
      _ = take("asc")
      if take("desc") { result.others.insert("DESC in a key") }
      if take("autoincrement") { result.isAutoincrement = true }
    } while take(",")
    return take(")") ? names : nil
  }

  private mutating func conflict(of constraint: String) {
    guard take("on", "conflict"), let action = name() else { return }
    // ABORT is the default action.
    guard action != "abort" else { return }
    result.others.insert(ExactText("\(constraint) ON CONFLICT \(action.string.uppercasedASCII)"))
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
        // The comma between two constraints may be left out.
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
    // These keys are implicitly NOT NULL.
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
    let isNamed = take("constraint")
    if isNamed, name() == nil { return false }
    if take("primary", "key") {
      guard let names = names() else { return false }
      result.primaryKey = names
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
    } else {
      // SQLite accepts a constraint name without a constraint. Rejecting other words prevents an
      // endless loop, for example at PRIMARY without KEY.
      return isNamed
    }
    return true
  }

  private mutating func column() -> Bool {
    let start = offset
    guard let name = rawName() else { return false }
    var column = TableDefinition.Column(name: name)
    let end = tokens[index - 1].range.upperBound
    column.type = type()
    column.typeRange = end..<tokens[index - 1].range.upperBound
    while startsColumnConstraint { guard constraint(of: &column) else { return false } }
    column.range = start..<tokens[index - 1].range.upperBound
    result.columns.append(column)
    return true
  }

  private mutating func type() -> ExactText {
    let first = index
    let isQuoted = current.map { $0.kind != .word } ?? false
    var words: [String] = []
    // Like SQLite, read GENERATED ALWAYS as part of the type, and then remove the words.
    while !isAtConstraintWord, let word = rawName() { words.append(word.uppercasedASCII) }
    guard let firstWord = words.first else { return "" }
    let size = isAt("(") ? group() : nil
    let written = bytes[tokens[first].range.lowerBound..<tokens[index - 1].range.upperBound]
    let kept = Self.withoutGeneratedAlways(written)
    guard !isQuoted else {
      let inner = Self.betweenFirstAndLast(kept)
      return ExactText(
        inner.map { String(decoding: $0, as: UTF8.self).uppercasedASCII } ?? firstWord)
    }
    if kept.count < written.count {
      words = SQLToken.all(in: String(decoding: kept, as: UTF8.self)).map {
        $0.text.string.uppercasedASCII
      }
    }
    var type = words.joined(separator: " ")
    if let size { type += "(\(size.tokens.map(\.text.string).joined()))" }
    return ExactText(type)
  }

  /// For a quoted type, SQLite removes the first and last byte: `[a](3)` becomes `a](3`. If there
  /// is a quotation mark in between, SQLite reads only the first name.
  private static func betweenFirstAndLast(_ type: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let inner = type.dropFirst().dropLast()
    return type.count < 3 || inner.contains(where: { "[\"'`".utf8.contains($0) }) ? nil : inner
  }

  /// Like SQLite, removes GENERATED ALWAYS by comparing bytes, and only from types of at least 16
  /// bytes.
  private static func withoutGeneratedAlways(_ type: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func without(_ end: StaticString, _ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      let count = end.utf8CodeUnitCount
      guard text.count >= count,
        text.suffix(count).elementsEqual("\(end)".utf8, by: { $0 | 0x20 == $1 })
      else { return nil }
      var rest = text.dropLast(count)
      while let last = rest.last, last == UInt8(ascii: " ") || (9...13).contains(last) {
        rest = rest.dropLast()
      }
      return rest
    }
    guard type.count >= 16, let rest = without("always", type) else { return type }
    return without("generated", rest) ?? rest
  }

  private var startsColumnConstraint: Bool {
    isAtConstraintWord || current?.isKeyword("generated") ?? false
  }

  private var isAtConstraintWord: Bool {
    [
      "constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references",
      "as", "deferrable",
    ].contains { word in current?.isKeyword(word) ?? false }
  }

  private mutating func constraint(of column: inout TableDefinition.Column) -> Bool {
    if take("constraint") { return name() != nil }
    if take("primary", "key") {
      _ = take("asc")
      if take("desc") { result.others.insert("PRIMARY KEY DESC") }
      conflict(of: "PRIMARY KEY")
      result.isAutoincrement = take("autoincrement") || result.isAutoincrement
      result.primaryKey = [column.key]
    } else if take("not", "null") {
      column.isNotNull = true
      let start = index > 2 ? tokens[index - 3].range.upperBound : 0
      conflict(of: "NOT NULL")
      column.notNullRange = start..<tokens[index - 1].range.upperBound
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
      column.collation = ExactText(collation.string.uppercasedASCII)
    } else if take("references") {
      return reference(from: [column.key])
    } else if let isDeferred = deferral() {
      // The clause may be separate from its foreign key.
      guard var key = lastForeignKey else { return true }
      result.foreignKeys.remove(key)
      key.isDeferred = isDeferred
      insert(key)
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
    if isAt("(") {
      column.defaultValue = group()
      return column.defaultValue != nil
    }
    let start = index
    if isAt("-") || isAt("+") { index += 1 }
    guard current != nil else { return false }
    index += 1
    column.defaultValue =
      TableDefinition.textOfName(tokens[start..<index], sql)
      ?? TableDefinition.clause(tokens[start..<index], of: sql, table: result.name)
    return true
  }

  private mutating func reference(from columns: [ExactText]) -> Bool {
    guard let parent = name() else { return false }
    var key = TableDefinition.ForeignKey(columns: columns, parent: parent)
    if isAt("(") {
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
      } else if take("on", "insert") {
        guard action() != nil else { return false }  // SQLite parses and ignores this clause
      } else if take("match") {
        guard name() != nil else { return false }  // Ignored by SQLite, too
      } else if let isDeferred = deferral() {
        key.isDeferred = isDeferred
      } else {
        break
      }
    }
    insert(key)
    return true
  }

  private mutating func insert(_ key: TableDefinition.ForeignKey) {
    result.foreignKeys.insert(key)
    lastForeignKey = key
  }

  private mutating func deferral() -> Bool? {
    let isDeferrable = take("deferrable")
    guard isDeferrable || take("not", "deferrable") else { return nil }
    guard take("initially") else { return false }
    return name() == "deferred" && isDeferrable
  }

  private mutating func action() -> String? {
    if take("set", "null") { return "SET NULL" }
    if take("set", "default") { return "SET DEFAULT" }
    if take("no", "action") { return "NO ACTION" }
    if take("cascade") { return "CASCADE" }
    return take("restrict") ? "RESTRICT" : nil
  }
}

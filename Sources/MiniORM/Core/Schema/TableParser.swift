/// Parses CREATE TABLE. A method throws if the next tokens do not match.
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

  mutating func table() throws(DatabaseError) -> TableDefinition {
    try expect("create")
    _ = take("temp") || take("temporary")
    try expect("table")
    _ = take("if", "not", "exists")
    result.sql = sql
    result.name = try name()
    if take(".") { result.name = try name() }
    result.nameRange = lastRange
    try expect("(")
    repeat {
      if isAtConstraint {
        // The comma between two constraints may be left out.
        repeat { try constraint() } while isAtConstraint
      } else {
        try column()
      }
    } while take(",")
    try expect(")")
    while index < tokens.count {
      if take("strict") {
        result.isStrict = true
      } else if take("without", "rowid") {
        result.isWithoutRowID = true
      } else {
        try expect(",")
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

  // MARK: Tokens

  private var current: SQLToken? { index < tokens.count ? tokens[index] : nil }

  private var lastRange: Range<Int> { tokens[index - 1].range }

  private var mismatch: DatabaseError {
    DatabaseError(
      .migrate, "The SQL is not a CREATE TABLE statement of an ordinary table", sql: sql,
      sqlOffset: current?.range.lowerBound ?? bytes.count)
  }

  private func isAt(_ word: ExactText) -> Bool {
    current.map { $0.isKeyword(word) || $0.isSymbol(word) } ?? false
  }

  private mutating func take(_ words: ExactText...) -> Bool {
    let start = index
    for word in words {
      guard isAt(word) else {
        index = start
        return false
      }
      index += 1
    }
    return true
  }

  private mutating func expect(_ word: ExactText) throws(DatabaseError) {
    guard take(word) else { throw mismatch }
  }

  private mutating func name() throws(DatabaseError) -> String {
    guard let token = current, token.isName else { throw mismatch }
    index += 1
    return token.written
  }

  private mutating func group() throws(DatabaseError) -> TableDefinition.Clause {
    let rest = tokens[index...]
    guard isAt("("), let close = rest.matchingClose else { throw mismatch }
    index = close + 1
    return TableDefinition.clause(
      rest[(rest.startIndex + 1)..<close], of: sql, table: result.name)
  }

  private mutating func names(or own: [ExactText]? = nil) throws(DatabaseError) -> [ExactText] {
    if let own { return own }
    try expect("(")
    var names: [ExactText] = []
    repeat {
      names.append(try name().folded)
      if take("collate") {
        result.others.insert(ExactText("COLLATE \(try name().folded) in a key"))
      }
      _ = take("asc")
      if take("desc") { result.others.insert("DESC in a key") }
      if take("autoincrement") { result.isAutoincrement = true }
    } while take(",")
    try expect(")")
    return names
  }

  // MARK: Columns

  private mutating func column() throws(DatabaseError) {
    let start = current?.range.lowerBound ?? 0
    var column = TableDefinition.Column(name: try name())
    let end = lastRange.upperBound
    column.type = try type()
    column.typeRange = end..<lastRange.upperBound
    result.columns.append(column)
    let own = result.columns.indices.last
    while isAtConstraint || isAt("generated") { try constraint(of: own) }
    result.columns[result.columns.count - 1].range = start..<lastRange.upperBound
  }

  private mutating func type() throws(DatabaseError) -> ExactText {
    let first = index
    // Like SQLite, read GENERATED ALWAYS as part of the type, and then remove the words.
    while !isAtConstraint, current?.isName ?? false { index += 1 }
    guard index > first else { return "" }
    if isAt("(") { _ = try group() }
    let kept = Self.withoutGeneratedAlways(
      bytes[tokens[first].range.lowerBound..<lastRange.upperBound])
    guard tokens[first].kind == .word else {
      // For a quoted type, SQLite removes the first and last byte: `[a](3)` becomes `a](3`. If
      // there is a quotation mark in between, SQLite reads only the first name.
      let inner = kept.dropFirst().dropLast()
      let isWhole = kept.count > 2 && !inner.contains { "[\"'`".utf8.contains($0) }
      let type = isWhole ? String(decoding: inner, as: UTF8.self) : tokens[first].written
      return ExactText(type.uppercasedASCII)
    }
    var type = ""
    for token in SQLToken.all(in: String(decoding: kept, as: UTF8.self)) {
      type += (token.isName && !type.isEmpty ? " " : "") + token.written.uppercasedASCII
    }
    return ExactText(type)
  }

  /// Like SQLite, removes GENERATED ALWAYS by comparing bytes, and only from types of at least 16
  /// bytes.
  private static func withoutGeneratedAlways(_ type: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var kept = type
    for word in type.count < 16 ? [] : ["always", "generated"] {
      let end = kept.suffix(word.utf8.count)
      guard end.elementsEqual(word.utf8, by: { $0 | 0x20 == $1 }) else { break }
      kept = kept[..<end.startIndex]
      while let last = kept.last, last == UInt8(ascii: " ") || (9...13).contains(last) {
        kept.removeLast()
      }
    }
    return kept
  }

  // MARK: Constraints

  /// These words are reserved: no name is one of them without quotation marks.
  private var isAtConstraint: Bool {
    [
      "constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references",
      "as", "deferrable", "foreign",
    ].contains { isAt($0) }
  }

  /// Parses a constraint of a column, or of the table if `column` is nil.
  private mutating func constraint(of column: Int? = nil) throws(DatabaseError) {
    let own = column.map { [result.columns[$0].key] }
    if try deferral() { return }
    if take("constraint") {
      // SQLite accepts a constraint name without a constraint.
      _ = try name()
    } else if take("primary", "key") {
      result.primaryKey = try names(or: own)
      _ = take("asc")
      if take("desc") { result.others.insert("PRIMARY KEY DESC") }
      try conflict(of: "PRIMARY KEY", result.primaryKey)
      if take("autoincrement") { result.isAutoincrement = true }
    } else if take("unique") {
      let unique = try names(or: own)
      result.uniques.insert(unique)
      try conflict(of: "UNIQUE", unique)
    } else if take("check") {
      result.checks.append(try group())
      try conflict()
    } else if take("foreign", "key") {
      let columns = try names()
      try expect("references")
      try reference(from: columns)
    } else if let column {
      try constraint(ofColumn: column)
    } else {
      throw mismatch
    }
  }

  private mutating func constraint(ofColumn column: Int) throws(DatabaseError) {
    let start = lastRange.upperBound
    if take("not", "null") {
      try conflict(of: "NOT NULL", [result.columns[column].key])
      result.columns[column].isNotNull = true
      result.columns[column].notNullRange = start..<lastRange.upperBound
    } else if take("null") {
      try conflict()
    } else if take("default") {
      result.columns[column].defaultValue = try defaultValue()
    } else if take("collate") {
      result.columns[column].collation = ExactText(try name().folded.string.uppercasedASCII)
    } else if take("references") {
      try reference(from: [result.columns[column].key])
    } else {
      if take("generated") { try expect("always") }
      try expect("as")
      result.columns[column].generated = try group()
      result.columns[column].isStored = take("stored")
      _ = take("virtual")
    }
  }

  /// Without columns, SQLite ignores the clause.
  private mutating func conflict(of constraint: String = "", _ columns: [ExactText] = [])
    throws(DatabaseError)
  {
    guard take("on", "conflict") else { return }
    let action = try name().uppercasedASCII
    // ABORT is the default action.
    guard !columns.isEmpty, let resolution = ConflictResolution(rawValue: action),
      resolution != .abort
    else { return }
    result.conflicts[TableDefinition.constraint(constraint, columns)] = resolution
  }

  private mutating func defaultValue() throws(DatabaseError) -> TableDefinition.Clause {
    guard !isAt("(") else { return try group() }
    let start = index
    _ = take("-") || take("+")
    guard current != nil else { throw mismatch }
    index += 1
    let written = tokens[start..<index]
    return TableDefinition.textOfName(written)
      ?? TableDefinition.clause(written, of: sql, table: result.name)
  }

  private mutating func reference(from columns: [ExactText]) throws(DatabaseError) {
    var key = TableDefinition.ForeignKey(columns: columns, parent: try name().folded)
    if isAt("(") { key.parentColumns = try names() }
    while true {
      if take("on", "delete") {
        key.onDelete = try action()
      } else if take("on", "update") {
        key.onUpdate = try action()
      } else if take("on", "insert") {
        _ = try action()  // SQLite parses and ignores this clause
      } else if take("match") {
        _ = try name()  // Ignored by SQLite, too
      } else {
        break
      }
    }
    result.foreignKeys.insert(key)
    lastForeignKey = key
  }

  private mutating func action() throws(DatabaseError) -> String {
    let word = try name().uppercasedASCII
    return ["SET", "NO"].contains(ExactText(word)) ? "\(word) \(try name().uppercasedASCII)" : word
  }

  /// Parses the deferral of the last foreign key, which may be separate from the key.
  private mutating func deferral() throws(DatabaseError) -> Bool {
    let isDeferrable = take("deferrable")
    guard isDeferrable || take("not", "deferrable") else { return false }
    let isDeferred = take("initially") ? try name().folded == "deferred" : false
    if var key = lastForeignKey {
      result.foreignKeys.remove(key)
      key.isDeferred = isDeferrable && isDeferred
      result.foreignKeys.insert(key)
      lastForeignKey = key
    }
    return true
  }
}

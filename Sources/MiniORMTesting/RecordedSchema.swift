import MiniORM

/// A schema that was read from a snapshot.
struct RecordedSchema: Sendable {
  struct Object: Sendable {
    let type: ExactText
    let name: String
    let sql: String
    /// True if another program created the object.
    let isForeign: Bool
    /// True for views, triggers, virtual tables and unique indexes, which are lost silently.
    let isKept: Bool
    /// Nil for all objects except ordinary tables.
    var definition: TableDefinition?
    var formats: [ExactText: ColumnFormat] = [:]
  }

  private(set) var version: Int32 = 0
  private var steps: [(version: Int32, name: String)] = []
  private(set) var objects: [Object] = []
  private(set) var isUnchanged = false

  /// The tables with rows of the app, without the tables that serve a full-text index.
  var tables: [Object] {
    objects.filter { $0.definition != nil && ($0.isForeign || !$0.formats.isEmpty) }
  }

  /// Returns nil if the text is not a snapshot.
  init?(_ text: String) throws {
    for line in text.split(whereSeparator: \.isNewline).map(String.init) {
      if let rest = line.after(SchemaText.version), let version = Int32(rest) {
        self.version = version
      } else if let rest = line.after(SchemaText.checksum) {
        isUnchanged = rest == SchemaText.checksum(of: text)
      } else if let parts = line.after(SchemaText.step)?.split(separator: ": ", maxSplits: 1),
        parts.count == 2, let version = Int32(parts[0])
      {
        steps.append((version, String(parts[1])))
      }
    }
    guard version > 0 else { return nil }
    let tokens = SQLToken.all(in: text)
    let bytes = Array(text.utf8)
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    var (first, end, depth) = (0, 0, 0)
    for (index, token) in tokens.enumerated() {
      // A trigger has statements between BEGIN and END, in which CASE also has an END.
      if token.isKeyword("begin") || token.isKeyword("case") { depth += 1 }
      if token.isKeyword("end") { depth -= 1 }
      guard token.isSymbol(";"), depth <= 0, index > first else { continue }
      let start = tokens[first].range.lowerBound
      let isForeign = part(end..<start).contains(SchemaText.foreign)
      objects.append(
        try Object(
          tokens[first..<index], part(start..<tokens[index - 1].range.upperBound), isForeign))
      (first, end, depth) = (index + 1, token.range.upperBound, 0)
    }
  }

  /// Creates the tables and records of a file that a program of this version has created.
  func create(in database: Database) async throws {
    try await database.write { db in
      for object in objects { try db.execute(script: object.sql) }
    }
    try await database.adopt(version: version)
    try await database.write { db in
      try db.execute("UPDATE miniorm_migrations SET name = 'created'")
      for (version, name) in [(1, "")] + steps {
        try db.execute(
          "INSERT INTO miniorm_migrations (version, name) VALUES (\(-version), \(name))")
      }
      for object in objects {
        let (type, name) = (object.type.string, object.name.folded.string)
        if object.formats.isEmpty, !object.isForeign {
          try db.execute("INSERT INTO miniorm_objects VALUES (\(type), \(name), 1)")
        }
        guard type == "table" else { continue }
        let hash = SchemaHash.of(object.sql)
        try db.execute("INSERT OR REPLACE INTO miniorm_tables VALUES (\(name), \(hash), 1)")
        for (column, format) in object.formats {
          let (column, format) = (column.string, format.description)
          try db.execute("INSERT INTO miniorm_columns VALUES (\(name), \(column), \(format), 1)")
        }
      }
    }
  }
}

extension RecordedSchema.Object {
  fileprivate init(_ tokens: ArraySlice<SQLToken>, _ sql: String, _ isForeign: Bool) throws {
    let kinds: [ExactText] = ["table", "index", "view", "trigger"]
    let rest = tokens.drop { token in !kinds.contains { token.isKeyword($0) } }
    type = rest.first?.text ?? ""
    name = rest.dropFirst().first?.written ?? ""
    self.isForeign = isForeign
    let second = tokens.dropFirst().first?.text
    isKept =
      !isForeign && (type == "table" ? second == "virtual" : type != "index" || second == "unique")
    guard type == "table", second != "virtual" else {
      self.sql = sql
      return
    }
    let text = SchemaText.Table(sql)
    self.sql = text.sql
    let definition = try TableDefinition(parsing: text.sql)
    for (column, declaration) in zip(definition.columns, text.declarations) {
      formats[column.key] = declaration.comment.map { ColumnFormat(name: $0) }
    }
    self.definition = definition
  }
}

extension String {
  fileprivate func after(_ prefix: String) -> String? {
    startsWithBytes(of: prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

/// Unusual schemas, generated from a seed.
struct RandomSchema {
  /// The statements of a schema and some rows.
  static func script(seed: UInt64) -> String {
    var schema = RandomSchema(random: SplitMix(state: seed &* 7919 &+ 1))
    return schema.script()
  }

  /// Reproducible random numbers.
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private struct Column {
    var name: String
    var type: String
    var isGenerated = false
  }

  private var random: SplitMix
  private var tables: [(name: String, key: [String])] = []
  private var statements: [String] = []

  private static let words = [
    "id", "name", "value", "Title", "created_at", "URL", "class", "in", "größe", "日本", "a b", "x-y",
    "primaryKey", "rowid", "order", "index", "self", "Data", "HTTPServer", "e\u{301}", "it''s",
    "q\"q",
    "_", "1a", "columns", "type", "ID", "userID", "\\(x)", "*/", "select", "Key", "Row", "user_id",
  ]
  private static let types = [
    "INTEGER", "INT", "TEXT", "REAL", "BLOB", "NUMERIC", "VARCHAR(20)", "DECIMAL(10, 2)",
    "DATETIME",
    "BOOLEAN", "DOUBLE PRECISION", "", "bigint unsigned", "CLOB", "date", "\"odd, type\"", "JSON",
  ]
  private static let strictTypes = ["INTEGER", "INT", "TEXT", "REAL", "BLOB", "ANY"]

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }

  private mutating func names(_ count: Int) -> [String] {
    var names: [String] = []
    while names.count < count {
      let word = pick(Self.words)
      let name = chance(70) ? word : "\(word)\(Int.random(in: 1...9, using: &random))"
      if !names.contains(where: { $0.lowercased() == name.lowercased() }) { names.append(name) }
    }
    return names
  }

  private mutating func literal() -> String {
    pick([
      "0", "1", "-7", "2.5", "'text'", "''", "NULL", "x'00ff'", "CURRENT_TIMESTAMP", "'it''s'",
      "+3",
      "(1 + 2)", "9223372036854775807", "1e3", "'2020-01-01 00:00:00.000'", "TRUE", "\"word\"",
    ])
  }

  private mutating func value(_ type: String, isStrict: Bool) -> String {
    let any = [
      "0", "1", "-5", "9007199254740993", "1.5", "1e300", "'a'", "''", "'12'", "x'00'", "x''",
      "NULL",
      "'2020-01-01 00:00:00.000'", "'日本'",
    ]
    guard isStrict || chance(70) else { return pick(any) }
    if type.contains("INT") { return pick(["0", "1", "2", "-9223372036854775808", "NULL"]) }
    switch type {
    case "REAL", "DOUBLE PRECISION", "DECIMAL(10, 2)": return pick(["0", "1.5", "-2", "1e300"])
    case "TEXT", "VARCHAR(20)", "CLOB": return pick(["'a'", "'é'", "''", "'x y'", "NULL"])
    case "BLOB": return pick(["x'00'", "x''", "NULL"])
    case "BOOLEAN": return pick(["0", "1"])
    case "DATETIME", "date":
      return pick(["'2020-01-01 00:00:00.000'", "'2021-02-03 04:05:06.789'", "NULL"])
    default: return pick(any)
    }
  }

  private mutating func script() -> String {
    for name in names(Int.random(in: 1...5, using: &random)) {
      addTable(name + (chance(10) ? " t" : ""))
    }
    if chance(50), let table = tables.last {
      statements.append(
        "CREATE VIEW \(quoted("view of \(table.name)")) AS SELECT * FROM \(quoted(table.name))")
      statements.append(
        "CREATE VIEW view2 AS SELECT count(*) AS n, 'x' AS \"class\", NULL FROM \(quoted("view of \(table.name)"))"
      )
    }
    return statements.map { "\($0);\n" }.joined()
  }

  private mutating func addTable(_ name: String) {
    let isStrict = chance(30)
    var columns = names(Int.random(in: 1...7, using: &random)).map { name in
      Column(name: name, type: pick(isStrict ? Self.strictTypes : Self.types))
    }
    var parts: [String] = []
    var keys: [String] = []
    var isWithoutRowID = false
    var inlineKey: Int?
    switch Int.random(in: 0..<4, using: &random) {
    case 0: break
    case 1:
      inlineKey = Int.random(in: 0..<columns.count, using: &random)
      if let inlineKey { keys = [columns[inlineKey].name] }
    case 2:
      columns[0].type = "INTEGER"
      inlineKey = 0
      keys = [columns[0].name]
    default:
      keys = columns.prefix(Int.random(in: 1...columns.count, using: &random)).map(\.name).shuffled(
        using: &random)
    }
    isWithoutRowID = !keys.isEmpty && chance(25)
    for index in columns.indices {
      var text = "\(quoted(columns[index].name)) \(columns[index].type)"
      if index == inlineKey {
        text += " PRIMARY KEY"
        if columns[index].type == "INTEGER", !isWithoutRowID, chance(30) {
          text += " AUTOINCREMENT"
        }
      } else if !keys.contains(columns[index].name), columns.count > 2, index > 0, chance(10) {
        columns[index].isGenerated = true
        text +=
          " AS (\(isStrict ? "CAST(1 AS \(columns[index].type == "ANY" ? "BLOB" : columns[index].type))" : "1 + 1")) "
        text += pick(["STORED", "VIRTUAL", ""])
      }
      if !columns[index].isGenerated {
        if chance(25) {
          text += " NOT NULL" + pick(["", "", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"])
        }
        if chance(20), index != inlineKey {
          text += " DEFAULT \(isStrict ? "NULL" : literal())"
        }
      }
      if chance(12) {
        text += " UNIQUE" + pick(["", "", " ON CONFLICT REPLACE", " ON CONFLICT FAIL"])
      }
      if chance(15) { text += pick([" COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"]) }
      if chance(10) { text += " CHECK (\(quoted(columns[index].name)) IS NOT 'never')" }
      if chance(15), !columns[index].isGenerated, let parent = tables.last, parent.key.count == 1 {
        text += " REFERENCES \(quoted(parent.name))"
        text += chance(50) ? " (\(quoted(parent.key[0])))" : ""
        text += pick([
          "", " ON DELETE CASCADE", " ON UPDATE SET NULL", " DEFERRABLE INITIALLY DEFERRED",
        ])
      }
      parts.append(text)
    }
    if inlineKey == nil, !keys.isEmpty {
      parts.append(
        "PRIMARY KEY (\(keys.map(quoted).joined(separator: ", ")))"
          + (keys.count > 1 ? pick(["", "", " ON CONFLICT REPLACE"]) : ""))
    }
    if chance(20), columns.count > 1 {
      let pair = columns.prefix(2).map { quoted($0.name) }.joined(separator: ", ")
      parts.append("CONSTRAINT \"c\" UNIQUE (\(pair))")
    }
    if chance(15) { parts.append("CHECK (length(\(quoted(columns[0].name))) < 1000 OR 1)") }
    let options = [isStrict ? "STRICT" : "", isWithoutRowID ? "WITHOUT ROWID" : ""].filter {
      !$0.isEmpty
    }
    statements.append(
      "CREATE TABLE \(quoted(name)) (\n  \(parts.joined(separator: ",\n  "))\n) \(options.joined(separator: ", "))"
    )
    addIndexes(name, columns)
    let stored = columns.filter { !$0.isGenerated }
    let list = stored.map { quoted($0.name) }.joined(separator: ", ")
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let values = stored.map { column in
        // A rowid alias accepts only integers.
        keys == [column.name] && column.type == "INTEGER"
          ? "\(Int.random(in: 1...99, using: &random))" : value(column.type, isStrict: isStrict)
      }
      statements.append(
        "INSERT OR IGNORE INTO \(quoted(name)) (\(list)) VALUES (\(values.joined(separator: ", ")))"
      )
    }
    tables.append((name, keys))
  }

  private mutating func addIndexes(_ table: String, _ columns: [Column]) {
    for number in 0..<Int.random(in: 0...2, using: &random) {
      var terms: [String] = []
      for column in columns.prefix(Int.random(in: 1...columns.count, using: &random)) {
        let name = quoted(column.name)
        let term = pick([name, name, "lower(\(name))", "(\(name))", "\(name) COLLATE NOCASE"])
        terms.append(term + pick(["", "", " ASC", " DESC"]))
      }
      let condition = chance(25) ? " WHERE \(quoted(columns[0].name)) IS NOT NULL" : ""
      statements.append(
        "CREATE \(chance(10) ? "UNIQUE " : "")INDEX \(quoted("index \(number) of \(table)")) ON \(quoted(table)) (\(terms.joined(separator: ", ")))\(condition)"
      )
    }
  }
}

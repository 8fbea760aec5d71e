import Testing

@testable import MiniORM

@Suite("Parsed table declarations")
struct TableDefinitionTests {
  @Test("an ascending key equals a key without an order, and a descending key differs")
  func keyOrder() throws {
    func table(_ key: String) throws -> TableDefinition {
      try TableDefinition(parsing: "CREATE TABLE t(a INTEGER PRIMARY KEY\(key), b NOT NULL)")
    }
    let plain = try table("")
    #expect(try table(" ASC").differences(from: plain, keys: { _ in [] }) == [])
    #expect(try table(" ASC AUTOINCREMENT").isAutoincrement)
    #expect(try table(" DESC").differences(from: plain, keys: { _ in [] }) != [])
  }

  @Test(
    "GENERATED and ALWAYS belong to a type unless they end it",
    arguments: [
      "c GENERATED ALWAYS", "c GENERATED ALWAYS x", "c INT GENERATED ALWAYS", "c ALWAYS",
      "c INT generated /* no */ ALWAYS NOT NULL", "c GENERATED x ALWAYS",
      "c ALWAYS GENERATED UNIQUE",
      "c GENERATED ALWAYS AS (1)", "c INT GENERATED ALWAYS AS (1) STORED", "c GENERATED AS (1)",
      "c GENERATED ALWAYS(5)", "c INT NOT NULL GENERATED ALWAYS AS (1)",
      "c GENERATED ALWAYS GENERATED ALWAYS AS (1)", "c SOMETHING_ALWAYS", "c SOMETHINGALWAYS",
      "c X ALWAYS Y ALWAYS",
    ])
  func generatedWords(_ column: String) async throws {
    let sql = "CREATE TABLE t(a, \(column))"
    let database = try await Database.inMemory()
    let facts = try await database.writer.isolated { db in
      try db.execute(SQL(raw: sql))
      return try db.facts(of: "t")
    }
    #expect(try TableDefinition(parsing: sql).facts == facts)
    try await database.close()
  }

  @Test(
    "a name after DEFAULT is the string that SQLite stores",
    arguments: [
      #""text""#, "[a b]", "`x`", "word", #""it's""#, #""a""b""#, "Wörd", "TRUE", "false", "NULL",
      "'text'", "7", "-1.5",
    ])
  func nameAsDefault(_ written: String) async throws {
    let sql = "CREATE TABLE t(a, c DEFAULT \(written))"
    let clause = try #require(try TableDefinition(parsing: sql).columns[1].defaultValue)
    let database = try await Database.inMemory()
    let values = try await database.write { db in
      try db.execute(SQL(raw: sql))
      try db.execute("INSERT INTO t(a) VALUES (1)")
      return (
        try db.value(String.self, "SELECT quote(c) FROM t"),
        try db.value(String.self, SQL(raw: "SELECT quote(\(clause.text))"))
      )
    }
    #expect(values.0 == values.1)
    // MiniORM writes a default in parentheses, where a name would be a column.
    try await database.write { db in
      try db.execute(SQL(raw: "CREATE TABLE u(a, c DEFAULT (\(clause.text)))"))
    }
    try await database.close()
  }

  @Test(
    "a quoted type is read as in SQLite, byte by byte",
    arguments: [("[", "]"), ("\"", "\""), ("'", "'"), ("`", "`")])
  func quotedType(_ mark: String, _ end: String) async throws {
    let contents = [
      "", "i", "int", "a b", " a ", "a\(end)\(end)b", "'", "\"", "`", "[", "é",
      "x GENERATED ALWAYS",
    ]
    let rests = [
      "", " b", "(3)", " ( 3, 4 )", " c(3)", " /* x */ (3)", "/**/", " GENERATED ALWAYS", " always",
      " x ALWAYS", " \"q\"", " [z]", " [z](3)", " 'q' generated always", "generated always",
    ]
    let database = try await Database.inMemory()
    var compared = 0
    for content in contents {
      for rest in rests {
        let sql = "CREATE TABLE t(c \(mark)\(content)\(end)\(rest) NOT NULL)"
        let type = try await database.writer.isolated { db -> String? in
          // Skips invalid SQL, such as a quoted type that contains its quotation mark.
          guard (try? db.execute(SQL(raw: sql))) != nil else { return nil }
          let type = try db.value(String.self, "SELECT type FROM pragma_table_info('t')")
          try db.execute("DROP TABLE t")
          return type
        }
        guard let type else { continue }
        compared += 1
        #expect(
          try TableDefinition(parsing: sql).columns[0].type == ExactText(type.uppercasedASCII),
          "\(sql)")
      }
    }
    #expect(compared >= contents.count * rests.count * 3 / 4)
    try await database.close()
  }

  @Test("a new type and nullability leave the rest of a declaration", arguments: [true, false])
  func retyping(isNotNull: Bool) throws {
    let table = try TableDefinition(
      parsing: """
        CREATE TABLE t(a INT /* x */ DEFAULT 1 NOT NULL ON CONFLICT FAIL CHECK (t.a > 0),
          "b c" DECIMAL(1, 2) UNIQUE COLLATE nocase, c)
        """)
    for column in table.columns {
      let new = try TableDefinition(
        parsing: table.sql(named: "n", retyping: column, as: "TEXT", isNotNull: isNotNull))
      #expect(new.name == "n")
      #expect(new.uniques == table.uniques)
      #expect(new.checks == table.checks)
      #expect(new.columns.map(\.name) == table.columns.map(\.name))
      for (mine, old) in zip(new.columns, table.columns) {
        let isChanged = old.key == column.key
        #expect(mine.type == (isChanged ? "TEXT" : old.type))
        #expect(mine.isNotNull == (isChanged ? isNotNull : old.isNotNull))
        #expect(mine.defaultValue == old.defaultValue)
        #expect(mine.collation == old.collation)
      }
    }
  }

  @Test(
    "a deferral belongs to the last foreign key",
    arguments: [
      ("a REFERENCES p DEFERRABLE INITIALLY DEFERRED", true),
      ("a REFERENCES p NOT NULL DEFERRABLE INITIALLY DEFERRED", true),
      ("a REFERENCES p NOT DEFERRABLE INITIALLY DEFERRED NOT NULL", false),
      ("a REFERENCES p DEFERRABLE INITIALLY IMMEDIATE", false),
      ("a REFERENCES p DEFERRABLE", false),
      ("a, FOREIGN KEY (a) REFERENCES p ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED", true),
      (
        "a, CONSTRAINT x FOREIGN KEY (a) REFERENCES p DEFERRABLE INITIALLY DEFERRED CHECK (1)", true
      ),
    ])
  func deferral(_ columns: String, isDeferred: Bool) async throws {
    let sql = "CREATE TABLE t(\(columns))"
    let table = try TableDefinition(parsing: sql)
    #expect(table.foreignKeys.map(\.isDeferred) == [isDeferred])
    // SQLite accepts a row without a parent until the transaction ends.
    let database = try await Database.inMemory()
    let isAccepted = try await database.write { db in
      try db.execute("CREATE TABLE p(x PRIMARY KEY)")
      try db.execute(SQL(raw: sql))
      let isAccepted = (try? db.execute("INSERT INTO t VALUES (1)")) != nil
      try db.execute("DELETE FROM t")
      return isAccepted
    }
    #expect(isAccepted == isDeferred)
    try await database.close()
  }

  @Test("a declaration is read as in SQLite, in any spelling", arguments: 0..<20)
  func agrees(with part: Int) async throws {
    var accepted = 0
    for seed in (part * 30)..<(part * 30 + 30) {
      let generated = GeneratedStatement(seed: seed)
      let database = try await Database.inMemory()
      accepted += try await database.writer.isolated { db in
        // Some combinations are invalid.
        guard (try? db.execute(SQL(raw: generated.sql))) != nil else { return 0 }
        var isAltered = false
        for sql in generated.alterations where (try? db.execute(SQL(raw: sql))) != nil {
          isAltered = true
        }
        let sql = try #require(
          try db.value(String.self, "SELECT sql FROM sqlite_schema WHERE type = 'table'"))
        let context: Comment = "seed \(seed): \(sql)"
        let table: TableDefinition
        do {
          table = try TableDefinition(parsing: sql)
        } catch let error as DatabaseError {
          Issue.record("seed \(seed): \(error) at \(error.sqlOffset ?? -1): \(sql)")
          return 1
        }
        let (mine, facts) = (table.facts, try db.facts(of: table.name))
        #expect(mine.columns == facts.columns, context)
        #expect(mine.primaryKey == facts.primaryKey, context)
        #expect(mine.uniques == facts.uniques, context)
        #expect(mine.foreignKeys == facts.foreignKeys, context)
        #expect(mine.options == facts.options, context)
        if !isAltered {
          #expect(table.checks.count == generated.checkCount, context)
        }
        // The same declaration under another name.
        try db.execute(SQL(raw: table.sql(named: "oth\"er")))
        let other = try TableDefinition(
          parsing: try #require(
            try db.value(String.self, "SELECT sql FROM sqlite_schema WHERE name = 'oth\"er'")))
        #expect(other.name == "oth\"er", context)
        #expect(other.differences(from: table, keys: { _ in [] }) == [], context)
        #expect(try db.facts(of: other.name) == facts, context)
        return 1
      }
      try await database.close()
    }
    #expect(accepted >= 15)
  }
}

/// Facts that SQLite's PRAGMAs report.
private struct Facts: Equatable {
  struct Column: Equatable {
    var name = ""
    var type = ""
    var isNotNull = false
    var defaultValue: [SQLToken] = []
    var hidden = 0
    var collation = "BINARY"
  }
  var columns: [Column] = []
  var primaryKey: [ExactText] = []
  var uniques: Set<[ExactText]> = []
  var foreignKeys: Set<TableDefinition.ForeignKey> = []
  /// STRICT, WITHOUT ROWID, AUTOINCREMENT.
  var options = [false, false, false]
}

extension TableDefinition {
  fileprivate var facts: Facts {
    var facts = Facts()
    facts.columns = columns.map { column in
      Facts.Column(
        name: column.name, type: column.type.string.filter { !$0.isWhitespace },
        isNotNull: column.isNotNull,
        defaultValue: column.defaultValue?.tokens ?? [],
        hidden: column.generated == nil ? 0 : column.isStored ? 3 : 2,
        collation: column.generated == nil ? column.collation.string : "BINARY")
    }
    facts.primaryKey = primaryKey
    // The primary key's index also serves a UNIQUE constraint on the same columns.
    facts.uniques = uniques.filter { $0 != primaryKey }
    facts.foreignKeys = Set(
      foreignKeys.map { key in
        var key = key
        key.isDeferred = false
        return key
      })
    facts.options = [isStrict, isWithoutRowID, isAutoincrement]
    return facts
  }
}

extension Connection {
  private func texts(_ sql: SQL) throws -> [[String?]] {
    try query(sql).map { row in
      row.values.map { value in
        switch value {
        case .text(let text): text
        case .integer(let number): String(number)
        default: nil
        }
      }
    }
  }

  fileprivate func facts(of table: String) throws -> Facts {
    var facts = Facts()
    let columns = try texts(
      "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(\(table))")
    // A rowid alias is never NULL, whatever its declaration.
    let rowIDKey = try texts(
      """
      SELECT lower(max(name)) FROM pragma_table_xinfo(\(table)) AS t WHERE pk > 0
      AND (SELECT wr FROM pragma_table_list(\(table)) WHERE schema = 'main') = 0
      HAVING count(*) = 1 AND max(upper(type)) = 'INTEGER'
      AND NOT EXISTS (SELECT 1 FROM pragma_index_list(\(table)) WHERE origin = 'pk')
      """
    ).first?[0]
    for column in columns {
      facts.columns.append(
        Facts.Column(
          name: column[0] ?? "",
          // SQLite keeps a comment before GENERATED in the type.
          type: SQLToken.all(in: column[1] ?? "").map(\.text).joined(separator: "").filter {
            !$0.isWhitespace && $0 != "'"
          }.uppercased(),
          isNotNull: column[2] == "1" || column[0]?.folded.string == rowIDKey,
          defaultValue: column[3].map { text in
            (TableDefinition.textOfName(SQLToken.all(in: text)[...])
              ?? TableDefinition.clause(text)).tokens
          } ?? [],
          hidden: Int(column[5] ?? "") ?? -1))
    }
    facts.primaryKey = columns.filter { $0[4] != "0" }
      .sorted { ($0[4] ?? "").count == 0 || Int($0[4] ?? "") ?? 0 < Int($1[4] ?? "") ?? 0 }
      .map { ($0[0] ?? "").folded }
    for index in try texts(
      "SELECT name FROM pragma_index_list(\(table)) WHERE origin = 'u'")
    {
      let names = try texts(
        "SELECT name FROM pragma_index_info(\(index[0] ?? "")) ORDER BY seqno")
      facts.uniques.insert(names.map { ($0[0] ?? "").folded })
    }
    facts.uniques.remove(facts.primaryKey)
    var keys: [String: TableDefinition.ForeignKey] = [:]
    for row in try texts(
      """
      SELECT id, "table", "from", "to", on_delete, on_update
      FROM pragma_foreign_key_list(\(table)) ORDER BY id, seq
      """)
    {
      var key =
        keys[row[0] ?? ""]
        ?? TableDefinition.ForeignKey(
          columns: [], parent: (row[1] ?? "").folded, onDelete: row[4] ?? "",
          onUpdate: row[5] ?? "")
      key.columns.append((row[2] ?? "").folded)
      if let parent = row[3] { key.parentColumns.append(parent.folded) }
      keys[row[0] ?? ""] = key
    }
    facts.foreignKeys = Set(keys.values)
    let flags = try texts(
      "SELECT strict, wr FROM pragma_table_list(\(table)) WHERE schema = 'main'")
    let numbered = try value(
      Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'")
    facts.options = [flags.first?[0] == "1", flags.first?[1] == "1", numbered == 1]
    // An index on a column uses the column's collation.
    for index in facts.columns.indices where facts.columns[index].hidden == 0 {
      try execute(
        "CREATE INDEX compared ON \(identifier: table) (\(identifier: facts.columns[index].name))")
      let collation = try texts("SELECT coll FROM pragma_index_xinfo('compared')")
      facts.columns[index].collation = (collation.first?[0] ?? "").uppercased()
      try execute("DROP INDEX compared")
    }
    return facts
  }
}

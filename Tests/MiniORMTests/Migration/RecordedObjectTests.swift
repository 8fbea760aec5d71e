import Testing

@testable import MiniORM

@Table("note") private struct Note {
  let id: Int64
  var text: String
}
private let notes = Table<Note>()
@Selection private struct Text { let text: String }

private func view(_ text: String) -> DatabaseView<Text.Columns> {
  DatabaseView("texts", as: notes.where { $0.text != text }.select { Text.Columns(text: $0.text) })
}
private let index = FullTextIndex<Note>("note_text") { $0.text }

@Suite("Recorded objects")
struct RecordedObjectTests {
  private func names(_ database: Database) async throws -> [String] {
    try await database.read { db in
      try db.query(
        """
        SELECT type || ' ' || name FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE 'miniorm%'
        AND (type, name) NOT IN (SELECT 'table', name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY rowid
        """
      ).compactMap { row in if case .text(let name)? = row.values.first { name } else { nil } }
    }
  }

  private func recorded(_ database: Database) async throws -> [[DatabaseValue]] {
    try await database.read {
      try $0.query("SELECT type, name FROM miniorm_objects ORDER BY type, name").map(\.values)
    }
  }

  /// Removes the records, as in a file of an older MiniORM version.
  private func forget(_ database: Database) async throws {
    try await database.write { db in
      try db.execute(
        script: "DROP TABLE miniorm_objects; DROP TABLE miniorm_tables; DROP TABLE miniorm_columns")
    }
  }

  @Test(
    "a table whose text contains the mark belongs to the user, at any position of the mark",
    arguments: [
      "CREATE TABLE own (id INTEGER PRIMARY KEY, text TEXT DEFAULT '/* declared */')",
      "CREATE TABLE own (id INTEGER PRIMARY KEY /* declared */, text TEXT)",
      "CREATE TABLE own /* declared */ (id INTEGER PRIMARY KEY, text TEXT)",
      "CREATE TABLE \"own\" /* declared */ (id INTEGER PRIMARY KEY, text TEXT)",
      "CREATE TABLE own(id INTEGER PRIMARY KEY, text TEXT /* declared */ )",
    ], [false, true])
  func markedTable(sql: String, isAdopted: Bool) async throws {
    let fill = "INSERT INTO own (text) VALUES ('kept')"
    func check(_ database: Database, _ versions: [Int32]) async throws {
      for version in versions {
        let schema = DatabaseSchema(version: version, Note.self, objects: [view("")])
        #expect(
          try await database.schemaReport(for: schema).differences.allSatisfy {
            if case .extraObject = $0 { false } else { true }
          })
        try await database.migrate(schema)
        #expect(try await database.values("SELECT text FROM own") == [.text("kept")])
      }
    }
    if isAdopted {
      try await withTemporaryDatabase(script: "\(sql); \(fill)") { database in
        try await database.adopt(version: 1)
        try await check(database, [1, 2])
      }
    } else {
      try await withFile(DatabaseSchema(Note.self)) { database throws in
        try await database.write { try $0.execute(script: "\(sql); \(fill)") }
        try await check(database, [1, 2])
        try await forget(database)
        try await check(database, [2, 3])
      }
    }
  }

  @Test("views and triggers of another program stay, with any comment")
  func markedForeigners() async throws {
    let script = """
      CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT;
      CREATE VIEW own /* declared */ AS SELECT * FROM note;
      CREATE TRIGGER mine /* declared */ AFTER INSERT ON note BEGIN SELECT 1; END;
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      try await database.migrate(DatabaseSchema(Note.self, objects: [view("")]))
      try await database.migrate(DatabaseSchema(version: 2, Note.self))
      #expect(try await names(database) == ["table note", "view own", "trigger mine"])
    }
  }

  @Test("objects created by MiniORM are recorded, and dropped when undeclared")
  func recorded() async throws {
    try await withFile(DatabaseSchema(Note.self, objects: [view(""), index])) { database throws in
      #expect(
        try await recorded(database).map { $0[1] } == [
          .text("note_text"), .text("note_text_replaced"), .text("note_text_after_delete"),
          .text("note_text_after_insert"), .text("note_text_after_update"),
          .text("note_text_before_insert"), .text("note_text_before_update"), .text("texts"),
        ])
      #expect(
        try await database.values("SELECT DISTINCT migration FROM miniorm_objects")
          == database.values("SELECT max(id) FROM miniorm_migrations"))
      try await database.migrate(DatabaseSchema(Note.self, objects: [view("x")]))
      #expect(try await names(database) == ["table note", "view texts"])
      #expect(try await recorded(database) == [[.text("view"), .text("texts")]])
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try await names(database) == ["table note"])
      #expect(try await recorded(database) == [])
    }
  }

  @Test(
    "in a file without records, a differently declared view is replaced, and a virtual table is not"
  )
  func olderDifferentFile() async throws {
    try await withFile(DatabaseSchema(Note.self, objects: [view(""), index])) { database throws in
      try await forget(database)
      try await database.migrate(DatabaseSchema(Note.self, objects: [view("x"), index]))
      #expect(try await recorded(database).contains([.text("view"), .text("texts")]))
      try await forget(database)
      let other = FullTextIndex<Note>("note_text", tokenizer: .porter()) { $0.text }
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Note.self, objects: [view("x"), other]))
      }
      #expect(error.table == "note_text" && error.code == .misuse, "\(error)")
    }
  }

  @Test("a user's table in place of a recorded table is not dropped")
  func replacedTable() async throws {
    try await withFile(DatabaseSchema(Note.self, objects: [index])) { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            DROP TABLE note_text_replaced;
            CREATE TABLE note_text_replaced (key INTEGER PRIMARY KEY, c0 TEXT, mine TEXT);
            INSERT INTO note_text_replaced VALUES (1, 'a', 'kept');
            """)
      }
      for schema in [DatabaseSchema(Note.self), DatabaseSchema(version: 2, Note.self)] {
        try await database.migrate(schema)
        #expect(
          try await database.values("SELECT mine FROM note_text_replaced") == [.text("kept")])
      }
    }
  }

  @Test("tables of another program named like MiniORM's are detected, and never replaced")
  func foreignNames() async throws {
    let tables = ["miniorm_migrations", "miniorm_objects", "miniorm_tables", "miniorm_columns"]
    for table in tables + ["miniorm_other"] {
      try await withTemporaryDatabase(
        script: "CREATE TABLE \(table) (x); INSERT INTO \(table) VALUES (1)"
      ) { database in
        let empty = try await failure { try await database.migrate(DatabaseSchema(Note.self)) }
        #expect(empty.message.hasPrefix("The file contains tables but no version"), "\(empty)")
        if tables.contains(table) {
          let error = try await failure { try await database.adopt(version: 1) }
          #expect(error.message.hasPrefix("The file has a table \(table) from another program"))
        } else {
          try await database.adopt(version: 1)
          try await database.migrate(DatabaseSchema(Note.self))
        }
        #expect(try await database.values("SELECT x FROM \(raw: table)") == [.integer(1)])
      }
    }
  }
}

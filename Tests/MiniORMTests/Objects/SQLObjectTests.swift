import Foundation
import Testing

@testable import MiniORM

@Table("note", options: [])
private struct Note: Equatable, Identifiable {
  let id: Int64
  var text: String
}

@Table("note_view", options: [])
private struct NoteView: Equatable {
  var text: String
}

/// The objects of a file that a different program created.
@Suite("Objects declared by SQL")
struct SQLObjectTests {
  private static let statements = [
    "CREATE VIRTUAL TABLE note_text USING fts5(text, content='note', content_rowid=id)",
    "CREATE VIEW note_view AS SELECT text FROM note ORDER BY id",
    """
    CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
      INSERT INTO note_text (rowid, text) VALUES (new.id, new.text);
    END
    """,
  ]

  private static let schema = DatabaseSchema(
    Note.self, objects: statements.map { SQLObject($0) })

  @Test("a new file has the trigger, the view and the index, which finds new rows")
  func created() async throws {
    try await withFile(Self.schema) { database in
      try await Table<Note>().insert(Note(id: 3, text: "red wine"), in: database)
      let found = try await database.read { db in
        try db.query(Int64.self, "SELECT rowid FROM note_text WHERE note_text MATCH 'wine'")
      }
      #expect(found == [3])
      let rows = try await Table<NoteView>().fetchAll(in: database)
      #expect(rows == [NoteView(text: "red wine")])
      #expect(try await database.schemaReport(for: Self.schema).isEmpty)
      #expect(try await database.migrationPlan(for: Self.schema).isEmpty)
    }
  }

  @Test("the file of another program, with the same statements, is not changed")
  func adopted() async throws {
    let script =
      "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL);\n"
      + Self.statements.map { "\($0);\n" }.joined()
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      #expect(try await database.schemaReport(for: Self.schema).isEmpty)
      let plan = try await database.migrationPlan(for: Self.schema)
      #expect(plan.isEmpty, "\(plan)")
      // Objects that another program created stay, although the schema does not list them.
      try await database.migrate(DatabaseSchema(Note.self))
      let count = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%note_text%'")
      }
      // The index with its four shadow tables, and the trigger.
      #expect(count == 6)
    }
  }

  @Test("an index of existing rows is filled, and a changed trigger or view is replaced")
  func changed() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database in
      try await Table<Note>().insert(Note(id: 1, text: "old wine"), in: database)
      try await database.migrate(Self.schema)
      let found = try await database.read { db in
        try db.query(Int64.self, "SELECT rowid FROM note_text WHERE note_text MATCH 'wine'")
      }
      #expect(found == [1])
      let view = "CREATE VIEW note_view AS SELECT upper(text) AS text FROM note;"
      try await database.migrate(
        DatabaseSchema(Note.self, objects: [SQLObject(Self.statements[0]), SQLObject(view)]))
      #expect(try await Table<NoteView>().fetchAll(in: database) == [NoteView(text: "OLD WINE")])
      let triggers = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")
      }
      #expect(triggers == 0)
    }
  }

  @Test(
    "names, spaces and a semicolon are read as SQLite reads them",
    arguments: [
      (
        #"create view "a ""b""" as select 1 ;"#,
        #"CREATE VIEW "a ""b""" as select 1"#
      ),
      (
        "CREATE VIEW IF NOT EXISTS [x y] AS SELECT 1",
        #"CREATE VIEW "x y" AS SELECT 1"#
      ),
      ("CREATE VIEW v(a) AS SELECT 1", #"CREATE VIEW "v" (a) AS SELECT 1"#),
      (
        "CREATE VIRTUAL TABLE t USING fts5(a, content='')",
        #"CREATE VIRTUAL TABLE "t" USING fts5(a, content='')"#
      ),
    ])
  func parsed(sql: String, declared: String) throws {
    let definitions = try SQLObject(sql).definitions
    #expect(definitions.map(\.sql) == [declared])
  }

  @Test(
    "other statements are refused",
    arguments: [
      "", "CREATE TABLE t (a)", "CREATE TEMP VIEW v AS SELECT 1", "CREATE VIEW temp.v AS SELECT 1",
      "DROP VIEW v", "CREATE INDEX i ON t (a)", "CREATE VIEW",
    ])
  func refused(sql: String) throws {
    let error = #expect(throws: DatabaseError.self) { try SQLObject(sql).definitions }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("CREATE VIEW, CREATE TRIGGER or CREATE VIRTUAL TABLE") == true)
  }
}

import Testing

@testable import MiniORM

@Table("note") private struct Note {
  let id: Int64
  var text: String
}

private enum Declared {
  @Table("note") struct Note {
    let id: Int64
    var text: String

    static var indexes: [Index<Declared.Note>] { [Index("by_text", unique: true) { $0.text }] }
  }
  @Table("note") struct Plain {
    let id: Int64
    var text: String

    static var indexes: [Index<Declared.Plain>] { [Index("by_text") { $0.text }] }
  }
}

@Suite("Objects created by steps and by other programs")
struct StepObjectTests {
  private typealias Step = DatabaseSchema.Step

  private func index(of database: Database) async throws -> [DatabaseValue] {
    try await database.values("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
  }

  @Test(
    "an undeclared object created by a step is refused, and the error shows its declaration",
    arguments: [
      (
        DatabaseSchema.Operation.createIndex("by_text", on: "note", ["text"], unique: true),
        "It creates the index by_text, which is not declared. A new file runs no steps, so the "
          + "object would be missing. Declare it on the model of note: Index(\"by_text\", unique: true) { … } in its indexes"
      ),
      (
        .sql("CREATE INDEX by_text ON note (text)"),
        "It creates the index by_text, which is not declared. A new file runs no steps, so the "
          + "object would be missing. Declare it on the model of note: Index(\"by_text\") { … } in its indexes"
      ),
      (
        .run { try $0.execute("CREATE VIEW texts AS SELECT text FROM note") },
        "It creates the view texts, which is not declared. A new file runs no steps, so the "
          + "object would be missing. Declare it in the objects of the schema"
      ),
      (
        .sql("CREATE TRIGGER noted AFTER INSERT ON note BEGIN SELECT 1; END"),
        "It creates the trigger noted, which is not declared. A new file runs no steps, so the "
          + "object would be missing. Declare it in the objects of the schema"
      ),
      (
        .sql("CREATE VIRTUAL TABLE words USING fts5(text)"),
        "It creates the table words, which is not declared. A new file runs no steps, so the "
          + "object would be missing. Declare it in the objects of the schema"
      ),
    ])
  func undeclared(operation: DatabaseSchema.Operation, message: String) async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let before = try await database.values("SELECT sql FROM sqlite_schema")
      let schema = DatabaseSchema(
        version: 3, Note.self,
        steps: [
          Step(to: 2, "texts", .sql("UPDATE note SET text = 'a'")), Step(to: 3, "x", operation),
        ]
      )
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message == "Step 3 (x): \(message)")
      #expect(error.code == .misuse && error.operation == .migrate)
      #expect(try await database.values("SELECT sql FROM sqlite_schema") == before)
      #expect(try await database.values("PRAGMA user_version") == [.integer(2)])
    }
  }

  @Test(
    "an undeclared object of an earlier step is refused with the last step, unless a step drops it")
  func earlierStep() async throws {
    let first = Step(to: 2, "index", .createIndex("by_text", on: "note", ["text"]))
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let error = try await failure {
        try await database.migrate(
          DatabaseSchema(
            version: 3, Note.self,
            steps: [first, Step(to: 3, "texts", .sql("UPDATE note SET text = 'a'"))]))
      }
      #expect(error.message.hasPrefix("Step 3 (texts): Step 2 (index) creates the index by_text, "))
      try await database.migrate(
        DatabaseSchema(
          version: 3, Note.self, steps: [first, Step(to: 3, "none", .dropIndex("by_text"))]))
      #expect(try await index(of: database) == [])
    }
  }

  @Test("an object of a step stays if it is declared, or on a table without a model")
  func declared() async throws {
    let step = Step(
      to: 2, "x", .createIndex("by_text", on: "note", ["text"], unique: true),
      .createTable("log", .column("text", String.self)),
      .createIndex("by_log", on: "log", ["text"], unique: true))
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let schema = DatabaseSchema(version: 2, Declared.Note.self, steps: [step])
      let plan = try await database.migrationPlan(for: schema)
      #expect(!plan.description.contains("DROP INDEX"))
      try await database.migrate(schema)
      #expect(
        try await index(of: database) == [
          .text(#"CREATE UNIQUE INDEX "by_text" ON "note" ("text")"#),
          .text(#"CREATE UNIQUE INDEX "by_log" ON "log" ("text")"#),
        ])
      try await database.migrate(schema)
      #expect(try await index(of: database).count == 2)
    }
  }

  // MARK: Unique indexes of other programs

  private func withForeignFile(
    _ sql: String, _ body: (Database) async throws -> Void
  ) async throws {
    try await withTemporaryDatabase(
      script:
        "CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT; \(sql)"
    ) { database in
      try await database.adopt(version: 1)
      try await body(database)
    }
  }

  @Test(
    "a unique index of another program is dropped only with permission, and the plan names it")
  func foreignUniqueIndex() async throws {
    let sql = "CREATE UNIQUE INDEX own ON note (text) WHERE text <> ''"
    try await withForeignFile(sql) { database in
      let error = try await failure { try await database.migrate(DatabaseSchema(Note.self)) }
      #expect(
        error.facts
          == ErrorFacts(
            .migrate, .misuse,
            "The unique index own of table note would be dropped, and with it the constraint that it "
              + "enforces: UNIQUE ON note (text) WHERE text <> ''. To keep it, declare it in the indexes of "
              + "the model: Index(\"own\", unique: true) { … }. To drop it, write a step with "
              + ".dropIndex(\"own\"), or call migrate with allowingDrops",
            path: database.path, table: "note"))
      #expect(try await index(of: database) == [.text(sql)])
      let plan = try await database.migrationPlan(
        for: DatabaseSchema(Note.self), allowingDrops: true)
      #expect(
        plan.transactions.first?.statements.prefix(3) == [
          "PRAGMA foreign_keys = OFF",
          "-- index own of table note enforces a constraint that no model declares: "
            + "UNIQUE ON note (text) WHERE text <> ''",
          #"DROP INDEX "own""#,
        ])
      try await database.migrate(DatabaseSchema(Note.self), allowingDrops: true)
      #expect(try await index(of: database) == [])
    }
    try await withForeignFile(sql) { database in
      try await database.migrate(
        DatabaseSchema(version: 2, Note.self, steps: [Step(to: 2, "x", .dropIndex("own"))]))
      #expect(try await index(of: database) == [])
    }
  }

  @Test("declaring the index keeps it, and a non-unique index is dropped as before")
  func keptIndex() async throws {
    try await withForeignFile("CREATE UNIQUE INDEX by_text ON note (text)") { database in
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Declared.Plain.self))
      }
      #expect(error.message.hasPrefix("The unique index by_text of table note would be dropped"))
      try await database.migrate(DatabaseSchema(Declared.Note.self))
      #expect(
        try await index(of: database) == [.text("CREATE UNIQUE INDEX by_text ON note (text)")])
      // The index belongs to the model from now on.
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try await index(of: database) == [])
    }
    try await withForeignFile("CREATE INDEX own ON note (text)") { database in
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try await index(of: database) == [])
    }
  }

  @Test("a plan names the constraints that a rebuilt table loses")
  func lostConstraints() async throws {
    let script = """
      CREATE TABLE mum (id INTEGER PRIMARY KEY);
      CREATE TABLE note (
        id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL UNIQUE CHECK (text <> ''),
        mum INTEGER REFERENCES mum);
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      let plan = try await database.migrationPlan(
        for: DatabaseSchema(Note.self), allowingDrops: true)
      let lost = "-- table note loses a constraint that its model does not declare: "
      #expect(
        plan.transactions.first?.statements.filter { $0.hasPrefix("--") } == [
          lost + "CHECK (text <> '')", lost + "FOREIGN KEY (mum) → mum", lost + "UNIQUE (text)",
        ])
    }
  }

  @Test(
    "dropColumn drops the indexes of the column, and no index that calls a function of its name")
  func dropColumn() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE item (id INTEGER PRIMARY KEY, lower TEXT, nocase TEXT, name TEXT);
        CREATE UNIQUE INDEX by_name ON item (lower(name));
        CREATE UNIQUE INDEX by_case ON item (name COLLATE nocase);
        CREATE INDEX by_lower ON item (lower);
        CREATE INDEX by_expression ON item (name) WHERE "lower" > '' AND "nocase" > '';
        """
    ) { database in
      try await database.adopt(version: 1)
      try await database.migrate(
        DatabaseSchema(
          version: 2,
          steps: [
            Step(
              to: 2, "x", .dropColumn("lower", from: "item"), .dropColumn("nocase", from: "item"))
          ]))
      #expect(
        try await database.values("SELECT name FROM sqlite_schema WHERE type = 'index'")
          == [.text("by_name"), .text("by_case")])
    }
  }
}

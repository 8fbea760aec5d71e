import Foundation
import Testing

@testable import MiniORM

fileprivate typealias Step = DatabaseSchema.Step

@Table("note") private struct Note: Equatable {
  let id: Int64
  var text: String
}

private enum Named {
  @Table("words") struct Words { let id: Int64 }
  @Table("note") struct Note {
    let id: Int64
    var text: String
    static var indexes: [Index<Note>] { [Index("words") { $0.text }] }
  }
}

@Suite("Migration steps")
struct SchemaStepTests {
  private func version(_ database: Database) async throws -> Int32? {
    try await database.read { db in try db.value(Int32.self, "PRAGMA user_version") }
  }

  @Test(
    "an invalid list of steps is refused before anything changes",
    arguments: [
      (
        [Step(to: 3, "b", .sql("SELECT 1")), Step(to: 2, "a", .sql("SELECT 1"))],
        "Step 2 (a) stands after Step 3 (b): list steps in the order of their versions"
      ),
      (
        [Step(to: 2, "a", .sql("SELECT 1")), Step(to: 2, "again", .sql("SELECT 1"))],
        "Step 2 (a) and Step 2 (again) lead to the same version: combine them into one step"
      ),
      (
        [Step(to: 5, "e", .sql("SELECT 1"))],
        "Step 5 (e) leads beyond the schema's version, which is 4: raise the version"
      ),
      (
        [Step(to: 1, "a", .sql("SELECT 1"))],
        "Step 1 (a) never runs: version 1 is the first schema, so steps lead to version 2 or later"
      ),
      ([Step(to: 2, "nothing")], "Step 2 (nothing) has no operations: remove the step"),
    ])
  fileprivate func wrongList(steps: [Step], message: String) async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    let schema = DatabaseSchema(version: 4, Note.self, steps: steps)
    for attempt in [
      { try await database.migrate(schema) }, { _ = try await database.migrationPlan(for: schema) },
    ] {
      let error = try await failure { try await attempt() }
      #expect(error.summary == "migrate 21 -.- -: \(message)")
    }
    #expect(try await version(database) == 0)
    #expect(try await database.values("SELECT name FROM sqlite_schema") == [])
    try await database.close()
  }

  @Test("a list without steps is valid, as for an app whose first steps are still to come")
  func noSteps() async throws {
    let schema = DatabaseSchema(version: 4, Note.self, steps: [])
    try await withFile(schema) { database throws in
      #expect(try await version(database) == 4)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
    }
  }

  @Test("a step takes an array of operations")
  func array() async throws {
    try await withFile(DatabaseSchema(Note.self, Named.Words.self)) { database throws in
      let step = Step(to: 2, "no tables", operations: ["words", "note"].map { .dropTable($0) })
      try await database.migrate(DatabaseSchema(version: 2, steps: [step]))
      #expect(
        try await database.values("SELECT name FROM sqlite_schema WHERE name IN ('words', 'note')")
          == [])
    }
  }

  @Test(
    "an index can have the name of a table that an earlier step dropped", arguments: [true, false])
  func nameOfDroppedTable(isStep: Bool) async throws {
    try await withFile(DatabaseSchema(Note.self, Named.Words.self)) { database throws in
      let index = Step(to: 3, "index", .createIndex("words", on: "note", ["text"]))
      let schema = DatabaseSchema(
        version: 3, Named.Note.self,
        steps: [Step(to: 2, "drop", .dropTable("words"))] + (isStep ? [index] : []))
      #expect(try await database.migrationPlan(for: schema).description.contains(#"INDEX "words""#))
      try await database.migrate(schema)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
    }
  }

  @Test("a trigger can have the name of a table: the plan is then empty")
  func nameOfTable() async throws {
    let trigger = SQLObject(
      "CREATE TRIGGER note AFTER INSERT ON note BEGIN UPDATE note SET text = 'seen'; END")
    let schema = DatabaseSchema(Note.self, objects: [trigger])
    try await withFile(schema) { database throws in
      #expect(try await database.migrationPlan(for: schema).isEmpty)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      try await Table<Note>().insert(Note(id: 1, text: "new"), in: database)
      #expect(try await Table<Note>().fetchAll(in: database) == [Note(id: 1, text: "seen")])
    }
  }

  @Test("a table listed twice, or named like MiniORM's own tables, is refused")
  func wrongModels() async throws {
    try await withFile { database throws in
      let twice = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, Note.self, City.self, Note.self))
      }
      #expect(
        twice.summary
          == "migrate 21 -.- -: The schema lists the table note twice: list each table once"
      )
      let own = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, Own.self))
      }
      #expect(
        own.summary
          == "migrate 21 -.- -: The name miniorm_x is reserved: choose a name that does not begin with miniorm_"
      )
    }
  }

  @Table("miniorm_x") fileprivate struct Own { let id: Int64 }

  @Test("a new file runs no step, and an older file runs its missing steps in order")
  func order() async throws {
    func schema(_ version: Int32) -> DatabaseSchema {
      let all = [
        Step(to: 2, "second", .sql("CREATE TABLE log (x); INSERT INTO log VALUES (2)")),
        Step(to: 4, "fourth", .sql("INSERT INTO log VALUES (4)")),
        Step(to: 5, "fifth", .run { db in try db.execute("INSERT INTO log VALUES (\(5))") }),
      ]
      let steps = all.filter { $0.version <= version }
      return steps.isEmpty
        ? DatabaseSchema(version: version, Note.self)
        : DatabaseSchema(version: version, Note.self, steps: steps)
    }
    let fresh = TemporaryFile()
    let new = try await fresh.open()
    try await new.migrate(schema(5))
    #expect(
      try await new.values("SELECT name FROM sqlite_schema WHERE type = 'table'") == [
        .text("note"), .text("miniorm_migrations"), .text("miniorm_objects"),
        .text("miniorm_tables"), .text("miniorm_columns"),
      ])
    #expect(try await new.migrationHistory().map(\.name) == ["created"])
    try await new.close()

    try await withFile(schema(1)) { database throws in
      try await database.migrate(schema(4))
      #expect(try await database.values("SELECT x FROM log") == [.integer(2), .integer(4)])
      #expect(try await version(database) == 4)
      try await database.migrate(schema(5))
      try await database.migrate(schema(5))
      #expect(
        try await database.values("SELECT x FROM log") == [.integer(2), .integer(4), .integer(5)])
      #expect(
        try await database.migrationHistory().map { "\($0.version) \($0.name)" } == [
          "1 created", "2 second", "4 fourth", "5 fifth",
        ])
      let dates = try await database.migrationHistory().map(\.date)
      #expect(dates == dates.sorted() && abs(dates[3].timeIntervalSinceNow) < 60)
    }
  }

  @Test("a failing third step keeps version 2 complete, and the error names step and SQL")
  func failing() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let schema = DatabaseSchema(
        version: 3, Note.self,
        steps: [
          Step(to: 2, "a log", .sql("CREATE TABLE log (x INTEGER NOT NULL)")),
          Step(
            to: 3, "fill the log",
            .sql("INSERT INTO log VALUES (1); INSERT INTO log VALUES (NULL)")),
        ])
      let error = try await failure { try await database.migrate(schema) }
      #expect(
        error.summary
          == "migrate 1299 log.x -: Step 3 (fill the log): NOT NULL constraint failed: log.x")
      #expect(error.sql == " INSERT INTO log VALUES (NULL)")
      #expect(error.path == database.path)
      #expect(try await version(database) == 2)
      #expect(try await database.values("SELECT x FROM log") == [])
      #expect(try await database.migrationHistory().map(\.name) == ["created", "a log"])
    }
  }

  private struct Refusal: Error {}

  @Test("the error contains what a step's closure throws, and the step is rolled back")
  func throwingClosures() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await Table<Note>().insert(Note.Draft(text: "a"), in: database)
      let run = Step(
        to: 2, "run",
        .sql("UPDATE note SET text = 'b'"), .run { _ in throw Refusal() })
      let backfill = Step(
        to: 2, "fill",
        .sql("UPDATE note SET text = 'b'"), .backfill("note") { _ in throw Refusal() })
      let unknown = Step(to: 2, "fill", .backfill("note") { _ in ["texd": "b"] })
      let unstorable = Step(to: 2, "fill", .backfill("note") { _ in ["text": Double.nan] })
      let table = Step(to: 2, "fill", .backfill("nota") { _ in [:] })
      for (step, summary) in [
        (run, "migrate 1 -.- -: Step 2 (run): Refusal()"),
        (backfill, "migrate 1 note.- -: Step 2 (fill): Refusal()"),
        (unknown, "migrate 1 -.- -: Step 2 (fill): no such column: texd"),
        (
          unstorable,
          "migrate 20 -.- -: Step 2 (fill): NaN cannot be stored: SQLite would turn it into NULL. "
            + "Use an Optional for a missing number"
        ),
        (table, "migrate 1 nota.- -: Step 2 (fill): no such table: nota"),
      ] {
        let error = try await failure {
          try await database.migrate(DatabaseSchema(version: 2, Note.self, steps: [step]))
        }
        #expect(error.summary == summary)
        #expect(try await version(database) == 1)
        #expect(try await database.values("SELECT text FROM note") == [.text("a")])
      }
    }
  }

  @Test(
    "a rename in which only letter case differs works, and references follow")
  func renameByCase() async throws {
    try await withFile { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE Tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE TAG_ (id INTEGER PRIMARY KEY, tag INTEGER REFERENCES Tag);
            CREATE INDEX tag_name ON Tag (name);
            INSERT INTO Tag VALUES (1, 'a');
            """)
      }
      let schema = DatabaseSchema(
        version: 3,
        steps: [
          Step(2, [.renameTable("Tag", to: "tag")]), Step(3, [.renameTable("TAG", to: "tag")]),
        ])
      try await database.migrate(schema)
      let declared = try await database.read { db in
        try db.query(
          "SELECT sql FROM sqlite_schema WHERE tbl_name IN ('tag', 'TAG_') ORDER BY name"
        ).map(\.values)
      }
      #expect(
        declared == [
          [.text(#"CREATE TABLE TAG_ (id INTEGER PRIMARY KEY, tag INTEGER REFERENCES "tag")"#)],
          [.text(#"CREATE TABLE "tag" (id INTEGER PRIMARY KEY, name TEXT)"#)],
          [.text(#"CREATE INDEX tag_name ON "tag" (name)"#)],
        ])
      let rows = try await database.read { try $0.query("SELECT * FROM tag").map(\.values) }
      #expect(rows == [[.integer(1), .text("a")]])
    }
  }

  @Test("typed operations run their SQL, and a repeated operation does nothing")
  func operations() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await Table<Note>().insert(Note.Draft(text: "Ada Lovelace"), in: database)
      let operations: [DatabaseSchema.Operation] = [
        .createTable(
          "tag", .column("id", Int64.self, .primaryKey), .column("name", String.self, .unique)),
        .createTable(
          "tagging", .column("note", Int64.self, .references(table: "note", onDelete: .cascade)),
          .column("tag", Int64.self, .references(table: "tag", "id")),
          primaryKey: ["note", "tag"], options: [.strict, .withoutRowID]),
        .addColumn("first", String?.self, to: "note"),
        .addColumn("rank", Int.self, .default(7), to: "note"),
        .addColumn("code", String?.self, .unique, to: "note"),
        .createIndex("note_first", on: "note", ["first", "rank"], unique: true, where: "rank > 1"),
        .renameColumn("first", to: "given", in: "note"),
        .renameTable("tag", to: "label"),
      ]
      let again = Array(operations.dropFirst(2).prefix(0)) + operations.suffix(2)
      func step(_ version: Int32, _ operations: [DatabaseSchema.Operation]) -> Step {
        Step(version, operations)
      }
      try await database.write { db in try db.execute(script: "CREATE TABLE old (x)") }
      let schema = DatabaseSchema(
        version: 3,
        steps: [
          step(2, operations),
          step(
            3,
            again + [
              .addColumn("given", String?.self, to: "note"),
              .createIndex(
                "note_first", on: "note", ["given", "rank"], unique: true, where: "rank > 1"),
              .createTable(
                "label", .column("id", Int64.self, .primaryKey),
                .column("name", String.self, .unique)),
              .backfill("note") { row in
                guard case .text(let text)? = row["text"] else { return [:] }
                return ["given": String(text.prefix { $0 != " " })]
              },
              .rebuildTable(
                "note", .column("id", Int64.self, .primaryKey), .column("given", String.self),
                .column("family", String.self), .column("rank", Int.self, .default(1)),
                values: ["family": "substr(text, instr(text, ' ') + 1)"]),
              .dropColumn("rank", from: "note"), .dropColumn("rank", from: "note"),
              .dropTable("old"), .dropIndex("none"),
            ]),
        ])
      try await database.migrate(schema, allowingDrops: true)
      #expect(
        try await database.values(
          "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'miniorm%' ORDER BY name"
        ) == [
          .text(
            """
            CREATE TABLE "label" (
              "id" INTEGER PRIMARY KEY NOT NULL,
              "name" TEXT NOT NULL UNIQUE
            ) STRICT
            """),
          .text(
            """
            CREATE TABLE "note" (
              "id" INTEGER PRIMARY KEY NOT NULL, "given" TEXT NOT NULL, "family" TEXT NOT NULL
            ) STRICT
            """),
          .text(
            """
            CREATE TABLE "tagging" (
              "note" INTEGER NOT NULL REFERENCES "note" ON DELETE CASCADE,
              "tag" INTEGER NOT NULL REFERENCES "label" ("id"),
              PRIMARY KEY ("note", "tag")
            ) STRICT, WITHOUT ROWID
            """),
        ])
      let rows = try await database.read { db in try db.query("SELECT * FROM note") }
      #expect(rows.map(\.values) == [[.integer(1), .text("Ada"), .text("Lovelace")]])
    }
  }

  @Test(
    "an operation that contradicts the file names the contradiction",
    arguments: [
      (
        DatabaseSchema.Operation.createTable("note", .column("id", Int64.self, .primaryKey)),
        """
        There is a table note already, and it differs from the table to create. Correct the step, or change the table with .rebuildTable:
        column note.text is in the file and not in the model
        """
      ),
      (
        .addColumn("text", String?.self, to: "note"),
        "There is a column note.text already, and its nullability is NOT NULL and not NULL: correct the step, or change the column with .rebuildTable"
      ),
      (.addColumn("x", Int?.self, to: "nota"), "no such table: nota"),
      (.renameColumn("a", to: "b", in: "note"), #"no such column: ""a"""#),
      (.renameTable("a", to: "b"), "no such table: a"),
      (
        .addColumn("rank", Int.self, to: "note"),
        "1 row of note would have no value for the new column rank, which is neither optional nor "
          + "has a default: declare a default, or fill the column in a step"
      ),
      (
        .rebuildTable("note", .column("id", Int64.self), values: ["other": "1"]),
        "The new table note has no column other to set: correct the name"
      ),
      (
        .createIndex("i", on: "note", ["b"]),
        "no such column: \"b\" - should this be a string literal in single-quotes?"
      ),
      (
        .sql("CREATE INDEX i ON note (text); COMMIT; SELECT 1"),
        controlRefusal
      ),
      (
        .sql("ROLLBACK; CREATE TABLE a (b)"),
        controlRefusal
      ),
      (
        .run { db in try db.execute("ROLLBACK") },
        controlRefusal
      ),
    ])
  fileprivate func contradictions(operation: DatabaseSchema.Operation, message: String) async throws
  {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await Table<Note>().insert(Note.Draft(text: "a"), in: database)
      let before = try await database.values("SELECT sql FROM sqlite_schema")
      let error = try await failure {
        try await database.migrate(
          DatabaseSchema(version: 2, Note.self, steps: [Step(to: 2, "x", operation)]))
      }
      #expect(error.operation == .migrate)
      #expect(error.message == "Step 2 (x): \(message)")
      #expect(try await database.values("SELECT sql FROM sqlite_schema") == before)
      #expect(try await version(database) == 1)
      // The connection works as before.
      #expect(
        try await database.values("PRAGMA foreign_keys") == [.integer(1)])
      try await Table<Note>().insert(Note.Draft(text: "b"), in: database)
    }
  }

  @Test("an index of other columns with the same name is an error")
  func takenIndex() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await database.write { try $0.execute("CREATE INDEX taken ON note (text)") }
      let step = Step(to: 2, "x", .createIndex("taken", on: "note", ["id"]))
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, Note.self, steps: [step]))
      }
      #expect(
        error.message == "Step 2 (x): There is an index taken already, ON note (text): drop it "
          + "first, or rename the new index")
      #expect(
        try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'taken'")
          == [.text("CREATE INDEX taken ON note (text)")])
    }
  }

  @Test("a damaged history is an error")
  func damagedHistory() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await database.write { db in
        try db.execute("UPDATE miniorm_migrations SET applied = 'yesterday'")
      }
      let error = try await failure { try await database.migrationHistory() }
      #expect(
        error.code == .mismatch
          && error.message
            == "The migration history cannot be read: a row has an invalid version, name or date. Restore a backup of the file"
      )
      #expect(error.table == "miniorm_migrations")
    }
  }

  @Test("dropping a table never deletes rows of other tables, and the orphans are named")
  func foreignKeys() async throws {
    let script = """
      CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE person (id INTEGER PRIMARY KEY, city INTEGER REFERENCES city ON DELETE CASCADE);
      INSERT INTO city VALUES (1, 'Reims'), (2, 'Lyon');
      INSERT INTO person VALUES (1, 1), (2, NULL), (3, 2);
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      let broken = try await failure {
        try await database.migrate(
          DatabaseSchema(version: 2, steps: [Step(to: 2, "no cities", .dropTable("city"))]))
      }
      #expect(
        broken.facts
          == ErrorFacts(
            .migrate, .constraintForeignKey,
            """
            Step 2 (no cities): Rows would refer to parents that do not exist. Insert the parents, or change these rows:
            table person, rowid 1, column city: no such row in city
            table person, rowid 3, column city: no such row in city
            """, path: database.path, table: "person", column: "city"))
      #expect(try await database.values("SELECT count(*) FROM person") == [.integer(3)])
      try await database.migrate(
        DatabaseSchema(
          version: 2,
          steps: [
            Step(
              to: 2, "no cities", .sql("UPDATE person SET city = NULL"), .dropTable("city"),
              .dropColumn("city", from: "person"))
          ]))
      #expect(
        try await database.values("SELECT id FROM person") == [
          .integer(1), .integer(2), .integer(3),
        ])
      #expect(try await database.values("PRAGMA foreign_keys") == [.integer(1)])
    }
  }
}

extension DatabaseSchema.Step {
  fileprivate init(_ version: Int32, _ operations: [DatabaseSchema.Operation]) {
    self.init(to: version, "step", operations: operations)
  }
}

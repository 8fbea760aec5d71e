import Testing

@testable import MiniORM

fileprivate typealias Step = DatabaseSchema.Step

@Table("note") private struct Note: Equatable {
  let id: Int64
  var text: String
}

private func step(_ version: Int32, _ name: String) -> Step {
  Step(to: version, name, .sql("UPDATE note SET text = text || '\(version)'"))
}

private func schema(_ version: Int32, _ steps: Step...) -> DatabaseSchema {
  DatabaseSchema(version: version, Note.self, steps: steps)
}

@Suite("Steps merged from two branches")
struct LateStepTests {
  /// Runs a test on a file of the first version with a single row.
  private func withNote(_ first: DatabaseSchema, _ body: (Database) async throws -> Void)
    async throws
  {
    try await withFile(first) { database throws in
      try await database.write { db in try db.execute("INSERT INTO note VALUES (1, '')") }
      try await body(database)
    }
  }

  /// Expects `migrate` and `migrationPlan` to refuse a schema without changing the file.
  private func expectRefusal(
    _ schema: DatabaseSchema, _ database: Database, _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await database.values("SELECT text || id FROM note")
    for attempt in [
      { try await database.migrate(schema) }, { _ = try await database.migrationPlan(for: schema) },
    ] {
      let error = try await failure(attempt)
      #expect(error.summary == "migrate 21 -.- -: \(message)", sourceLocation: sourceLocation)
    }
    #expect(try await database.values("SELECT text || id FROM note") == before)
  }

  private static func late(_ step: String, _ version: Int) -> String {
    "\(step) has not run in this file, which has version \(version) already: the step was added later. "
      + "Give it a version that no file has yet"
  }

  @Test("a step merged after a later step has run is refused by name")
  func late() async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      try await database.migrate(schema(3, step(3, "three")))
      for version: Int32 in [3, 4] {
        try await expectRefusal(
          schema(version, step(2, "two"), step(3, "three")), database,
          Self.late("Step 2 (two)", 3))
      }
      // Follows the advice of the message.
      try await database.migrate(schema(4, step(3, "three"), step(4, "two")))
      #expect(try await database.values("SELECT text FROM note") == [.text("34")])
      #expect(try await database.migrationHistory().map(\.name) == ["created", "three", "two"])
    }
  }

  @Test("a new file records the steps listed at its creation, and runs none of them")
  func created() async throws {
    try await withNote(schema(3, step(3, "three"))) { database throws in
      try await expectRefusal(
        schema(3, step(2, "two"), step(3, "three")), database, Self.late("Step 2 (two)", 3))
      try await database.migrate(schema(4, step(3, "reworded"), step(4, "four")))
      #expect(try await database.values("SELECT text FROM note") == [.text("4")])
      #expect(try await database.migrationHistory().map(\.version) == [3, 4])
      #expect(try await database.migrationHistory().map(\.name) == ["created", "four"])
    }
    try await withNote(DatabaseSchema(version: 3, Note.self)) { database throws in
      try await expectRefusal(schema(3, step(3, "three")), database, Self.late("Step 3 (three)", 3))
    }
  }

  @Test("a step for a version that the file reached without a step is refused")
  func followed() async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      try await database.migrate(DatabaseSchema(version: 2, Note.self))
      try await expectRefusal(schema(2, step(2, "two")), database, Self.late("Step 2 (two)", 2))
      try await expectRefusal(
        schema(3, step(3, "changes that follow from the models")), database,
        "The step name \"changes that follow from the models\" is reserved: choose another name"
      )
    }
  }

  @Test("swapped steps are distinguished from renamed steps")
  func swapped() async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      try await database.migrate(schema(2, step(2, "names")))
      try await expectRefusal(
        schema(3, step(2, "prices"), step(3, "names")), database,
        "Step 2 (prices) has not run in this file, which reached version 2 by the step now listed as "
          + "Step 3 (names): keep the version of each step")
      try await database.migrate(schema(3, step(2, "all names"), step(3, "prices")))
      #expect(try await database.values("SELECT text FROM note") == [.text("23")])
    }
  }

  @Test("adopted files and files without recorded steps keep their version")
  func believed() async throws {
    try await withNote(DatabaseSchema(version: 3, Note.self)) { database throws in
      try await database.write { db throws in
        #expect(try db.execute("DELETE FROM miniorm_migrations WHERE version < 0") == 1)
      }
      try await database.migrate(schema(4, step(2, "two"), step(4, "four")))
      #expect(try await database.values("SELECT text FROM note") == [.text("4")])
    }
    try await withTemporaryDatabase(
      script:
        "CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT; INSERT INTO note VALUES (1, '')"
    ) {
      database in
      try await database.adopt(version: 3)
      try await database.migrate(schema(4, step(2, "two"), step(4, "four")))
      #expect(try await database.values("SELECT text FROM note") == [.text("4")])
    }
  }

  @Test("a deferred foreign key violated at COMMIT names its step and the row")
  func deferred() async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      let parents = Step(
        to: 2, "parents",
        .sql(
          """
          CREATE TABLE child (parent INTEGER REFERENCES note DEFERRABLE INITIALLY DEFERRED);
          INSERT INTO child VALUES (1), (7);
          """))
      let error = try await failure { try await database.migrate(schema(2, parents)) }
      #expect(
        error.summary == """
          migrate 787 child.parent -: Step 2 (parents): Rows would refer to parents that do not exist. Insert the parents, or change these rows:
          table child, rowid 2, column parent: no such row in note
          """)
      #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
    }
  }

  @Test("of many rows with broken foreign keys, the error lists ten", arguments: [9, 10, 11])
  func manyBroken(count: Int) async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      let parents = Step(
        to: 2, "parents",
        .sql(
          """
          CREATE TABLE child (parent INTEGER REFERENCES note DEFERRABLE INITIALLY DEFERRED);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO child SELECT i + 100 FROM n;
          """))
      let error = try await failure { try await database.migrate(schema(2, parents)) }
      let lines = error.message.split(separator: "\n")
      #expect(lines.count == 1 + min(count, 10) + (count > 10 ? 1 : 0))
      #expect((lines.last == "and more") == (count > 10), "\(error.message)")
    }
  }

  @Test("a step that deletes another step's history record is detected")
  func deletedEntry() async throws {
    try await withNote(DatabaseSchema(Note.self)) { database throws in
      let deletion = "DELETE FROM miniorm_migrations WHERE version = 2"
      let error = try await failure {
        try await database.migrate(
          schema(3, step(2, "two"), Step(to: 3, "three", .sql(deletion))))
      }
      #expect(error.summary == "migrate 21 -.- -: \(Self.late("Step 2 (two)", 3))")
      #expect(try await database.values("SELECT text FROM note") == [.text("2")])
    }
  }
}

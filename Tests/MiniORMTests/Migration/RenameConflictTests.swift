import Testing

@testable import MiniORM

fileprivate typealias Step = DatabaseSchema.Step

private enum Plain {
  @Table("human") struct Human: Equatable {
    let id: Int64
    var name: String
  }
}

@Table("human", renamedFrom: "folk", "person") private struct Human: Equatable {
  let id: Int64
  @Column(renamedFrom: "label", "title") var name: String
}

@Table("person") private struct Folk: Equatable {
  let id: Int64
  var name: String
}

// Tables whose names moved on: each has the name that the next had before.
@Table("a", renamedFrom: "b") private struct A: Equatable {
  let id: Int64
  @Column(renamedFrom: "y") var x: Int
}
@Table("b", renamedFrom: "c") private struct B: Equatable {
  let id: Int64
  @Column(renamedFrom: "x") var y: Int
}

private enum Circle {
  @Table("a", renamedFrom: "b") struct A {
    let id: Int64
  }
  @Table("b", renamedFrom: "c", "A") struct B {
    let id: Int64
  }
  @Table("c", renamedFrom: "b") struct C {
    let id: Int64
  }
  @Table("d", renamedFrom: "D", "a") struct D {
    let id: Int64
  }
}

@Suite("Declared renames whose old and new names both exist")
struct RenameConflictTests {
  private func expectRefusal(
    _ schema: DatabaseSchema, _ database: Database, _ summary: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for attempt in [
      { try await database.migrate(schema) },
      { try await database.migrate(schema, allowingDrops: true) },
      { _ = try await database.migrationPlan(for: schema) },
    ] {
      let error = try await failure(attempt)
      #expect(error.summary == summary, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "a table beside its former name is refused, until a step moves the rows", arguments: [1, 2])
  func tables(version: Int32) async throws {
    try await withFile(DatabaseSchema(Folk.self, Plain.Human.self)) { database throws in
      try await Table<Folk>().insert(Folk(id: 1, name: "Ada"), in: database)
      let schema = DatabaseSchema(version: version, Human.self)
      try await expectRefusal(
        schema, database,
        """
        migrate 21 human.- -: The file has both the table human and the table person, from which the \
        model says it was renamed: in a step, move the rows of person and drop it with \
        .dropTable("person"), or remove renamedFrom: "person"
        """)
      let report = try await database.schemaReport(for: schema)
      #expect(
        report.description
          == "table human: name is human and person in the file and human in the model")
      #expect(try await Table<Folk>().count(in: database) == 1)
      // A different model may have the former name.
      let both = DatabaseSchema(version: version, Human.self, Folk.self)
      #expect(try await database.schemaReport(for: both).isEmpty)
      try await database.migrate(both)
      let moved = Step(
        to: 3, "moved", .sql("INSERT INTO human SELECT * FROM person"), .dropTable("person"))
      try await database.migrate(DatabaseSchema(version: 3, Human.self, steps: [moved]))
      #expect(
        try await Table<Human>().fetchAll(in: database) == [Human(id: 1, name: "Ada")])
    }
  }

  @Test("a column beside its former name is refused, also with permission to drop columns")
  func columns() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE human (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, Title TEXT) STRICT;
        INSERT INTO human VALUES (1, '', 'Ada');
        """
    ) { database in
      try await database.adopt(version: 1)
      try await expectRefusal(
        DatabaseSchema(Human.self), database,
        """
        migrate 21 human.name -: The table human has both the column name and the column title, from \
        which the model says it was renamed: in a step, move the values of title and drop it with \
        .dropColumn("title", from: "human"), or remove renamedFrom: "title"
        """)
      #expect(try await database.values("SELECT title FROM human") == [.text("Ada")])
      let moved = Step(
        to: 2, "moved", .sql("UPDATE human SET name = title"), .dropColumn("title", from: "human"))
      try await database.migrate(DatabaseSchema(version: 2, Human.self, steps: [moved]))
      #expect(
        try await Table<Human>().fetchAll(in: database) == [Human(id: 1, name: "Ada")])
    }
  }

  @Test("names that moved from table to table are renamed in any order of the models")
  func chain() async throws {
    for models: [any Model.Type] in [[A.self, B.self], [B.self, A.self]] {
      try await withTemporaryDatabase(
        script: """
          CREATE TABLE b (id INTEGER PRIMARY KEY NOT NULL, x INTEGER NOT NULL) STRICT;
          CREATE TABLE c (id INTEGER PRIMARY KEY NOT NULL, y INTEGER NOT NULL) STRICT;
          INSERT INTO b VALUES (1, 10);
          INSERT INTO c VALUES (2, 20);
          """
      ) { database in
        try await database.adopt(version: 1)
        let schema = DatabaseSchema(version: 1, models)
        try await database.migrate(schema)
        #expect(try await Table<A>().fetchAll(in: database) == [A(id: 1, x: 10)])
        #expect(try await Table<B>().fetchAll(in: database) == [B(id: 2, y: 20)])
        #expect(try await database.schemaReport(for: schema).isEmpty)
      }
    }
  }

  @Test(
    "tables that are renamed in a circle are refused, also for a new file",
    arguments: [
      ([Circle.A.self, Circle.B.self], "a", "a, b"),
      ([Circle.D.self, Circle.C.self, Circle.B.self], "c", "c, b"),
      ([Circle.D.self, Circle.C.self, Circle.B.self, Circle.A.self], "c", "c, b"),
    ] as [([any Model.Type], String, String)])
  func circles(models: [any Model.Type], first: String, names: String) async throws {
    try await withTemporaryDatabase { database in
      try await expectRefusal(
        DatabaseSchema(version: 1, models), database,
        """
        migrate 21 \(first).- -: The renamedFrom: of the tables \(names) form a circle, so that a \
        file does not show which table is which: rename them with .renameTable in a step, through \
        another name, and remove renamedFrom:
        """)
    }
  }
}

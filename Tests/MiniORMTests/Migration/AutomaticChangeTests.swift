import Testing

@testable import MiniORM

// An application before and after a change of its models.
enum Before {
  @Table("city") struct City: Equatable {
    let id: Int64
    var name: String
  }
  @Table("person") struct Person: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    var name: String
    var phone: String?
    var age: String
    @Column(.references(City.self)) var cityID: Int64?
  }
}

enum After {
  @Table("town", renamedFrom: "place", "city") struct City: Equatable {
    let id: Int64
    @Column(.unique) var name: String
    var country = "FR"
  }
  @Table("person") struct Person: Equatable {
    @Column(.primaryKey(autoincrement: true)) let id: Int64
    @Column("fullName", renamedFrom: "name") var name: String
    @Column(.check("telephone <> ''"), renamedFrom: "tel", "phone") var telephone: String?
    var age: Int
    @Column(.references(City.self, onDelete: .setNull)) var cityID: Int64?
    var note: String?
    @Column(.default(sql: "CURRENT_TIMESTAMP")) var created: String
  }
}
extension After.Person {
  static var indexes: [Index<After.Person>] { [Index { $0.name }] }
}

@Table("note") private struct Note: Equatable {
  let id: Int64
  var text: String
}

@Table("labelled") private struct Labelled {
  let id: Int64
  var text: String
}
extension Labelled {
  static var indexes: [Index<Labelled>] { [Index("by_text") { $0.text }] }
}

@Suite("Automatic changes")
struct AutomaticChangeTests {
  private let before = DatabaseSchema(version: 1, Before.City.self, Before.Person.self)
  private let after = DatabaseSchema(version: 2, After.City.self, After.Person.self)

  private func fill(_ database: Database, age: String = "36") async throws {
    try await database.write { db in
      try db.execute(
        script: """
          INSERT INTO city VALUES (1, 'Reims'), (2, 'Lyon');
          INSERT INTO person VALUES (1, 'Ada', '123', '36', 1), (7, 'Bob', NULL, '\(age)', NULL),
            (9, 'Cid', NULL, '1', 2);
          DELETE FROM person WHERE id = 9;
          CREATE TABLE audit (what TEXT);
          CREATE TRIGGER renamed AFTER UPDATE OF name ON person BEGIN
            INSERT INTO audit VALUES (old.name || ' → ' || new.name);
          END;
          CREATE VIEW inhabitants AS
            SELECT city.name AS city, person.name AS person FROM person JOIN city ON city.id = cityID;
          """)
    }
  }

  @Test(
    "renames, new columns, changed constraints and types keep rows, triggers and views")
  func everything() async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      try await database.migrate(after)
      #expect(try await database.schemaReport(for: after).isEmpty)
      let people = try await Table<After.Person>().fetchAll(in: database)
      let created = try #require(people.first?.created)
      #expect(
        people
          == [
            After.Person(
              id: 1, name: "Ada", telephone: "123", age: 36, cityID: 1, note: nil, created: created),
            After.Person(
              id: 7, name: "Bob", telephone: nil, age: 20, cityID: nil, note: nil, created: created),
          ].map { person in
            var person = person
            if person.id == 7 { person.age = 36 }
            return person
          })
      #expect(
        try await Table<After.City>().fetchAll(in: database) == [
          After.City(id: 1, name: "Reims"), After.City(id: 2, name: "Lyon"),
        ])
      // The trigger and the view still work, and AUTOINCREMENT does not reuse ids.
      try await database.write { db in
        try db.execute("UPDATE person SET fullName = 'Ada L.' WHERE id = 1")
      }
      #expect(try await database.values("SELECT what FROM audit") == [.text("Ada → Ada L.")])
      #expect(try await database.values("SELECT person FROM inhabitants") == [.text("Ada L.")])
      let new = try await Table<After.Person>().insert(
        After.Person.Draft(name: "Dee", age: 1), in: database)
      #expect(new.id == 10)
      let text = try await database.values("SELECT group_concat(sql) FROM sqlite_schema")
      try await database.migrate(after)
      #expect(try await database.values("SELECT group_concat(sql) FROM sqlite_schema") == text)
      #expect(
        try await database.migrationHistory().map(\.name) == [
          "created", "changes that follow from the models",
        ])
    }
  }

  @Test("an index of the same name on another table is not taken for the declared index")
  func indexOfOtherTable() async throws {
    try await withTemporaryDatabase { database in
      try await database.write { db in
        try db.execute(
          script: "CREATE TABLE archive (text TEXT); CREATE INDEX by_text ON archive (text);")
      }
      try await database.adopt(version: 1)
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 1, Labelled.self))
      }
      #expect(error.message.contains("There is an index by_text already, ON archive (text)"))
    }
  }

  @Test("a plan describes the changes, and makes none")
  func plan() async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      let declarations = try await database.values("SELECT sql FROM sqlite_schema")
      let plan = try await database.migrationPlan(for: after)
      #expect(plan.version == 1 && plan.transactions.map(\.version) == [2])
      #expect(
        plan.description == """
          -- version 2: changes that follow from the models
          PRAGMA foreign_keys = OFF;
          ALTER TABLE "city" RENAME TO "town";
          ALTER TABLE "person" RENAME COLUMN "name" TO "fullName";
          ALTER TABLE "person" RENAME COLUMN "phone" TO "telephone";
          CREATE TABLE "miniorm_new_town" (
            "id" INTEGER PRIMARY KEY NOT NULL,
            "name" TEXT NOT NULL UNIQUE,
            "country" TEXT NOT NULL DEFAULT ('FR')
          ) STRICT;
          INSERT INTO "miniorm_new_town" ("id", "name") SELECT "id", "name" FROM "town";
          DROP TABLE "town";
          PRAGMA legacy_alter_table = ON;
          ALTER TABLE "miniorm_new_town" RENAME TO "town";
          PRAGMA legacy_alter_table = OFF;
          -- none of these may hold for a row of person: CASE typeof("age") WHEN 'integer' THEN CAST(CAST("age" AS INTEGER) AS INTEGER) WHEN 'real' THEN CAST(CAST("age" AS INTEGER) AS REAL) WHEN 'text' THEN CAST(CAST("age" AS INTEGER) AS TEXT) WHEN 'blob' THEN CAST(CAST("age" AS INTEGER) AS BLOB) END IS NOT "age"
          CREATE TABLE "miniorm_new_person" (
            "id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
            "fullName" TEXT NOT NULL,
            "telephone" TEXT CHECK (telephone <> ''),
            "age" INTEGER NOT NULL,
            "cityID" INTEGER REFERENCES "town" ON DELETE SET NULL,
            "note" TEXT,
            "created" TEXT NOT NULL DEFAULT (CURRENT_TIMESTAMP)
          ) STRICT;
          INSERT INTO "miniorm_new_person" ("id", "fullName", "telephone", "age", "cityID") SELECT "id", "fullName", "telephone", "age", "cityID" FROM "person";
          DELETE FROM sqlite_sequence WHERE name = 'miniorm_new_person';
          INSERT INTO sqlite_sequence (name, seq) SELECT 'miniorm_new_person', seq FROM sqlite_sequence WHERE name = 'person';
          DROP TABLE "person";
          PRAGMA legacy_alter_table = ON;
          ALTER TABLE "miniorm_new_person" RENAME TO "person";
          PRAGMA legacy_alter_table = OFF;
          CREATE TRIGGER renamed AFTER UPDATE OF "fullName" ON person BEGIN
            INSERT INTO audit VALUES (old."fullName" || ' → ' || new."fullName");
          END;
          CREATE INDEX "index_person_on_fullName" ON "person" ("fullName");
          INSERT INTO miniorm_migrations (version, name) VALUES (2, 'changes that follow from the models');
          PRAGMA user_version = 2;
          PRAGMA foreign_keys = ON;
          """)
      #expect(try await database.values("SELECT sql FROM sqlite_schema") == declarations)
      #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
      try await database.migrate(after)
      let nothing = try await database.migrationPlan(for: after)
      #expect(nothing.isEmpty && nothing.description == "-- version 2: nothing to do")
    }
  }

  @Test("plans of a new file, of steps with closures, and of a read-only file")
  func plans() async throws {
    let schema = DatabaseSchema(
      version: 3, Note.self,
      steps: [
        DatabaseSchema.Step(
          to: 3, "texts", .backfill("note") { _ in [:] }, .run { _ in },
          .addColumn("text", String.self, .default(""), to: "note"))
      ])
    let file = TemporaryFile()
    let database = try await file.open()
    #expect(
      try await database.migrationPlan(for: schema).transactions == [
        .init(
          version: 3, name: "created",
          statements: [
            """
            CREATE TABLE "note" (
              "id" INTEGER PRIMARY KEY NOT NULL,
              "text" TEXT NOT NULL
            ) STRICT
            """, Migrator.historySQL,
            "INSERT INTO miniorm_migrations (version, name) VALUES (3, 'created')",
            "PRAGMA user_version = 3",
          ])
      ])
    try await database.write { db in
      try db.execute(script: "CREATE TABLE note (id INTEGER PRIMARY KEY) STRICT")
    }
    try await database.adopt(version: 1)
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await file.open(configuration)
    let plan = try await reader.migrationPlan(for: schema)
    #expect(plan.version == 1)
    #expect(plan.transactions.map(\.name) == ["texts", "changes that follow from the models"])
    #expect(
      plan.transactions.first?.statements == [
        "PRAGMA foreign_keys = OFF", "-- a closure fills in the rows of note",
        "-- a closure runs here",
        #"ALTER TABLE "note" ADD COLUMN "text" TEXT NOT NULL DEFAULT ('')"#,
        "INSERT INTO miniorm_migrations (version, name) VALUES (3, 'texts')",
        "PRAGMA user_version = 3", "PRAGMA foreign_keys = ON",
      ])
    try await reader.close()
  }

  @Test(
    "changes that would lose or invent data are refused with the number of rows",
    arguments: [
      (
        "UPDATE person SET age = 'old' WHERE id = 7",
        "migrate 20 person.age -: rebuild table person: 1 row of person holds a value in column "
          + "age that the type INTEGER would change: convert it in a step"
      ),
      (
        "UPDATE person SET phone = ''",
        "migrate 275 -.- -: rebuild table person: CHECK constraint failed: telephone <> ''"
      ),
      (
        "UPDATE city SET name = 'Reims'",
        "migrate 2067 town.name -: rebuild table town: UNIQUE constraint failed: town.name"
      ),
      (
        "PRAGMA foreign_keys = OFF; UPDATE person SET cityID = 5 WHERE id = 1",
        """
        migrate 787 person.cityID -: Rows would refer to parents that do not exist. Insert the parents, or change these rows:
        table person, rowid 1, column cityID: no such row in town
        """
      ),
    ])
  func refused(script: String, summary: String) async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      let isPragma = script.hasPrefix("PRAGMA")
      if isPragma {
        // Outside a transaction, where the PRAGMA takes effect.
        try await database.writer.isolatedScript(script)
      } else {
        try await database.write { db in try db.execute(script: script) }
      }
      let before = try await database.values("SELECT sql FROM sqlite_schema")
      let error = try await failure { try await database.migrate(after) }
      #expect(error.summary == summary)
      #expect(try await database.values("SELECT sql FROM sqlite_schema") == before)
      #expect(try await database.values("SELECT count(*) FROM person") == [.integer(2)])
    }
  }

  enum Strict {
    @Table("person") struct Person: Equatable {
      @Column(.primaryKey(autoincrement: true)) let id: Int64
      var name: String
      var phone: String
      var age: String
      @Column(.references(City.self)) var cityID: Int64?
    }
    @Table("person") struct Fewer: Equatable {
      @Column(.primaryKey(autoincrement: true)) let id: Int64
      var name: String
      @Column(.references(City.self)) var cityID: Int64?
    }
    @Table("person") struct Newer: Equatable {
      @Column(.primaryKey(autoincrement: true)) let id: Int64
      var name: String
      var phone: String?
      var age: String
      @Column(.references(City.self)) var cityID: Int64?
      var mail: String
    }
  }

  @Test("NULLs in a column that becomes NOT NULL are counted, not converted")
  func nulls() async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Before.City.self, Strict.Person.self))
      }
      #expect(
        error.summary
          == "migrate 1299 person.phone -: rebuild table person: 1 row of person holds NULL in "
          + "column phone, which becomes NOT NULL: fill it in a step")
      let newer = try await failure {
        try await database.migrate(DatabaseSchema(Before.City.self, Strict.Newer.self))
      }
      #expect(
        newer.summary
          == "migrate 1299 person.mail -: rebuild table person: 2 rows of person would have no value for "
          + "the new column mail, which is neither optional nor has a default: declare a "
          + "default, or fill the column in a step")
      try await database.write { db in try db.execute("UPDATE person SET phone = 'none'") }
      try await database.migrate(DatabaseSchema(Before.City.self, Strict.Person.self))
      #expect(try await Table<Strict.Person>().count(in: database) == 2)
    }
  }

  @Test("columns are dropped only with permission, and tables only by a step")
  func drops() async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      let schema = DatabaseSchema(Before.City.self, Strict.Fewer.self)
      let message =
        "Columns person.phone, person.age would be lost: the model does not have them, or computes "
        + "them. To drop the data, write a step with .dropColumn(\"phone\", from: \"person\"), or call "
        + "migrate with allowingDrops. If a column was renamed, declare the property with "
        + "renamedFrom: \"phone\""
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.summary == "migrate 21 person.phone -: \(message)")
      let planned = try await failure { _ = try await database.migrationPlan(for: schema) }
      #expect(planned.summary == error.summary)
      try await database.migrate(schema, allowingDrops: true)
      #expect(
        try await Table<Strict.Fewer>().fetchAll(in: database) == [
          Strict.Fewer(id: 1, name: "Ada", cityID: 1),
          Strict.Fewer(id: 7, name: "Bob", cityID: nil),
        ])
      try await database.migrate(DatabaseSchema(version: 2, Strict.Fewer.self), allowingDrops: true)
      #expect(try await database.values("SELECT count(*) FROM city") == [.integer(2)])
    }
  }

  @Test("a view or trigger that would no longer compile is named, and nothing changes")
  func brokenObjects() async throws {
    try await withFile(before) { database throws in
      try await fill(database)
      try await database.write { db in
        try db.execute(
          script: """
            CREATE VIEW phones AS SELECT phone FROM person;
            CREATE VIEW broken AS SELECT x FROM nowhere;
            """)
      }
      let schema = DatabaseSchema(Before.City.self, Strict.Fewer.self)
      let error = try await failure { try await database.migrate(schema, allowingDrops: true) }
      #expect(
        error.summary
          == "migrate 1 -.- -: The view phones would no longer compile: drop or change the view or "
          + "trigger in a step: no such column: phone")
      try await database.write { db in
        try db.execute(
          script: """
            DROP VIEW phones;
            CREATE TRIGGER calls AFTER INSERT ON person BEGIN
              INSERT INTO audit VALUES (new.phone);
            END;
            """)
      }
      let trigger = try await failure { try await database.migrate(schema, allowingDrops: true) }
      #expect(
        trigger.summary
          == "migrate 1 -.- -: The insertion into person would no longer compile: drop or "
          + "change the view or trigger in a step: no such column: new.phone")
      #expect(try await database.values("SELECT count(phone) FROM person") == [.integer(1)])
    }
  }

  @Test("tables of another program are adopted by an explicit call, and then follow the models")
  func adoption() async throws {
    let script = """
      CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text VARCHAR(20));
      INSERT INTO note VALUES (3, 'a'), (5, 'b');
      DELETE FROM note WHERE id = 5;
      PRAGMA user_version = 12;
      """
    try await withTemporaryDatabase(script: script) { database in
      let schema = DatabaseSchema(
        version: 13, Note.self,
        steps: [DatabaseSchema.Step(to: 13, "x", .sql("UPDATE note SET text = 'c'"))])
      let foreign = try await failure { try await database.migrate(schema) }
      #expect(
        foreign.summary
          == "migrate 21 -.- -: The file has version 12, but no migration history. If an "
          + "earlier version of this program created the file, call adopt(version:) first")
      let zero = try await failure { try await database.adopt(version: 0) }
      #expect(zero.summary == "migrate 21 -.- -: A version must be at least 1")
      try await database.adopt(version: 12)
      let twice = try await failure { try await database.adopt(version: 1) }
      #expect(
        twice.summary
          == "migrate 21 -.- -: The file has a migration history already, with version 12: call adopt(formats:)"
      )
      try await database.migrate(schema)
      #expect(try await Table<Note>().fetchAll(in: database) == [Note(id: 3, text: "c")])
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(
        try await database.migrationHistory().map { "\($0.version) \($0.name)" } == [
          "12 adopted", "13 x", "13 changes that follow from the models",
        ])
    }
  }
}

extension Connection {
  fileprivate func isolatedScript(_ script: String) throws { try execute(script: script) }
}

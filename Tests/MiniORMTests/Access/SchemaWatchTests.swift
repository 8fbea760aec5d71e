import Testing

@testable import MiniORM

private let archived = Table<Person>(in: "archive")

@Suite("SQL and attached databases")
struct SchemaWatchTests {
  private static let accidents: [SQL] = [
    #"SELECT * FROM person"#, "SELECT count(*) FROM PERSON",
    "INSERT INTO person(name) VALUES ('x')",
    "UPDATE person SET age = 1", "DELETE FROM [person]",
    "WITH p AS (SELECT * FROM person) SELECT * FROM p",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM person)", "SELECT 'archive.person' FROM person",
    "SELECT * FROM person -- archive.person",
    "SELECT 1 FROM sqlite_schema, person", "SELECT * FROM (person)",
    "SELECT * FROM sqlite_schema AS s JOIN (sqlite_schema, 'person' AS b)",
    "UPDATE OR IGNORE person SET age = 1 WHERE id IN (1, 2)",
  ]

  /// The name belongs to the attached table, a column or a value.
  private static let intentions: [SQL] = [
    "SELECT person.id FROM archive.person",
    "SELECT a.name AS person, 1 FROM archive.person AS a WHERE a.name IN ('person', 'x')",
    """
    SELECT max(a.id, 1) FROM archive.person AS a
      JOIN sqlite_schema AS s ON a.id IN (1, s.rootpage, 'person'), archive.person AS b
    """,
    "SELECT * FROM archive.person WHERE name IS NOT DISTINCT FROM person.nickname",
    "SELECT substr(name, 1, id) FROM archive.person GROUP BY name, person.id ORDER BY 1, person.id",
    "SELECT count(*) FROM (archive.person AS a), (archive.person AS b)",
    "INSERT INTO archive.person (name, age) VALUES ('person', 1), ('b', 2)",
    "UPDATE OR REPLACE archive.person SET age = 1, name = 'person' WHERE id = 1",
    "DELETE FROM archive.person WHERE (id, name) IN (VALUES (1, 'person'))",
  ]

  @Test(
    "a table that the main database lacks is missing, even if an attached database has it",
    arguments: accidents)
  func missing(sql: SQL) async throws {
    try await withArchive(models: DatabaseSchema()) { database, _ throws in
      let error = try await failure { try await database.write { db in try db.execute(sql) } }
      let table = sql.text.contains("PERSON") ? "PERSON" : "person"
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .error,
            "no such table: \(table). The attached database archive has a table of this name: write archive.\(table)",
            sql: sql.text))
      let script = try await failure {
        try await database.write { db in try db.execute(script: sql.text + "; SELECT 1") }
      }
      #expect(script.message == error.message)
      #expect(try await archived.fetchAll(in: database) == Person.some)
    }
  }

  @Test(
    "a script's statement cannot reach a database that only a later statement names",
    arguments: ["copy", "[it's]", "\"it's\"", "`it's`", "[it;s]", "\"it;s\"", "[it\"s]"])
  func nextStatement(name: String) async throws {
    try await withArchive(models: DatabaseSchema()) { database, _ throws in
      let error = try await failure {
        try await database.write { db in
          try db.execute(
            script: """
              CREATE TABLE \(name) AS SELECT 1 AS a FROM sqlite_schema, person;
              DELETE FROM archive.person WHERE name IN ('x', "y");
              """)
        }
      }
      #expect(
        error.message
          == "no such table: person. The attached database archive has a table of this name: write archive.person"
      )
    }
  }

  @Test(
    "a table may be named like a keyword of SQLite", arguments: ["FROM", "IN"])
  func keyword(before: String) async throws {
    try await withArchive { database, _ throws in
      try await database.write { db in try db.execute("CREATE TABLE archive.window(a)") }
      let sql: SQL =
        before == "FROM"
        ? "SELECT 1 WHERE 1 IN (SELECT 2 FROM window)" : "SELECT 1 WHERE 1 IN window"
      let error = try await failure { try await database.write { db in try db.execute(sql) } }
      #expect(
        error.message
          == "no such table: window. The attached database archive has a table of this name: write archive.window"
      )
      try await database.write { db in
        try db.execute("SELECT 1 FROM archive.window WHERE 1 IN (SELECT a FROM archive.window)")
      }
    }
  }

  @Test("a table qualified with its database is reached", arguments: intentions)
  func named(sql: SQL) async throws {
    try await withArchive(models: DatabaseSchema()) { database, _ throws in
      _ = try await database.write { db in try db.execute(sql) }
    }
  }

  @Test("SQLite's rule applies in a statement that names the attached database")
  func mixed() async throws {
    try await withArchive(models: DatabaseSchema()) { database, _ throws in
      let count = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM archive.person JOIN person AS b USING (id)")
      }
      #expect(count == 5)
    }
  }

  @Test("a table after IN belongs to the main database")
  func membership() async throws {
    try await withArchive(models: DatabaseSchema()) { database, _ throws in
      _ = try await database.write { db in
        try db.execute("CREATE TABLE archive.number (n INTEGER)")
      }
      for sql: SQL in [
        "SELECT 1 WHERE 1 IN number", "SELECT 1 WHERE 1 NOT IN 'number'",
      ] {
        let error = try await failure { try await database.read { db in try db.execute(sql) } }
        #expect(
          error.message
            == "no such table: number. The attached database archive has a table of this name: write archive.number"
        )
      }
      _ = try await database.read { db in
        try db.execute("SELECT id FROM archive.person WHERE id IN archive.number")
      }
    }
  }
}

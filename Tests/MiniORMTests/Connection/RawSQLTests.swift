import Testing

@testable import MiniORM

@Suite("Raw SQL")
struct RawSQLTests {
  @Table fileprivate struct Person: Equatable {
    let id: Int64
    var name: String
    var age: Int?
  }

  private static let script = """
    CREATE TABLE Person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
    INSERT INTO Person VALUES (1, 'Ada', 36), (2, 'Bob', NULL);
    """

  static let texts = [
    "'; DROP TABLE Person --", "x\0y", "\0", "", "日本語のテキスト", "👩‍👩‍👧 é e\u{301}", "\"quoted\"", "%_\\",
    "?1 :name", String(repeating: "長", count: 10_000),
  ]

  @Test("interpolation binds any value", arguments: texts)
  func interpolation(text: String) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.write { db throws in
        #expect(try db.execute("INSERT INTO Person(name) VALUES (\(text))") == 1)
        let sql: SQL = "SELECT name FROM Person WHERE id = 3 AND name = \(text)"
        #expect(sql.text == "SELECT name FROM Person WHERE id = 3 AND name = ?")
        #expect(try db.value(String.self, sql)?.utf8.elementsEqual(text.utf8) == true)
        #expect(
          try db.value(Int.self, "SELECT length(CAST(name AS BLOB)) FROM Person WHERE id = 3")
            == text.utf8.count)
        #expect(try db.value(Int.self, "SELECT count(*) FROM Person") == 3)
      }
    }
  }

  @Test("identifiers are quoted, and raw text is inserted")
  func pieces() {
    let sql: SQL =
      "SELECT \(identifier: "a\"b") \(raw: "FROM t") WHERE \(identifier: "select") = \(1) OR a = '?'"
    #expect(sql.text == "SELECT \"a\"\"b\" FROM t WHERE \"select\" = ? OR a = '?'")
    #expect(sql.bindings as? [Int] == [1])
  }

  @Test("untyped rows hold every storage class, and distinguish NULL from empty values")
  func rows() async throws {
    try await withTemporaryDatabase { database in
      let rows = try await database.read { db in
        try db.query(
          """
          SELECT NULL AS n, -9223372036854775808 AS i, 1.5 AS r, 'té' AS t, '' AS e, x'00FF' AS b,
            x'' AS z
          """)
      }
      #expect(rows.count == 1)
      #expect(rows.first?.columnNames == ["n", "i", "r", "t", "e", "b", "z"])
      #expect(
        rows.first?.values == [
          .null, .integer(.min), .real(1.5), .text("té"), .text(""), .blob([0, 255]), .blob([]),
        ])
      #expect(rows.first?["t"] == .text("té"))
      #expect(rows.first?["n"] == .null)
      #expect(rows.first?["absent"] == nil)
    }
  }

  @Test("of columns with the same name, the name finds the first and the index finds all")
  func duplicates() async throws {
    try await withTemporaryDatabase { database in
      let rows = try await database.read { try $0.query("SELECT 1 AS a, 2 AS a, 3 AS A") }
      #expect(rows.map(\.values) == [[.integer(1), .integer(2), .integer(3)]])
      #expect(rows.first?.columnNames == ["a", "a", "A"])
      #expect(rows.first?["a"] == .integer(1))
      #expect(rows.first?["A"] == .integer(3))
      let others = try await database.read { try $0.query("SELECT 1 AS a, 2 AS a, 3 AS b") }
      #expect(rows != others)
      #expect(rows == rows)
    }
  }

  @Test("typed rows find their columns by name, in any order and letter case")
  func typed() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let rows = try await database.read { db in
        try db.query(Person.self, "SELECT 0 AS extra, age, NAME, id FROM Person ORDER BY id DESC")
      }
      #expect(rows == [Person(id: 2, name: "Bob", age: nil), Person(id: 1, name: "Ada", age: 36)])
    }
  }

  @Test(
    "a missing column of the result is named with its table, with or without rows",
    arguments: [1, 99])
  func missingColumn(id: Int) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let error = try await failure {
        _ = try await database.read { db in
          try db.query(Person.self, "SELECT id, name FROM Person WHERE id = \(id)")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .read, .range, "The result has no column age: select all columns of the type",
            sql: "SELECT id, name FROM Person WHERE id = ?", table: "Person", column: "age"))
      #expect(error.rowType == "Person")
      #expect(
        error.failureReason
          == "The result has no column age: select all columns of the type (column age of table Person)"
      )
    }
  }

  @Test("an error for a value of the wrong class names table, column and row type")
  func wrongClass() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let error = try await failure {
        _ = try await database.read { db in
          try db.query(Person.self, "SELECT id, NULL AS name, age FROM Person")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .read, .mismatch, "Expected TEXT but found NULL in column name",
            sql: "SELECT id, NULL AS name, age FROM Person", table: "Person", column: "name"))
      #expect(error.rowType == "Person")
    }
  }

  @Test("value(_:_:) distinguishes no row, NULL and a value")
  func value() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.read { db throws in
        #expect(try db.value(Int.self, "SELECT age FROM Person WHERE id = 1") == 36)
        #expect(try db.value(Int.self, "SELECT age FROM Person WHERE id = 9") == nil)
        #expect(try db.value(Int?.self, "SELECT age FROM Person WHERE id = 2") == .some(nil))
        #expect(try db.value(Int?.self, "SELECT age FROM Person WHERE id = 9") == .none)
        let error = #expect(throws: DatabaseError.self) {
          try db.value(Int.self, "SELECT age FROM Person WHERE id = 2")
        }
        #expect(
          error?.facts
            == ErrorFacts(
              .read, .mismatch, "Expected INTEGER but found NULL in column age",
              sql: "SELECT age FROM Person WHERE id = 2", column: "age"))
      }
    }
  }

  @Test("execute returns the number of changed rows, and 0 for statements that change none")
  func changes() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.write { db throws in
        #expect(try db.execute("UPDATE Person SET age = 1") == 2)
        #expect(try db.execute("UPDATE Person SET age = 1 WHERE id = 9") == 0)
        #expect(try db.execute("SELECT * FROM Person") == 0)
        #expect(try db.execute("CREATE TABLE u AS SELECT * FROM Person") == 0)
        #expect(try db.execute("INSERT INTO u SELECT * FROM Person") == 2)
        #expect(try db.execute("PRAGMA user_version = 4") == 0)
        #expect(try db.execute("ALTER TABLE u ADD COLUMN c DEFAULT 1") == 0)
        #expect(try db.execute("DROP TABLE u") == 0)
        #expect(try db.execute("DELETE FROM Person") == 2)
        #expect(try db.execute("DELETE FROM Person") == 0)
      }
    }
  }

  @Test("RETURNING, WITH, PRAGMA and EXPLAIN return rows")
  func statements() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.write { db in
        let inserted = try db.query(
          "INSERT INTO Person(name) VALUES (\("Cy")), (\("Di")) RETURNING id, name")
        #expect(
          inserted.map(\.values) == [[.integer(3), .text("Cy")], [.integer(4), .text("Di")]])
        let updated = try db.query(
          Person.self, "UPDATE Person SET age = 5 WHERE id = 3 RETURNING *")
        #expect(updated == [Person(id: 3, name: "Cy", age: 5)])
        #expect(try db.value(Int64.self, "DELETE FROM Person WHERE id = 4 RETURNING id") == 4)
        let limit = 3
        let numbers = try db.query(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(limit))
          SELECT i FROM n
          """)
        #expect(numbers.map { $0["i"] } == [.integer(1), .integer(2), .integer(3)])
        let columns = try db.query("PRAGMA table_info(Person)").map { $0["name"] }
        #expect(columns == [.text("id"), .text("name"), .text("age")])
        let plan = try db.query("EXPLAIN QUERY PLAN SELECT * FROM Person WHERE id = 1")
        #expect(
          plan.map { $0["detail"] } == [.text("SEARCH Person USING INTEGER PRIMARY KEY (rowid=?)")])
        #expect(try db.query("EXPLAIN SELECT 1").isEmpty == false)
      }
      #expect(try await database.values("SELECT count(*) FROM Person") == [.integer(3)])
    }
  }

  @Test(
    "a foreign key violation with RETURNING is thrown by every way to read the row")
  func returningForeignKey() async throws {
    let script = """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p);
      """
    try await withTemporaryDatabase(script: script) { database in
      let insert: SQL = "INSERT INTO c(p) VALUES (9) RETURNING id"
      try await database.write { db in
        let value = #expect(throws: DatabaseError.self) { try db.value(Int.self, insert) }
        #expect(
          value?.facts
            == ErrorFacts(
              .step, .constraintForeignKey, "FOREIGN KEY constraint failed", sql: insert.text))
        let query = #expect(throws: DatabaseError.self) { try db.query(insert) }
        #expect(query?.code == .constraintForeignKey)
        let execute = #expect(throws: DatabaseError.self) { try db.execute(insert) }
        #expect(execute?.code == .constraintForeignKey)
      }
      #expect(try await database.values("SELECT count(*) FROM c") == [.integer(0)])
    }
  }

  @Test("raw SQL throws SQLite's own message, with the position in the SQL")
  func messages() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let cases: [(SQL, String, Int?)] = [
        ("SELECT nope FROM Person", "no such column: nope", 7),
        ("SELECT * FROM nowhere", "no such table: nowhere", nil),
        ("SELECT * FROM Person WHERE age >> > 3", "near \">\": syntax error", 34),
        ("SELECT 'é', nope FROM Person", "no such column: nope", 13),
        ("SELECT [name ] FROM Person", "no such column: name ", 7),
        ("SELEC 1", "near \"SELEC\": syntax error", 0),
        ("INSERT INTO Person(nope) VALUES (1)", "table Person has no column named nope", nil),
        ("SELECT 1 WHERE", "incomplete input", nil),
      ]
      for (sql, message, offset) in cases {
        let error = try await failure { _ = try await database.read { try $0.query(sql) } }
        #expect(
          error.facts == ErrorFacts(.prepare, .error, message, sql: sql.text, offset: offset))
      }
    }
  }

  @Test("the description points at the position of an error")
  func description() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let error = try await failure {
        _ = try await database.read { try $0.query("SELECT nope FROM Person") }
      }
      #expect(
        error.description == """
          prepare: no such column: nope [code 1]
            SQL: SELECT nope FROM Person
            here: nope FROM Person
            If a model declares this column, call migrate: the file's table is older.
          """)
      #expect(error.errorDescription == "The database reported an error.")
      #expect(error.failureReason == "no such column: nope")
    }
  }
}

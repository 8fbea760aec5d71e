import Testing

@testable import MiniORM

@Suite("SQL fragments")
struct SQLFragmentTests {
  @Test("interpolation binds values and never inserts text")
  func interpolation() throws {
    let text = "'; DROP TABLE person --"
    let sql: SQL =
      "SELECT * FROM \(identifier: "a \"b\"") WHERE x = \(text) AND y > \(3) OR z IS \(nil as Int?)"
    #expect(sql.text == #"SELECT * FROM "a ""b""" WHERE x = ? AND y > ? OR z IS ?"#)
    #expect(try sql.values == [.text(text), .integer(3), .null])
    #expect(
      try sql.literalText()
        == #"SELECT * FROM "a ""b""" WHERE x = '''; DROP TABLE person --' AND y > 3 OR z IS NULL"#)
    let mark: SQL = "SELECT '?', \(1)"
    #expect(try mark.literalText() == "SELECT '?', 1")
  }

  @Test(
    "a raw fragment's parameter without a value throws, and is not NULL",
    arguments: ["length(name) > ?", "name = :name", "age = ?5", "length(name) > ? AND age = ?"])
  func withoutValue(fragment: String) async throws {
    try await withPeople { database, table throws in
      let queries = [
        table.where(sql: SQL(raw: fragment)),
        table.where { _ in SQLExpression(SQL(raw: fragment)) }.where { $0.age > 1 },
      ]
      for query in queries {
        let error = await #expect(throws: DatabaseError.self) {
          try await query.fetchAll(in: database)
        }
        #expect(error?.operation == .bind)
        #expect(error?.code == .range)
        #expect(error?.sql == query.sql.text)
        await #expect(throws: DatabaseError.self) { try await query.find(1, in: database) }
        await #expect(throws: DatabaseError.self) { try await query.deleteAll(in: database) }
      }
      #expect(try await table.count(in: database) == Person.some.count)
      #expect(try await table.where { $0.age > 1 }.find(1, in: database)?.id == 1)
    }
  }

  @Test(
    "a value inside a comment or a text throws, and the message says so",
    arguments: ["SELECT 1 -- \(5)", "SELECT '\(5)'", "SELECT 1 /* \(5) */"] as [SQL])
  func hiddenValue(_ sql: SQL) async throws {
    try await withPeople { database, _ throws in
      let error = try await failure { _ = try await database.values(sql) }
      #expect(error.code == .range)
      #expect(
        error.message
          == "The place of an interpolated value is inside a comment or a text of the SQL: move it out"
      )
    }
  }

  @Test("SQL in a value stays a value")
  func injection() async throws {
    try await withPeople { database, table throws in
      let name = "Ada' OR '1'='1"
      #expect(try await table.where { $0.name == name }.count(in: database) == 0)
      #expect(try await table.where(sql: "name = \(name)").count(in: database) == 0)
      #expect(try await table.where { $0.name.like("\(name)%") }.count(in: database) == 0)
      let drop = "'; DROP TABLE person --"
      let row = try await table.insert(Person.Draft(name: drop), in: database)
      #expect(row.name == drop)
      #expect(try await table.where { $0.name == drop }.deleteAll(in: database) == 1)
      #expect(try await table.count(in: database) == 5)
    }
  }

  @Test("untyped rows keep names, order and storage classes")
  func untyped() async throws {
    try await withPeople { database, _ throws in
      let rows = try await database.read { db in
        try db.query(
          "SELECT name, age + 0.5 AS half, NULL AS none, x'00' AS b, 1 FROM person WHERE id = 1")
      }
      #expect(rows.map(\.columnNames) == [["name", "half", "none", "b", "1"]])
      #expect(
        rows.map(\.values) == [[.text("Ada"), .real(36.5), .null, .blob([0]), .integer(1)]])
      #expect(rows.first?["half"] == .real(36.5))
      #expect(rows.first?["none"] == .null)
      #expect(rows.first?["absent"] == nil)
      #expect(try await database.read { db in try db.query("SELECT 1 WHERE 0") } == [])
    }
  }

  @Test("an unknown column throws SQLite's own message, with the SQL and the position")
  func unknownColumn() async throws {
    try await withPeople { database, table throws in
      let error = try await failure {
        try await database.read { db in try db.query("SELECT id, wrong FROM person") }
      }
      #expect(error.summary == "prepare 1 -.- -: no such column: wrong")
      #expect(error.sql == "SELECT id, wrong FROM person")
      #expect(error.sqlOffset == 11)
      let fragment = try await failure {
        try await table.where(sql: "wrong = \(1)").fetchAll(in: database)
      }
      #expect(fragment.summary == "prepare 1 -.- -: no such column: wrong")
      // A double-quoted unknown name is an error, not a string.
      let quoted = try await failure {
        try await table.where(sql: "\(identifier: "wrong") = 1").fetchAll(in: database)
      }
      #expect(quoted.message.hasPrefix("no such column:"))
    }
  }
}

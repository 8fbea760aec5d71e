import Testing

@testable import MiniORM

@Suite("Scripts and single statements")
struct ScriptTests {
  static let blank = [
    "", " \t\r\n\u{B}\u{C}", ";", ";;; ;", "-- nothing", "-- nothing\n;", "/* nothing */",
    "/* open", "/* a */ -- b\n ; /**/",
  ]

  @Test(
    "an empty script does nothing, and an empty single statement throws", arguments: blank)
  func nothing(sql: String) async throws {
    try await withTemporaryDatabase { database in
      try await database.write { try $0.execute(script: sql) }
      let error = try await failure {
        try await database.write { try $0.execute(SQL(raw: sql)) }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .misuse,
            "The SQL contains no statement, only spaces or comments: write a statement", sql: sql))
    }
  }

  @Test("a statement may be surrounded by whitespace and comments", arguments: blank)
  func single(rest: String) async throws {
    try await withTemporaryDatabase { database in
      let rows = try await database.read { try $0.query(SQL(raw: "SELECT 1;" + rest)) }
      #expect(rows.map(\.values) == [[.integer(1)]])
    }
  }

  @Test("several statements are refused in execute, and none runs")
  func several() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") {
      database in
      let sql = "DELETE FROM t; DROP TABLE t"
      for _ in 0..<2 {
        let error = try await failure {
          try await database.write { try $0.execute(SQL(raw: sql)) }
        }
        #expect(
          error.facts
            == ErrorFacts(
              .prepare, .misuse,
              "The SQL contains more than one statement: run a script with execute(script:)",
              sql: sql, offset: 14))
      }
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
    }
  }

  @Test("a script runs every statement, ignoring rows")
  func script() async throws {
    try await withTemporaryDatabase { database in
      try await database.write { db in
        try db.execute(
          script: """
            -- a table; with a semicolon in the comment
            CREATE TABLE t(a, b DEFAULT 'x;y');
            INSERT INTO t(a) VALUES (1); INSERT INTO t VALUES (2, '--');
            SELECT * FROM t;
            CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET b = ';'; DELETE FROM t WHERE a = 1; END;
            INSERT INTO t(a) VALUES (3) /* the last, without a semicolon */
            """)
        #expect(
          try db.query("SELECT a, b FROM t ORDER BY a").map(\.values)
            == [[.integer(2), .text(";")], [.integer(3), .text(";")]])
      }
    }
  }

  @Test("a script stops at the first failure; in a transaction it is rolled back")
  func failing() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a UNIQUE)") { database in
      let error = try await failure {
        try await database.write { db in
          try db.execute(
            script: "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .step, .constraintUnique, "UNIQUE constraint failed: t.a",
            sql: " INSERT INTO t VALUES (1);", table: "t", column: "a"))
      #expect(try await database.values("SELECT a FROM t") == [])
    }
  }

  @Test("a script with a parameter is refused", arguments: ["?", ":a", "@a", "$a", "?3"])
  func parameters(parameter: String) async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      let sql = "INSERT INTO t VALUES (\(parameter))"
      let error = try await failure { try await database.write { try $0.execute(script: sql) } }
      #expect(
        error.facts
          == ErrorFacts(
            .bind, .range,
            "A script cannot bind parameters: run this statement separately", sql: sql))
      #expect(try await database.values("SELECT a FROM t") == [])
    }
  }

  @Test("an error in a script has its position in the remaining text")
  func offset() async throws {
    try await withTemporaryDatabase { database in
      let error = try await failure {
        try await database.write {
          try $0.execute(script: "CREATE TABLE t(a); SELECT nope FROM t; X")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .error, "no such column: nope", sql: " SELECT nope FROM t; X", offset: 8))
    }
  }

  @Test("SQL with a NUL character is refused, not truncated")
  func nul() async throws {
    try await withTemporaryDatabase { database in
      let script = try await failure {
        try await database.write { try $0.execute(script: "CREATE TABLE t(a);\0DROP TABLE t") }
      }
      #expect(
        script.facts
          == ErrorFacts(
            .prepare, .misuse, "The script contains a NUL character: remove it",
            sql: "\0DROP TABLE t", offset: 0)
      )
      for (sql, offset) in [("SELECT 1\0", 8), ("SELECT 1;\0SELECT 2", 9), ("\0", 0)] {
        let error = try await failure {
          _ = try await database.read { try $0.query(SQL(raw: sql)) }
        }
        #expect(
          error.facts
            == ErrorFacts(
              .prepare, .misuse, "The SQL contains a NUL character: remove it", sql: sql,
              offset: offset))
      }
    }
  }
}

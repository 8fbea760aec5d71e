import Testing

@testable import MiniORM

@Suite("Tables that wake an observer")
struct ObservedChangeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let write: String
    let woken: [String]
    let asleep: [String]

    init(_ write: String, wakes woken: [String], not asleep: [String] = []) {
      (self.write, self.woken, self.asleep) = (write, woken, asleep)
    }

    var testDescription: String { write }
  }

  static let rowsOfParent = "SELECT name FROM parent"

  static let cases = [
    Case(
      "INSERT INTO parent(name) VALUES ('n')",
      wakes: [
        "SELECT name FROM parent", "SELECT count(*) FROM parent", "SELECT count(*) FROM PARENT",
        "SELECT EXISTS (SELECT 1 FROM parent)", "SELECT name FROM names",
        "SELECT (SELECT max(size) FROM parent) FROM other",
        "WITH p AS (SELECT note FROM parent) SELECT count(*) FROM p",
        "SELECT 1 FROM other JOIN parent", "SELECT twice FROM parent", "SELECT id FROM parent",
        "SELECT rowid FROM parent", "SELECT value FROM other UNION SELECT name FROM parent",
      ],
      not: ["SELECT * FROM other", "SELECT count(*) FROM child", "SELECT 1"]),
    Case(
      "UPDATE parent SET size = size + 1 WHERE id = 1",
      wakes: [
        "SELECT size FROM parent", "SELECT name FROM names", "SELECT twice FROM parent",
        "SELECT name FROM parent ORDER BY size", "SELECT count(*) FROM parent WHERE size > 1",
        "SELECT * FROM parent", "SELECT value FROM other WHERE value IN (SELECT size FROM parent)",
      ],
      not: [
        "SELECT name FROM parent", "SELECT count(*) FROM parent", "SELECT id, note FROM parent",
        "SELECT * FROM notes", "SELECT * FROM child",
      ]),
    Case(
      "UPDATE parent SET id = 9 WHERE id = 3",
      wakes: ["SELECT id FROM parent", "SELECT name FROM parent", "SELECT count(*) FROM parent"],
      not: ["SELECT text FROM grandchild"]),
    Case(
      "UPDATE parent SET rowid = 9 WHERE id = 2",
      wakes: ["SELECT id FROM parent", "SELECT name FROM parent", "SELECT parent FROM child"],
      not: ["SELECT text FROM child WHERE id > 0"]),
    Case(
      "DELETE FROM parent WHERE id = 1",
      wakes: [
        "SELECT * FROM parent", "SELECT count(*) FROM child", "SELECT text FROM child",
        "SELECT child FROM grandchild",
      ], not: ["SELECT text FROM grandchild", "SELECT * FROM other"]),
    Case(
      "DELETE FROM log; DELETE FROM plain",
      wakes: ["SELECT count(*) FROM plain", "SELECT a FROM plain"],
      not: ["SELECT * FROM log", "SELECT b FROM shelf"]),
    Case(
      "INSERT OR REPLACE INTO parent(name, size) VALUES ('a', 7)",
      wakes: [
        "SELECT count(*) FROM child", "SELECT child FROM grandchild", "SELECT note FROM parent",
      ],
      not: ["SELECT text FROM grandchild"]),
    Case(
      "UPDATE OR REPLACE parent SET name = 'b' WHERE name = 'a'",
      wakes: ["SELECT note FROM parent", "SELECT count(*) FROM parent", "SELECT text FROM child"],
      not: ["SELECT text FROM grandchild"]),
    Case(
      "UPDATE strict SET code = 2 WHERE code = 1",
      wakes: ["SELECT b FROM strict", "SELECT count(*) FROM strict"], not: ["SELECT a FROM plain"]),
    Case(
      "UPDATE shelf SET b = 2",
      wakes: ["SELECT b FROM shelf", "SELECT a FROM unique_shelf"], not: ["SELECT a FROM shelf"]),
    Case(
      "INSERT INTO parent(name, size) VALUES ('a', 5) ON CONFLICT (name) DO UPDATE SET size = 5",
      wakes: ["SELECT size FROM parent", "SELECT twice FROM parent"], not: ["SELECT * FROM child"]),
    Case(
      "INSERT INTO keyed VALUES ('m', 3, '')",
      wakes: ["SELECT code FROM keyed", "SELECT count(*) FROM keyed"], not: ["SELECT * FROM log"]),
    Case(
      "UPDATE keyed SET value = 5 WHERE code = 'k'",
      wakes: ["SELECT value FROM keyed", "SELECT * FROM log", "SELECT count(*) FROM log"],
      not: ["SELECT code FROM keyed", "SELECT extra FROM keyed"]),
    Case(
      "UPDATE keyed SET extra = 'e' WHERE code = 'k'",
      wakes: ["SELECT extra FROM keyed"],
      not: ["SELECT value FROM keyed", "SELECT * FROM log"]),
    Case(
      "UPDATE keyed SET code = 'z' WHERE code = 'k'",
      wakes: ["SELECT code FROM keyed", "SELECT extra FROM keyed"]),
    Case(
      "UPDATE notes SET note = 'n' WHERE id = 1",
      wakes: ["SELECT note FROM parent", "SELECT * FROM notes"],
      not: ["SELECT name FROM names", "SELECT size FROM parent"]),
    Case(
      "INSERT INTO words VALUES ('three')",
      wakes: ["SELECT text FROM words", "SELECT rowid FROM words WHERE words MATCH 'one'"],
      not: ["SELECT * FROM boxes"]),
    Case(
      "UPDATE words SET text = 'four'",
      wakes: ["SELECT rowid FROM words WHERE words MATCH 'one'", "SELECT rank FROM words('one')"]),
    Case(
      "UPDATE boxes SET x1 = 5",
      wakes: ["SELECT id FROM boxes WHERE x1 > 2", "SELECT x0 FROM boxes"],
      not: ["SELECT * FROM words"]),
    Case(
      #"""
      UPDATE parent SET size = 9
      WHERE id = 100;
      DELETE FROM plain
      WHERE a = 100;
      INSERT OR IGNORE INTO parent(name)
      VALUES ('a')
      """#.onOneLine,
      wakes: [], not: ["SELECT size FROM parent", "SELECT * FROM plain", "SELECT name FROM parent"]),
    Case(
      "CREATE TABLE fresh(a)", wakes: ["SELECT * FROM parent", "SELECT name FROM sqlite_schema"]),
    Case("ALTER TABLE parent ADD COLUMN more", wakes: ["SELECT * FROM parent"]),
    Case("DROP VIEW notes", wakes: ["SELECT name FROM parent"]),
    // Implicit writes of SQLite or of a virtual table.
    Case(
      "INSERT INTO counted(a) VALUES (1)", wakes: ["SELECT seq FROM sqlite_sequence"],
      not: ["SELECT b FROM shelf"]),
    Case(
      "INSERT INTO words VALUES ('four')",
      wakes: ["SELECT c0 FROM words_content", "SELECT count(*) FROM words_docsize"]),
    Case("INSERT INTO boxes VALUES (7, 0, 1)", wakes: ["SELECT count(*) FROM boxes_rowid"]),
    Case(
      "UPDATE parent SET note = 'z' WHERE id = 1",
      wakes: ["SELECT note FROM shown", "SELECT rowid FROM shown WHERE shown MATCH 'z'"]),
    Case("PRAGMA user_version = 7", wakes: ["SELECT user_version FROM pragma_user_version"]),
    Case(
      "SAVEPOINT a; INSERT INTO other VALUES (1); ROLLBACK TO a; RELEASE a; INSERT INTO log VALUES (1)",
      wakes: ["SELECT * FROM log"], not: ["SELECT * FROM other"]),
    Case(
      """
      INSERT INTO plain VALUES (1, 1); SAVEPOINT a; INSERT INTO other VALUES (1);
      SAVEPOINT B; INSERT INTO log VALUES (1); RELEASE b; ROLLBACK TO A;
      INSERT INTO shelf VALUES (1, 1); RELEASE a
      """,
      wakes: ["SELECT * FROM plain", "SELECT * FROM shelf"],
      not: ["SELECT * FROM log", "SELECT * FROM other"]),
    Case(
      "SAVEPOINT a; SAVEPOINT a; INSERT INTO other VALUES (1); RELEASE a; RELEASE a",
      wakes: ["SELECT * FROM other"]),
  ]

  @Test("changes in a transaction", arguments: cases)
  func inTransaction(_ change: Case) async throws {
    try await expect(change) { database in
      try await database.write { try $0.execute(script: change.write) }
    }
  }

  @Test("changes in a nested transaction", arguments: cases)
  func nested(_ change: Case) async throws {
    try await expect(change) { database in
      try await database.write { db in
        try db.transaction { try $0.execute(script: change.write) }
      }
    }
  }

  @Test("changes in autocommit mode, by cached statements", arguments: cases)
  func alone(_ change: Case) async throws {
    try await expect(change) { database in
      try await database.withoutTransaction { db in
        for statement in change.write.split(separator: ";") where !statement.isEmpty {
          try db.execute(SQL(raw: String(statement)))
        }
      }
    }
  }

  @Test("a query of a stored generated column is woken by changes of its source columns")
  func storedColumn() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b, c AS (b * 2) STORED);
        INSERT INTO t(a, b) VALUES (1, 2);
        """
    ) { database throws in
      let query = try await ObservedQuery("SELECT c FROM t", in: database)
      try await database.write { try $0.execute("UPDATE t SET b = 5") }
      #expect(query.isChanged)
    }
  }

  @Test("a failed COMMIT wakes no observer, and the next successful COMMIT does")
  func failedCommit() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE parent(a INTEGER PRIMARY KEY);
        CREATE TABLE child(a REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        """
    ) { database throws in
      let query = try await ObservedQuery("SELECT a FROM child", in: database)
      for end in ["ROLLBACK", "INSERT INTO parent VALUES (1); COMMIT"] {
        try await database.withoutTransaction { db in
          try db.execute("BEGIN")
          try db.execute("INSERT INTO child VALUES (1)")
          #expect(throws: DatabaseError.self) { try db.execute("COMMIT") }
          for statement in end.split(separator: ";") {
            try db.execute(SQL(raw: String(statement)))
          }
        }
        #expect(query.isChanged == end.hasSuffix("COMMIT"), "\(end)")
      }
    }
  }

  @Test("a rollback wakes no observer", arguments: cases)
  func rolledBack(_ change: Case) async throws {
    struct Stop: Error {}
    try await ObservedTables.withDatabase { database in
      var observed: [ObservedQuery] = []
      for query in change.woken + change.asleep {
        observed.append(try await ObservedQuery(query, in: database))
      }
      await #expect(throws: Stop.self) {
        try await database.write { db in
          try db.execute(script: change.write)
          throw Stop()
        }
      }
      try await database.write { db in
        try? db.transaction { db in
          try db.execute(script: change.write)
          throw Stop()
        }
      }
      #expect(!observed.contains { $0.isChanged })
    }
  }

  private func expect(
    _ change: Case, _ write: (Database) async throws -> Void
  ) async throws {
    try await ObservedTables.withDatabase { database in
      var woken: [(String, ObservedQuery)] = []
      for query in change.woken {
        woken.append((query, try await ObservedQuery(query, in: database)))
      }
      var asleep: [(String, ObservedQuery)] = []
      for query in change.asleep {
        asleep.append((query, try await ObservedQuery(query, in: database)))
      }
      try await write(database)
      for (query, observed) in woken { #expect(observed.isChanged, "\(query)") }
      for (query, observed) in asleep { #expect(!observed.isChanged, "\(query)") }
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Suite("DatabaseError")
struct DatabaseErrorTests {
  private static let script = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT UNIQUE, city TEXT NOT NULL DEFAULT '',
      age INTEGER CONSTRAINT adult CHECK (age >= 18), up REFERENCES p, UNIQUE (city, age));
    CREATE TABLE s(a INTEGER, b TEXT) STRICT;
    CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE "my.table"("a, b" UNIQUE);
    CREATE TABLE "x"("a, x.b" UNIQUE);
    CREATE TABLE e(a); CREATE UNIQUE INDEX "i.j" ON e(lower(a));
    INSERT INTO p(id, name, city, age) VALUES (1, 'Ada', 'Reims', 36);
    INSERT INTO w VALUES ('k'); INSERT INTO "my.table" VALUES (1); INSERT INTO "x" VALUES (1);
    INSERT INTO e VALUES ('a');
    """

  struct Violation: Sendable, CustomTestStringConvertible {
    let sql: String
    let code: ResultCode
    let message: String
    var table: String?
    var column: String?
    var testDescription: String { sql }
  }

  static let violations = [
    Violation(
      sql: "INSERT INTO p(name) VALUES ('Ada')", code: .constraintUnique,
      message: "UNIQUE constraint failed: p.name", table: "p", column: "name"),
    Violation(
      sql: "INSERT INTO p(city, age) VALUES ('Reims', 36)", code: .constraintUnique,
      message: "UNIQUE constraint failed: p.city, p.age", table: "p", column: "city"),
    Violation(
      sql: "INSERT INTO p(id) VALUES (1)", code: .constraintPrimaryKey,
      message: "UNIQUE constraint failed: p.id", table: "p", column: "id"),
    Violation(
      sql: "INSERT INTO w VALUES ('k')", code: .constraintPrimaryKey,
      message: "UNIQUE constraint failed: w.k", table: "w", column: "k"),
    Violation(
      sql: "UPDATE p SET city = NULL", code: .constraintNotNull,
      message: "NOT NULL constraint failed: p.city", table: "p", column: "city"),
    Violation(
      sql: "UPDATE p SET age = 17", code: .constraintCheck,
      message: "CHECK constraint failed: adult"),
    Violation(
      sql: "UPDATE p SET up = 9", code: .constraintForeignKey,
      message: "FOREIGN KEY constraint failed"),
    Violation(
      sql: "INSERT INTO s(a) VALUES ('text')", code: .constraintDataType,
      message: "cannot store TEXT value in INTEGER column s.a", table: "s", column: "a"),
    Violation(
      sql: "INSERT INTO s(b) VALUES (x'00')", code: .constraintDataType,
      message: "cannot store BLOB value in TEXT column s.b", table: "s", column: "b"),
    // Ambiguous names in SQLite's message are not parsed.
    Violation(
      sql: "INSERT INTO \"my.table\" VALUES (1)", code: .constraintUnique,
      message: "UNIQUE constraint failed: my.table.a, b"),
    Violation(
      sql: "INSERT INTO \"x\" VALUES (1)", code: .constraintUnique,
      message: "UNIQUE constraint failed: x.a, x.b", table: "x", column: "a"),
    Violation(
      sql: "INSERT INTO e VALUES ('A')", code: .constraintUnique,
      message: "UNIQUE constraint failed: index 'i.j'"),
    Violation(
      sql: "INSERT INTO p(id) VALUES ('text')", code: .mismatch, message: "datatype mismatch"),
  ]

  @Test(
    "a violated constraint gives its extended code, table and column",
    arguments: violations)
  func constraints(violation: Violation) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let error = try await failure {
        try await database.write { try $0.execute(SQL(raw: violation.sql)) }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .step, violation.code, violation.message, sql: violation.sql, table: violation.table,
            column: violation.column))
      if violation.code.primary == .constraint {
        #expect(error.errorDescription == "The data violates a constraint of the database.")
      }
      #expect(error.failureReason == violation.message)
    }
  }

  @Test("a trigger's own message is unchanged")
  func trigger() async throws {
    let script = """
      CREATE TABLE t(a);
      CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT raise(ABORT, 'not on Sundays'); END;
      """
    try await withTemporaryDatabase(script: script) { database in
      let error = try await failure {
        try await database.write { try $0.execute("INSERT INTO t VALUES (\(1))") }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .step, .constraintTrigger, "not on Sundays", sql: "INSERT INTO t VALUES (?)"))
    }
  }

  @Test(
    "a violated foreign key has a single code, for every action",
    arguments: ["", "ON DELETE RESTRICT", "ON DELETE SET NULL", "DEFERRABLE INITIALLY DEFERRED"])
  func foreignKey(_ action: String) async throws {
    let script = """
      CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
      CREATE TABLE c(p NOT NULL REFERENCES p \(action)); INSERT INTO c VALUES (1);
      """
    try await withTemporaryDatabase(script: script) { database in
      let error = try await failure { try await database.write { try $0.execute("DELETE FROM p") } }
      let isSetNull = action.contains("NULL")
      #expect(error.code == (isSetNull ? .constraintNotNull : .constraintForeignKey))
    }
  }

  private static let marker = "bound4marker"

  static let leaks: [SQL] = [
    "INSERT INTO p(name, city) VALUES (\(marker), NULL)",
    "INSERT INTO p(name, city) SELECT \(marker), 'c' UNION ALL SELECT \(marker), 'd'",
    "INSERT INTO s(a) VALUES (\(marker))",
    "INSERT INTO p(id) VALUES (\(marker))",
    "INSERT INTO p(up) VALUES (\(marker))",
    "UPDATE p SET age = 0, name = \(marker)",
    "SELECT json_extract('{}', \(marker))",
    "SELECT json_extract('{}', \("$.\"" + marker))",
    "SELECT json(\("{\"\(marker)\":"))",
    "SELECT abs(-9223372036854775808), \(marker)",
    "SELECT 'a' LIKE 'a' ESCAPE \(marker)",
    "ATTACH \("/none/\(marker)/file") AS other",
    "SELECT load_extension(\(marker))",
    "SELECT * FROM f WHERE f MATCH \("\(marker): x")",
    "SELECT * FROM f WHERE f MATCH \("\"\(marker)")",
    "SELECT * FROM f WHERE f MATCH \("a \(marker) )")",
    "SELECT * FROM pragma_table_info(\(marker)) WHERE json(\("[" + marker)) = 1 OR json('[') = 1",
    "SELECT \(marker) FROM nowhere",
    "SELECT \(marker), ?",
  ]

  @Test("no text of an error contains a bound value", arguments: leaks.indices)
  func bound(index: Int) async throws {
    let sql = Self.leaks[index]
    let script = Self.script + "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('a')"
    try await withTemporaryDatabase(script: script) { database in
      let outcome = await #expect(throws: DatabaseError.self) {
        try await database.write { db in
          _ = try db.query(sql)
          // Throws even if SQLite accepts the SQL.
          throw DatabaseError(.step, "harmless")
        }
      }
      let error = try #require(outcome)
      for text in Self.texts(of: error) { #expect(!text.contains(Self.marker), "\(text)") }
    }
  }

  private static func texts(of error: DatabaseError) -> [String] {
    var dumped = ""
    dump(error, to: &dumped)
    return [
      error.description, "\(error)", String(reflecting: error), error.localizedDescription,
      error.errorDescription ?? "", error.failureReason ?? "", error.message, error.sql ?? "",
      error.path ?? "", error.table ?? "", error.column ?? "", dumped,
      "\(error as any Error)",
    ]
  }

  @Test("hiding a bound value keeps the rest of SQLite's message")
  func hidden() async throws {
    try await withTemporaryDatabase { database in
      let error = try await failure {
        _ = try await database.read { try $0.query("SELECT json_extract('{}', \("secret"))") }
      }
      #expect(
        error.facts
          == ErrorFacts(.step, .error, "bad JSON path: '…'", sql: "SELECT json_extract('{}', ?)"))
      // The first and last letters and digits are part of a word too.
      for value in ["Zzyzx", "Aa0Aa", "z", "a9", "Zé"] {
        let error = try await failure {
          _ = try await database.read { try $0.query("SELECT json_extract('{}', \(value))") }
        }
        #expect(error.message == "bad JSON path: '…'", "\(value)")
      }
      let plain = try await failure {
        _ = try await database.read { try $0.query("SELECT json_extract('{}', 'mine'), \(1)") }
      }
      #expect(plain.message == "bad JSON path: 'mine'")
    }
  }

  @Test("with long values, SQLite's description of the code replaces its message")
  func long() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      let words = (0..<400_000).map { "w\($0)" }.joined(separator: " ")
      for value: any ColumnValue in [words, [UInt8](repeating: 7, count: 40_000_000)] {
        var query = SQL(raw: "SELECT json_extract('{}', 'mine'), ")
        query.append(SQL(binding: value))
        let sql = query
        let error = try await failure { _ = try await database.read { try $0.query(sql) } }
        #expect(
          error.message
            == "SQL logic error: SQLite's message is left out, because it may quote a long value")
        #expect(error.code == .error)
      }
      // A path of this length would flood the log.
      let path = try await failure {
        _ = try await database.read {
          try $0.query("SELECT json_extract('{}', \(String(repeating: "x", count: 10_000)))")
        }
      }
      #expect(
        path.message
          == "SQL logic error: SQLite's message is left out, because it may quote a long value")
      // Messages about locks quote no values, so nothing is removed.
      let other = try await Database(
        path: database.path, key: .raw(testKeyBytes), configuration: Self.impatient)
      try await database.writer.isolated(.immediate) { _ in
        let message = other.writer.sync { other -> String in
          do throws(DatabaseError) {
            return "\(try other.execute("INSERT INTO t VALUES (\(words))"))"
          } catch {
            return error.message
          }
        }
        #expect(message == "database is locked")
      }
      try await other.close()
    }
  }

  private static var impatient: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(0)
    return configuration
  }

  @Test("errorDescription says what happened, and failureReason says why")
  func localized() {
    let cases: [(DatabaseError, String, String)] = [
      (DatabaseError(.open, code: .cannotOpen, "m"), "The database could not be opened.", "m"),
      (DatabaseError(.key, code: .notADatabase, "m"), "The database could not be unlocked.", "m"),
      (DatabaseError(.key, code: .misuse, "m"), "The database could not be unlocked.", "m"),
      (DatabaseError(.key, code: .error, "m"), "The database's key could not be set.", "m"),
      (DatabaseError(.rekey, code: .busy, "m"), "The database's key could not be changed.", "m"),
      (DatabaseError(.step, code: .busy, "m"), "The database is in use.", "m"),
      (DatabaseError(.step, code: .locked, "m"), "The database is in use.", "m"),
      (DatabaseError(.step, code: .full, "m"), "There is no space left for the database.", "m"),
      (DatabaseError(.step, code: .corrupt, "m"), "The database is damaged.", "m"),
      (DatabaseError(.step, code: .readOnly, "m"), "The database is read-only.", "m"),
      (
        DatabaseError(.read, code: .mismatch, "m", table: "t", column: "c"),
        "A stored value has an unexpected type or format.", "m (column c of table t)"
      ),
      (
        DatabaseError(.migrate, code: .misuse, "m", table: "t"),
        "The database could not be brought up to date.", "m (table t)"
      ),
      (DatabaseError(.close, "m"), "The database could not be closed.", "m"),
      (DatabaseError(.delete, "m"), "The database could not be deleted.", "m"),
      (DatabaseError(.prepare, "m"), "The database reported an error.", "m"),
    ]
    for (error, description, reason) in cases {
      #expect(error.errorDescription == description)
      #expect(error.failureReason == reason)
      #expect((error as any Error).localizedDescription == description)
    }
  }

  @Test(
    "an error of a stored value or of the disk suggests a remedy",
    arguments: [
      (.read, .mismatch, "Expected TEXT but found NULL in column a", "as an optional type"),
      (.read, .mismatch, "Expected TEXT but found BLOB in column a", "as a different type"),
      (.read, .mismatch, "Expected TEXT but found REAL in column a", "UnixSecondsReal.self"),
      (.read, .mismatch, "The text is not a UUID in column a", "as a different type"),
      (.read, .mismatch, "Wrong spelling in column a", nil),
      (.step, .mismatch, "Expected TEXT but found NULL in the 1st argument", nil),
      (.commit, .full, "database or disk is full", "Free space"),
      (.step, .inputOutput, "disk I/O error", "the permissions"),
      (.step, .corrupt, "database disk image is malformed", "Database.salvage"),
      (
        .migrate, .constraintUnique, "create index once: UNIQUE constraint failed: p.a",
        "change them in a step"
      ),
      (.step, .constraintUnique, "UNIQUE constraint failed: p.a", nil),
      (.prepare, .error, "no such table: main.gone", "Configuration.foreignKeysEnabled"),
      (.prepare, .error, "no such table: gone", "Call migrate"),
      (.prepare, .error, "no such function: f", "Configuration.functions"),
      (.step, .error, "unknown function: f()", "Configuration.functions"),
      (.prepare, .error, "no such function: json. This SQLite library lacks JSON", nil),
    ] as [(DatabaseError.Operation, ResultCode, String, String?)])
  func remedy(
    operation: DatabaseError.Operation, code: ResultCode, message: String, remedy: String?
  ) {
    let error = DatabaseError(operation, code: code, message, column: "a")
    let suggestion = error.recoverySuggestion
    #expect(remedy.map { suggestion?.contains($0) == true } ?? (suggestion == nil))
    #expect(error.description.hasSuffix(suggestion ?? "at column a"))
  }

  @Test("the description contains all known details")
  func description() {
    let error = DatabaseError(
      .read, code: .mismatch, "wrong", sql: "SELECT é FROM t", sqlOffset: 10, path: "/f",
      table: "t", column: "c", rowType: "T")
    #expect(
      error.description == """
        read: wrong [code 20] at t.c reading T in /f
          SQL: SELECT é FROM t
          here: FROM t
        """)
    #expect(
      DatabaseError(.read, "wrong", column: "c").description == "read: wrong [code 1] at column c")
    #expect(DatabaseError(.read, "wrong", table: "t").description == "read: wrong [code 1] at t")
    for offset in [-1, 2, 99] {
      #expect(
        DatabaseError(.prepare, "wrong", sql: "x", sqlOffset: offset).description
          == "prepare: wrong [code 1]\n  SQL: x")
    }
  }

  @Test("of long SQL, an error quotes at most 2 KiB around the failure")
  func longSQL() async throws {
    let list = String(repeating: "é ", count: 20_000)
    let start = "SELECT wrong, '\(list)'"
    for (sql, isAtStart) in [(start, true), ("SELECT '\(list)', wrong, '\(list)'", false)] {
      let error = try await withTemporaryDatabase { database throws in
        try await failure { try await database.values(SQL(raw: sql)) }
      }
      let quoted = try #require(error.sql)
      let offset = try #require(error.sqlOffset)
      #expect(quoted.utf8.count <= 2_048 && quoted.utf8.count > 2_000)
      #expect(quoted.hasPrefix("…") != isAtStart && quoted.hasSuffix("…"))
      #expect(quoted.utf8.dropFirst(offset).starts(with: "wrong, '".utf8))
      #expect(error.description.contains("\n  here: wrong, 'é"))
      #expect(!quoted.contains("\u{fffd}"))
    }
    // SQLite's message quotes the token.
    let token = try await withTemporaryDatabase { database throws in
      try await failure {
        try await database.values(
          SQL(raw: "SELECT 1 FROM a b '\(String(repeating: "é", count: 99_999))'"))
      }
    }
    #expect(token.message.utf8.count <= 2_048 && token.message.contains("é…é"))
    #expect(token.message.hasPrefix("near \"") && token.message.hasSuffix("\": syntax error"))
    #expect(token.description.utf8.count < 5_000)
    let short = DatabaseError(
      .prepare, "m", sql: String(repeating: "é", count: 1_024), sqlOffset: 9)
    #expect(short.sql?.utf8.count == 2_048 && short.sqlOffset == 9)
  }

  @Test("a result code has its kind and SQLite's description")
  func resultCode() {
    #expect(ResultCode.constraintUnique.rawValue == 2067)
    #expect(ResultCode.constraintUnique.primary == .constraint)
    #expect(ResultCode.busy.description == "database is locked (5)")
    #expect(ResultCode(rawValue: 2067) == .constraintUnique)
  }
}

@Suite("Features missing from the library")
struct MissingModuleTests {
  @Test(
    "the error for a missing module or function names the build option",
    arguments: [
      (
        "no such module: fts5",
        "no such module: fts5. This SQLite library lacks full-text search: build it with SQLITE_ENABLE_FTS5"
      ),
      (
        "no such module: rtree",
        "no such module: rtree. This SQLite library lacks R*Trees: build it with SQLITE_ENABLE_RTREE"
      ),
      (
        "no such function: jsonb",
        "no such function: jsonb. This SQLite library lacks binary JSON: use SQLite 3.45.0 or newer"
      ),
      (
        "no such function: json",
        "no such function: json. This SQLite library lacks JSON: build it without SQLITE_OMIT_JSON"
      ),
      (
        "no such table: json_each",
        "no such table: json_each. This SQLite library lacks JSON: build it without SQLITE_OMIT_JSON"
      ),
      ("no such module: other", "no such module: other"),
      ("no such function: json_mine", "no such function: json_mine"),
      ("no such table: x", "no such table: x"),
    ])
  func explained(message: String, expected: String) {
    #expect(DatabaseError.explained(message) == expected)
  }
}

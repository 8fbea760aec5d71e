import Testing

@testable import MiniORM

@Suite("Settings that SQL changes on a connection")
struct SessionSettingTests {
  /// The value of each readable PRAGMA, on the writing or a reading connection.
  private static func settings(_ database: Database, isReading: Bool) async throws -> [String] {
    isReading
      ? try await database.read { db in try settings(of: db) }
      : try await database.withoutTransaction { db in try settings(of: db) }
  }

  private static func settings(of db: isolated Connection) throws -> [String] {
    // These PRAGMAs act, count or list.
    let left: Set<String> = [
      "incremental_vacuum", "optimize", "shrink_memory", "wal_checkpoint", "data_version",
      "schema_version", "stats", "collation_list", "compile_options", "database_list",
      "function_list", "module_list", "pragma_list", "table_list",
    ]
    var found: [String] = []
    for name in try db.query(String.self, "SELECT name FROM pragma_pragma_list ORDER BY name")
    where !left.contains(name) && Pragma(name: name, setsValue: false).refusal == nil {
      for schema in ["", "main.", "other."] {
        let rows = try? db.query("PRAGMA \(raw: schema + name)").map(\.values)
        found.append("\(schema)\(name): \(rows ?? [])")
      }
    }
    return found
  }

  private static func withOther(
    _ place: TestPlace, _ body: (Database) async throws -> Void
  ) async throws {
    try await withTemporaryPath { other in
      try await place.withDatabase(script: "CREATE TABLE t(a INTEGER PRIMARY KEY)") { database in
        try await database.attach(other, as: "other", key: .raw(testKeyBytes))
        try await database.write { try $0.execute("CREATE TABLE other.o(a)") }
        try await body(database)
      }
    }
  }

  @Test(
    "a setting that would apply to the next closure is refused",
    arguments: Pragma.settings.sorted(), TestPlace.allCases)
  func refused(name: String, place: TestPlace) async throws {
    try await Self.withOther(place) { database in
      let sql = "PRAGMA \(name) = 1"
      let error = try await failure {
        try await database.withoutTransaction { try $0.execute(SQL(raw: sql)) }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .misuse,
            "PRAGMA \(name) is refused: it applies to each connection. Set Configuration.prepare",
            sql: sql))
      var configuration = Configuration()
      configuration.prepare = { try $0.execute(SQL(raw: sql)) }
      let prepared = try await Database(path: ":memory:", key: nil, configuration: configuration)
      try await prepared.close()
    }
  }

  @Test("deferred foreign keys end with the transaction", arguments: TestPlace.allCases)
  func deferred(place: TestPlace) async throws {
    let script = "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)"
    try await place.withDatabase(script: script) { database in
      try await database.write { db in
        try db.execute("PRAGMA defer_foreign_keys = ON")
        try db.execute(script: "INSERT INTO c VALUES (1); INSERT INTO p VALUES (1)")
      }
      let error = try await failure {
        try await database.write { db in
          try db.execute(script: "INSERT INTO c VALUES (2); INSERT INTO p VALUES (2)")
        }
      }
      #expect(error.code == .constraintForeignKey)
      let outside = try await failure {
        try await database.withoutTransaction { try $0.execute("PRAGMA defer_foreign_keys = ON") }
      }
      #expect(
        outside.message
          == "PRAGMA defer_foreign_keys is refused: it ends with the next commit. Set it in a transaction"
      )
    }
  }

  @Test("after a closure ran any PRAGMA, the next closure finds the default settings")
  func everyPragma() async throws {
    try await Self.withOther(.file) { database in
      let names = try await database.values("SELECT name FROM pragma_pragma_list ORDER BY name")
      // These settings are stored in the file.
      let ofFile = ["application_id", "auto_vacuum", "default_cache_size", "user_version"]
      let before = try await Self.settings(database, isReading: false)
      for case .text(let name) in names where !ofFile.contains(name) && name != "busy_timeout" {
        for value in ["0", "1", "7"] {
          try await database.withoutTransaction { db in
            _ = try? db.query("PRAGMA \(raw: name) = \(raw: value)")
          }
        }
        let after = try await Self.settings(database, isReading: false)
        #expect(after.filter { !before.contains($0) } == [], "\(name)")
      }
    }
  }

  @Test("foreign keys are enforced again after a closure that turned them off")
  func foreignKeys() async throws {
    for place in TestPlace.allCases {
      let script = "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)"
      try await place.withDatabase(script: script) { database in
        try await database.withoutTransaction { db in
          try db.execute("PRAGMA foreign_keys = OFF")
          try db.execute("INSERT INTO c VALUES (1)")
        }
        let error = try await failure {
          try await database.write { try $0.execute("INSERT INTO c VALUES (2)") }
        }
        #expect(error.code == .constraintForeignKey)
      }
    }
  }

  @Test(
    "a PRAGMA without effect in a transaction is refused in a transaction",
    arguments: ["OFF", "ON", "0"], TestPlace.allCases)
  func ignored(value: String, place: TestPlace) async throws {
    try await place.withDatabase(script: "") { database in
      let sql = "PRAGMA foreign_keys = \(value)"
      for isScript in [false, true] {
        let error = try await failure {
          try await database.write { db in
            if isScript { try db.execute(script: sql) } else { try db.execute(SQL(raw: sql)) }
          }
        }
        #expect(
          error.facts
            == ErrorFacts(
              .prepare, .misuse,
              "PRAGMA foreign_keys is refused: SQLite ignores it in a transaction. Set it in withoutTransaction(_:), or Configuration.foreignKeysEnabled for the whole database",
              sql: sql))
      }
      #expect(try await database.values("PRAGMA foreign_keys") == [.integer(1)])
    }
  }

  @Test("a closure's settings do not stop checkpoints")
  func logGrowth() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      let error = try await failure {
        try await database.write { db in _ = try db.query("PRAGMA wal_autocheckpoint = 0") }
      }
      #expect(error.message.hasPrefix("PRAGMA wal_autocheckpoint is refused: "))
      for _ in 1...30 {
        try await database.write { db in
          for _ in 1...40 { try db.execute("INSERT INTO t VALUES (randomblob(20000))") }
        }
      }
      // 24 MB were written.
      #expect(database.statistics().logSize < 20_000_000)
    }
  }
}

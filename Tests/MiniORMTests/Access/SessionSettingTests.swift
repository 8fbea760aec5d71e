import Testing

@testable import MiniORM

@Suite("Settings that SQL changes on a connection")
struct SessionSettingTests {
  /// A non-default value of each setting.
  private static let values = [
    "analysis_limit": "100", "auto_vacuum": "FULL", "automatic_index": "OFF", "cache_spill": "OFF",
    "cell_size_check": "ON", "defer_foreign_keys": "ON", "foreign_keys": "OFF",
    "legacy_alter_table": "ON", "read_uncommitted": "ON", "recursive_triggers": "ON",
    "reverse_unordered_selects": "ON", "threads": "2", "cache_size": "123",
    "journal_size_limit": "4567", "max_page_count": "5000", "mmap_size": "65536",
    "secure_delete": "FAST",
  ]

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

  private struct Stop: Error {}

  /// Changes a setting, and throws.
  private static func change(
    _ name: String, of schema: String, isScript: Bool, on db: isolated Connection
  ) throws {
    let sql = "PRAGMA \(schema)\(name) = \(values[name] ?? "")"
    let old = try db.query("PRAGMA \(raw: schema + name)").map(\.values)
    if isScript { try db.execute(script: sql) } else { _ = try db.query(SQL(raw: sql)) }
    let new = try db.query("PRAGMA \(raw: schema + name)").map(\.values)
    // SQLCipher is built without memory-mapped I/O. Deferred foreign keys end with the statement.
    // VACUUM applies auto_vacuum.
    let unchanged = ["mmap_size", "defer_foreign_keys", "auto_vacuum"]
    if !unchanged.contains(name) { #expect(new != old, "\(sql)") }
    throw Stop()
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

  @Test("the tests cover every setting")
  func all() { #expect(Set(Self.values.keys) == Set(Pragma.restored.keys)) }

  @Test(
    "a setting ends with its closure, also if the closure throws", arguments: Array(values.keys),
    TestPlace.allCases)
  func restored(name: String, place: TestPlace) async throws {
    try await Self.withOther(place) { database in
      for isReading in place == .file ? [false, true] : [false] {
        let before = try await Self.settings(database, isReading: isReading)
        for schema in Pragma.restored[name] == true ? ["", "main.", "other."] : [""] {
          for isScript in [false, true] {
            await #expect(throws: Stop.self) {
              if isReading, name != "foreign_keys" {
                try await database.read { db in
                  try Self.change(name, of: schema, isScript: isScript, on: db)
                }
              } else {
                try await database.withoutTransaction { db in
                  try Self.change(name, of: schema, isScript: isScript, on: db)
                }
              }
            }
            let after = try await Self.settings(database, isReading: isReading)
            #expect(after.filter { !before.contains($0) } == [], "\(schema)\(name)")
          }
        }
      }
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

  @Test("auto_vacuum ends with its closure, unless VACUUM has applied it to the file")
  func autoVacuum() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      // Between FULL and INCREMENTAL, SQLite changes the file at once.
      for (sql, expected) in [("", 0), ("; VACUUM", 1), ("", 2)] as [(String, Int64)] {
        try await database.withoutTransaction { db in
          try db.execute(
            script: "PRAGMA auto_vacuum = \(sql.isEmpty ? "INCREMENTAL" : "FULL")" + sql)
        }
        try await database.vacuum()
        // A reader would report the value of its last read.
        let value = try await database.withoutTransaction { db in
          try db.value(Int64.self, "PRAGMA auto_vacuum")
        }
        #expect(value == expected)
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

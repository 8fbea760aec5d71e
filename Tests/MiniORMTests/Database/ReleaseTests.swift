import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Release of SQLite's resources")
struct ReleaseTests {
  private struct Stop: Error {}

  // Runs in a separate process, because SQLite counts memory process-wide.
  @Test("no connection, statement or list remains, however a call ends")
  func memory() async throws {
    await #expect(processExitsWith: .success) {
      #if os(Linux)
        try #require(SQLiteMemory.count())
      #endif
      try await Self.useEverything()
      try #require(SQLiteMemory.isCounted)
      let used = SQLiteMemory.used
      for _ in 0..<5 { try await Self.useEverything() }
      try #require(SQLiteMemory.used == used)
    }
  }

  private static func useEverything() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a PRIMARY KEY, b)") { database in
      let statements: [SQL] = [
        "SELECT 1", "INSERT INTO t VALUES (\(1), \(String(repeating: "x", count: 9_000)))",
        "INSERT INTO t VALUES (1, 2)", "SELECT nope", "SELECT 1; SELECT 2", "SELECT 1;\0",
        "-- none",
        "SELECT ?", "SELECT \(Double.nan)", "INSERT INTO t VALUES (3, 4) RETURNING a",
        "SELECT value FROM miniorm_values(\(ValueList([1, "two"])))",
        "SELECT value FROM miniorm_values(\(ValueList([1, Double.nan])))",
        "SELECT json_extract('{}', \("bad")) ", "INSERT OR ROLLBACK INTO t VALUES (3, 4)",
      ]
      for sql in statements {
        try? await database.write { db in
          _ = try db.query(sql)
          throw Stop()
        }
        _ = try? await database.write { db in try db.execute(sql) }
        _ = try? await database.read { db in try db.value(Int.self, sql) }
        try? await database.write { db in
          try db.execute(script: "CREATE TABLE u(a); \(sql.text)")
          throw Stop()
        }
        try? await database.write { db in
          try db.transaction { _ = try $0.query(sql, ["name": 1]) }
        }
      }
      try await closeDuringQuery(database.writer)
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      for key in [Key.raw(testKeyBytes), .raw([1]), nil] {
        _ = try? await Database(path: database.path, key: key)
      }
      // Released without closing.
      let dropped = try await Database(path: database.path, key: .raw(testKeyBytes.reversed()))
      _ = try await dropped.values("SELECT count(*) FROM t")
    }
    _ = try? await Database(path: "/none/none", key: nil)
    try await Database.temporary(key: .raw(testKeyBytes)).close()
  }

  private static func closeDuringQuery(_ db: isolated Connection) throws {
    let statement = try db.statement("SELECT 1 UNION SELECT 2")
    _ = try statement.step()
    try? db.close()
  }

  @Test("a database released without close has moved its log into the file")
  func log() async throws {
    try await withTemporaryDirectory { folder throws in
      do {
        let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
        try await database.write { try $0.execute("CREATE TABLE t(a)") }
        _ = try await database.values("SELECT a FROM t")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.db"])
    }
  }
}

import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Closing a database in use")
struct ClosingTests {
  private func withFile<Result>(
    _ body: (_ database: Database, _ again: () async throws -> Database) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryPath { path in
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      return try await body(database) { try await Database(path: path, key: .raw(testKeyBytes)) }
    }
  }

  @Test("closing waits for running and waiting calls, and refuses later calls")
  func waits() async throws {
    try await withFile { database, again in
      let door = Door()
      let running = Task {
        try await database.write { db in
          try db.execute("INSERT INTO t VALUES (1)")
          door.pass()
        }
      }
      await door.wait(for: 1)
      let waiting = Task {
        _ = try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      }
      while database.pool.waitingCount == 0 { await Task.yield() }
      let closing = Task { try await database.close() }
      while database.pool.waitingCount < 2 { await Task.yield() }
      let refused = try await failure { try await database.values("SELECT 1") }
      #expect(
        refused.facts
          == ErrorFacts(
            .open, .misuse, "The database is closed: open a new Database", path: database.path))
      door.open()
      try await running.value
      try await waiting.value
      try await closing.value
      let other = try await again()
      #expect(try await other.values("SELECT a FROM t") == [.integer(1), .integer(2)])
      try await other.close()
    }
  }

  @Test("closing can interrupt running calls, which roll back")
  func interrupts() async throws {
    try await withFile { database, again in
      let (door, reading) = (Door(), Door())
      door.open()
      reading.open()
      let writer = Task {
        try await database.write { db in
          try db.execute("INSERT INTO t VALUES (1)")
          door.pass()
          _ = try db.query(endless)
        }
      }
      let reader = Task {
        try await database.read { db in
          reading.pass()
          _ = try db.query(endless)
        }
      }
      await door.wait(for: 1)
      await reading.wait(for: 1)
      let waiting = Task { try await database.write { _ in } }
      while database.pool.waitingCount == 0 { await Task.yield() }
      try await database.close(interrupting: true)
      for task in [writer, reader] {
        let error = try await failure { try await task.value }
        #expect(
          error.facts
            == ErrorFacts(
              .step, .interrupt, "The database was closed without waiting for this call"))
      }
      let refused = try await failure { try await waiting.value }
      #expect(refused.message == "The database is closed: open a new Database")
      let other = try await again()
      #expect(try await other.values("SELECT a FROM t") == [])
      try await other.close()
    }
  }

  @Test("a cancelled task still closes the database")
  func cancelled() async throws {
    try await withFile { database, _ in
      let path = database.path
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: Never.self) { try await database.close() }
      }.value
      try Database.delete(path: path)
    }
  }

  @Test(
    "a file that was only read after a switch to a write-ahead log leaves no other file behind",
    arguments: [Configuration.JournalMode.wal, .delete, .persist], [false, true])
  func filesBeside(mode: Configuration.JournalMode, isAttached: Bool) async throws {
    try await withTemporaryDirectory { folder in
      var configuration = Configuration()
      configuration.journalMode = mode
      let (path, main) = (folder + "/a.db", folder + "/main.db")
      let before = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await before.write {
        try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES(1)")
      }
      try await before.close()

      if isAttached {
        let database = try await Database(path: main, key: .raw(testKeyBytes))
        try await database.attach(path, as: "other", key: .raw(testKeyBytes))
        #expect(try await database.values("SELECT a FROM other.t") == [.integer(1)])
        try await database.close()
      } else {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
        try await database.close()
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(
        files.filter { !$0.hasSuffix("-journal") } == (isAttached ? ["a.db", "main.db"] : ["a.db"]))
    }
  }
}

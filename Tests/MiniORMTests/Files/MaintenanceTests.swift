import Foundation
import Testing

@testable import MiniORM

@Suite("Maintenance")
struct MaintenanceTests {
  private static let key = Key.raw(testKeyBytes)

  @Test(
    "vacuum frees deleted pages, in a file and in memory", arguments: TestPlace.allCases
  )
  func everywhere(place: TestPlace) async throws {
    try await place.withDatabase(script: tables(rows: 1000)) { database throws in
      try await database.write { try $0.execute("DELETE FROM note") }
      try await database.write { try $0.execute("DELETE FROM person WHERE id > 10") }
      let before = try await database.values("PRAGMA page_count")
      let rows = try await database.read { try $0.query("SELECT * FROM person").map(\.values) }
      try await database.vacuum()
      let after = try await database.values("PRAGMA page_count")
      #expect(try #require(after.first) == .integer(4) && after != before)
      #expect(try await database.values("PRAGMA freelist_count") == [.integer(0)])
      #expect(
        try await database.read { try $0.query("SELECT * FROM person").map(\.values) } == rows)
      #expect(try await database.integrityReport().isEmpty)
    }
  }

  @Test(
    "a reader keeps its state during vacuum, and the file shrinks when the read ends",
    arguments: [Configuration.JournalMode.wal, .delete])
  func readers(mode: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    try await withTemporaryDatabase(configuration: configuration, script: tables(rows: 2000)) {
      database throws in
      try await database.write { try $0.execute("DELETE FROM note") }
      try await database.write { try $0.execute("DELETE FROM person WHERE id > 10") }
      let large = try await database.values("PRAGMA page_count")
      if mode == .wal {
        // Vacuum returns before the reader ends.
        let count = try await database.read { db in
          let before = try db.value(Int.self, "SELECT count(*) FROM person")
          let done = DispatchSemaphore(value: 0)
          Task.detached {
            try await database.vacuum()
            done.signal()
          }
          done.wait()
          #expect(try db.value(Int.self, "SELECT count(*) FROM person") == before)
          return before
        }
        #expect(count == 10)
      }
      try await database.vacuum()
      #expect(DatabaseFile.size(database.path) == 4 * 4096)
      #expect(DatabaseFile.size(database.path + "-wal") == 0)
      #expect(large != [.integer(4)])
    }
  }

  @Test("a cancelled vacuum changes nothing, running or waiting")
  func cancelled() async throws {
    try await withTemporaryDatabase(script: tables(rows: 2000)) { database throws in
      try await database.write { try $0.execute("DELETE FROM note") }
      let pages = try await database.values("PRAGMA page_count")
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await database.vacuum()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      let door = Door()
      let writer = Task { try await database.write { _ in door.pass() } }
      await door.wait(for: 1)
      let late = try await failure {
        try await withTimeLimit(.milliseconds(1)) { try await database.vacuum() }
      }
      door.open()
      try await writer.value
      #expect(late.code == .interrupt || late.code == .busy, "\(late)")
      #expect(try await database.values("PRAGMA page_count") == pages)
      #expect(try await database.values("SELECT count(*) FROM person") == [.integer(2000)])
      try await database.vacuum()
      #expect(try await database.values("PRAGMA freelist_count") == [.integer(0)])
    }
  }

  @Test("vacuum of a read-only database throws")
  func readOnly() async throws {
    try await withTemporaryPath { path throws in
      try await Database(path: path, key: Self.key).close()
      var configuration = Configuration()
      configuration.isReadOnly = true
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      let error = try await failure { try await database.vacuum() }
      #expect(error.code == .readOnly)
      try await database.close()
    }
  }

  @Test("optimize stores statistics that help to choose an index")
  func optimize() async throws {
    try await withTemporaryDatabase(script: tables(rows: 500)) { database throws in
      // `PRAGMA optimize` considers only tables that the connection has queried.
      try await database.write { db in
        for name in ["a", "b"] { _ = try db.query("SELECT * FROM person WHERE name = \(name)") }
      }
      try await database.optimize()
      #expect(
        try await database.values("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'")
          == [.integer(1)])
    }
  }
}

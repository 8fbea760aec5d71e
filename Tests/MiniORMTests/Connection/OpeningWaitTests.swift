import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Waits for locks while a file is opened")
struct OpeningWaitTests {
  private static let key = Key.raw(testKeyBytes)

  /// The use of a file with a rollback journal by a second connection.
  enum Holder: String, CaseIterable {
    case reader = "BEGIN; SELECT * FROM t"
    case writer = "BEGIN IMMEDIATE"
    case committer = "BEGIN EXCLUSIVE"
  }

  enum Opening: CaseIterable { case database, keys, attached }

  /// Calls a closure while a second connection holds a lock.
  private func holding<Result>(
    _ holder: Holder, _ body: (_ folder: String, _ path: String) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      let text = "x'\(testKeyBytes.hexadecimal)'"
      try runSQL("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)", on: path, key: text)
      var other: OpaquePointer?
      #expect(sqlite3_open(path, &other) == SQLITE_OK)
      defer { sqlite3_close_v2(other) }
      let sql = "PRAGMA key = \"\(text)\"; \(holder.rawValue)"
      #expect(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
      return try await body(folder, path)
    }
  }

  private func open(
    _ opening: Opening, _ folder: String, _ path: String, _ configuration: Configuration
  ) async throws {
    switch opening {
    case .database:
      try await Database(path: path, key: Self.key, configuration: configuration).close()
    case .keys:
      let other = Key.raw(testKeyBytes.reversed())
      let opened = try await Database.open(
        path: path, keys: [other, Self.key], configuration: configuration)
      try await opened.database.close()
    case .attached:
      let main = try await Database(
        path: folder + "/main.db", key: Self.key, configuration: configuration)
      do {
        try await main.attach(path, as: "other", key: Self.key)
      } catch {
        try await main.close()
        throw error
      }
      try await main.close()
    }
  }

  @Test(
    "all waits together last at most the busy timeout, and the error names the cause",
    arguments: Opening.allCases, Holder.allCases)
  func bounded(opening: Opening, holder: Holder) async throws {
    try await holding(holder) { folder, path in
      var configuration = Configuration()
      configuration.journalMode = .wal
      configuration.busyTimeout = .milliseconds(300)
      let began = ContinuousClock.now
      let error = try await failure {
        try await self.open(opening, folder, path, configuration)
      }
      let duration = ContinuousClock.now - began
      // Opening with the older of two keys derives and checks each key.
      #expect(duration >= .milliseconds(250) && duration < .seconds(3), "\(duration)")
      #expect(error.code.primary == .busy, "\(error)")
      #expect(error.message.contains("held the lock") && error.path != nil, "\(error)")
      if opening == .database, holder != .committer {
        #expect(error.message.contains("journal mode"), "\(error)")
      }
    }
  }

  @Test(
    "the wait ends with the task and at a time limit", .timeLimit(.minutes(1)),
    arguments: [Opening.database, .keys], Holder.allCases)
  func ended(opening: Opening, holder: Holder) async throws {
    try await holding(holder) { folder, path in
      var configuration = Configuration()
      configuration.journalMode = .wal
      configuration.busyTimeout = .seconds(3_600)
      let late = try await failure {
        try await withTimeLimit(.milliseconds(50)) {
          try await self.open(opening, folder, path, configuration)
        }
      }
      #expect(late.code == .interrupt && late.message.contains("time limit"), "\(late)")
      let task = Task { [configuration] in
        try await failure { try await self.open(opening, folder, path, configuration) }
      }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      let cancelled = try await task.value
      #expect(
        cancelled.code == .interrupt && cancelled.message == "The task was cancelled",
        "\(cancelled)")
    }
  }

  @Test("locks that are released in time do not prevent the opening", arguments: Opening.allCases)
  func released(opening: Opening) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      let text = "x'\(testKeyBytes.hexadecimal)'"
      try runSQL("CREATE TABLE t(a)", on: path, key: text)
      var other: OpaquePointer?
      #expect(sqlite3_open(path, &other) == SQLITE_OK)
      let sql = "PRAGMA key = \"\(text)\"; BEGIN EXCLUSIVE"
      #expect(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
      nonisolated(unsafe) let holder = other  // used by a single task at a time
      let releasing = Task {
        try await Task.sleep(for: .milliseconds(100))
        sqlite3_close_v2(holder)
      }
      var configuration = Configuration()
      configuration.journalMode = .wal
      try await open(opening, folder, path, configuration)
      try await releasing.value
    }
  }
}

import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Configuration.prepare")
struct PreparedConnectionTests {
  private final class Runs: Sendable {
    let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
  }

  /// Calls a closure while the first reader is in use.
  private func besideReader<Result>(
    of database: Database, _ body: () async throws -> Result
  ) async throws -> Result {
    let (isHeld, isOver) = (Runs(), Runs())
    async let held: Void = database.read { _ in
      isHeld.count.withLock { $0 = 1 }
      while isOver.value == 0 { usleep(1_000) }
    }
    while isHeld.value == 0 { await Task.yield() }
    defer { isOver.count.withLock { $0 = 1 } }
    let result = try await body()
    isOver.count.withLock { $0 = 1 }
    try await held
    return result
  }

  private func configuration(
    _ runs: Runs = Runs(), _ prepare: @escaping @Sendable (isolated Connection) throws -> Void
  ) -> Configuration {
    var configuration = Configuration()
    configuration.maximumReaderCount = 3
    configuration.prepare = { db in
      runs.count.withLock { $0 += 1 }
      try prepare(db)
    }
    return configuration
  }

  @Test("settings last on the writer, on each reader and after a change of key")
  func settings() async throws {
    let runs = Runs()
    let configuration = configuration(runs) { try $0.execute("PRAGMA journal_size_limit = 777") }
    try await withTemporaryDatabase(configuration: configuration) { database in
      #expect(runs.value == 2)
      for _ in 0..<2 {
        let written = try await database.write {
          try $0.value(Int.self, "PRAGMA journal_size_limit")
        }
        let read = try await database.read { try $0.value(Int.self, "PRAGMA journal_size_limit") }
        #expect(written == 777 && read == 777)
        // A closure cannot change the setting.
        let error = try await failure {
          try await database.write { try $0.execute("PRAGMA journal_size_limit = 5") }
        }
        #expect(
          error.message
            == "PRAGMA journal_size_limit is refused: it applies to each connection. Set Configuration.prepare"
        )
      }
      // A further reader, while the first is in use.
      let more = try await besideReader(of: database) {
        try await database.read { try $0.value(Int.self, "PRAGMA journal_size_limit") }
      }
      #expect(more == 777 && runs.value == 3)
      try await database.changeKey(to: .raw([UInt8](repeating: 1, count: 32)))
      let after = try await database.read { try $0.value(Int.self, "PRAGMA journal_size_limit") }
      #expect(after == 777 && runs.value > 3)
    }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let sql: String
    let message: String
    var testDescription: String { sql }
  }

  @Test(
    "what the closure may not do is an error that names the option",
    arguments: [
      Refused(sql: "CREATE TABLE t(a)", message: "attempt to write a readonly database"),
      Refused(sql: "CREATE TEMP TABLE t(a)", message: "attempt to write a readonly database"),
      Refused(
        sql: "PRAGMA journal_mode = DELETE",
        message:
          "PRAGMA journal_mode is refused: changeKey(to:) would reset it. Set Configuration.journalMode"
      ),
      Refused(
        sql: "PRAGMA cache_size = -64000",
        message:
          "PRAGMA cache_size is refused: it applies to each connection. Set Configuration.cacheSize"
      ),
      Refused(
        sql: "PRAGMA main.cache_size = 100",
        message:
          "PRAGMA cache_size is refused: it applies to each connection. Set Configuration.cacheSize"
      ),
      Refused(
        sql: "PRAGMA foreign_keys = OFF",
        message:
          "PRAGMA foreign_keys is refused: it applies to each connection. Set Configuration.foreignKeysEnabled"
      ),
      Refused(
        sql: "BEGIN",
        message: "Configuration.prepare left a transaction open: remove BEGIN or SAVEPOINT"),
    ])
  func refusals(_ refused: Refused) async throws {
    try await withTemporaryPath { path in
      for key in [Key.raw(testKeyBytes), nil] {
        let error = try await failure {
          try await Database(
            path: path + (key == nil ? "p" : "k"), key: key,
            configuration: configuration { try $0.execute(SQL(raw: refused.sql)) })
        }
        #expect(error.operation == .configure)
        #expect(error.message == "\(refused.message): Configuration.prepare failed")
      }
      // The file is closed and not damaged.
      let database = try await Database(path: path + "k", key: .raw(testKeyBytes))
      let count = try await database.values("SELECT count(*) FROM sqlite_schema")
      #expect(count == [.integer(0)])
      try await database.close()
    }
  }

  @Test("an error on a later reader is thrown by its read, which can be repeated")
  func laterReader() async throws {
    struct Failure: Error {}
    let runs = Runs()
    let configuration = configuration(runs) { _ in
      if runs.value == 3 { throw Failure() }
    }
    try await withTemporaryDatabase(configuration: configuration) { database in
      let error = try await failure {
        try await besideReader(of: database) {
          try await database.read { try $0.value(Int.self, "SELECT 1") }
        }
      }
      #expect(error.operation == .configure)
      #expect(error.message.hasPrefix("Failure(): Configuration.prepare failed"))
      let again = try await besideReader(of: database) {
        try await database.read { try $0.value(Int.self, "SELECT 1") }
      }
      #expect(again == 1 && runs.value == 4)
    }
  }
}

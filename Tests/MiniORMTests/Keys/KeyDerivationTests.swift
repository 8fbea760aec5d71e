import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

// Runs in separate processes, because the count of derivations and SQLCipher's log are
// process-wide.
@Suite("Number of key derivations")
struct KeyDerivationTests {
  /// Counts the key derivations of MiniORM and SQLCipher during a closure.
  ///
  /// SQLCipher logs each full key derivation.
  private static func derivations(
    _ log: String, _ body: () async throws -> Void
  ) async throws -> [Int] {
    try set("cipher_log = '\(log)'; PRAGMA cipher_log_level = DEBUG")
    let before = CipherKey.derivations.load(ordering: .relaxed)
    try await body()
    let after = CipherKey.derivations.load(ordering: .relaxed)
    // Flushes and closes the log file.
    try set("cipher_log = off; PRAGMA cipher_log_level = NONE")
    let text = try String(contentsOfFile: log, encoding: .utf8)
    try FileManager.default.removeItem(atPath: log)
    return [after - before, text.components(separatedBy: "deriving key using").count - 1]
  }

  private static func set(_ pragma: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    try #require(sqlite3_open(":memory:", &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, "PRAGMA \(pragma)", nil, nil, nil) == SQLITE_OK)
  }

  /// Keeps the log level of the test.
  private static func configuration(_ readers: Int) -> Configuration {
    var configuration = Configuration()
    configuration.cipherLogLevel = nil
    configuration.maximumReaderCount = readers
    configuration.cipher.kdfIterations = 1_000
    return configuration
  }

  /// Reads on four connections at once.
  private static func readAtOnce(_ database: Database) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await database.read { db in
            // Waits until all four readers are open.
            for _ in 0..<1_000 where database.pool.readerCount < 4 { usleep(1_000) }
            _ = try db.query("SELECT count(*) FROM sqlite_schema")
          }
        }
      }
      try await group.waitForAll()
    }
    try #require(database.pool.readerCount == 4)
  }

  @Test("a pool of 1 + 4 connections derives a passphrase once, and once per key change")
  func pool() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        for key in [Key.passphrase("p"), .passphrase(bytes: [UInt8](repeating: 7, count: 10_000))] {
          let counts = try await Self.derivations(path + ".log") {
            let database = try await Database(
              path: path, key: key, configuration: Self.configuration(4))
            try await database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(a)") }
            try await Self.readAtOnce(database)
            try await database.close()
          }
          try #require(counts == [1, 0])
          let changes = try await Self.derivations(path + ".log") {
            let database = try await Database(
              path: path, key: key, configuration: Self.configuration(4))
            try await Self.readAtOnce(database)
            try await database.changeKey(to: .passphrase("q"))
            try await Self.readAtOnce(database)
            try await database.attach(path + "-other", as: "other", key: .passphrase("r"))
            try await Self.readAtOnce(database)
            try await database.close()
          }
          try #require(changes == [3, 0])
          try Database.delete(path: path)
          try Database.delete(path: path + "-other")
        }
      }
    }
  }

  @Test("the test counts SQLCipher's own derivations and separate databases")
  func control() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        let counts = try await Self.derivations(path + ".log") {
          for _ in 0..<2 {
            try await Database(
              path: path, key: .passphrase("p"), configuration: Self.configuration(1)
            ).close()
          }
          var database: OpaquePointer?
          defer { sqlite3_close_v2(database) }
          try #require(sqlite3_open(path + "2", &database) == SQLITE_OK)
          try #require(sqlite3_key(database, "p", 1) == SQLITE_OK)
          try #require(sqlite3_exec(database, "CREATE TABLE t(a)", nil, nil, nil) == SQLITE_OK)
        }
        try #require(counts == [2, 1])
      }
    }
  }

  @Test(
    "a history derives each key once up to the matching key, and changes the key without another derivation"
  )
  func history() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        let configuration = Self.configuration(4)
        try await Database(
          path: path, key: .passphrase("old"), configuration: configuration
        ).write { try $0.execute("CREATE TABLE t(a)") }
        let keys = ["new", "older", "old", "oldest"].map { Key.passphrase($0) }
        for (expected, index) in [(3, 2), (1, 0)] {
          let counts = try await Self.derivations(path + ".log") {
            let opened = try await Database.open(
              path: path, keys: keys, configuration: configuration)
            try #require(opened.keyIndex == index)
            try await Self.readAtOnce(opened.database)
            try await opened.database.close()
          }
          try #require(counts == [expected, 0])
        }
      }
    }
  }

  @Test("a raw key, and a key refused before use, derive nothing")
  func none() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        let counts = try await Self.derivations(path + ".log") {
          let database = try await Database(
            path: path, key: .raw(testKeyBytes), configuration: Self.configuration(4))
          try await Self.readAtOnce(database)
          try await database.close()
          let plain = try await Database(path: path + "2", key: nil)
          try await plain.write { try $0.execute("CREATE TABLE t(a)") }
          try await plain.close()
          for file in [path + "2", DatabaseFile.parent(path)] {
            _ = try? await Database(
              path: file, key: .passphrase("p"), configuration: Self.configuration(4))
          }
        }
        try #require(counts == [0, 0])
      }
    }
  }
}

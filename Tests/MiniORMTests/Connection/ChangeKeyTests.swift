import Foundation
import Testing

@testable import MiniORM

@Suite("Changing the key")
struct ChangeKeyTests {
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
    """
  private static let other = Key.raw(testKeyBytes.reversed())

  /// What tells whether the data is whole.
  private static func expectWhole(
    _ database: Database, rows: Int64 = 500, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(
      try await database.values("SELECT count(*) FROM t") == [.integer(rows)],
      sourceLocation: sourceLocation)
    #expect(
      try await database.values("PRAGMA integrity_check") == [.text("ok")],
      sourceLocation: sourceLocation)
    #expect(
      try await database.values("PRAGMA cipher_integrity_check") == [],
      sourceLocation: sourceLocation)
  }

  private static func expectRefused(_ path: String, _ key: Key) async throws {
    let error = try await failure { try await Database(path: path, key: key).close() }
    #expect(error.operation == .key)
    #expect(error.code == .notADatabase)
  }

  @Test("A4: passphrase to raw to passphrase: the data stays whole, each old key is refused")
  func thereAndBack() async throws {
    let keys = [Key.passphrase("one"), Self.other, .passphrase("two")]
    try await withTemporaryDatabase(key: keys[0], script: Self.script) { database in
      for (index, key) in keys.enumerated().dropFirst() {
        try await database.changeKey(to: key)
        try await Self.expectWhole(database, rows: Int64(499 + index))
        try await database.write {
          try $0.execute("INSERT INTO t(b) VALUES ('after')")
        }
        try await Self.expectRefused(database.path, keys[index - 1])
      }
      try await database.close()
      for key in keys.dropLast() { try await Self.expectRefused(database.path, key) }
      let again = try await Database(path: database.path, key: keys[2])
      try await Self.expectWhole(again, rows: 502)
      try await again.close()
    }
  }

  @Test("A4: the key changes in every journal mode, with a new salt too", arguments: [true, false])
  func salted(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let key = Key.raw(testKeyBytes.reversed(), salt: [UInt8](1...16))
      try await database.changeKey(to: key)
      try await Self.expectWhole(database)
      try await database.close()
      for key in [key, Self.other] {
        let again = try await Database(path: database.path, key: key)
        try await Self.expectWhole(again)
        try await again.close()
      }
      try await Self.expectRefused(database.path, .raw(testKeyBytes))
    }
  }

  @Test("A4: an empty file's key can be changed", arguments: [true, false])
  func empty(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.changeKey(to: Self.other)
      try await database.write { try $0.execute(script: Self.script) }
      try await Self.expectWhole(database)
      try await Self.expectRefused(database.path, .raw(testKeyBytes))
    }
  }

  @Test("C14: reads and writes that come meanwhile wait, and none fails")
  func meanwhile() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 {
          group.addTask {
            #expect(try await database.values("SELECT a FROM t WHERE a = 5") == [.integer(5)])
            try await database.write { try $0.execute("INSERT INTO t(b) VALUES (\(index))") }
          }
          if index % 20 == 10 {
            group.addTask {
              try await database.changeKey(to: .raw([UInt8](repeating: UInt8(index), count: 32)))
            }
          }
        }
        try await group.waitForAll()
      }
      try await Self.expectWhole(database, rows: 560)
    }
  }

  @Test(
    "A4: a change that cannot get the lock throws, and the old key still holds",
    arguments: [true, false])
  func locked(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.busyTimeout = 1
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let path = database.path
      let locker = Connection(path: path, configuration: configuration)
      try await locker.open(
        try CipherKey(.raw(testKeyBytes), fileSalt: DatabaseFile.head(path)), isReadOnly: false)
      try await locker.begin(.immediate)
      let error = try await failure { try await database.changeKey(to: Self.other) }
      #expect(
        error.facts
          == ErrorFacts(.rekey, .busy, "database is locked", sql: "BEGIN IMMEDIATE", path: path))
      #expect(error.errorDescription == "The database's key could not be changed.")
      // sqlite3_rekey would have said nothing, and the next write would have damaged the file.
      try await Self.expectWhole(database)
      await locker.rollback()
      try await locker.close()
      try await database.write { try $0.execute("INSERT INTO t(b) VALUES ('after')") }
      try await Self.expectWhole(database, rows: 501)
      try await Self.expectRefused(path, Self.other)
      try await database.changeKey(to: Self.other)
      try await Self.expectWhole(database, rows: 501)
      try await Self.expectRefused(path, .raw(testKeyBytes))
    }
  }

  // A process of its own: the limit on the size of files holds for all of it.
  @Test("A4: a change that fails half-way throws, and leaves the old key and every row")
  func halfway() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      try await withTemporaryDatabase(script: Self.script) { first in
        try await first.close()  // empties the log
        let database = try await Database(path: first.path, key: .raw(testKeyBytes))
        let limits = try Self.limitFileSize(to: 65_536)
        let error = try await failure { try await database.changeKey(to: Self.other) }
        try Self.setLimit(limits)
        try #require(error.operation == .rekey)
        try #require(error.path == database.path)
        try await Self.requireWhole(database, rows: 500)
        try await database.write { try $0.execute("INSERT INTO t(b) VALUES ('after')") }
        try await Self.requireWhole(database, rows: 501)
        try await database.close()
        let again = try await Database(path: first.path, key: .raw(testKeyBytes))
        try await Self.requireWhole(again, rows: 501)
        try await again.close()
      }
    }
  }

  private static func requireWhole(_ database: Database, rows: Int64) async throws {
    try #require(try await database.values("SELECT count(*) FROM t") == [.integer(rows)])
    try #require(try await database.values("PRAGMA integrity_check") == [.text("ok")])
    try #require(try await database.values("PRAGMA cipher_integrity_check") == [])
  }

  /// Sets how large a file of this process may become, and gives what it was.
  private static func limitFileSize(to bytes: rlim_t) throws -> rlimit {
    var old = rlimit()
    try #require(getrlimit(fileSizeLimit, &old) == 0)
    try setLimit(rlimit(rlim_cur: bytes, rlim_max: old.rlim_max))
    return old
  }

  private static func setLimit(_ limit: rlimit) throws {
    var limit = limit
    try #require(setrlimit(fileSizeLimit, &limit) == 0)
  }

  #if canImport(Glibc)
    private static var fileSizeLimit: __rlimit_resource_t { Int32(RLIMIT_FSIZE.rawValue) }
  #else
    private static var fileSizeLimit: Int32 { RLIMIT_FSIZE }
  #endif

  @Test("A4: what has no key to change says so")
  func refused() async throws {
    let memory = try await Database.inMemory()
    let inMemory = try await failure { try await memory.changeKey(to: Self.other) }
    #expect(
      inMemory.facts
        == ErrorFacts(
          .rekey, .misuse, "Only a file that can be written has a key to change", path: ":memory:"))
    try await memory.close()
    try await withTemporaryPath { path in
      let plain = try await Database(path: path, key: nil)
      try await plain.write { try $0.execute(script: Self.script) }
      let error = try await failure { try await plain.changeKey(to: Self.other) }
      #expect(
        error.facts
          == ErrorFacts(
            .rekey, .misuse, "This file is not encrypted, and cannot be encrypted in place",
            path: path))
      #expect(try await plain.values("SELECT count(*) FROM t") == [.integer(500)])
      try await plain.close()
    }
    try await withTemporaryDatabase { database in
      try await database.close()
      let error = try await failure { try await database.changeKey(to: Self.other) }
      #expect(
        error.facts == ErrorFacts(.open, .misuse, "The database is closed", path: database.path))
    }
  }
}

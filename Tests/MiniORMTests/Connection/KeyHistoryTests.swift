import Foundation
import Testing

@testable import MiniORM

@Suite("Key histories")
struct KeyHistoryTests {
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
    """
  private static func key(_ number: UInt8) -> Key { .raw([UInt8](repeating: number, count: 32)) }
  private static let keys = [key(3), key(2), key(1)]

  private static func make(
    _ path: String, _ key: Key, _ configuration: Configuration = Configuration()
  ) async throws {
    let database = try await Database(path: path, key: key, configuration: configuration)
    try await database.write { try $0.execute(script: script) }
    try await database.close()
  }

  /// The indexes of the keys that open the undamaged file.
  private static func fitting(
    _ path: String, _ keys: [Key], _ configuration: Configuration = Configuration()
  ) async throws -> [Int] {
    var fitting: [Int] = []
    for (index, key) in keys.enumerated() {
      do {
        let database = try await Database(path: path, key: key, configuration: configuration)
        try #require(try await database.values("SELECT count(*) FROM t") == [.integer(200)])
        try #require(try await database.values("PRAGMA integrity_check") == [.text("ok")])
        try await database.close()
        // Checks the main file only. The log was checkpointed.
        let again = try await Database(path: path, key: key, configuration: configuration)
        try #require(try await again.values("PRAGMA cipher_integrity_check") == [])
        try await again.close()
        fitting.append(index)
      } catch let error as DatabaseError where error.openingFailure == .wrongKey {
      }
    }
    return fitting
  }

  @Test(
    "the newest matching key opens the file, which then gets the newest key", arguments: 0..<3,
    [Configuration.JournalMode.wal, .delete])
  func rotation(index: Int, mode: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    try await withTemporaryPath { path in
      try await Self.make(path, Self.keys[index], configuration)
      for expected in [index, 0] {
        let (database, found) = try await Database.open(
          path: path, keys: Self.keys, configuration: configuration)
        #expect(found == expected)
        #expect(try await database.values("SELECT count(*) FROM t") == [.integer(200)])
        try await database.write { try $0.execute("UPDATE t SET b = b WHERE a = 1") }
        try await database.close()
        #expect(try await Self.fitting(path, Self.keys, configuration) == [0])
      }
    }
  }

  @Test("passphrases, raw keys, and a raw key with its own salt follow each other")
  func kinds() async throws {
    var configuration = Configuration()
    configuration.cipher.kdfIterations = 5
    let kinds: [Key] = [
      .passphrase("new"), .raw(testKeyBytes, salt: [UInt8](1...16)), .raw(testKeyBytes.reversed()),
      .passphrase("old", salt: [UInt8](2...17)), .passphrase("oldest"),
    ]
    for old in kinds.indices {
      for new in kinds.indices where new != old {
        try await withTemporaryPath { path in
          try await Self.make(path, kinds[old], configuration)
          let keys = [kinds[new], kinds[old]]
          let (database, index) = try await Database.open(
            path: path, keys: keys, configuration: configuration)
          #expect(index == 1, "\(old) \(new)")
          try await database.close()
          #expect(try await Self.fitting(path, keys, configuration) == [0], "\(old) \(new)")
        }
      }
    }
  }

  @Test("without a matching key the error says so, and the file is unchanged")
  func refused() async throws {
    try await withTemporaryPath { path in
      try await Self.make(path, Self.key(9))
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let none = try await failure { _ = try await Database.open(path: path, keys: Self.keys) }
      #expect(
        none.facts
          == ErrorFacts(
            .key, .notADatabase,
            "The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them: none of the 3 keys opens it",
            path: path))
      #expect(none.openingFailure == .wrongKey)
      let empty = try await failure { _ = try await Database.open(path: path, keys: []) }
      #expect(
        empty.facts
          == ErrorFacts(.key, .misuse, "No key was given: give at least one key", path: path))
      #expect(empty.openingFailure == .invalidKey)
      let short = try await failure {
        _ = try await Database.open(path: path, keys: [Self.key(9), .raw([1])])
      }
      #expect(
        short.facts
          == ErrorFacts(.key, .misuse, "A raw key must have 32 bytes, not 1", path: path))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
      try Database.delete(path: path)
      let plain = try await Database(path: path, key: nil)
      try await plain.write { try $0.execute("CREATE TABLE t(a)") }
      try await plain.close()
      let error = try await failure { _ = try await Database.open(path: path, keys: Self.keys) }
      #expect(error.openingFailure == .notEncrypted)
    }
  }

  @Test("a created file has the newest key, and a read-only file keeps its key")
  func createdAndRead() async throws {
    try await withTemporaryPath { path in
      let (made, index) = try await Database.open(path: path, keys: Self.keys)
      #expect(index == 0)
      try await made.write { try $0.execute(script: Self.script) }
      try await made.close()
      #expect(try await Self.fitting(path, Self.keys) == [0])
      let newer = [Self.key(5), Self.key(4)] + Self.keys
      var configuration = Configuration()
      configuration.isReadOnly = true
      let (read, found) = try await Database.open(
        path: path, keys: newer, configuration: configuration)
      #expect(found == 2)
      #expect(try await read.values("SELECT count(*) FROM t") == [.integer(200)])
      try await read.close()
      #expect(try await Self.fitting(path, newer) == [2])
    }
  }

  @Test("if the key cannot be changed at the moment, the file keeps its key and stays closed")
  func busy() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(1)
    try await withTemporaryPath { path in
      try await Self.make(path, Self.keys[1])
      let other = try await Database(path: path, key: Self.keys[1], configuration: configuration)
      try await other.writer.begin(.immediate)
      let error = try await failure {
        _ = try await Database.open(path: path, keys: Self.keys, configuration: configuration)
      }
      #expect(error.operation == .rekey && error.code == .busy)
      await other.writer.rollback()
      try await other.close()
      #expect(try await Self.fitting(path, Self.keys) == [1])
      // Throws if the file is open.
      try Database.delete(path: path)
    }
  }

  #if os(Linux)
    @Test(
      "a process killed at any moment leaves a file that one of the keys opens",
      arguments: [Configuration.JournalMode.wal, .persist])
    func killed(mode: Configuration.JournalMode) async throws {
      var configuration = Configuration()
      configuration.journalMode = mode
      try await withTemporaryPath { path in
        // Counts the system calls without a fault.
        try await Self.make(path, Self.keys[2], configuration)
        await #expect(processExitsWith: .success) {
          [path = path as String, mode = mode.rawValue as String] in
          FileFaults.install()
          FileFaults.arm(.max, lasting: false)
          try await Self.open(path, mode).close()
          try "\(FileFaults.count)".write(
            toFile: path + ".count", atomically: true, encoding: .utf8)
        }
        let count = try #require(Int(try String(contentsOfFile: path + ".count", encoding: .utf8)))
        #expect(count > 60)
        var seen: Set<Int> = []
        let moments = 14
        for moment in 1...moments {
          try Database.delete(path: path)
          try await Self.make(path, Self.keys[2], configuration)
          await #expect(processExitsWith: .signal(SIGKILL)) {
            [
              path = path as String, mode = mode.rawValue as String,
              call = moment * count / (moments + 1) as Int
            ] in
            FileFaults.install()
            FileFaults.arm(call, lasting: false, kills: true)
            try await Self.open(path, mode).close()
          }
          let fitting = try await Self.fitting(path, Self.keys, configuration)
          #expect(fitting == [0] || fitting == [2], "moment \(moment)")
          let (database, index) = try await Database.open(
            path: path, keys: Self.keys, configuration: configuration)
          #expect([index] == fitting)
          try await database.close()
          #expect(try await Self.fitting(path, Self.keys, configuration) == [0])
          seen.formUnion(fitting)
        }
        #expect(seen == [0, 2])
      }
    }

    private static func open(_ path: String, _ mode: String) async throws -> Database {
      var configuration = Configuration()
      configuration.journalMode =
        try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
      return try await Database.open(path: path, keys: keys, configuration: configuration).database
    }
  #endif
}

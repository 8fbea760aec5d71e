import Foundation
import Testing

@testable import MiniORM

@Suite("Keys")
struct KeyTests {
  private static let hex = testKeyBytes.hexadecimal

  static let passphrases: [[UInt8]] =
    [
      "'", "\"", "'; DROP TABLE t --", "a\0b", "\0", "🔑👩‍👩‍👧", "x'\(hex)'",
      "x'\(hex)\(hex.prefix(32))'",
    ].map { Array($0.utf8) } + [
      Array(repeating: UInt8(ascii: "k"), count: 10_000), [0xFF, 0xFE, 0xC3, 0x28],
    ]

  @Test(
    "a file opens with the passphrase that created it, for any passphrase", arguments: passphrases)
  func passphrase(bytes: [UInt8]) async throws {
    try await withTemporaryPath { path in
      let made = try await Database(path: path, key: .passphrase(bytes: bytes))
      try await made.write { try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (7)") }
      try await made.close()
      let again = try await Database(path: path, key: .passphrase(bytes: bytes))
      #expect(try await again.values("SELECT a FROM t") == [.integer(7)])
      try await again.close()
    }
  }

  @Test("a passphrase that looks like a raw key is used as a passphrase")
  func looksRaw() async throws {
    let text = "x'\(Self.hex)'"
    try await withTemporaryDatabase(key: .passphrase(text), script: "CREATE TABLE t(a)") { made in
      let error = try await failure {
        try await Database(path: made.path, key: .raw(testKeyBytes)).close()
      }
      #expect(error.operation == .key)
      #expect(error.code == .notADatabase)
    }
  }

  @Test("a passphrase may contain a NUL character")
  func nul() async throws {
    try await withTemporaryDatabase(key: .passphrase("a\0b"), script: "CREATE TABLE t(a)") { made in
      let error = try await failure {
        try await Database(path: made.path, key: .passphrase("a")).close()
      }
      #expect(error.code == .notADatabase)
    }
  }

  static let refusedKeys: [(Key, String)] = [
    (.passphrase(""), "The key is empty: give a passphrase or a raw key"),
    (.passphrase(bytes: []), "The key is empty: give a passphrase or a raw key"),
    (.raw([]), "The key is empty: give a passphrase or a raw key"),
    (.raw([UInt8](repeating: 1, count: 31)), "A raw key must have 32 bytes, not 31"),
    (.raw([UInt8](repeating: 1, count: 33)), "A raw key must have 32 bytes, not 33"),
    (.raw([UInt8](repeating: 1, count: 48)), "A raw key must have 32 bytes, not 48"),
    (.raw(testKeyBytes, salt: []), "A salt must have 16 bytes, not 0"),
    (.raw(testKeyBytes, salt: [1, 2]), "A salt must have 16 bytes, not 2"),
  ]

  @Test("an empty key and a raw key of another size are refused", arguments: 0..<8)
  func refused(index: Int) async throws {
    let (key, message) = Self.refusedKeys[index]
    try await withTemporaryPath { path in
      let opening = try await failure { try await Database(path: path, key: key).close() }
      #expect(opening.facts == ErrorFacts(.key, .misuse, message, path: path))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    let temporary = try await failure { try await Database.temporary(key: key).close() }
    #expect(temporary.facts == ErrorFacts(.key, .misuse, message, path: ""))
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      let changing = try await failure { try await database.changeKey(to: key) }
      #expect(changing.facts == ErrorFacts(.rekey, .misuse, message, path: database.path))
      #expect(try await database.values("SELECT name FROM sqlite_schema") == [.text("t")])
    }
  }

  @Test("a raw key with a salt writes this salt at the beginning of the file")
  func salt() async throws {
    let salt = [UInt8](100..<116)
    try await withTemporaryPath { path in
      let made = try await Database(path: path, key: .raw(testKeyBytes, salt: salt))
      try await made.write { try $0.execute("CREATE TABLE t(a)") }
      try await made.close()
      #expect(try DatabaseFile.head(path) == salt)
      for key in [Key.raw(testKeyBytes, salt: salt), .raw(testKeyBytes)] {
        let again = try await Database(path: path, key: key)
        #expect(try await again.values("SELECT name FROM sqlite_schema") == [.text("t")])
        try await again.close()
      }
      let other = [UInt8](repeating: 0, count: 16)
      let error = try await failure {
        try await Database(path: path, key: .raw(testKeyBytes, salt: other)).close()
      }
      #expect(error.code == .notADatabase)
    }
  }

  @Test("a key is never printed")
  func hidden() async throws {
    let secret = "hunter2-marker"
    let bytes = Array(secret.utf8) + [UInt8](repeating: 65, count: 32 - secret.utf8.count)
    for key in [Key.passphrase(secret), .passphrase(bytes: bytes), .raw(bytes)] {
      var texts = ["\(key)", String(reflecting: key)]
      var dumped = ""
      dump(key, to: &dumped)
      dump(try CipherKey(key, fileSalt: testKeyBytes.suffix(16)), to: &dumped)
      texts.append(dumped)
      try await withTemporaryDatabase(key: key) { database in
        dump(database, to: &dumped)
        texts += [dumped, "\(database)"]
        let error = try await failure {
          try await Database(path: database.path, key: .raw(testKeyBytes)).close()
        }
        texts += [error.description, "\(error.facts)"]
      }
      for text in texts {
        #expect(!text.contains(secret))
        #expect(!text.lowercased().contains(bytes.hexadecimal))
        #expect(!text.contains(bytes.prefix(4).map(String.init).joined(separator: ", ")))
      }
    }
    #expect("\(Key.passphrase(secret))" == "Key.passphrase(hidden)")
    #expect(String(reflecting: Key.raw(bytes)) == "Key.raw(hidden)")
  }

  @Test("neither the file nor its log contains stored text, table names or the key unencrypted")
  func encryptedOnDisk() async throws {
    let marker = "plaintext-marker-\(UUID().uuidString)"
    try await withTemporaryDatabase(script: "CREATE TABLE table_marker(a)") { database in
      try await database.write { db in
        for _ in 0..<200 { try db.execute("INSERT INTO table_marker VALUES (\(marker))") }
      }
      for suffix in ["", "-wal"] {
        let data = try Data(contentsOf: URL(fileURLWithPath: database.path + suffix))
        #expect(data.count >= 4096)
        for text in [marker, "table_marker"] { #expect(data.range(of: Data(text.utf8)) == nil) }
        #expect(data.range(of: Data(testKeyBytes)) == nil)
        #expect(data.range(of: Data(Self.hex.utf8)) == nil)
      }
    }
  }

  @Test("a wrong key prints nothing to the program's standard error")
  func quiet() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
    ) {
      try await withTemporaryDatabase(key: .passphrase("right"), script: "CREATE TABLE t(a)") {
        let path = $0.path
        for key in [Key.passphrase("wrong"), .raw(testKeyBytes), nil] {
          let error = try await failure { try await Database(path: path, key: key).close() }
          try #require(error.code == .notADatabase)
        }
      }
    }
    Self.expectQuiet(try #require(result).standardErrorContent)
  }

  private static func expectQuiet(_ output: [UInt8]) {
    // SQLCipher 4.10 logs this warning at startup, before its log can be disabled.
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n")
    where !line.contains("WARN MEMORY sqlcipher_mlock") {
      #expect(!line.contains("ERROR"), "\(line)")
      #expect(!line.contains("sqlcipher"), "\(line)")
    }
  }

  #if os(Linux)
    // The superuser has no limit on locked memory.
    @Test(
      "a process without permission to lock memory opens files, and prints nothing",
      .enabled(if: getuid() == 0), arguments: [true, false])
    func unlocked(isAttached: Bool) async throws {
      try await withTemporaryDirectory { folder in
        try #require(chmod(folder, 0o777) == 0)
        let result = await #expect(
          processExitsWith: .success, observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [folder = folder as String, isAttached = isAttached as Bool] in
          var limit = rlimit(rlim_cur: 0, rlim_max: 0)
          // RLIMIT_MEMLOCK, which Swift does not import.
          try #require(setrlimit(8, &limit) == 0)
          try #require(setuid(65_534) == 0)
          let key = Key.raw(testKeyBytes)
          let database = try await Database(path: folder + "/a.db", key: isAttached ? nil : key)
          try await database.attach(folder + "/b.db", as: "b", key: key)
          try await database.write {
            try $0.execute(script: "CREATE TABLE t(a); CREATE TABLE b.t(a)")
          }
          try await database.close()
          let wrong = try await failure {
            try await Database(path: folder + "/b.db", key: .passphrase("wrong")).close()
          }
          try #require(wrong.openingFailure == .wrongKey)
        }
        Self.expectQuiet(try #require(result).standardErrorContent)
      }
    }
  #endif
}

import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Cipher settings")
struct CipherSettingsTests {
  /// Uses SQLCipher directly, with the PRAGMAs that a program would run.
  enum SQLCipher {
    struct Failure: Error { let code: Int32 }

    /// Opens a file with a key and settings, and runs SQL.
    /// - Returns: The first value of the last row.
    static func run(
      _ sql: String, path: String, key: [UInt8], _ settings: CipherSettings
    ) throws -> String? {
      var database: OpaquePointer?
      defer { sqlite3_close_v2(database) }
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK,
        sqlite3_key(database, key, Int32(key.count)) == SQLITE_OK
      else { throw Failure(code: SQLITE_CANTOPEN) }
      var result: String?
      for sql in ["PRAGMA cipher_log_level = NONE"] + pragmas(settings) + [sql] {
        let code = withUnsafeMutablePointer(to: &result) { result in
          sqlite3_exec(
            database, sql,
            { result, count, values, _ in
              guard let result, count > 0, let value = values?[0] else { return 0 }
              result.assumingMemoryBound(to: String?.self).pointee = String(cString: value)
              return 0
            }, result, nil)
        }
        guard code == SQLITE_OK else { throw Failure(code: code) }
      }
      return result
    }

    static func pragmas(_ settings: CipherSettings) -> [String] {
      [
        "PRAGMA cipher_page_size = \(settings.pageSize)",
        "PRAGMA kdf_iter = \(settings.kdfIterations)",
        "PRAGMA cipher_kdf_algorithm = PBKDF2_HMAC_\(settings.kdfAlgorithm.rawValue)",
        "PRAGMA cipher_hmac_algorithm = HMAC_\((settings.hmacAlgorithm ?? .sha512).rawValue)",
        "PRAGMA cipher_use_hmac = \(settings.hmacAlgorithm == nil ? 0 : 1)",
        "PRAGMA cipher_plaintext_header_size = \(settings.plaintextHeaderSize)",
      ]
    }
  }

  private static func with(
    _ settings: CipherSettings = .sqlcipher4, _ change: (inout CipherSettings) -> Void
  ) -> CipherSettings {
    var settings = settings
    change(&settings)
    return settings
  }

  /// Variations of each setting, and some unusual combinations. All use a fast key derivation.
  static let variants: [CipherSettings] =
    [.sqlcipher1, .sqlcipher2, .sqlcipher3, .sqlcipher4].map { with($0) { $0.kdfIterations = 7 } }
    + [1_024, 2_048, 8_192, 16_384, 32_768, 65_536].map { size in
      with { ($0.pageSize, $0.kdfIterations) = (size, 2) }
    }
    + CipherSettings.HashFunction.allCases.flatMap { function in
      [
        with { ($0.kdfAlgorithm, $0.kdfIterations) = (function, 3) },
        with { ($0.hmacAlgorithm, $0.kdfIterations) = (function, 3) },
      ]
    }
    + [
      with { ($0.hmacAlgorithm, $0.kdfIterations) = (nil, 1) },
      with { ($0.plaintextHeaderSize, $0.kdfIterations) = (16, 1) },
      with { ($0.plaintextHeaderSize, $0.kdfIterations) = (32, 1) },
      with { ($0.plaintextHeaderSize, $0.hmacAlgorithm, $0.kdfIterations) = (96, nil, 1) },
      with(.sqlcipher3) { ($0.plaintextHeaderSize, $0.kdfIterations) = (32, 1) },
      with { ($0.plaintextHeaderSize, $0.pageSize, $0.kdfIterations) = (928, 1_024, 1) },
    ]

  private static let salt = [UInt8](200..<216)
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
    """

  // Attaching a file with other settings changes SQLCipher's process-wide defaults briefly. It runs
  // in a separate process, because other tests open files without MiniORM.

  @Test(
    "a file keeps its settings in every connection, after a key change, and in SQLCipher's own shell",
    arguments: [Configuration.JournalMode.wal, .delete])
  func everywhere(mode: Configuration.JournalMode) async throws {
    await #expect(processExitsWith: .success) { [mode = mode.rawValue as String] in
      let mode = try #require(Configuration.JournalMode(rawValue: mode))
      for settings in Self.variants { try await Self.checkEverywhere(settings, mode) }
    }
  }

  @Test("the file has exactly the configured settings", arguments: variants)
  func inForce(settings: CipherSettings) async throws {
    var configuration = Configuration()
    configuration.cipher = settings
    let key = Key.raw(testKeyBytes, salt: Self.salt)
    try await withTemporaryDatabase(key: key, configuration: configuration) { database in
      let own = try await database.writer.isolated { db in
        let handle = try db.handle
        return Self.variants.filter { $0.areInForce(on: handle) }
      }
      #expect(own.first == settings)
      #expect(own.filter { $0 != settings } == [])
    }
    // A database without a key has no cipher settings.
    let plain = try await Database.inMemory()
    #expect(try await plain.writer.isolated { try !settings.areInForce(on: $0.handle) })
    try await plain.close()
  }

  private static func checkEverywhere(
    _ settings: CipherSettings, _ mode: Configuration.JournalMode
  ) async throws {
    var configuration = Configuration()
    (configuration.cipher, configuration.journalMode) = (settings, mode)
    configuration.maximumReaderCount = 3
    let hasHeader = settings.plaintextHeaderSize > 0
    let salt = hasHeader ? Self.salt : nil
    let text = "it's a \"key\""
    try await withTemporaryPath { path in
      let made = try await Database(
        path: path, key: .passphrase(text, salt: salt), configuration: configuration)
      try await made.write { try $0.execute(script: Self.script) }
      try await Self.expectEverywhere(made, settings)
      try await made.attach(path + "-other", as: "other", key: .passphrase("2", salt: salt))
      try await made.write { try $0.execute("CREATE TABLE other.u AS SELECT 5 AS a") }
      try await Self.expectEverywhere(made, settings)
      try await made.changeKey(to: .raw(testKeyBytes))
      try await Self.expectEverywhere(made, settings)
      #expect(try await made.values("SELECT a FROM other.u") == [.integer(5)])
      try await made.changeKey(to: .passphrase(text))
      try await Self.expectEverywhere(made, settings)
      try await made.close()
      if hasHeader { #expect(try DatabaseFile.isPlain(path)) }

      // A raw key with a salt, so that nothing is derived.
      let digits = try CipherKey(
        .passphrase(text, salt: salt), fileSalt: try DatabaseFile.salt(path, settings),
        settings: settings
      ).text.withBytes { Array($0) }
      #expect(
        try SQLCipher.run("SELECT count(*) FROM t", path: path, key: digits, settings) == "200")
      #expect(
        try SQLCipher.run("PRAGMA integrity_check", path: path, key: digits, settings) == "ok")
      if !hasHeader {
        let key = Array(text.utf8)
        #expect(
          try SQLCipher.run("SELECT count(*) FROM t", path: path, key: key, settings) == "200")
        let other = path + "-other"
        #expect(
          try SQLCipher.run("SELECT a FROM u", path: other, key: Array("2".utf8), settings) == "5")
        _ = try SQLCipher.run(
          "CREATE TABLE t AS SELECT 9 AS a", path: path + "-made", key: key, settings)
        let opened = try await Database(
          path: path + "-made", key: .passphrase(text), configuration: configuration)
        #expect(try await opened.values("SELECT a FROM t") == [.integer(9)])
        try await opened.close()
      }
    }
  }

  /// Expects the settings and every row, in several connections at once.
  private static func expectEverywhere(_ database: Database, _ settings: CipherSettings)
    async throws
  {
    #expect(try await database.cipherSettings() == settings)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let rows = try await database.read { db in
            usleep(300)
            return try db.query("SELECT count(*), sum(length(b)) FROM t").map(\.values)
          }
          #expect(rows == [[.integer(200), .integer(40_200)]])
        }
      }
      try await group.waitForAll()
    }
    if settings.hmacAlgorithm != nil {
      #expect(try await database.values("PRAGMA cipher_integrity_check") == [])
    }
    let size = try await database.write { try $0.query("PRAGMA page_size").first?.values.first }
    #expect(size == .text("\(settings.pageSize)"))
  }

  static let invalid: [(CipherSettings, String)] =
    [0, -1, 512, 1_000, 1_536, 131_072, .max, .min].map { size in
      (
        with { $0.pageSize = size },
        "The page size must be a power of two from 1024 to 65536, not \(size)"
      )
    }
    + [0, -1, 2_147_483_648, .max].map { count in
      (
        with { $0.kdfIterations = count },
        "The number of KDF iterations must be from 1 to 2147483647, not \(count)"
      )
    }
    + [-16, 1, 15, 17, 33, 4_016, 4_096, .max].map { size in
      (
        with { $0.plaintextHeaderSize = size },
        "The size of the plaintext header must be a multiple of 16 and, with these settings, less than 4016, not \(size)"
      )
    }
    + [
      (
        with(.sqlcipher3) { $0.plaintextHeaderSize = 976 },
        "The size of the plaintext header must be a multiple of 16 and, with these settings, less than 976, not 976"
      )
    ]

  @Test("invalid settings are refused before anything changes", arguments: 0..<21)
  func invalid(index: Int) async throws {
    let (settings, message) = Self.invalid[index]
    var configuration = Configuration()
    configuration.cipher = settings
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      for key in [Key.passphrase("p"), .raw(testKeyBytes, salt: Self.salt)] {
        let error = try await failure {
          try await Database(path: path, key: key, configuration: configuration).close()
        }
        #expect(error.facts == ErrorFacts(.configure, .misuse, message, path: path))
        #expect(error.openingFailure == .invalidSettings)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      let error = try await failure {
        try await database.attach(
          path + "2", as: "other", key: .raw(testKeyBytes), cipher: settings)
      }
      #expect(error.facts == ErrorFacts(.configure, .misuse, message, path: path + "2"))
      try await database.close()
      #expect(!FileManager.default.fileExists(atPath: path + "2"))
    }
  }

  @Test("a plaintext header needs a salt; a missing or short salt is refused")
  func missingSalt() async throws {
    var configuration = Configuration()
    configuration.cipher.plaintextHeaderSize = 32
    try await withTemporaryPath { path in
      for key in [Key.raw(testKeyBytes), .passphrase("p")] {
        let error = try await failure {
          try await Database(path: path, key: key, configuration: configuration).close()
        }
        #expect(
          error.facts
            == ErrorFacts(
              .key, .misuse,
              "A file with a plaintext header does not store its salt: give the salt with the key",
              path: path))
        #expect(error.openingFailure == .invalidKey)
      }
      let error = try await failure {
        try await Database(
          path: path, key: .passphrase("p", salt: [1]), configuration: configuration
        ).close()
      }
      #expect(
        error.facts
          == ErrorFacts(.key, .misuse, "A salt must have 16 bytes, not 1", path: path))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  private static let refused =
    "The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them"

  @Test("opening a file with other settings is refused, and changes nothing", arguments: variants)
  func others(settings: CipherSettings) async throws {
    var configuration = Configuration()
    configuration.cipher = settings
    let key = Key.raw(testKeyBytes, salt: Self.salt)
    try await withTemporaryDatabase(
      key: key, configuration: configuration, script: "CREATE TABLE t(a)"
    ) { database in
      let path = database.path
      try await database.close()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      for other in Self.variants {
        // With a raw key, only the settings for pages and HMACs matter.
        var same = other
        same.kdfIterations = settings.kdfIterations
        if settings.hmacAlgorithm == nil { same.kdfAlgorithm = settings.kdfAlgorithm }
        if same == settings { continue }
        var configuration = Configuration()
        configuration.cipher = other
        let error = try await failure {
          try await Database(path: path, key: key, configuration: configuration).close()
        }
        #expect(error.operation == .key && error.code == .notADatabase, "\(other): \(error)")
        switch error.openingFailure {
        case .otherSettings(let version):
          #expect(
            CipherSettings.versions.contains {
              $0.number == version && $0.settings.pageSize == settings.pageSize
            })
        case .wrongKey: break
        default: Issue.record("\(other): \(error)")
        }
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }
  }

  @Test(
    "a file of another SQLCipher version is recognized by its key, and the error names the remedy")
  func version() async throws {
    await #expect(processExitsWith: .success) {
      for version in CipherSettings.versions { try await Self.check(version.number) }
    }
  }

  private static func check(_ number: Int) async throws {
    try await withTemporaryPath { path in
      let settings = try #require(CipherSettings.versions.first { $0.number == number }?.settings)
      let key = Array("p".utf8)
      _ = try SQLCipher.run(
        "CREATE TABLE t(a); INSERT INTO t VALUES (3)", path: path, key: key, settings)
      var configuration = Configuration()
      configuration.cipher = settings
      let opened = try await Database(
        path: path, key: .passphrase("p"), configuration: configuration)
      #expect(try await opened.values("SELECT a FROM t") == [.integer(3)])
      try await opened.close()
      configuration.cipher = number == 4 ? .sqlcipher3 : .sqlcipher4
      let error = try await failure {
        try await Database(path: path, key: .passphrase("p"), configuration: configuration).close()
      }
      let remedy =
        number == 4
        ? "leave Configuration.cipher at its default"
        : "call Database.upgrade(path:key:), or set Configuration.cipher to .sqlcipher\(number)"
      let message =
        "The key is correct, but the file has the settings of SQLCipher \(number): \(remedy)"
      #expect(error.facts == ErrorFacts(.key, .notADatabase, message, path: path))
      #expect(error.openingFailure == .otherSettings(version: number))
      let main = try await Database(path: path + "-main", key: .raw(testKeyBytes))
      let attaching = try await failure {
        try await main.attach(
          path, as: "other", key: .passphrase("p"), cipher: configuration.cipher)
      }
      #expect(attaching.facts == error.facts)
      try await main.close()
      let wrong = try await failure {
        try await Database(path: path, key: .passphrase("q"), configuration: configuration).close()
      }
      #expect(wrong.facts == ErrorFacts(.key, .notADatabase, Self.refused, path: path))
      #expect(wrong.openingFailure == .wrongKey)
    }
  }

  @Test(
    "files with different settings are attached together, and SQLCipher's defaults are unchanged")
  func attached() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let key = Key.raw(testKeyBytes, salt: Self.salt)
        let before = try Self.defaults()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, settings) in Self.variants.enumerated() {
            group.addTask {
              let database = try await Database(path: "\(folder)/\(index).db", key: key)
              let path = "\(folder)/\(index)-other.db"
              try await database.attach(path, as: "other", key: key, cipher: settings)
              try await database.write {
                try $0.execute("CREATE TABLE other.t AS SELECT \(index) AS a")
              }
              #expect(try await database.cipherSettings() == .sqlcipher4)
              try await database.detach("other")
              try await database.attach(path, as: "other", key: key, cipher: settings)
              try await database.changeKey(to: .raw(testKeyBytes.reversed()))
              #expect(
                try await database.values("SELECT a FROM other.t") == [.integer(Int64(index))])
              try await database.close()
              var configuration = Configuration()
              configuration.cipher = settings
              let other = try await Database(path: path, key: key, configuration: configuration)
              #expect(try await other.cipherSettings() == settings)
              #expect(try await other.values("SELECT a FROM t") == [.integer(Int64(index))])
              try await other.close()
            }
          }
          try await group.waitForAll()
        }
        #expect(try Self.defaults() == before)
        #expect(before == .sqlcipher4)
      }
    }
  }

  private static func defaults() throws -> CipherSettings? {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    #expect(sqlite3_open(":memory:", &database) == SQLITE_OK)
    return try CipherSettings(of: try #require(database), isDefault: true)
  }

  // Runs in a separate process, because the defaults are process-wide.
  @Test("SQLCipher defaults set by other code in the process do not affect a file")
  func otherDefaults() async throws {
    await #expect(processExitsWith: .success) {
      var other: OpaquePointer?
      defer { sqlite3_close_v2(other) }
      let sql = """
        PRAGMA cipher_default_page_size = 1024; PRAGMA cipher_default_kdf_iter = 5;
        PRAGMA cipher_default_hmac_algorithm = HMAC_SHA1; PRAGMA cipher_default_use_hmac = OFF;
        PRAGMA cipher_default_plaintext_header_size = 32;
        """
      try #require(sqlite3_open(":memory:", &other) == SQLITE_OK)
      try #require(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
      let before = try Self.defaults()
      try await withTemporaryDatabase(key: .passphrase("p"), script: Self.script) { database in
        try await database.attach(database.path + "2", as: "b", key: .passphrase("p"))
        try await database.write { try $0.execute("CREATE TABLE b.t AS SELECT 1 AS a") }
        try #require(try await database.cipherSettings() == .sqlcipher4)
        try await database.close()
        for path in [database.path, database.path + "2"] {
          let key = Array("p".utf8)
          let count = try SQLCipher.run(
            "SELECT count(*) > 0 FROM t", path: path, key: key, .sqlcipher4)
          try #require(count == "1")
        }
      }
      try #require(try Self.defaults() == before)
    }
  }

  @Test("exports and files encrypted in place have the settings of the configuration")
  func copies() async throws {
    await #expect(processExitsWith: .success) {
      for settings in Self.variants { try await Self.checkCopies(settings) }
    }
  }

  private static func checkCopies(_ settings: CipherSettings) async throws {
    var configuration = Configuration()
    configuration.cipher = settings
    let key = Key.raw(testKeyBytes, salt: Self.salt)
    try await withTemporaryDatabase(
      key: key, configuration: configuration, script: Self.script
    ) { database in
      let copy = database.path + "-copy"
      try await database.export(to: copy, key: key)
      try await Database.decrypt(path: copy, key: key, configuration: configuration)
      let plain = try await Database(path: copy, key: nil)
      #expect(try await plain.cipherSettings() == nil)
      #expect(try await plain.values("SELECT count(*) FROM t") == [.integer(200)])
      try await plain.close()
      try await Database.encrypt(path: copy, key: key, configuration: configuration)
      let again = try await Database(path: copy, key: key, configuration: configuration)
      try await Self.expectEverywhere(again, settings)
      try await again.close()
    }
  }

  @Test(
    "plain files and files with a plaintext header are distinguished"
  )
  func headers() async throws {
    var configuration = Configuration()
    configuration.cipher.plaintextHeaderSize = 32
    let key = Key.raw(testKeyBytes, salt: Self.salt)
    try await withTemporaryPath { path in
      let plain = try await Database(path: path, key: nil)
      try await plain.write { try $0.execute("CREATE TABLE t(a)") }
      try await plain.close()
      let error = try await failure {
        try await Database(path: path, key: key, configuration: configuration).close()
      }
      #expect(
        error.facts
          == ErrorFacts(
            .key, .notADatabase,
            "The file is not encrypted, but a key was given: open it without a key", path: path))
      #expect(error.openingFailure == .notEncrypted)
      let changing = try await Database(path: path, key: nil, configuration: configuration)
      let refusal = try await failure { try await changing.changeKey(to: key) }
      #expect(
        refusal.message
          == "This file is not encrypted: close it, and call Database.encrypt(path:key:)")
      try await changing.close()
    }
    try await withTemporaryDatabase(
      key: key, configuration: configuration, script: "CREATE TABLE t(a)"
    ) { database in
      let path = database.path
      try await database.close()
      for key in [key, .passphrase("p")] {
        let error = try await failure { try await Database(path: path, key: key).close() }
        #expect(
          error.facts
            == ErrorFacts(
              .key, .notADatabase,
              "The file has the header of an unencrypted database, but its contents cannot be read: it is damaged, or it has a plaintext header and needs CipherSettings.plaintextHeaderSize",
              path: path))
        #expect(error.openingFailure == .wrongKey)
      }
      // SQLCipher would write beyond the page buffer.
      let main = try await Database(path: path + "-main", key: nil)
      var larger = configuration.cipher
      (larger.pageSize, larger.hmacAlgorithm) = (65_536, nil)
      let attaching = try await failure {
        try await main.attach(path, as: "other", key: key, cipher: larger)
      }
      #expect(
        attaching.facts
          == ErrorFacts(
            .key, .notADatabase,
            "The file has pages of 4096 bytes, but the cipher settings have 65536: set CipherSettings.pageSize",
            path: path))
      #expect(attaching.openingFailure == .wrongKey)
      try await main.close()
      let keyless = try await failure { try await Database(path: path, key: nil).close() }
      #expect(keyless.openingFailure == .keyMissing)
      // If the encrypted bytes form a valid schema format, SQLite continues and reports
      // SQLITE_CORRUPT.
      for format: UInt8 in [1, 4, 5] {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 44)
        try file.write(contentsOf: [0, 0, 0, format])
        try file.close()
        let keyless = try await failure { try await Database(path: path, key: nil).close() }
        #expect(keyless.openingFailure == .keyMissing, "format \(format)")
        let main = try await Database(path: path + "-main", key: nil)
        let attaching = try await failure { try await main.attach(path, as: "other", key: nil) }
        #expect(attaching.openingFailure == .keyMissing, "format \(format)")
        try await main.close()
      }
      let wrong = try await failure {
        try await Database(
          path: path, key: .raw(testKeyBytes.reversed(), salt: Self.salt),
          configuration: configuration
        ).close()
      }
      #expect(wrong.facts == ErrorFacts(.key, .notADatabase, Self.refused, path: path))
    }
  }

  @Test("the library, its provider and their versions can be read")
  func library() throws {
    let library = try Database.cipherLibrary
    #expect(library.version.split(separator: ".").count >= 3)
    #expect(!library.provider.isEmpty && !library.providerVersion.isEmpty)
    #expect(!library.isFIPS)
    for (version, message) in [
      (
        nil,
        "The SQLite library in this process is not SQLCipher, so nothing would be encrypted. If another linked library contains SQLite, link SQLCipher before it"
      ),
      (
        "",
        "The SQLite library in this process is not SQLCipher, so nothing would be encrypted. If another linked library contains SQLite, link SQLCipher before it"
      ),
      (
        "4.5.6 community",
        "SQLCipher 4.5.6 community is too old: MiniORM needs 4.6.1 or newer. Link a newer library: scripts/install-sqlcipher of MiniORM's repository builds one"
      ),
    ] as [(String?, String)] {
      let error = #expect(throws: DatabaseError.self) {
        try Connection.checkLibrary(version: version)
      }
      #expect(error?.facts == ErrorFacts(.open, .misuse, message))
      #expect(error?.openingFailure == .unfitLibrary)
    }
  }

  @Test("a licence is quoted, is in no description, and cannot end its SQL")
  func licence() async throws {
    for code in ["OmNpZDowMDFHMDA=", "it''s'; DROP TABLE t; --", "é\u{301}'\u{600}'"] {
      var configuration = Configuration()
      configuration.cipherLicense = CipherLicense(code)
      try await withTemporaryDatabase(
        configuration: configuration, script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)"
      ) { database throws in
        #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
      }
      var dumped = "\(configuration)"
      dump(configuration, to: &dumped)
      #expect(!dumped.contains(code))
      #expect(dumped.contains("CipherLicense(hidden)"))
    }
    for code in ["", "a\0b", String(repeating: "x", count: 70_000)] {
      var configuration = Configuration()
      configuration.cipherLicense = CipherLicense(code)
      try await withTemporaryPath { path in
        let error = try await failure {
          try await Database(path: path, key: .raw(testKeyBytes), configuration: configuration)
            .close()
        }
        #expect(
          error.facts
            == ErrorFacts(
              .key, .misuse,
              "SQLCipher's licence code is empty, too long, or contains a NUL character: give the code as issued",
              path: path))
      }
    }
  }

  // Runs in a separate process, because the setting is never reset.
  @Test("memory security applies to the process")
  func memorySecurity() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDatabase { database in
        try #require(try await database.values("PRAGMA cipher_memory_security") == [.text("0")])
      }
      var configuration = Configuration()
      configuration.cipherMemorySecurity = true
      try await withTemporaryDatabase(configuration: configuration, script: Self.script) {
        database in
        try #require(try await database.values("PRAGMA cipher_memory_security") == [.text("1")])
        try #require(try await database.values("SELECT count(*) FROM t") == [.integer(200)])
      }
    }
  }
}

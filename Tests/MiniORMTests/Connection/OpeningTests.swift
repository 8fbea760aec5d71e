import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Opening every kind of file with every kind of key")
struct OpeningTests {
  /// The outcome of opening a file.
  private enum Outcome: Equatable, CustomStringConvertible {
    /// The rows of the table `t`; nil if the table does not exist.
    case rows([DatabaseValue]?)
    case failure(
      DatabaseError.Operation, ResultCode, String, DatabaseError.OpeningFailure?,
      description: String?)

    var description: String {
      switch self {
      case .rows(let rows): "\(rows?.count ?? -1) rows"
      case .failure(let operation, let code, let message, let failure, _):
        "\(operation) \(code.rawValue) \(failure.map { "\($0)" } ?? "-") \(message)"
      }
    }
  }

  private static let rows: [DatabaseValue] = [.integer(1), .text("é'\0"), .null]
  private static let script =
    "CREATE TABLE t(a); INSERT INTO t VALUES (1), (cast(x'c3a92700' AS TEXT)), (NULL)"

  /// The defaults, except for a fast key derivation.
  private static let quick: CipherSettings = {
    var settings = CipherSettings.sqlcipher4
    settings.kdfIterations = 2
    return settings
  }()

  // MARK: Kinds of keys

  enum GivenKey: CaseIterable, Sendable {
    case none, raw, otherRaw, salted, text, quotes, nul, long, otherText, empty, short, shortSalt

    var key: Key? {
      switch self {
      case .none: nil
      case .raw: .raw(testKeyBytes)
      case .otherRaw: .raw(testKeyBytes.reversed())
      case .salted: .raw(testKeyBytes, salt: [UInt8](1...16))
      case .text: .passphrase("passphrase")
      case .quotes: .passphrase("'\"'; DROP TABLE t; --\"")
      case .nul: .passphrase("pass\0phrase")
      case .long: .passphrase(bytes: [UInt8](repeating: 0x27, count: 10_000))
      case .otherText: .passphrase("Passphrase")
      case .empty: .passphrase("")
      case .short: .raw([1, 2, 3])
      case .shortSalt: .raw(testKeyBytes, salt: [1])
      }
    }

    /// The message for an invalid key; nil for a valid key.
    var refusal: String? {
      switch self {
      case .empty: "The key is empty: give a passphrase or a raw key"
      case .short: "A raw key must have 32 bytes, not 3"
      case .shortSalt: "A salt must have 16 bytes, not 1"
      default: nil
      }
    }

    /// The key bytes for SQLCipher.
    var bytes: [UInt8] {
      switch self {
      case .none, .empty, .short, .shortSalt, .otherRaw: []
      case .raw: Array("x'\(testKeyBytes.hexadecimal)'".utf8)
      case .salted: Array("x'\(testKeyBytes.hexadecimal)\([UInt8](1...16).hexadecimal)'".utf8)
      case .text: Array("passphrase".utf8)
      case .quotes: Array("'\"'; DROP TABLE t; --\"".utf8)
      case .nul: Array("pass\0phrase".utf8)
      case .long: [UInt8](repeating: 0x27, count: 10_000)
      case .otherText: Array("Passphrase".utf8)
      }
    }

    var isPassphrase: Bool { [.text, .quotes, .nul, .long, .otherText].contains(self) }

    /// The keys that a file can be created with.
    static let proper: [GivenKey] = [.raw, .salted, .text, .quotes, .nul, .long]
  }

  // MARK: Kinds of files

  enum Kind: Sendable {
    case missing, folder, empty
    case plain(Configuration.JournalMode)
    /// Created by MiniORM.
    case encrypted(GivenKey, Configuration.JournalMode)
    /// Created through SQLCipher's C API, with the settings of a version.
    case version(Int, GivenKey)
    /// Created through SQLCipher's C API, with other settings.
    case settings(CipherSettings, GivenKey)
    case random(Int)
  }

  private static let kinds: [Kind] =
    [.missing, .folder, .empty, .plain(.wal), .plain(.delete)]
    + GivenKey.proper.map { .encrypted($0, .wal) } + [.encrypted(.raw, .delete)]
    + [1, 2, 3].map { .version($0, .raw) } + [.version(2, .text), .version(3, .quotes)]
    + CipherSettingsTests.variants.filter { $0.plaintextHeaderSize == 0 }.map {
      .settings($0, .raw)
    }
    + [1, 15, 16, 17, 100, 511, 512, 1_024, 4_095, 4_096, 4_097, 65_536].map { .random($0) }

  private static func make(_ kind: Kind, _ path: String) async throws {
    switch kind {
    case .missing: break
    case .folder:
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false)
    case .empty: try Data().write(to: URL(fileURLWithPath: path))
    case .plain(let mode): try await make(path, nil, mode)
    case .encrypted(let key, let mode): try await make(path, key.key, mode)
    case .version(let number, let key):
      let settings = try #require(CipherSettings.versions.first { $0.number == number }?.settings)
      try make(path, key, settings)
    case .settings(let settings, let key): try make(path, key, settings)
    case .random(let count):
      var random = SeededRandom(UInt64(count))
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
  }

  private static func make(
    _ path: String, _ key: Key?, _ mode: Configuration.JournalMode
  ) async throws {
    var configuration = Configuration()
    (configuration.cipher, configuration.journalMode) = (quick, mode)
    let database = try await Database(path: path, key: key, configuration: configuration)
    try await database.write { try $0.execute(script: script) }
    try await database.close()
  }

  private static func make(_ path: String, _ key: GivenKey, _ settings: CipherSettings) throws {
    _ = try CipherSettingsTests.SQLCipher.run(script, path: path, key: key.bytes, settings)
  }

  // MARK: Expectations

  private static func refused(
    _ message: String, _ failure: DatabaseError.OpeningFailure,
    _ operation: DatabaseError.Operation,
    _ code: ResultCode
  ) -> Outcome {
    let title =
      operation == .open
      ? "The database could not be opened." : "The database could not be unlocked."
    return .failure(operation, code, message, failure, description: title)
  }

  private static let wrongKey = refused(
    "The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them",
    .wrongKey, .key, .notADatabase)
  private static let keyMissing = refused(
    "The file is encrypted and no key was given, or it is not a database: give the key",
    .keyMissing, .key,
    .notADatabase)
  private static let notEncrypted = refused(
    "The file is not encrypted, but a key was given: open it without a key", .notEncrypted, .key,
    .notADatabase)
  private static let cutOff = refused(
    "database disk image is malformed", .damaged, .open, .corrupt)

  private static func expected(_ kind: Kind, _ given: GivenKey) -> Outcome {
    func encrypted(
      _ right: GivenKey, version: Int? = nil, isChecked: Bool = true
    ) -> Outcome {
      // With a raw key, only the HMACs depend on the salt.
      let fits =
        given == right || (right == .salted && given == .raw)
        || (right == .raw && given == .salted && !isChecked)
      guard fits else { return wrongKey }
      guard let version else { return .rows(rows) }
      return refused(
        "The key is correct, but the file has the settings of SQLCipher \(version): call Database.upgrade(path:key:), or set Configuration.cipher to .sqlcipher\(version)",
        .otherSettings(version: version), .key, .notADatabase)
    }
    switch kind {
    case .missing:
      return refused("The file does not exist: check the path", .missing, .open, .cannotOpen)
    case .folder:
      return refused(
        "The path leads to a folder: give the path of a file", .notAFile, .open, .cannotOpen)
    case .plain: if given != .none { return notEncrypted }
    default: break
    }
    if let refusal = given.refusal { return refused(refusal, .invalidKey, .key, .misuse) }
    switch kind {
    // SQLite treats a file of 1 byte as empty.
    case .empty, .random(1): return .rows(nil)
    case .plain: return .rows(rows)
    default: if given == .none { return keyMissing }
    }
    switch kind {
    case .encrypted(let right, _): return encrypted(right)
    case .version(let number, let right):
      // With a raw key, the settings of versions 2 and 3 are equivalent.
      let version = right == .raw && number == 2 ? 3 : number
      return encrypted(right, version: version, isChecked: number > 1)
    case .settings(let settings, let right):
      // A raw key ignores the KDF iterations.
      var same = settings
      same.kdfIterations = quick.kdfIterations
      if same == quick { return encrypted(right) }
      let isChecked = settings.hmacAlgorithm != nil
      let version = CipherSettings.versions.first { version in
        var preset = version.settings
        preset.kdfIterations = quick.kdfIterations
        return preset == same
      }
      if let version {
        return encrypted(right, version: version.number, isChecked: isChecked)
      }
      return wrongKey
    default: return wrongKey
    }
  }

  private static func open(_ path: String, _ key: Key?) async throws -> Outcome {
    var configuration = Configuration()
    configuration.cipher = quick
    configuration.createsFile = false
    let folder = DatabaseFile.parent(path)
    let before = try contents(of: folder)
    do {
      let database = try await Database(path: path, key: key, configuration: configuration)
      var rows: [DatabaseValue]?
      do {
        if try await database.values("SELECT 1 FROM sqlite_schema WHERE name = 't'") != [] {
          rows = try await database.values("SELECT a FROM t ORDER BY rowid")
        }
      } catch {
        try await database.close()
        throw error
      }
      try await database.close()
      return .rows(rows)
    } catch let error as DatabaseError {
      #expect(error.path == path || error.operation == .step)
      #expect(error.sql == nil || error.operation == .step)
      // A refused file is unchanged, and no other file exists. A file that opened may have been
      // recovered.
      if error.operation != .step {
        let after = try contents(of: folder)
        #expect(after == before, "\(after) after \(error)")
      }
      return .failure(
        error.operation, error.code, error.message, error.openingFailure,
        description: error.errorDescription)
    }
  }

  private static func contents(of folder: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      contents[name] = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) ?? Data()
    }
    return contents
  }

  @Test("each file with each key gives its rows, or the complete error", arguments: 0..<kinds.count)
  func everyKind(index: Int) async throws {
    let kind = Self.kinds[index]
    for given in GivenKey.allCases {
      // A passphrase is tried with the settings of all versions, which is slow: skipped for files
      // that differ only in settings.
      if case .settings = kind, given.isPassphrase { continue }
      if case .random(let count) = kind, given.isPassphrase, count != 4_096 { continue }
      if case .encrypted(let right, _) = kind, given.isPassphrase, given != right,
        right != .text
      {
        continue
      }
      try await withTemporaryPath { path in
        try await Self.make(kind, path)
        let outcome = try await Self.open(path, given.key)
        #expect(outcome == Self.expected(kind, given), "\(kind) \(given)")
      }
    }
  }

  // MARK: Damage

  /// Creates a file of several pages. Reading every row reads every page.
  private static func makeLarge(_ path: String, _ key: Key?) async throws -> Data {
    var configuration = Configuration()
    configuration.cipher = quick
    let database = try await Database(path: path, key: key, configuration: configuration)
    try await database.write { db in
      try db.execute(
        script: """
          CREATE TABLE t(a);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          INSERT INTO t SELECT hex(zeroblob(i / 3)) || i FROM n
          """)
    }
    try await database.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test("a file truncated at any length is refused, with any key", arguments: [true, false])
  func truncated(isEncrypted: Bool) async throws {
    let right = isEncrypted ? Key.raw(testKeyBytes) : nil
    try await withTemporaryPath { path in
      let whole = try await Self.makeLarge(path, right)
      let all = try await Self.open(path, right)
      let step = whole.count / 20
      let lengths =
        [1, 15, 16, 17, 99, 100, 4_095, 4_096, 4_097, 8_192] + (0..<20).map { $0 * step + $0 }
        + [whole.count - 1]
      #expect(lengths.count > 30 && whole.count > 10 * 4_096)
      for length in lengths {
        var outcomes: [Outcome] = []
        for key in [right, .raw(testKeyBytes.reversed()), nil] {
          try Database.delete(path: path)
          try whole.prefix(length).write(to: URL(fileURLWithPath: path))
          outcomes.append(try await Self.open(path, key))
        }
        // SQLite reads missing bytes of a page as zeros. An encrypted byte is zero in 1 of 256
        // cases.
        let end = min((length + 4_095) / 4_096 * 4_096, whole.count)
        let read = whole[length..<end].allSatisfy { $0 == 0 } ? end : length
        let expected: [Outcome] =
          if length <= 1 {
            // SQLite treats a file of 1 byte as empty.
            [.rows(nil), .rows(nil), .rows(nil)]
          } else if isEncrypted {
            [
              read < 4_096
                ? Self.wrongKey
                : read == whole.count
                  ? all : read > whole.count - 4_096 ? Self.changed : Self.cutOff,
              Self.wrongKey, Self.keyMissing,
            ]
          } else {
            Self.ofPlainPart(length)
          }
        // SQLite reads missing bytes of the last page as zeros, and no checksum covers them.
        if !isEncrypted, length > whole.count - 4_096 { continue }
        #expect(outcomes == expected, "\(length) of \(whole.count)")
      }
      try whole.write(to: URL(fileURLWithPath: path))
      #expect(try await Self.open(path, right) == all)
    }
  }

  private static func ofPlainPart(_ length: Int) -> [Outcome] {
    if length < 16 { return [keyMissing, wrongKey, keyMissing] }
    return length < 24 ? [plainGarbage, garbage, plainGarbage] : [cutOff, garbage, cutOff]
  }
  private static let garbage = refused(
    "The file has the header of an unencrypted database, but its contents cannot be read: it is damaged, or it has a plaintext header and needs CipherSettings.plaintextHeaderSize",
    .wrongKey, .key, .notADatabase)
  private static let plainGarbage = refused(
    "The file has the header of an unencrypted database, but its contents cannot be read: it is damaged, or it is encrypted with a plaintext header and no key was given",
    .keyMissing, .key, .notADatabase)

  @Test("any changed byte is detected, and never returns a changed row")
  func flipped() async throws {
    try await withTemporaryPath { path in
      let key = Key.raw(testKeyBytes)
      let whole = try await Self.makeLarge(path, key)
      let rows = try await Self.open(path, key)
      var random = SeededRandom(13)
      for number in 0..<300 {
        var bytes = whole
        // Every third change is in the first page.
        let range = number % 3 == 0 ? 0..<4_096 : 4_096..<whole.count
        let offset = Int.random(in: range, using: &random)
        bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
        try bytes.write(to: URL(fileURLWithPath: path))
        let outcome = try await Self.open(path, key)
        let expected = number % 3 == 0 ? Self.wrongKey : Self.changed
        #expect(outcome == expected, "byte \(offset)")
      }
      try whole.write(to: URL(fileURLWithPath: path))
      #expect(try await Self.open(path, key) == rows)
    }
  }

  private static let changed = Outcome.failure(
    .step, .corrupt, "database disk image is malformed", nil,
    description: "The database is damaged.")

  // MARK: Permissions

  #if os(Linux)
    // Runs in a separate process that drops its privileges, because the superuser ignores
    // permissions.
    @Test("a file without permission has its own error", .enabled(if: getuid() == 0))
    func forbidden() async throws {
      try await withTemporaryDirectory { folder in
        // The other user must reach the folder, also with umask 077.
        try #require(chmod(folder, 0o755) == 0)
        _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
          let keys = [Key.raw(testKeyBytes), nil]
          for mode in [0, 0o444] as [mode_t] {
            for (index, key) in keys.enumerated() {
              try await Self.make("\(folder)/\(mode)-\(index).db", key, .wal)
              try #require(chmod("\(folder)/\(mode)-\(index).db", mode) == 0)
            }
          }
          try #require(setuid(65_534) == 0)
          for (mode, code, message) in [
            (
              0, .cannotOpen,
              "The file cannot be opened: check its permissions and the permissions of its folder"
            ),
            (
              0o444, ResultCode(rawValue: SQLITE_READONLY | 6 << 8),
              "The file is readable, but SQLite could not create the -wal and -shm files beside it. On read-only media, open or attach it with isImmutable"
            ),
          ] as [(mode_t, ResultCode, String)] {
            for (index, key) in keys.enumerated() {
              let outcome = try await Self.open("\(folder)/\(mode)-\(index).db", key)
              try #require(outcome == Self.refused(message, .noPermission, .open, code))
            }
          }
        }
      }
    }
  #endif
}

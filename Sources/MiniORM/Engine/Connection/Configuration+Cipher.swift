import CSQLCipher

extension Configuration {
  /// Sets the key and the cipher settings. A wrong key is not detected until the first read.
  func setKey(_ key: CipherKey?, on database: OpaquePointer) throws(DatabaseError) {
    try cipherLicense?.give(to: database)
    // SQLCipher applies this setting to the whole process and cannot switch it off.
    if cipherMemorySecurity {
      _ = try Connection.text("PRAGMA cipher_memory_security = ON", database)
    }
    guard let key else { return }
    if cipherLogLevel == .off { CipherLog.quiet() }
    let code = key.set(on: database)
    guard code == SQLITE_OK else { throw DatabaseError(.key, code: code, from: database) }
    // SQLCipher resets the log level at a process's first key.
    try Connection.setLogLevel(self, database)
    try key.settings.apply(to: database)
    try key.settings.checkPageSize(DatabaseFile.head(of: database, count: 18))
  }
}

/// Sets a process's first key while the log level is NONE. For this key, SQLCipher logs warnings
/// before any connection can set a level.
enum CipherLog {
  static func quiet() { _ = isQuiet }

  private static let isQuiet: Bool = {
    #if canImport(Darwin)
      let usual = "device"
    #else
      let usual = "stderr"
    #endif
    do throws(DatabaseError) {
      let handle = try SQLiteHandle()
      let database = handle.database
      // The first key starts the log with the current level and file.
      _ = try Connection.text("PRAGMA cipher_log_level = ERROR", database)
      _ = try Connection.text("PRAGMA cipher_log = '/dev/null'", database)
      _ = try CipherKey.zeros.set(on: database)
      _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
      _ = try Connection.text("PRAGMA cipher_log = \(usual)", database)
      return true
    } catch {
      return false
    }
  }()
}

/// A licence code for a commercial edition of SQLCipher, hidden from descriptions and errors.
///
/// See [SQLCipher's licence codes](https://www.zetetic.net/sqlcipher/sqlcipher-license-codes).
public struct CipherLicense: Sendable {
  private let code: String

  /// Creates a licence for ``Configuration/cipherLicense``.
  /// - Parameter code: The code as issued by Zetetic.
  public init(_ code: String) { self.code = code }

  /// Runs PRAGMA cipher_license. The community edition ignores the PRAGMA.
  func give(to database: OpaquePointer) throws(DatabaseError) {
    // SQLCipher has no C function for the licence, and a PRAGMA takes no bound values.
    guard (1...1 << 16).contains(code.utf8.count), !code.utf8.contains(0) else {
      throw DatabaseError(
        .key, code: .misuse,
        "SQLCipher's licence code is empty, too long, or contains a NUL character: give the code as issued"
      )
    }
    // At verbose levels, SQLCipher logs the values of all PRAGMAs except the key PRAGMAs.
    let level = try Connection.text("PRAGMA cipher_log_level", database) ?? "NONE"
    _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
    defer { _ = try? Connection.text("PRAGMA cipher_log_level = \(level)", database) }
    do throws(DatabaseError) {
      _ = try Connection.text("PRAGMA cipher_license = \(code.quotedLiteral)", database)
    } catch {
      // SQLite's message may contain the licence code.
      throw DatabaseError(
        .key, code: error.code,
        "SQLCipher refused the licence code: check Configuration.cipherLicense")
    }
  }
}

@_documentation(visibility: internal)
extension CipherLicense: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A placeholder without the code.
  public var description: String { "CipherLicense(hidden)" }
  /// A placeholder without the code.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

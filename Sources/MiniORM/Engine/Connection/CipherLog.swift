import CSQLCipher

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

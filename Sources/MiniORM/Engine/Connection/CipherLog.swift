import CSQLCipher

/// Sets a process's first key while the log level is NONE. For this key, SQLCipher logs warnings
/// before any connection can set a level.
enum CipherLog {
  static func quiet() { _ = isQuiet }

  private static let isQuiet: Bool = {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard SQLiteLibrary.openInMemory(&database) == SQLITE_OK, let database else {
      return false
    }
    #if canImport(Darwin)
      let usual = "device"
    #else
      let usual = "stderr"
    #endif
    do throws(DatabaseError) {
      // The first key starts the log with the current level and file.
      _ = try Connection.text("PRAGMA cipher_log_level = ERROR", database)
      _ = try Connection.text("PRAGMA cipher_log = '/dev/null'", database)
      let key = try CipherKey(.raw([UInt8](repeating: 0, count: 32)), fileSalt: nil)
      _ = key.text.withBytes { miniorm_key(database, $0.baseAddress, Int32($0.count)) }
      _ = try Connection.text("PRAGMA cipher_log_level = NONE", database)
      _ = try Connection.text("PRAGMA cipher_log = \(usual)", database)
      return true
    } catch {
      return false
    }
  }()
}

import CSQLCipher

/// SQLCipher's log, which the first key of a process starts: it tells of what is doubtful, on the standard
/// error, before anybody can set a level. It has plenty to tell where a process may not lock memory.
enum CipherLog {
  /// Sees to it that the first key of the process is a silent one. Does nothing later.
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
      // The log that is started has what is set by then: a level that is none, and a file.
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

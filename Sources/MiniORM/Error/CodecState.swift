import CSQLCipher

/// Whether SQLCipher still decrypts what a connection reads.
///
/// After one page whose code does not fit, SQLCipher from 4.7 on decrypts no other of that file either, until the
/// connection is closed. Up to 4.12 SQLite says then that it is out of memory. Later versions read zeros, which SQLite
/// notices in most pages, but not in the last one of a long value, nor where it copies pages.
enum CodecState {
  /// Whether SQLCipher tells of it: from 4.12 on.
  ///
  /// See [PRAGMA cipher_status](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_status).
  static var isTold: Bool { library.isTold }

  /// Whether it lasts until the connection is closed.
  static var lasts: Bool { library.lasts }

  private static let library: (isTold: Bool, lasts: Bool) = {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard SQLiteLibrary.openInMemory(&database) == SQLITE_OK, let database else {
      return (false, false)
    }
    let isOld = value("PRAGMA cipher_version", database)?.startsWithBytes(of: "4.6.") ?? true
    return (value("PRAGMA cipher_status", database) != nil, !isOld)
  }()

  /// Returns whether a file of a connection is no longer decrypted.
  /// - Parameter code: What the last call on the connection has returned.
  static func hasFailed(on database: OpaquePointer, after code: Int32 = SQLITE_OK) -> Bool {
    guard isTold || lasts && code & 0xff == SQLITE_NOMEM else { return false }
    var number: Int32 = 0
    while let name = sqlite3_db_name(database, number) {
      number += 1
      let schema = String(cString: name).quotedIdentifier  // NUL-terminated by contract
      // A file that is not encrypted has none.
      guard value("PRAGMA \(schema).cipher_page_size", database) != nil else { continue }
      guard isTold else {
        if isOutOfMemory(schema, database) { return true }
        continue
      }
      if value("PRAGMA \(schema).cipher_status", database) == "0" { return true }
    }
    return false
  }

  /// Returns whether SQLite says that there is no memory to read a file, although there is.
  private static func isOutOfMemory(_ schema: String, _ database: OpaquePointer) -> Bool {
    guard let memory = sqlite3_malloc64(100_000) else { return false }
    sqlite3_free(memory)
    let sql = "PRAGMA \(schema).schema_version"
    return sqlite3_exec(database, sql, nil, nil, nil) & 0xff == SQLITE_NOMEM
  }

  /// Throws where pages that have been read may be zeros.
  /// - Parameters:
  ///   - operation: What was done.
  ///   - path: The file.
  static func check(
    _ database: OpaquePointer, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    guard isTold, hasFailed(on: database) else { return }
    throw failure(operation, path: path)
  }

  /// The error for a page that could not be decrypted.
  static func failure(_ operation: DatabaseError.Operation, path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .notADatabase,
      "A page of the file could not be decrypted: it was damaged, or replaced since the file was opened",
      path: path)
  }

  private static func value(_ pragma: String, _ database: OpaquePointer) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, pragma, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }
}

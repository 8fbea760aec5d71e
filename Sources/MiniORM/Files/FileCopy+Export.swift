import CSQLCipher

extension FileCopy {
  /// Copies the rows. What stops that is said in SQLite's words, and with one code for all of it.
  func export(_ source: OpaquePointer) throws(DatabaseError) {
    do throws(DatabaseError) {
      _ = try Connection.text("SELECT sqlcipher_export('copy')", source)
    } catch {
      let codes = [
        SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_READONLY,
        SQLITE_BUSY, SQLITE_LOCKED,
      ]
      // SQLite's own static ASCII texts.
      let code = codes.first { code in
        sqlite3_errstr(code).map { error.message.hasSameBytes(as: String(cString: $0)) } ?? false
      }
      guard error.code == .error else { throw error }
      guard let code else {
        // What stops a statement within it, it gives no code and no words.
        guard error.saysNothing else { throw error }
        throw DatabaseError(
          error.operation, code: .inputOutput,
          "The file could not be read, or its copy not written, while SQLCipher copied the rows: it does not say why",
          sql: error.sql)
      }
      throw DatabaseError(
        error.operation, code: ResultCode(rawValue: code), error.message, sql: error.sql)
    }
  }
}

extension DatabaseError {
  /// Whether it has the code and the words that SQLite and SQLCipher have for what keeps a PRAGMA or a function of theirs
  /// from reading or writing a page, and which a mistake in SQL never has alone.
  var saysNothing: Bool {
    guard code == .error, let words = sqlite3_errstr(SQLITE_ERROR) else { return false }
    return message.hasSameBytes(as: String(cString: words))  // a static ASCII text
  }
}

import CSQLCipher

extension FileCopy {
  /// Runs `sqlcipher_export`, which reports every failure as SQLITE_ERROR, and restores the code
  /// from the message.
  func export(_ source: OpaquePointer) throws(DatabaseError) {
    do throws(DatabaseError) {
      _ = try Connection.text("SELECT sqlcipher_export('copy')", source)
    } catch {
      let codes = [
        SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_READONLY,
        SQLITE_BUSY, SQLITE_LOCKED,
      ]
      let code = codes.first { code in
        sqlite3_errstr(code).map { error.message.hasSameBytes(as: String(cString: $0)) } ?? false
      }
      guard error.code == .error else { throw error }
      guard let code else {
        // For an error in a nested statement, sqlcipher_export reports no message either.
        guard error.saysNothing else { throw error }
        throw DatabaseError(
          error.operation, code: .inputOutput,
          "The file could not be read, or the copy could not be written. SQLCipher reports no cause: check the disk and its free space",
          sql: error.sql)
      }
      throw DatabaseError(
        error.operation, code: ResultCode(rawValue: code), error.message, sql: error.sql)
    }
  }
}

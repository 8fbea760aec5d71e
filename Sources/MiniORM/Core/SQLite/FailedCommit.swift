import CSQLCipher

/// Decides whether a transaction whose COMMIT failed may be committed.
///
/// If the disk could not sync a write-ahead log, or memory for the log's index ran out, the log may
/// hold the whole transaction, which a later recovery would apply. MiniORM overwrites the
/// transaction before reporting the error.
///
/// A transaction with a rollback journal is committed when the journal ends. If the disk then fails
/// to sync, COMMIT reports an error although the change may be made.
///
/// See [Recovery](https://www.sqlite.org/walformat.html#recovery).
enum FailedCommit {
  /// Takes back what a failed COMMIT left in the files, and returns the error.
  ///
  /// The error has the operation `commitCheck` if the transaction may be committed nevertheless.
  /// Files with write-ahead logs commit in sequence, so a failed COMMIT may be complete in some
  /// files: then observers are notified.
  ///
  /// See [ATTACH DATABASE](https://www.sqlite.org/lang_attach.html).
  static func taking(
    back statement: PreparedStatement, _ error: DatabaseError, _ watch: TransactionWatch?,
    _ interruption: Interruption?
  ) -> DatabaseError {
    guard mayRemain(error.code), let database = sqlite3_db_handle(statement.pointer),
      mayCommit(statement.pointer), hasEnded(statement, database),
      // A failure within a transaction precedes its commit.
      statement.access.control != nil || watch?.hasUndoneTransaction != true
    else { return error }
    func taken() -> DatabaseError {
      // A single statement does not write several files. Check before the next transaction begins.
      let isInSome =
        statement.access.control != nil
        && watch.map { Self.isInSome($0, database) } ?? false
      if sqlite3_get_autocommit(database) == 0 {
        _ = SQLiteLibrary.trusting(on: database) { run("ROLLBACK", database) }
      }
      let error = taking(backFrom: database, error)
      guard isInSome else { return error }
      watch?.publishEverything()
      return error.adding(operation: .commitCheck).adding(
        message:
          "the transaction changed several files, and may be committed in only some of them: with write-ahead logs, a transaction is atomic in each file, but not across files. Read each file before you repeat the change"
      )
    }
    return interruption.map { $0.shielding(taken) } ?? taken()
  }

  /// RELEASE of the outermost savepoint may leave an empty transaction.
  private static func hasEnded(_ statement: PreparedStatement, _ database: OpaquePointer) -> Bool {
    sqlite3_get_autocommit(database) != 0
      || statement.access.control == .release
        && sqlite3_txn_state(database, nil) == SQLITE_TXN_NONE
  }

  private static func isInSome(_ watch: TransactionWatch, _ database: OpaquePointer) -> Bool {
    watch.mayHaveUndoneSeveralFiles
      && (try? logged(database))?.isEmpty != true
  }

  static func taking(backFrom database: OpaquePointer, _ error: DatabaseError) -> DatabaseError {
    guard mayRemain(error.code), sqlite3_get_autocommit(database) != 0 else { return error }
    // This check precedes any read, because a read would roll back the journal.
    if hasEndedJournals(of: database, after: error.code) {
      return error.adding(operation: .commitCheck).adding(
        message:
          "the disk failed after the rollback journal had ended. The change may be made, and may be rolled back if the power fails before the file is written again. Read the data before you repeat the change"
      )
    }
    guard !takeBack(on: database) else { return error }
    return error.adding(operation: .commitCheck).adding(
      message:
        "the write-ahead log may contain the whole transaction, and could not be overwritten. If the program ends or the power fails before the next write, the transaction may turn out to be committed"
    )
  }

  /// True if a transaction with rollback journals may be committed although COMMIT failed.
  ///
  /// SQLite syncs the journal, writes its header, writes and syncs the file, and finally ends the
  /// journal. An ended journal's header is zeros.
  private static func hasEndedJournals(
    of database: OpaquePointer, after code: ResultCode
  ) -> Bool {
    let (synced, folderSynced) = (SQLITE_IOERR | (4 << 8), SQLITE_IOERR | (5 << 8))
    // SQLite truncates the file, for example in VACUUM, after it has ended the journal. If only
    // this step fails, the transaction is committed.
    let truncated = SQLITE_IOERR | (6 << 8)
    guard [synced, folderSynced, truncated].contains(code.rawValue) else { return false }
    // If a mode cannot be read, the transaction may be committed.
    guard let logged = try? logged(database) else { return true }
    let journals = SchemaNames(of: database)
      .filter { !$0.hasSameBytes(as: "temp") && !logged.contains($0.quotedIdentifier) }
      .compactMap { sqlite3_db_filename(database, $0) }.filter { $0.pointee != 0 }
      .map { String(cString: $0) + "-journal" }  // paths, NUL-terminated by contract
    return !journals.isEmpty
      && journals.allSatisfy { journal in
        // A journal that is deleted at its end is never synced: SQLite failed before, and rolled
        // back.
        guard code.rawValue != synced || miniorm_exists(journal) != 0 else { return false }
        var head = [UInt8](repeating: 0, count: 28)
        return miniorm_head(journal, &head, head.count) < head.count || head.allSatisfy { $0 == 0 }
      }
  }

  private static func mayRemain(_ code: ResultCode) -> Bool {
    [SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PROTOCOL]
      .contains(code.primary.rawValue)
  }

  private static func mayCommit(_ statement: OpaquePointer) -> Bool {
    guard sqlite3_stmt_readonly(statement) != 0 else { return true }
    guard sqlite3_column_count(statement) == 0, let text = sqlite3_sql(statement) else {
      return false
    }
    return sqlite3_strnicmp(text, "BEGIN", 5) != 0
  }

  /// Commits a transaction without changes to each log, which overwrites the failed transaction.
  private static func takeBack(on database: OpaquePointer) -> Bool {
    SQLiteLibrary.trusting(on: database) {
      guard let schemas = try? logged(database) else { return false }
      guard !schemas.isEmpty else { return true }
      guard run("BEGIN IMMEDIATE", database) == SQLITE_OK else { return false }
      for schema in schemas {
        guard let version = try? SQLiteLibrary.value("PRAGMA \(schema).user_version", database),
          run("PRAGMA \(schema).user_version = \(version)", database) == SQLITE_OK
        else {
          _ = run("ROLLBACK", database)
          return false
        }
      }
      let code = run("COMMIT", database)
      if sqlite3_get_autocommit(database) == 0 { _ = run("ROLLBACK", database) }
      return code == SQLITE_OK
    }
  }

  private static func logged(_ database: OpaquePointer) throws(DatabaseError) -> [String] {
    var logged: [String] = []
    for schema in SchemaNames(of: database) where !schema.hasSameBytes(as: "temp") {
      guard sqlite3_db_readonly(database, schema) == 0 else { continue }
      let name = schema.quotedIdentifier
      if try SQLiteLibrary.value("PRAGMA \(name).journal_mode", database) == "wal" {
        logged.append(name)
      }
    }
    return logged
  }

  private static func run(_ sql: String, _ database: OpaquePointer) -> Int32 {
    sqlite3_exec(database, sql, nil, nil, nil)
  }
}

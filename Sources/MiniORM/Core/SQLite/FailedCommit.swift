import CSQLCipher

/// Recognizes a failed COMMIT whose transaction may be in the files nevertheless.
///
/// A write-ahead log holds the whole transaction when its sync fails. SQLite discards the
/// transaction, and the next write overwrites it, but a recovery of the log before that write would
/// apply it. Files with write-ahead logs commit in sequence, so the first files may be committed.
///
/// A transaction with a rollback journal is committed when the journal ends. If the disk then fails
/// to sync, COMMIT reports an error although the change may be made.
///
/// See [Recovery](https://www.sqlite.org/walformat.html#recovery) and
/// [ATTACH DATABASE](https://www.sqlite.org/lang_attach.html).
enum FailedCommit {
  /// Gives the error of a statement the operation `commitCheck` if its commit is uncertain, and
  /// notifies the observers.
  static func checking(
    _ error: DatabaseError, of statement: PreparedStatement, _ watch: TransactionWatch?
  ) -> DatabaseError {
    guard mayFollowCommit(error.code), let database = sqlite3_db_handle(statement.pointer),
      mayCommit(statement.pointer), hasEnded(statement, database),
      // A failure within a transaction precedes its commit.
      statement.access.control != nil || watch?.hasUndoneTransaction != true
    else { return error }
    let isCommit = statement.access.control != nil
    let error = checking(error, on: database, isCommit: isCommit)
    if error.operation == .commitCheck { watch?.publishEverything() }
    // A failed RELEASE leaves an empty transaction.
    if sqlite3_get_autocommit(database) == 0 {
      _ = SQLiteLibrary.trusting(on: database) {
        sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
      }
    }
    return error
  }

  /// Gives an error the operation `commitCheck` if a commit on the connection is uncertain.
  /// - Parameter isCommit: True if the statement ended a transaction, which may have changed several
  ///   files.
  static func checking(
    _ error: DatabaseError, on database: OpaquePointer, isCommit: Bool = false
  ) -> DatabaseError {
    guard mayFollowCommit(error.code),
      let state = uncertainty(on: database, after: error.code, isCommit: isCommit)
    else { return error }
    return error.adding(operation: .commitCheck).adding(
      message:
        "the transaction may be in the file\(state). Read the data before you repeat the change"
    )
  }

  private static func mayFollowCommit(_ code: ResultCode) -> Bool {
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

  /// True if a statement has ended the transaction. RELEASE of the outermost savepoint may leave
  /// an empty transaction.
  private static func hasEnded(_ statement: PreparedStatement, _ database: OpaquePointer) -> Bool {
    sqlite3_get_autocommit(database) != 0
      || statement.access.control == .release
        && sqlite3_txn_state(database, nil) == SQLITE_TXN_NONE
  }

  /// Returns nil if the transaction is in no file.
  private static func uncertainty(
    on database: OpaquePointer, after code: ResultCode, isCommit: Bool
  ) -> String? {
    var (logs, journals) = (0, [String]())
    for schema in SQLiteLibrary.schemas(of: database)
    where !schema.hasSameBytes(as: "temp") && sqlite3_db_readonly(database, schema) == 0 {
      // This read keeps a journal. If it fails, the mode may be WAL.
      let pragma = "PRAGMA \(schema.quotedIdentifier).journal_mode"
      let mode = try? SQLiteLibrary.value(pragma, database)
      if mode == nil || mode == "wal" {
        logs += 1
      } else if let path = sqlite3_db_filename(database, schema), path.pointee != 0 {
        journals.append(String(cString: path) + "-journal")  // NUL-terminated by contract
      }
    }
    // A log that SQLite could not read, or extend, holds no end of a transaction. For several
    // files, an earlier log may.
    let (read, shortRead) = (SQLITE_IOERR | (1 << 8), SQLITE_IOERR | (2 << 8))
    let isAfterLog =
      ![read, shortRead].contains(code.rawValue)
      && [SQLITE_IOERR, SQLITE_NOMEM].contains(code.primary.rawValue)
    if isCommit, logs > 0, logs + journals.count > 1 {
      return ", and if it changed several files, in only some of them, where it can be visible"
    }
    if logs > 0, isAfterLog {
      return ". It is invisible until the file is next recovered, and the next write removes it"
    }
    return haveEnded(journals, after: code)
      ? ", and may be rolled back if the power fails before the file is written again" : nil
  }

  /// True if a transaction with rollback journals may be committed although COMMIT failed.
  ///
  /// SQLite syncs the journal, writes its header, writes and syncs the file, and finally ends the
  /// journal. An ended journal's header is zeros.
  private static func haveEnded(_ journals: [String], after code: ResultCode) -> Bool {
    let (synced, folderSynced) = (SQLITE_IOERR | (4 << 8), SQLITE_IOERR | (5 << 8))
    // SQLite truncates the file, for example in VACUUM, after it has ended the journal. If only
    // this step fails, the transaction is committed.
    let truncated = SQLITE_IOERR | (6 << 8)
    guard [synced, folderSynced, truncated].contains(code.rawValue) else { return false }
    return !journals.isEmpty
      && journals.allSatisfy { journal in
        // A journal that is deleted at its end is never synced: SQLite failed before, and rolled
        // back.
        guard code.rawValue != synced || miniorm_exists(journal) != 0 else { return false }
        var head = [UInt8](repeating: 0, count: 28)
        return miniorm_head(journal, &head, head.count) < head.count || head.allSatisfy { $0 == 0 }
      }
  }
}

import CSQLCipher

/// Copies the pages of a database into another database in steps, and commits in the last step.
/// Both databases must have a key, or neither.
///
/// See [SQLite Online Backup](https://www.sqlite.org/c3ref/backup_finish.html).
struct PageCopy {
  private static let step: Int32 = 256

  let source: OpaquePointer
  var sourceName = "main"
  let destination: OpaquePointer
  let path: String
  let progress: (@Sendable (Double) -> Void)?

  func run(_ check: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    guard let backup = sqlite3_backup_init(destination, "main", source, sourceName) else {
      throw DatabaseError(
        .copy, code: sqlite3_errcode(destination), from: destination, path: path)
    }
    var code = SQLITE_OK
    var last = 0.0
    do throws(DatabaseError) {
      while code == SQLITE_OK {
        try check()
        code = sqlite3_backup_step(backup, Self.step)
        if code == SQLITE_OK { try CodecState.check(source, .copy, path: path) }
        let count = Double(sqlite3_backup_pagecount(backup))
        let fraction = min(0.99, 1 - Double(sqlite3_backup_remaining(backup)) / max(count, 1))
        if let progress, fraction - last >= 0.01 {
          last = fraction
          progress(fraction)
        }
      }
    } catch {
      // Rolls back the pages written so far.
      sqlite3_backup_finish(backup)
      throw error
    }
    let finished = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw FailedCommit.checking(
        DatabaseError(
          .copy, code: finished == SQLITE_OK ? code : finished, from: destination, path: path),
        on: destination)
    }
  }
}

extension FileCopy {
  /// Adds the damaged page, if there is one, to an error, because SQLCipher reports the same code
  /// for every failure. Other codes come from the destination.
  func explained(_ error: DatabaseError, _ what: String) -> DatabaseError {
    guard original != nil, error.mayBeDamage || error.isOutOfMemory,
      let damaged = try? damagedPages(), let first = damaged.first?.page
    else { return error }
    guard let page = damaged.first(where: { $0.kind == .page })?.page else {
      return failure(
        .corrupt,
        "Page \(first) of the file is damaged but free, so \(what): call vacuum() to rewrite the page, "
          + "or export to copy the rows")
    }
    return failure(
      .corrupt,
      "Page \(page) of the file is damaged, so \(what): Database.salvage recovers the readable rows"
    )
  }

  func writePages(_ copy: String, from source: OpaquePointer) throws(DatabaseError) {
    let name = DatabaseFile.name(copy, isImmutable: false)
    let handle = try SQLiteHandle(name, SQLITE_OPEN_READWRITE) {
      DatabaseError.opening(copy, code: $0, from: $1).adding(operation: .copy)
    }
    let destination = handle.database
    sqlite3_extended_result_codes(destination, 1)
    try DatabaseError.adding(operation: .copy, path: path) { () throws(DatabaseError) in
      try configuration.setKey(key, on: destination)
    }
    func run(_ sql: String) throws(DatabaseError) {
      _ = try copying { () throws(DatabaseError) in try Connection.text(sql, destination) }
    }
    // After a crash, the incomplete copy is useless, so it needs no journal on the disk.
    try run("PRAGMA journal_mode = MEMORY")
    try run("PRAGMA synchronous = OFF")
    // The original's header may declare a log. In exclusive mode, SQLite creates no log files.
    try run("PRAGMA locking_mode = EXCLUSIVE")
    // Fixes a single state: without a read transaction, each write would restart the backup.
    _ = try Connection.text("BEGIN", source)
    _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", source)
    defer { _ = try? Connection.text("ROLLBACK", source) }
    let pages = PageCopy(source: source, destination: destination, path: path, progress: progress)
    do throws(DatabaseError) {
      try pages.run { () throws(DatabaseError) in try Ending.check() }
      try CodecState.check(source, .copy, path: path)
      // If the last page cannot be decrypted, SQLCipher copies zeros, and reports the error on the
      // next read.
      _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", source)
    } catch {
      throw explained(error, "nothing was copied")
    }
    _ = try copying { () throws(DatabaseError) in
      try BackupRecord.remove(from: "main", destination)
    }
    // Without a log, the copy can be opened in a read-only folder.
    try run("PRAGMA journal_mode = DELETE")
    let closed = handle.close()
    guard closed == SQLITE_OK else {
      throw DatabaseError(.copy, code: closed, from: nil, path: path)
    }
  }
}

import CSQLCipher

/// Copies the pages of a database into another one, in steps, and commits them at once.
///
/// SQLCipher decrypts each page with the key of the one and encrypts it with that of the other, so both
/// have a key, or none has.
///
/// See [SQLite Online Backup](https://www.sqlite.org/c3ref/backup_finish.html).
struct PageCopy {
  /// How many pages a step copies: some milliseconds' worth.
  private static let step: Int32 = 256

  let source: OpaquePointer
  var sourceName = "main"
  let destination: OpaquePointer
  let path: String
  let progress: (@Sendable (Double) -> Void)?

  /// Copies all pages.
  /// - Parameter check: Throws where the copy has to end, before each step. The last step commits.
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
      // Undoes what was written.
      sqlite3_backup_finish(backup)
      throw error
    }
    let finished = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw FailedCommit.taking(
        backFrom: destination,
        DatabaseError(
          .copy, code: finished == SQLITE_OK ? code : finished, from: destination, path: path))
    }
  }
}

extension FileCopy {
  /// Says of what failed while the original was read that it is damaged, where that is why: SQLCipher's
  /// code is that of any failure.
  func explained(_ error: DatabaseError, _ what: String) -> DatabaseError {
    guard error.code.primary != .interrupt, error.code.primary != .full, original.isEncrypted,
      let damaged = try? damagedPages(), let first = damaged.first?.page
    else { return error }
    guard let page = damaged.first(where: { $0.kind == .page })?.page else {
      return failure(
        .corrupt,
        "Page \(first) of the file is damaged, though nothing stands on it, so \(what): vacuum() writes it anew, "
          + "and export copies the rows")
    }
    return failure(.corrupt, "Page \(page) of the file is damaged, so \(what)")
  }

  /// Writes the pages of the original into a file that nobody else knows.
  func writePages(_ copy: String, from source: OpaquePointer) throws(DatabaseError) {
    var pointer: OpaquePointer?
    defer { sqlite3_close_v2(pointer) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let name = DatabaseFile.name(copy, isImmutable: false)
    let code = SQLiteLibrary.open(name, flags: flags, &pointer)
    guard code == SQLITE_OK, let destination = pointer else {
      throw DatabaseError.opening(
        copy, code: code, from: pointer, isReadOnly: false, creates: false
      )
      .adding(operation: .copy)
    }
    sqlite3_extended_result_codes(destination, 1)
    do throws(DatabaseError) {
      try configuration.setKey(key, on: destination)
    } catch {
      throw error.adding(operation: .copy, path: path)
    }
    func run(_ sql: String) throws(DatabaseError) {
      do throws(DatabaseError) {
        _ = try Connection.text(sql, destination)
      } catch {
        throw DatabaseError(.copy, code: error.code, error.message, sql: error.sql, path: path)
      }
    }
    // Nobody trusts the copy before it has its place, so that it needs no journal on the disk.
    try run("PRAGMA journal_mode = MEMORY")
    try run("PRAGMA synchronous = OFF")
    // Without files beside it for a log that the original's first page speaks of.
    try run("PRAGMA locking_mode = EXCLUSIVE")
    // One state of it, whatever others write meanwhile: the copy would begin anew with each change.
    _ = try Connection.text("BEGIN", source)
    _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", source)
    defer { _ = try? Connection.text("ROLLBACK", source) }
    let pages = PageCopy(source: source, destination: destination, path: path, progress: progress)
    do throws(DatabaseError) {
      try pages.run { () throws(DatabaseError) in try Ending.check() }
      try CodecState.check(source, .copy, path: path)
      // SQLite learns with the next page that the last one could not be decrypted, and was copied as zeros.
      _ = try Connection.text("SELECT count(*) FROM main.sqlite_schema", source)
    } catch {
      throw explained(error, "nothing was copied")
    }
    // The copy can then be read where nothing can be written beside it.
    try run("PRAGMA journal_mode = DELETE")
    let closed = sqlite3_close(destination)
    pointer = nil
    guard closed == SQLITE_OK else {
      throw DatabaseError(.copy, code: closed, from: nil, path: path)
    }
  }
}

import CSQLCipher

/// SQLite's locks on a file. Locking needs no key, and also succeeds for a file that is not a
/// database.
///
/// SQLite finds a log and a journal by name. If the database file is replaced, both belong to the
/// new file, and a connection to the old file would roll back the wrong journal. A connection
/// therefore locks its file, and then checks the file's path. MiniORM never replaces a locked file.
///
/// See [File Locking And Concurrency](https://www.sqlite.org/lockingv3.html).
enum FileLock {
  /// Takes a SHARED lock, which prevents writes and replacement until SQLite's first read.
  /// - Parameter waits: Waits before the next attempt; returns false after the time limit.
  static func share(_ database: OpaquePointer, _ waits: (Int32) -> Bool) -> Int32 {
    guard let file = RawFile(of: database) else { return SQLITE_OK }
    return repeating(waits) { file.lock(SQLITE_LOCK_SHARED) }
  }

  /// Takes an EXCLUSIVE lock, which blocks all other connections.
  private static func exclude(_ database: OpaquePointer, _ waits: (Int32) -> Bool) -> Int32 {
    guard let file = RawFile(of: database) else { return SQLITE_ERROR }
    return repeating(waits) {
      // Skip the RESERVED lock, as SQLite does for a rollback: with it, other processes would take
      // the journal for one in use, and read pages that need a rollback.
      var code = file.lock(SQLITE_LOCK_SHARED)
      if code == SQLITE_OK { code = file.lock(SQLITE_LOCK_EXCLUSIVE) }
      // Release the SHARED lock: two waiting processes would block each other.
      if code != SQLITE_OK { file.unlock(SQLITE_LOCK_NONE) }
      return code
    }
  }

  /// Returns to a SHARED lock. Under an EXCLUSIVE lock, SQLite ignores a journal.
  static func downgrade(_ database: OpaquePointer) -> Int32 {
    RawFile(of: database)?.unlock(SQLITE_LOCK_SHARED) ?? SQLITE_ERROR
  }

  /// Takes a SHARED lock, or an EXCLUSIVE lock, and checks that the file is at its path.
  static func take(
    isExclusive: Bool, of database: OpaquePointer, waiting milliseconds: Int32,
    _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    let waits = waiting(milliseconds)
    let code = isExclusive ? exclude(database, waits) : share(database, waits)
    guard code & 0xff != SQLITE_BUSY else {
      try Ending.check()
      throw DatabaseError(
        operation, code: .busy, "Another connection has \(path) open: close it first", path: path)
    }
    guard code == SQLITE_OK else {
      throw DatabaseError(operation, code: code, from: nil, path: path)
    }
    try checkPlace(of: database, operation, path: path)
  }

  private static func repeating(_ waits: (Int32) -> Bool, _ lock: () -> Int32) -> Int32 {
    var count: Int32 = 0
    while true {
      let code = lock()
      guard code & 0xff == SQLITE_BUSY, waits(count) else { return code }
      count += 1
    }
  }

  /// Returns a closure that waits up to a limit, as `sqlite3_busy_timeout` does, or until the task
  /// is cancelled or over its time limit.
  static func waiting(_ milliseconds: Int32) -> (Int32) -> Bool {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    return { _ in
      guard ContinuousClock.now < end, Ending.error == nil else { return false }
      sqlite3_sleep(5)
      return true
    }
  }

  /// True if the file is no longer at its path.
  ///
  /// See [SQLITE_FCNTL_HAS_MOVED](https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  static func hasMoved(_ database: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }

  /// Throws if the file is no longer at its path: a write would be lost.
  static func checkPlace(
    of database: OpaquePointer, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    guard hasMoved(database) else { return }
    throw .replaced(operation, path)
  }
}

/// An exclusively locked file, for replacement or deletion. With a rollback journal, another
/// process's idle connection is not detected.
final class ExclusiveFile {
  private let handle: SQLiteHandle
  var database: OpaquePointer { handle.database }

  init(
    _ path: String, waiting milliseconds: Int32, _ operation: DatabaseError.Operation
  ) throws(DatabaseError) {
    let name = DatabaseFile.name(path, isImmutable: false)
    let handle = try SQLiteHandle(name, SQLITE_OPEN_READWRITE) {
      DatabaseError.opening(path, code: $0, from: $1).adding(operation: operation)
    }
    guard sqlite3_db_readonly(handle.database, "main") == 0 else {
      throw DatabaseError(
        operation, code: .readOnly,
        "\(path) cannot be locked, because this process may not write to it: another process may have the file open",
        path: path)
    }
    try FileLock.take(
      isExclusive: true, of: handle.database, waiting: milliseconds, operation, path: path)
    self.handle = handle
  }
}

extension DatabaseError {
  static func replaced(_ operation: Operation, _ path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .readOnlyMoved,
      "Another program replaced, renamed or deleted the file, so this operation changed nothing. Open the file that is at the path now",
      path: path)
  }
}

import CSQLCipher

/// SQLite's lock on a file, taken through a connection that has read nothing yet.
///
/// SQLite finds a log and a journal by their names. If a file was replaced after it was opened, they are those of the new
/// file, and reading the old one would roll back a journal that is in use, and delete it. So a connection locks the file
/// first, and then looks whether its path still leads to it: no file that is locked is replaced.
///
/// A file can be locked whatever its key, and also if it is not a database.
///
/// See [File Locking And Concurrency](https://www.sqlite.org/lockingv3.html).
enum FileLock {
  /// Keeps other connections from writing to the file and from replacing it, until SQLite has read it for the first time.
  /// - Parameter waits: Waits a moment for another connection, and returns false after the time limit. Its argument is the
  ///   number of attempts so far.
  /// - Returns: SQLite's code.
  static func share(_ database: OpaquePointer, _ waits: (Int32) -> Bool) -> Int32 {
    // A database in memory has no file.
    guard let (file, methods) = file(of: database), let lock = methods.xLock else {
      return SQLITE_OK
    }
    return repeating(waits) { lock(file, SQLITE_LOCK_SHARED) }
  }

  /// Waits until no other connection uses the file, and keeps all of them from it.
  /// - Returns: SQLite's code.
  static func exclude(_ database: OpaquePointer, _ waits: (Int32) -> Bool) -> Int32 {
    guard let (file, methods) = file(of: database), let lock = methods.xLock else {
      return SQLITE_ERROR
    }
    return repeating(waits) {
      // No RESERVED lock in between, as when SQLite rolls back a journal: with a RESERVED lock, other processes would
      // take the journal for one in use, and read pages that have to be rolled back.
      var code = lock(file, SQLITE_LOCK_SHARED)
      if code == SQLITE_OK { code = lock(file, SQLITE_LOCK_EXCLUSIVE) }
      // Of two that wait, each would wait for the other's shared lock.
      if code != SQLITE_OK { _ = methods.xUnlock?(file, SQLITE_LOCK_NONE) }
      return code
    }
  }

  /// Lets other connections read a file that is locked exclusively, and still keeps them from writing to it and from
  /// replacing it. SQLite can then read through this connection: under an exclusive lock it does not look for a journal.
  static func downgrade(_ database: OpaquePointer) -> Int32 {
    guard let (file, methods) = file(of: database), let unlock = methods.xUnlock else {
      return SQLITE_ERROR
    }
    return unlock(file, SQLITE_LOCK_SHARED)
  }

  private static func repeating(_ waits: (Int32) -> Bool, _ lock: () -> Int32) -> Int32 {
    var count: Int32 = 0
    while true {
      let code = lock()
      guard code & 0xff == SQLITE_BUSY, waits(count) else { return code }
      count += 1
    }
  }

  /// Waits for another connection up to a limit, as `sqlite3_busy_timeout` does.
  static func waiting(_ milliseconds: Int32) -> (Int32) -> Bool {
    let pause: Int32 = 5
    return { count in
      guard count < milliseconds / pause else { return false }
      sqlite3_sleep(pause)
      return true
    }
  }

  private static func file(
    of database: OpaquePointer
  ) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods)? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return nil }
    return (file, methods.pointee)
  }

  /// Whether the path of a connection leads to another file than the connection has open, or to none.
  ///
  /// See [SQLITE_FCNTL_HAS_MOVED](https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
  static func hasMoved(_ database: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }

  /// Refuses to go on with a file that was replaced: what is written to it would be lost.
  static func checkPlace(
    of database: OpaquePointer, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    guard hasMoved(database) else { return }
    throw .replaced(operation, path)
  }
}

/// A file that no other connection can read or write while this value exists, so it can be replaced or deleted.
///
/// The lock does not show a connection of another process that is between two transactions, unless it has a write-ahead
/// log. It does not stop a program that renames files without looking for locks.
final class ExclusiveFile {
  let database: OpaquePointer

  /// - Parameters:
  ///   - path: The path of the file, where links have been followed.
  ///   - milliseconds: How long to wait for other connections.
  ///   - operation: The operation of errors.
  init(
    _ path: String, waiting milliseconds: Int32, _ operation: DatabaseError.Operation
  ) throws(DatabaseError) {
    var pointer: OpaquePointer?
    do throws(DatabaseError) {
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
      let name = DatabaseFile.name(path, isImmutable: false)
      let opened = SQLiteLibrary.open(name, flags: flags, &pointer)
      guard opened == SQLITE_OK, let database = pointer else {
        throw DatabaseError.opening(
          path, code: opened, from: pointer, isReadOnly: false, creates: false
        ).adding(operation: operation)
      }
      guard sqlite3_db_readonly(database, "main") == 0 else {
        throw DatabaseError(
          operation, code: .readOnly,
          "\(path) cannot be locked, since this process may not write to it: another process may have it open",
          path: path)
      }
      let code = FileLock.exclude(database, FileLock.waiting(milliseconds))
      guard code & 0xff != SQLITE_BUSY else {
        throw DatabaseError(
          operation, code: .busy, "Another connection has \(path) open: close it first", path: path)
      }
      guard code == SQLITE_OK else {
        throw DatabaseError(operation, code: code, from: nil, path: path)
      }
      try FileLock.checkPlace(of: database, operation, path: path)
      self.database = database
    } catch {
      sqlite3_close_v2(pointer)
      throw error
    }
  }

  // Closing the file releases the lock.
  deinit { sqlite3_close_v2(database) }
}

extension DatabaseError {
  /// The error for a file that another program has replaced while this one used it.
  static func replaced(_ operation: Operation, _ path: String) -> DatabaseError {
    DatabaseError(
      operation, code: .readOnlyMoved,
      "Another program replaced, renamed or deleted the file, so this operation changed nothing. Open the file that is at the path now",
      path: path)
  }
}

import CSQLCipher

/// The stored bytes, read through SQLite: a process that closes any descriptor of a file loses its
/// locks on the file. SQLite defers closing.
package final class FileBytes {
  private let database: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// - Parameter isWritable: Opens the file for writing, if permitted, as an exclusive lock
  ///   requires. Nothing is written.
  package init(_ path: String, isWritable: Bool = false) throws(DatabaseError) {
    var pointer: OpaquePointer?
    var file: UnsafeMutablePointer<sqlite3_file>?
    let access = isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let name = DatabaseFile.name(path, isImmutable: false)
    let code =
      DatabaseFile.isRegular(path)
      ? SQLiteLibrary.open(name, flags: flags, &pointer) : SQLITE_CANTOPEN
    guard code == SQLITE_OK, let database = pointer,
      sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods?.pointee
    else {
      defer { sqlite3_close_v2(pointer) }
      throw DatabaseError(.copy, code: code == SQLITE_OK ? SQLITE_CANTOPEN : code, from: pointer)
        .adding(path: path)
    }
    (self.database, self.file, self.methods) = (database, file, methods)
  }

  deinit {
    unlock()
    sqlite3_close_v2(database)
  }

  /// The size in bytes.
  package var size: Int64 {
    get throws(DatabaseError) {
      var size: Int64 = 0
      let code = methods.xFileSize?(file, &size) ?? SQLITE_IOERR
      guard code == SQLITE_OK else { throw DatabaseError(.copy, code: code, from: nil) }
      return size
    }
  }

  /// Returns nil if the file is too short or cannot be read.
  package func read(_ count: Int, at offset: Int64) -> [UInt8]? {
    guard let read = methods.xRead, let amount = Int32(exactly: count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return read(file, &bytes, amount, offset) == SQLITE_OK ? bytes : nil
  }
}

// MARK: - Locks

/// Locks without SQLite's pager, which would roll back a journal or open a log.
///
/// See [File Locking](https://www.sqlite.org/lockingv3.html).
extension FileBytes {
  /// Takes a SHARED lock, which prevents writes by other connections, except in WAL mode.
  func lockForReading() -> Int32 { FileLock.share(database) { _ in false } }

  /// Takes an EXCLUSIVE lock, and returns to the SHARED lock that the caller holds.
  func tryToExclude() -> Int32 {
    defer { _ = FileLock.downgrade(database) }
    return methods.xLock?(file, SQLITE_LOCK_EXCLUSIVE) ?? SQLITE_IOERR
  }

  /// True while another connection's transaction uses the journal.
  var isBeingWritten: Bool {
    var isReserved: Int32 = 0
    let code = methods.xCheckReservedLock?(file, &isReserved) ?? SQLITE_IOERR
    return code == SQLITE_OK && isReserved != 0
  }

  var hasMoved: Bool { FileLock.hasMoved(database) }

  func unlock() { _ = methods.xUnlock?(file, SQLITE_LOCK_NONE) }
}

extension [UInt8] {
  package func number(at index: Int, count: Int) -> Int? {
    guard index >= 0, index + count <= self.count else { return nil }
    return self[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

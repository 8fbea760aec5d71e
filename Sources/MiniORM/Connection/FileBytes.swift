import CSQLCipher

/// The bytes of a file as they are stored, encrypted or not.
///
/// SQLite reads them: a process loses its locks on a file when it closes any descriptor of it, and only SQLite knows
/// whether the file is open elsewhere in the process, and puts off closing.
final class FileBytes {
  private let database: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// - Parameter isWritable: Whether the file is opened for writing where the system allows it. Only such a file can be
  ///   locked against every other connection. Nothing is written.
  /// - Throws: ``DatabaseError`` with SQLite's code if the file cannot be opened, or is not a regular file: opening a
  ///   pipe would wait for its other end.
  init(_ path: String, isWritable: Bool = false) throws(DatabaseError) {
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

  /// How many bytes it has.
  /// - Throws: ``DatabaseError`` with SQLite's code where the system does not tell: it is no empty file.
  var size: Int64 {
    get throws(DatabaseError) {
      var size: Int64 = 0
      let code = methods.xFileSize?(file, &size) ?? SQLITE_IOERR
      guard code == SQLITE_OK else { throw DatabaseError(.copy, code: code, from: nil) }
      return size
    }
  }

  /// Returns some bytes; nil where there are fewer, or they cannot be read.
  func read(_ count: Int, at offset: Int64) -> [UInt8]? {
    guard let read = methods.xRead, let amount = Int32(exactly: count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return read(file, &bytes, amount, offset) == SQLITE_OK ? bytes : nil
  }
}

// MARK: - Locks

/// SQLite's locks, for reading a file without SQLite's pager, which would roll back a journal or open a log.
///
/// See [File Locking](https://www.sqlite.org/lockingv3.html).
extension FileBytes {
  /// Takes the lock of a reader: no other connection writes to the file as long as it is held, except one that uses a
  /// write-ahead log.
  /// - Returns: SQLite's code, `SQLITE_BUSY` while another connection writes.
  func lockForReading() -> Int32 { methods.xLock?(file, SQLITE_LOCK_SHARED) ?? SQLITE_IOERR }

  /// Returns the code for the lock that excludes every other connection, which is given up at once. The lock of a reader
  /// has to be held, and is held afterwards.
  func tryToExclude() -> Int32 {
    let code = methods.xLock?(file, SQLITE_LOCK_EXCLUSIVE) ?? SQLITE_IOERR
    _ = methods.xUnlock?(file, SQLITE_LOCK_SHARED)
    return code
  }

  /// Whether another connection is in a transaction that writes, so that a journal belongs to that.
  var isBeingWritten: Bool {
    var isReserved: Int32 = 0
    let code = methods.xCheckReservedLock?(file, &isReserved) ?? SQLITE_IOERR
    return code == SQLITE_OK && isReserved != 0
  }

  /// Whether the path leads to another file by now, or to none.
  var hasMoved: Bool { FileLock.hasMoved(database) }

  func unlock() { _ = methods.xUnlock?(file, SQLITE_LOCK_NONE) }
}

extension [UInt8] {
  /// Returns a number of some bytes, the most significant first.
  func number(at index: Int, count: Int) -> Int? {
    guard index >= 0, index + count <= self.count else { return nil }
    return self[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

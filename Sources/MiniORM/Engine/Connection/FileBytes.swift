import CSQLCipher

/// The stored bytes of a file, and locks without SQLite's pager, which would roll back a journal or
/// open a log.
///
/// See [File Locking](https://www.sqlite.org/lockingv3.html).
package final class FileBytes {
  private let handle: SQLiteHandle
  private let file: RawFile

  /// - Parameter isWritable: Opens the file for writing, if permitted, as an exclusive lock
  ///   requires. Nothing is written.
  package init(_ path: String, isWritable: Bool = false) throws(DatabaseError) {
    func failure(_ code: Int32, _ database: OpaquePointer?) -> DatabaseError {
      DatabaseError(.copy, code: code, from: database, path: path)
    }
    guard DatabaseFile.isRegular(path) else { throw failure(SQLITE_CANTOPEN, nil) }
    let access = isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let name = DatabaseFile.name(path, isImmutable: false)
    let handle = try SQLiteHandle(name, access, failure: failure)
    guard let file = RawFile(of: handle.database) else { throw failure(SQLITE_CANTOPEN, nil) }
    self.file = file
    self.handle = handle
  }

  deinit { unlock() }

  /// The size in bytes.
  package var size: Int64 {
    get throws(DatabaseError) {
      let (size, code) = file.size
      guard code == SQLITE_OK else { throw DatabaseError(.copy, code: code, from: nil) }
      return size
    }
  }

  /// Returns nil if the file is too short or cannot be read.
  package func read(_ count: Int, at offset: Int64) -> [UInt8]? {
    let (bytes, code) = file.read(count, at: offset)
    return code == SQLITE_OK ? bytes : nil
  }

  /// Takes a SHARED lock, which prevents writes by other connections, except in WAL mode.
  package func lockForReading() -> Int32 { file.lock(SQLITE_LOCK_SHARED) }

  /// Takes an EXCLUSIVE lock, and returns to the SHARED lock that the caller holds.
  func tryToExclude() -> Int32 {
    defer { file.unlock(SQLITE_LOCK_SHARED) }
    return file.lock(SQLITE_LOCK_EXCLUSIVE)
  }

  var isBeingWritten: Bool { file.isBeingWritten }

  var hasMoved: Bool { FileLock.hasMoved(handle.database) }

  func unlock() { file.unlock(SQLITE_LOCK_NONE) }
}

extension [UInt8] {
  package func number(at index: Int, count: Int) -> Int? {
    guard index >= 0, index + count <= self.count else { return nil }
    return self[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
  }
}

import CSQLCipher

/// A `sqlite3` connection beside the connections of a ``Database``, closed at the end of its
/// lifetime. Without an authorizer, it trusts all SQL.
package struct SQLiteHandle: ~Copyable {
  package let database: OpaquePointer

  /// - Parameters:
  ///   - name: A path, a URI, or ":memory:".
  ///   - access: The flags for reading, writing and creating the file.
  ///   - failure: Returns the error for SQLite's code. The connection, if any, knows more.
  init(
    _ name: String, _ access: Int32, failure: (Int32, OpaquePointer?) -> DatabaseError
  ) throws(DatabaseError) {
    var pointer: OpaquePointer?
    let flags = access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let code = SQLiteLibrary.open(name, flags: flags, &pointer)
    guard code == SQLITE_OK, let opened = pointer else {
      defer { sqlite3_close_v2(pointer) }
      throw failure(code, pointer)
    }
    database = opened
    // Copied schemas of other programs may have strings in double quotes.
    for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
      _ = miniorm_db_config(opened, option, 1)
    }
  }

  /// Opens a database in memory.
  package init(_ operation: DatabaseError.Operation = .open) throws(DatabaseError) {
    try self.init(":memory:", SQLITE_OPEN_READWRITE) {
      DatabaseError(operation, code: $0, from: $1)
    }
  }

  deinit { sqlite3_close_v2(database) }

  /// Closes the connection now. Returns SQLITE_BUSY if a statement is alive.
  consuming func close() -> Int32 {
    let code = sqlite3_close(database)
    guard code == SQLITE_OK else {
      _ = consume self
      return code
    }
    discard self
    return code
  }
}

/// SQLite's access to the file of a connection, below the pager.
///
/// A process that closes any descriptor of a file loses its POSIX locks on the file. SQLite defers
/// closing, so files are read only through SQLite. See [POSIX advisory
/// locks](https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
package struct RawFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// Returns nil for a database without a file.
  package init?(of database: OpaquePointer) {
    var pointer: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
    guard code == SQLITE_OK, let file = pointer, let methods = file.pointee.pMethods?.pointee
    else { return nil }
    (self.file, self.methods) = (file, methods)
  }

  /// The first block of the log's index; nil without a log. The index must not be opened as a file.
  package var logIndex: UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    guard methods.iVersion >= 2, methods.xShmMap?(file, 0, 32_768, 0, &memory) == SQLITE_OK
    else { return nil }
    return memory
  }

  /// Orders the accesses to the log's index.
  package func logIndexBarrier() { methods.xShmBarrier?(file) }

  var size: (bytes: Int64, code: Int32) {
    var size: Int64 = 0
    let code = methods.xFileSize?(file, &size) ?? SQLITE_IOERR
    return (size, code)
  }

  func read(_ count: Int, at offset: Int64) -> (bytes: [UInt8], code: Int32) {
    guard let amount = Int32(exactly: count) else { return ([], SQLITE_TOOBIG) }
    var bytes = [UInt8](repeating: 0, count: count)
    let code = methods.xRead?(file, &bytes, amount, offset) ?? SQLITE_IOERR
    return (bytes, code)
  }

  func lock(_ level: Int32) -> Int32 { methods.xLock?(file, level) ?? SQLITE_IOERR }

  @discardableResult
  func unlock(_ level: Int32) -> Int32 { methods.xUnlock?(file, level) ?? SQLITE_IOERR }

  /// True while another connection's transaction uses the journal.
  var isBeingWritten: Bool {
    var isReserved: Int32 = 0
    let code = methods.xCheckReservedLock?(file, &isReserved) ?? SQLITE_IOERR
    return code == SQLITE_OK && isReserved != 0
  }
}

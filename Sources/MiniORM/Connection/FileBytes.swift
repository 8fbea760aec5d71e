import CSQLCipher

/// The bytes of a file as they stand there, decrypted by nobody.
///
/// SQLite reads them: a process loses its locks on a file when it closes any descriptor of it, and only SQLite knows
/// whether the file is open elsewhere in the process, and puts off closing.
final class FileBytes {
  private let database: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  /// - Throws: ``DatabaseError`` with SQLite's code if the file cannot be opened for reading.
  init(_ path: String) throws(DatabaseError) {
    var pointer: OpaquePointer?
    var file: UnsafeMutablePointer<sqlite3_file>?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let name = DatabaseFile.name(path, isImmutable: false)
    let code = SQLiteLibrary.open(name, flags: flags, &pointer)
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

  deinit { sqlite3_close_v2(database) }

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

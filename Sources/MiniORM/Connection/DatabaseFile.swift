import CSQLCipher

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What can be learned about a database from its files, without its key.
enum DatabaseFile {
  /// The head of every file that is not encrypted.
  private static let plainHeader = Array("SQLite format 3\0".utf8)

  /// What SQLite is given for a path, where it takes URIs: each byte that could be part of one's
  /// syntax is escaped, so that a path is always a path, even one that begins with `file:`.
  ///
  /// See [URI filenames](https://www.sqlite.org/uri.html).
  static func name(_ path: String, isImmutable: Bool) -> String {
    guard isFile(path) else { return path }
    var name = path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%" + CollectionOfOne(byte).hexadecimal
      }
    }
    return isImmutable ? name + "?immutable=1&mode=ro" : name
  }

  /// Refuses a file with changes beside it that are not in it yet: where a file is immutable, SQLite
  /// does not look for any.
  static func checkNothingBeside(_ path: String) throws(DatabaseError) {
    var head: [UInt8] = Array(repeating: 0, count: 33)
    // The head of a log alone has 32 bytes. That of a journal that is done with is zeros, or gone.
    let isLog = miniorm_head(path + "-wal", &head, 33) == 33
    let isJournal = miniorm_head(path + "-journal", &head, 1) == 1 && head[0] != 0
    guard isLog || isJournal else { return }
    throw DatabaseError(
      .open, code: .cannotOpen,
      "The file cannot be immutable: \(path)\(isLog ? "-wal" : "-journal") has changes that are not "
        + "in it. Open it once where it can be written", path: path)
  }

  /// Whether a path is a file: SQLite takes an empty path and ":memory:" for something else.
  static func isFile(_ path: String) -> Bool { !path.isEmpty && path != ":memory:" }

  /// The first 16 bytes, where SQLCipher keeps the salt; nil when there are fewer.
  ///
  /// SQLite reads them. A process loses all its POSIX locks on a file when it closes any descriptor
  /// of it, and only SQLite knows whether the file is open elsewhere in the process and puts off
  /// closing.
  /// https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
  static func head(_ path: String, count: Int = 16) -> [UInt8]? {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    guard sqlite3_open_v2(name(path, isImmutable: false), &database, flags, nil) == SQLITE_OK,
      let database
    else { return nil }
    return head(of: database, count: count)
  }

  /// The first bytes of a file that a connection has open; nil when there are fewer.
  static func head(of database: OpaquePointer, count: Int = 16) -> [UInt8]? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let read = file.pointee.pMethods?.pointee.xRead
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return read(file, &bytes, Int32(bytes.count), 0) == SQLITE_OK ? bytes : nil
  }

  /// Whether a file that begins like one that is not encrypted goes on so.
  static func isReadableWithoutKey(_ path: String) -> Bool {
    Connection.fit(of: nil, path, Configuration(), isImmutable: true) != .refused
  }

  static func isPlain(_ path: String) -> Bool { head(path) == plainHeader }

  /// The size of a page as the first bytes of a file say it; nil where they are encrypted.
  static func pageSize(_ head: [UInt8]?) -> Int? {
    guard let head, head.count >= 18, head.starts(with: plainHeader) else { return nil }
    let size = Int(head[16]) << 8 | Int(head[17])
    return size == 1 ? 65_536 : size
  }

  /// The salt at the head of a file; nil where there is no file yet, or where its head is not encrypted.
  static func salt(_ path: String, _ settings: CipherSettings) -> [UInt8]? {
    isFile(path) && settings.plaintextHeaderSize == 0 ? head(path) : nil
  }

  /// The files that belong to a database: the file itself, then what SQLite keeps beside it.
  static func all(_ path: String) -> [String] {
    [path, path + "-wal", path + "-shm", path + "-journal"]
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether a file can be opened for reading, with the rights that the process has just now.
  static func isReadable(_ path: String) -> Bool {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    return sqlite3_open_v2(name(path, isImmutable: false), &database, flags, nil) == SQLITE_OK
  }

  static func isWritable(_ path: String) -> Bool {
    FileManager.default.isWritableFile(atPath: path)
  }

  static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// The path of the file that a link leads to; the path itself where it is no link.
  static func resolved(_ path: String) -> String {
    var path = path
    // As many links as the system itself follows.
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      path = target.utf8.first == UInt8(ascii: "/") ? target : "\(parent(path))/\(target)"
    }
    return path
  }

  static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}

extension DatabaseError {
  /// Why a file could not be opened, told apart as far as the file system allows.
  static func opening(
    _ path: String, code: Int32, from database: OpaquePointer?, isReadOnly: Bool, creates: Bool
  ) -> DatabaseError {
    let error = DatabaseError(.open, code: code, from: database, path: path)
    // SQLite opens a folder for reading, and fails only when it reads.
    let isFolder = DatabaseFile.isDirectory(path)
    guard [.cannotOpen, .readOnly].contains(error.code.primary) || isFolder,
      DatabaseFile.isFile(path)
    else {
      return error.because(error.code.primary == .corrupt ? .damaged : nil)
    }
    let parent = DatabaseFile.parent(path)
    let (failure, reason): (OpeningFailure, String) =
      if !DatabaseFile.exists(parent) {
        (.missing, "The folder \(parent) does not exist")
      } else if !DatabaseFile.isDirectory(parent) {
        (.notAFile, "\(parent) is not a folder")
      } else if isFolder {
        (.notAFile, "This is a folder and not a file")
      } else if !DatabaseFile.exists(path), isReadOnly || !creates {
        (.missing, "The file does not exist")
      } else if DatabaseFile.head(path) != nil {
        (
          .noPermission,
          "The file can be read, but SQLite could not make the files beside it that a log needs. On "
            + "read-only media, open or attach it with isImmutable"
        )
      } else {
        (
          .noPermission,
          "The file cannot be opened: its permissions, or its folder's, may not allow it"
        )
      }
    return DatabaseError(.open, code: isFolder ? .cannotOpen : error.code, reason, path: path)
      .because(failure)
  }

  /// Why a file that opened is not readable with the key. SQLCipher has one code for everything.
  /// - Parameter isHeadPlain: Whether the head of the file is meant not to be encrypted.
  static func unreadable(
    _ path: String, hasKey: Bool, isHeadPlain: Bool = false
  ) -> DatabaseError {
    let beginsPlain = DatabaseFile.isFile(path) && DatabaseFile.isPlain(path)
    let (failure, reason): (OpeningFailure, String) =
      if !hasKey {
        (
          .keyMissing,
          beginsPlain
            ? "The file begins like a database and does not go on like one: it is damaged, or it is encrypted but for its head, and no key was given"
            : "The file is encrypted and no key was given, or it is no database"
        )
      } else if beginsPlain, DatabaseFile.isReadableWithoutKey(path) {
        (.notEncrypted, "The file is not encrypted, and a key was given")
      } else if beginsPlain, !isHeadPlain {
        (
          .wrongKey,
          "The file begins like one that is not encrypted, and does not go on like one: it has a plaintext header, which Configuration.cipher has to say, or it is damaged"
        )
      } else {
        (
          .wrongKey,
          "The key is wrong, the file has other cipher settings, or it is damaged or no database: these cannot be told apart"
        )
      }
    return DatabaseError(.key, code: .notADatabase, reason, path: path).because(failure)
  }
}

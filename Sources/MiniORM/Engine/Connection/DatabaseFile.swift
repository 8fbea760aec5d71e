import CSQLCipher

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Properties of a database file that need no key.
package enum DatabaseFile {
  static let plainHeader = Array("SQLite format 3\0".utf8)

  /// Returns the URI filename for a path. Escaping keeps a path such as `file:a` a path.
  ///
  /// See [URI filenames](https://www.sqlite.org/uri.html).
  /// - Parameter mustExist: True if a connection that can write must not create the file, for
  ///   example after a deletion.
  static func name(_ path: String, isImmutable: Bool, mustExist: Bool = false) -> String {
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
    return name + (isImmutable ? "?immutable=1&mode=ro" : mustExist ? "?mode=rw" : "")
  }

  static func name(
    _ path: String, _ configuration: Configuration, mustExist: Bool = false
  ) -> String {
    let name = name(
      path, isImmutable: configuration.isImmutable,
      mustExist: mustExist && !configuration.isInspecting)
    guard configuration.isInspecting, !configuration.isImmutable else { return name }
    // Only processes that can write to the database may create the -shm file.
    return name + (isWritable(path) ? "?mode=ro" : "?mode=ro&readonly_shm=1")
  }

  /// False for the empty path and ":memory:", which SQLite reserves for databases without a file.
  package static func isFile(_ path: String) -> Bool { !path.isEmpty && path != ":memory:" }

  /// Returns the first bytes of a file, by default SQLCipher's salt; nil if the file is shorter or
  /// missing.
  package static func head(
    _ path: String, count: Int = 16
  ) throws(DatabaseError) -> [UInt8]? {
    guard exists(path), !isDirectory(path) else { return nil }
    func failure(_ code: Int32, _ database: OpaquePointer?) -> DatabaseError {
      .opening(path, code: code, from: database)
    }
    // Opening a pipe would wait for its other end.
    guard isRegular(path) else { throw failure(SQLITE_CANTOPEN, nil) }
    let name = name(path, isImmutable: false)
    let handle = try SQLiteHandle(name, SQLITE_OPEN_READONLY, failure: failure)
    guard let file = RawFile(of: handle.database) else { throw failure(SQLITE_ERROR, nil) }
    let (bytes, code) = file.read(count, at: 0)
    guard code != SQLITE_IOERR | (2 << 8) else { return nil }  // SQLITE_IOERR_SHORT_READ
    guard code == SQLITE_OK else { throw failure(code, nil) }
    return bytes
  }

  static func hasReadableHead(_ path: String) -> Bool {
    (try? FileBytes(path))?.read(16, at: 0) != nil
  }

  /// Returns nil if the file is shorter or cannot be read.
  static func head(of database: OpaquePointer, count: Int = 16) -> [UInt8]? {
    guard let (bytes, code) = RawFile(of: database)?.read(count, at: 0) else { return nil }
    return code == SQLITE_OK ? bytes : nil
  }

  static func isReadableWithoutKey(_ path: String) -> Bool {
    Connection.fit(of: nil, path, Configuration(), isImmutable: true) != .refused
  }

  package static func isPlain(_ path: String) throws(DatabaseError) -> Bool {
    try head(path) == plainHeader
  }

  /// True for a plaintext header before encrypted content. Bytes 72 to 91 of a
  /// [header](https://www.sqlite.org/fileformat2.html#the_database_header) are zero in every plain
  /// database. SQLite does not check these bytes, and may report SQLITE_CORRUPT instead of
  /// SQLITE_NOTADB.
  package static func isPlainAtItsHeadOnly(_ path: String) -> Bool {
    guard isFile(path), let head = try? head(path, count: 92), head.count == 92,
      head.starts(with: plainHeader)
    else { return false }
    return head.dropFirst(72).contains { $0 != 0 }
  }

  static func pageSize(_ head: [UInt8]?) -> Int? {
    guard let head, head.count >= 18, head.starts(with: plainHeader) else { return nil }
    let size = Int(head[16]) << 8 | Int(head[17])
    return size == 1 ? 65_536 : size
  }

  /// Returns SQLCipher's salt; nil if the file is missing or has a plaintext header.
  static func salt(
    _ path: String, _ settings: CipherSettings
  ) throws(DatabaseError) -> [UInt8]? {
    isFile(path) && settings.plaintextHeaderSize == 0 ? try head(path) : nil
  }

  package static func all(_ path: String) -> [String] {
    [path, path + "-wal", path + "-shm", path + "-journal"]
  }

  /// True if a journal has not been applied. After a transaction, a persistent journal begins with
  /// zeros.
  static func isHot(_ journal: String) -> Bool {
    var first: UInt8 = 0
    // Opening a pipe would wait for its other end.
    return isRegular(journal) && miniorm_head(journal, &first, 1) == 1 && first != 0
  }

  static func removeJournal(
    _ journal: String, _ operation: DatabaseError.Operation, path: String
  ) throws(DatabaseError) {
    guard exists(journal) else { return }
    do {
      try remove(journal)
    } catch {
      throw DatabaseError(
        operation, code: .inputOutput,
        "\(journal) contains earlier pages of the file and could not be deleted: \(error)",
        path: path)
    }
  }

  package static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// Returns the size in bytes; 0 if the file is missing.
  package static func size(_ path: String) -> Int64 {
    var information = stat()
    return stat(path, &information) == 0 ? Int64(information.st_size) : 0
  }

  static func isWritable(_ path: String) -> Bool {
    FileManager.default.isWritableFile(atPath: path)
  }

  package static func isRegular(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  package static func isLink(_ path: String) -> Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
  }

  /// Returns a symbolic link's target, or the path itself.
  package static func resolved(_ path: String) -> String {
    var path = path
    var information = stat()
    // For a path that is not a link, lstat is cheaper.
    if lstat(path, &information) == 0, information.st_mode & S_IFMT != S_IFLNK { return path }
    // Linux follows at most 40 symbolic links.
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        break
      }
      path = target.utf8.first == UInt8(ascii: "/") ? target : "\(parent(path))/\(target)"
    }
    return path
  }

  package static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  package static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  /// Throws for devices and pipes, where opening could block, and for a -wal, -shm or -journal path
  /// that is not a regular file: through a link, SQLite would write to its target.
  static func checkRegular(_ path: String) throws(DatabaseError) {
    guard isFile(path) else { return }
    guard isRegular(path) || isDirectory(path) || !exists(path) else {
      throw DatabaseError(
        .open, code: .cannotOpen,
        "The path leads to a device or a pipe: give the path of a regular file", path: path
      ).because(.notAFile)
    }
    let file = resolved(path)
    for other in [file + "-journal", file + "-wal", file + "-shm"] {
      var information = stat()
      guard lstat(other, &information) == 0, information.st_mode & S_IFMT != S_IFREG else {
        continue
      }
      throw DatabaseError(
        .open, code: .cannotOpen,
        "\(other) is not a regular file, and SQLite would use it: delete or rename it", path: path
      ).because(.notAFile)
    }
  }

  /// Throws if a log or journal holds changes: SQLite ignores both for an immutable file.
  static func checkNothingBeside(_ path: String) throws(DatabaseError) {
    var head: [UInt8] = Array(repeating: 0, count: 33)
    let path = resolved(path)
    // The header of a log has 32 bytes. A longer log has frames.
    let isLog = isRegular(path + "-wal") && miniorm_head(path + "-wal", &head, 33) == 33
    let isJournal = isHot(path + "-journal")
    guard isLog || isJournal else { return }
    throw DatabaseError(
      .open, code: .cannotOpen,
      "The file cannot be opened as immutable: \(path)\(isLog ? "-wal" : "-journal") contains changes that are not "
        + "in the file. Open it once where it is writable", path: path)
  }
}

extension OpenFile {
  struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Returns nil if the file is missing. Follows links.
    init?(_ path: String) {
      var information = stat()
      guard stat(path, &information) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: information.st_dev)
      inode = UInt64(truncatingIfNeeded: information.st_ino)
    }
  }
}

extension DatabaseError {
  /// - Parameter creates: True if the connection would create a missing file.
  static func opening(
    _ path: String, code: Int32, from database: OpaquePointer? = nil, creates: Bool = false
  ) -> DatabaseError {
    let error = DatabaseError(.open, code: code, from: database, path: path)
    // SQLite opens a folder read-only without an error, and fails at the first read.
    let isFolder = DatabaseFile.isDirectory(path)
    guard [.cannotOpen, .readOnly].contains(error.code.primary) || isFolder,
      DatabaseFile.isFile(path)
    else {
      return error.because(error.code.primary == .corrupt ? .damaged : nil)
    }
    let parent = DatabaseFile.parent(path)
    let (failure, reason): (OpeningFailure?, String) =
      if !DatabaseFile.exists(parent) {
        (.missing, "The folder \(parent) does not exist: create it first")
      } else if !DatabaseFile.isDirectory(parent) {
        (.notAFile, "\(parent) is not a folder: check the path")
      } else if isFolder {
        (.notAFile, "The path leads to a folder: give the path of a file")
      } else if !DatabaseFile.exists(path), !creates {
        (.missing, "The file does not exist: check the path")
      } else if let passing = passingReason(database) {
        (nil, "The file cannot be opened at present: \(passing)")
      } else if error.code.rawValue == HotJournal.code {
        (nil, error.message)
      } else if DatabaseFile.hasReadableHead(path) {
        (
          .noPermission,
          "The file is readable, but SQLite could not create the -wal and -shm files beside it. On "
            + "read-only media, open or attach it with isImmutable"
        )
      } else {
        (
          .noPermission,
          "The file cannot be opened: check its permissions and the permissions of its folder"
        )
      }
    return DatabaseError(.open, code: isFolder ? .cannotOpen : error.code, reason, path: path)
      .because(failure)
  }

  /// Returns a temporary error of the system, for example too many open files.
  ///
  /// See [sqlite3_system_errno](https://www.sqlite.org/c3ref/system_errno.html).
  private static func passingReason(_ database: OpaquePointer?) -> String? {
    let code = database.map { sqlite3_system_errno($0) } ?? 0
    guard [EMFILE, ENFILE, ENOMEM, EIO, ENOSPC, EDQUOT].contains(code) else { return nil }
    return String(cString: strerror(code))  // NUL-terminated by contract
  }

  /// SQLCipher reports the same code for all reasons.
  /// - Parameter isHeadPlain: True if the settings have a plaintext header.
  package static func unreadable(
    _ path: String, hasKey: Bool, isHeadPlain: Bool = false
  ) -> DatabaseError {
    let beginsPlain = DatabaseFile.isFile(path) && ((try? DatabaseFile.isPlain(path)) ?? false)
    let (failure, reason): (OpeningFailure, String) =
      if !hasKey {
        (
          .keyMissing,
          beginsPlain
            ? "The file has the header of an unencrypted database, but its contents cannot be read: it is damaged, or it is encrypted with a plaintext header and no key was given"
            : "The file is encrypted and no key was given, or it is not a database: give the key"
        )
      } else if beginsPlain, DatabaseFile.isReadableWithoutKey(path) {
        (.notEncrypted, "The file is not encrypted, but a key was given: open it without a key")
      } else if beginsPlain, !isHeadPlain {
        (
          .wrongKey,
          "The file has the header of an unencrypted database, but its contents cannot be read: it is damaged, or it has a plaintext header and needs CipherSettings.plaintextHeaderSize"
        )
      } else {
        (
          .wrongKey,
          "The key is wrong, the file has other cipher settings, or the file is damaged or not a database: SQLCipher reports the same code for all of them"
        )
      }
    return DatabaseError(.key, code: .notADatabase, reason, path: path).because(failure)
  }
}

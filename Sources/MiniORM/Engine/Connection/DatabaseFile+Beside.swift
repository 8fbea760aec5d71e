import CSQLCipher

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension DatabaseFile {
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

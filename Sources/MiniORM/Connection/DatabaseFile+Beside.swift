import CSQLCipher

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What SQLite keeps beside a file.
extension DatabaseFile {
  /// Refuses a path, or one that SQLite uses beside it, that is taken by something other than a regular file.
  ///
  /// Opening a pipe waits for its other end, and through a link beside the file SQLite would write to any file that the
  /// link leads to. A folder is reported with SQLite's own code.
  static func checkRegular(_ path: String) throws(DatabaseError) {
    guard isFile(path) else { return }
    guard isRegular(path) || isDirectory(path) || !exists(path) else {
      throw DatabaseError(
        .open, code: .cannotOpen, "This is a device or a pipe and not a file", path: path
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

  /// Refuses a file with changes beside it that are not in it yet: where a file is immutable, SQLite
  /// does not look for any.
  static func checkNothingBeside(_ path: String) throws(DatabaseError) {
    var head: [UInt8] = Array(repeating: 0, count: 33)
    let path = resolved(path)
    // The head of a log alone has 32 bytes.
    let isLog = isRegular(path + "-wal") && miniorm_head(path + "-wal", &head, 33) == 33
    let isJournal = isHot(path + "-journal")
    guard isLog || isJournal else { return }
    throw DatabaseError(
      .open, code: .cannotOpen,
      "The file cannot be immutable: \(path)\(isLog ? "-wal" : "-journal") has changes that are not "
        + "in it. Open it once where it can be written", path: path)
  }
}

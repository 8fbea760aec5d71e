import MiniORM
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A lock that one backup of a file holds. Each of two backups would keep the log that the other wants to
/// restart, so the log would grow without an end.
///
/// The locked file is `path-backup`: closing a descriptor of the database would end SQLite's locks.
final class BackupLock: Sendable {
  private let path: String
  private let file: Mutex<Int32>

  init(_ database: String) throws(DatabaseError) {
    path = DatabaseFile.resolved(database) + "-backup"
    while true {
      let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        throw DatabaseError(
          .copy, code: .inputOutput,
          "\(path) could not be opened: \(String(cString: strerror(errno))). Check the permissions of the folder",
          path: database)
      }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        _ = close(file)
        throw DatabaseError(
          .copy, code: .busy,
          "Another continuous backup of this file is running, perhaps in another process: stop it first",
          path: database)
      }
      var (own, found) = (stat(), stat())
      // The backup before may have deleted the file after it was opened here.
      if fstat(file, &own) == 0, stat(path, &found) == 0, own.st_ino == found.st_ino {
        self.file = Mutex(file)
        return
      }
      _ = close(file)
    }
  }

  deinit { release() }

  func release() {
    file.withLock { file in
      guard file >= 0 else { return }
      _ = unlink(path)
      _ = close(file)
      file = -1
    }
  }
}

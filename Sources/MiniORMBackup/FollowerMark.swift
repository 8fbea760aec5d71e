import MiniORM
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file beside a follower's copy. It shows that the copy may be overwritten, has the position of
/// the copy, and is locked by its follower.
final class FollowerMark: Sendable {
  private let copy: String
  private var path: String { copy + "-follower" }
  private let file: Int32
  /// True if the copy has changes of other connections.
  let isChanged = Atomic(false)

  init(of copy: String) throws(DatabaseError) {
    self.copy = copy
    // A file without a mark is not a copy, or was promoted.
    let isCopied = DatabaseFile.exists(copy)
    file = open(
      copy + "-follower", isCopied ? O_RDWR | O_CLOEXEC : O_RDWR | O_CLOEXEC | O_CREAT, 0o600)
    guard file >= 0 else {
      guard errno == ENOENT, isCopied else { throw failure() }
      throw DatabaseError(
        .copy, code: .cannotOpen,
        "The file at \(copy) is not the copy of a follower, or was promoted: choose another path",
        path: copy)
    }
    try lock()
  }

  deinit { if file >= 0 { _ = close(file) } }

  /// The position of the copy or of an earlier state; nil if it is unknown.
  var position: BackupPosition? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(file, &bytes, bytes.count, 0)
    return BackupPosition(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
  }

  /// Without its position, a copy does not detect a store that hides newer states after a restart. So
  /// a failure does not end following.
  func write(_ position: BackupPosition) {
    let bytes = Array(position.description.utf8)
    guard pwrite(file, bytes, bytes.count, 0) == bytes.count else { return }
    _ = ftruncate(file, off_t(bytes.count))
  }

  /// - Throws: ``DatabaseError`` if another follower keeps the copy.
  func lock() throws(DatabaseError) {
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw DatabaseError(
        .copy, code: .busy, "Another follower keeps the copy at \(copy): stop it first", path: copy)
    }
  }

  func checkChanges() throws(DatabaseError) {
    guard !isChanged.load(ordering: .relaxed) else {
      throw DatabaseError(
        .copy, code: .mismatch,
        "Other connections changed the copy, so it is not a state of the backup: follow again, which overwrites the changes, and then promote it"
      )
    }
  }

  /// Lets another follower keep the copy.
  func release() { _ = flock(file, LOCK_UN) }

  func remove() throws(DatabaseError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
    DatabaseFile.synchronizeFolder(DatabaseFile.parent(path))
  }

  private func failure() -> DatabaseError {
    let reason = String(cString: strerror(errno))
    return DatabaseError(
      .copy, code: .inputOutput,
      "\(path) could not be opened or deleted: \(reason). Remove the cause and try again",
      path: path)
  }
}

import MiniORM

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is put together from the parts of a base and from frames.
final class RestoredFile {
  let path: String
  private var file: Int32
  /// The pages that a frame has written: parts of the base may be older.
  private var newer = PageSet()
  private var size: Int64?

  /// Creates a temporary file beside a path, and deletes the temporary files of killed restores to
  /// the path.
  init(beside path: String) throws(DatabaseError) {
    Self.removeLeftovers(beside: path)
    self.path = DatabaseFile.temporaryName(beside: path + Self.ending)
    file = open(self.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure() }
    // Shows other restores that this one runs. The lock ends with a killed process.
    _ = flock(file, LOCK_EX | LOCK_NB)
  }

  deinit { if file >= 0 { _ = close(file) } }

  private static let ending = ".miniorm-restore"

  private static func removeLeftovers(beside path: String) {
    let folder = DatabaseFile.parent(path)
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let start = path[slash...] + ending
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let besideNames = DatabaseFile.all("").dropFirst()  // the log and the journal are not locked
    for name in names where name.utf8.starts(with: start.utf8) {
      if besideNames.contains(where: { name.hasSuffix($0) }) { continue }
      let file = open("\(folder)/\(name)", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { DatabaseFile.removeAll("\(folder)/\(name)") }
      _ = close(file)
    }
  }

  func apply(_ object: BackupObject) throws(DatabaseError) {
    let pageSize = Int64(object.pageSize)
    try object.forEachPage { (number, count, page) throws(DatabaseError) in
      if object.isFrames {
        newer.insert(number)
      } else if newer.contains(number) {
        return
      }
      try write(page, at: Int64(number - 1) * pageSize)
      if count > 0 { size = Int64(count) * pageSize }
    }
  }

  /// The last complete transaction states the size of the file.
  func finish() throws(DatabaseError) {
    guard let size, ftruncate(file, off_t(size)) == 0 else { throw failure() }
    // On Apple's platforms, the lock would exclude SQLite.
    _ = close(file)
    file = -1
  }

  private func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(DatabaseError) {
    var (rest, offset) = (bytes, offset)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
      guard count > 0 || errno == EINTR else { throw failure() }
      rest = rest.dropFirst(max(0, count))
      offset += Int64(max(0, count))
    }
  }

  private func failure() -> DatabaseError {
    let code: ResultCode = errno == ENOSPC ? .full : .inputOutput
    return DatabaseError(
      .copy, code: code,
      "The file could not be written: \(String(cString: strerror(errno))). Check the free space, and the permissions of the folder",
      path: path)
  }
}

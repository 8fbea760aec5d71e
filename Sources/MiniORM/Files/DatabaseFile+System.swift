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

/// A version of a file, by device, inode, size and modification time.
struct FileStamp: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let modified: [Int]

  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: information.st_dev)
    inode = UInt64(truncatingIfNeeded: information.st_ino)
    size = Int64(information.st_size)
    #if canImport(Darwin)
      let time = information.st_mtimespec
    #else
      let time = information.st_mtim
    #endif
    modified = [Int(time.tv_sec), Int(time.tv_nsec)]
  }
}

extension DatabaseFile {
  /// Returns the name of a new temporary file. A killed process leaves the file.
  package static func temporaryName(beside path: String) -> String {
    "\(path).miniorm-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  }

  /// Deletes a file and its log and journal, as far as possible.
  package static func removeAll(_ path: String) {
    for file in all(path) where exists(file) { try? remove(file) }
  }

  /// Deletes the unencrypted copies that a killed process left when it decrypted a file.
  ///
  /// The lock excludes a running decryption, which locks the file until the copy replaces it.
  /// - Returns: The deleted files.
  package static func removePlainCopies(beside path: String) -> [String] {
    let file = resolved(path)
    let folder = parent(file)
    let slash = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
    let start = "\(file[slash...]).miniorm-"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let copies = names.filter { name in
      // Temporary files of restores have a longer name, and are deleted by the next restore.
      name.startsWithBytes(of: start)
        && !name.utf8.dropFirst(start.utf8.count).contains { [0x2d, 0x2e].contains($0) }
    }.map { "\(folder)/\($0)" }.filter { copy in
      // SQLite may write the first page last.
      let head = (try? head(copy)) ?? []
      return isRegular(copy) && !isLink(copy)
        && (head == plainHeader || head.allSatisfy { $0 == 0 })
    }
    guard !copies.isEmpty, let locked = try? FileBytes(file), locked.lockForReading() == 0 else {
      return []
    }
    for copy in copies { removeAll(copy) }
    return withExtendedLifetime(locked) { copies.filter { !exists($0) } }
  }

  static func nameCount(_ path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(clamping: information.st_nlink) : 0
  }

  /// Returns 0 for a missing file.
  package static func inode(_ path: String) -> UInt64 {
    var information = stat()
    return stat(path, &information) == 0 ? UInt64(truncatingIfNeeded: information.st_ino) : 0
  }

  /// Creates an empty file that only the current user can read. Returns false if the file exists.
  package static func create(_ path: String) -> Bool {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    return close(file) == 0
  }

  /// Waits until the file is on the disk. Returns the system's error text on failure.
  package static func synchronize(_ path: String, permissionsOf other: String?) -> String? {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return reason() }
    defer { _ = close(file) }
    if let other {
      var information = stat()
      guard stat(other, &information) == 0, fchmod(file, information.st_mode & 0o7777) == 0 else {
        return reason()
      }
      // The result is ignored: only the superuser can change the owner.
      _ = fchown(file, information.st_uid, information.st_gid)
    }
    return flush(file) ? nil : reason()
  }

  /// Waits until the names in a folder are on the disk. Returns the system's error text on failure.
  @discardableResult
  package static func synchronizeFolder(_ path: String) -> String? {
    let folder = open(path, O_RDONLY | O_CLOEXEC)
    // A folder may allow new files, but not to be read.
    guard folder >= 0 else { return errno == EACCES ? nil : reason() }
    defer { _ = close(folder) }
    // Some file systems cannot synchronize a folder.
    return flush(folder) || errno == EINVAL || errno == ENOTSUP ? nil : reason()
  }

  private static func flush(_ file: Int32) -> Bool {
    #if canImport(Darwin)
      // On Darwin, fsync leaves data in the disk's own cache.
      if fcntl(file, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(file) == 0
  }

  /// Copies a file's bytes and permissions. Returns the reason of a failure.
  /// - Parameter size: The number of bytes to copy; nil for the whole file.
  static func copy(_ path: String, to name: String, size: Int64? = nil) -> String? {
    guard let from = try? FileBytes(path), let whole = try? from.size else {
      return "\(path) cannot be read"
    }
    let to = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard to >= 0 else { return reason() }
    defer { _ = close(to) }
    let size = min(whole, size ?? whole)
    for offset in stride(from: 0, to: size, by: 1 << 20) {
      if let error = Ending.error { return error.message }
      guard let bytes = from.read(Int(min(1 << 20, size - offset)), at: offset) else {
        return "\(path) cannot be read"
      }
      guard writeAll(bytes, to: to) else { return reason() }
    }
    var information = stat()
    guard stat(path, &information) == 0,
      fchmod(to, information.st_mode & 0o777 | 0o600) == 0
    else { return reason() }
    return nil
  }

  private static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // On a nearly full disk, a write can be partial. The next write reports the error.
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }

  /// Creates a file atomically: a temporary file is synchronized to the disk and then renamed.
  /// Until then, only the current user can read it. Returns the system's error text on failure.
  /// - Parameters:
  ///   - isReplacing: False if an existing file of this name is an error.
  ///   - permissions: The permissions of the complete file.
  package static func create(
    _ path: String, with bytes: [UInt8], isReplacing: Bool, permissions: UInt32
  ) -> String? {
    let copy = temporaryName(beside: path)
    let file = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return reason() }
    let isWritten =
      writeAll(bytes, to: file) && fchmod(file, mode_t(permissions)) == 0 && flush(file)
    var failure = isWritten ? nil : reason()
    _ = close(file)
    if failure == nil {
      failure = isReplacing ? move(copy, over: path) : move(copy, toFree: path)
    }
    guard failure == nil else {
      _ = unlink(copy)
      return failure
    }
    return synchronizeFolder(parent(path))
  }

  static func createFolder(in parent: String) -> String? {
    var template = Array("\(parent)/miniorm-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    return template.withUnsafeMutableBufferPointer { template in
      guard let name = template.baseAddress, mkdtemp(name) != nil else { return nil }
      return String(cString: name)  // NUL-terminated above
    }
  }

  /// Moves a file to an unused name. Returns the system's error text on failure.
  package static func move(_ path: String, toFree name: String) -> String? {
    // Unlike rename, link fails if another program has created a file of that name.
    if link(path, name) == 0 {
      _ = unlink(path)
      return nil
    }
    // Some file systems have no hard links. There, creating an empty file reserves the name.
    guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS, create(name) else {
      return reason()
    }
    guard let failed = move(path, over: name) else { return nil }
    _ = unlink(name)
    return failed
  }

  /// Replaces a file atomically. Returns the system's error text on failure.
  static func move(_ path: String, over name: String) -> String? {
    rename(path, name) == 0 ? nil : reason()
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}

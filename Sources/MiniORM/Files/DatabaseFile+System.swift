#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What tells that a file has changed.
struct FileStamp: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let modified: [Int]

  /// - Returns: `nil` where there is no file.
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
  /// Returns how many names a file has: hard links, and not the links that only lead to it.
  static func nameCount(_ path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(clamping: information.st_nlink) : 0
  }

  /// Makes an empty file that nobody else may read: until it is whole it has the permissions of no other.
  /// - Returns: Whether there is one.
  static func create(_ path: String) -> Bool {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    return close(file) == 0
  }

  /// Gives a new file the permissions of another one, where that is named, and waits until it is on the
  /// disk.
  /// - Returns: nil, or why it is not.
  static func synchronize(_ path: String, permissionsOf other: String?) -> String? {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return reason() }
    defer { _ = close(file) }
    if let other {
      var information = stat()
      guard stat(other, &information) == 0, fchmod(file, information.st_mode & 0o7777) == 0 else {
        return reason()
      }
      // Only the superuser can give a file to another one, and then it should be given.
      _ = fchown(file, information.st_uid, information.st_gid)
    }
    return flush(file) ? nil : reason()
  }

  /// Waits until the names in a folder are on the disk.
  static func synchronizeFolder(_ path: String) {
    let folder = open(path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = flush(folder)
    _ = close(folder)
  }

  private static func flush(_ file: Int32) -> Bool {
    #if canImport(Darwin)
      // fsync leaves it in the disk's own cache there.
      if fcntl(file, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(file) == 0
  }

  /// Copies the bytes of a file, and its permissions.
  /// - Parameter size: How many bytes, from the first on; all by default.
  /// - Returns: nil, or why it has not.
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
      var rest = bytes[...]
      while !rest.isEmpty {
        // A disk that is nearly full takes a part, and says why with the next.
        let count = rest.withUnsafeBytes { write(to, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EINTR else { return reason() }
        rest = rest.dropFirst(max(0, count))
      }
    }
    var information = stat()
    guard stat(path, &information) == 0,
      fchmod(to, information.st_mode & 0o777 | 0o600) == 0
    else { return reason() }
    return nil
  }

  /// Makes a folder that no other user can read.
  /// - Returns: Its path; nil where there is none.
  static func createFolder(in parent: String) -> String? {
    var template = Array("\(parent)/miniorm-XXXXXX\0".utf8.map { CChar(bitPattern: $0) })
    return template.withUnsafeMutableBufferPointer { template in
      guard let name = template.baseAddress, mkdtemp(name) != nil else { return nil }
      return String(cString: name)  // NUL-terminated above
    }
  }

  /// Moves a file to a name that no file has yet.
  /// - Returns: nil, or why it has not.
  static func move(_ path: String, toFree name: String) -> String? {
    // Unlike rename, link fails if another program has created a file of that name.
    if link(path, name) == 0 {
      _ = unlink(path)
      return nil
    }
    // Some file systems have no links. There an empty file takes the name first, which fails likewise.
    guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS, create(name) else {
      return reason()
    }
    guard let failed = move(path, over: name) else { return nil }
    _ = unlink(name)
    return failed
  }

  /// Puts a file in the place of another one, at once.
  /// - Returns: nil, or why it has not.
  static func move(_ path: String, over name: String) -> String? {
    rename(path, name) == 0 ? nil : reason()
  }

  // NUL-terminated by contract.
  private static func reason() -> String { String(cString: strerror(errno)) }
}

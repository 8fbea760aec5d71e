import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that this process has open. It is known by its device and inode: it can have many paths.
final class OpenFile: Sendable {
  let identity: Identity

  struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The file that a path leads to, through links too; nil where there is none.
    init?(_ path: String) {
      var information = stat()
      guard stat(path, &information) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: information.st_dev)
      inode = UInt64(truncatingIfNeeded: information.st_ino)
    }
  }

  /// How often each file is open.
  private static let counts = Mutex<[Identity: Int]>([:])

  /// How often this file is open.
  var count: Int { Self.counts.withLock { $0[identity, default: 0] } }

  private init(_ identity: Identity) {
    self.identity = identity
    Self.counts.withLock { $0[identity, default: 0] += 1 }
  }

  deinit {
    Self.counts.withLock { counts in
      let count = counts[identity, default: 1] - 1
      counts[identity] = count > 0 ? count : nil
    }
  }

  /// Opens a file and notes it: before it is opened, so that nobody deletes it in between.
  ///
  /// - Parameter open: Opens the file, and creates it where it is missing.
  /// - Returns: nil where the path is that of no file.
  static func opening<Result>(
    _ path: String, _ open: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> (Result, OpenFile?) {
    guard DatabaseFile.isFile(path) else { return (try open(), nil) }
    let before = Identity(path).map(OpenFile.init)
    let result = try open()
    let now = Identity(path)
    return (result, before?.identity == now ? before : now.map(OpenFile.init))
  }

  /// Does something to a file that is open nowhere in this process, and keeps it so meanwhile.
  /// - Returns: nil where it is open.
  static func ifClosed<Result, E: Error>(
    _ path: String, _ body: () throws(E) -> Result
  ) throws(E) -> Result? {
    try counts.withLock { counts throws(E) -> Result? in
      if let identity = Identity(path), counts[identity] != nil { return nil }
      return try body()
    }
  }
}

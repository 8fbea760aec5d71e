import Synchronization

/// A file that this process has open, identified by device and inode, because a file can have
/// several paths.
package final class OpenFile: Sendable {
  let identity: Identity

  private static let counts = Mutex<[Identity: Int]>([:])

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

  /// Registers a file and opens it, so that no other task can delete the file in between.
  /// - Returns: The result, and the registration; nil for a database without a file.
  static func opening<Result>(
    _ path: String, _ open: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> (Result, OpenFile?) {
    guard DatabaseFile.isFile(path) else { return (try open(), nil) }
    let before = Identity(path).map(OpenFile.init)
    let result = try open()
    let now = Identity(path)
    return (result, before?.identity == now ? before : now.map(OpenFile.init))
  }

  /// Runs a closure while no task of this process can open the file; nil if the file is open
  /// already.
  package static func ifClosed<Result, E: Error>(
    _ path: String, _ body: () throws(E) -> Result
  ) throws(E) -> Result? {
    try counts.withLock { counts throws(E) -> Result? in
      if let identity = Identity(path), counts[identity] != nil { return nil }
      return try body()
    }
  }
}

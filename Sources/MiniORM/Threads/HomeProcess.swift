import CSQLCipher

/// The process that something was made in, which a child of `fork` is not.
///
/// SQLite's locks stay with the process that opened the file, so a child would read and write without any.
///
/// See [How to corrupt a database file](https://www.sqlite.org/howtocorrupt.html).
struct HomeProcess: Sendable {
  /// How many forks lie between the process that noted the first one and this. The system has it counted in the
  /// child, before anything else runs there, so that to ask costs no system call.
  nonisolated(unsafe) private static let count: UnsafeMutablePointer<UInt> = {
    let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    count.initialize(to: 0)
    _ = miniorm_at_fork { HomeProcess.count.pointee &+= 1 }
    return count
  }()

  // It is written only where there is one thread, and lasts as long as the process.
  nonisolated(unsafe) private let now = UnsafePointer<UInt>(Self.count)
  private let then = Self.count.pointee

  /// Whether this is still the process.
  var isCurrent: Bool { now.pointee == then }
}

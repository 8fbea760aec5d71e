import CSQLCipher

/// Detects a fork. SQLite's locks do not pass to a forked child, which would read and write without
/// locks.
///
/// See [How to corrupt a database file](https://www.sqlite.org/howtocorrupt.html).
struct HomeProcess: Sendable {
  /// The number of forks, incremented in the child before other code runs. A check needs no system
  /// call.
  nonisolated(unsafe) private static let count: UnsafeMutablePointer<UInt> = {
    let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    count.initialize(to: 0)
    _ = miniorm_at_fork { HomeProcess.count.pointee &+= 1 }
    return count
  }()

  // Written only in a single-threaded child, and never freed.
  nonisolated(unsafe) private let now = UnsafePointer<UInt>(Self.count)
  private let then = Self.count.pointee

  var isCurrent: Bool { now.pointee == then }
}

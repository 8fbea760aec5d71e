import CSQLCipher

/// Records a process, to detect use in a forked child.
///
/// SQLite's locks belong to the process that opened the file, so a child would read and write
/// without locks.
///
/// See [How to corrupt a database file](https://www.sqlite.org/howtocorrupt.html).
struct HomeProcess: Sendable {
  /// The number of forks from the process that first used this type. The system increments the
  /// count in the child before other code runs, so a check needs no system call.
  nonisolated(unsafe) private static let count: UnsafeMutablePointer<UInt> = {
    let count = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    count.initialize(to: 0)
    _ = miniorm_at_fork { HomeProcess.count.pointee &+= 1 }
    return count
  }()

  // The count is written only in a single-threaded child, and is never freed.
  nonisolated(unsafe) private let now = UnsafePointer<UInt>(Self.count)
  private let then = Self.count.pointee

  /// True in the recorded process.
  var isCurrent: Bool { now.pointee == then }
}

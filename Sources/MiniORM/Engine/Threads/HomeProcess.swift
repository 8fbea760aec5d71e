import CSQLCipher
import Synchronization

/// Detects a fork. SQLite's locks do not pass to a forked child, which would read and write without
/// locks.
///
/// See [How to corrupt a database file](https://www.sqlite.org/howtocorrupt.html).
struct HomeProcess: Sendable {
  /// The number of forks, incremented in the child before other code runs. A check needs no system
  /// call.
  private static let forks = Atomic<UInt>(0)
  private static let isCounting: Bool = {
    // Initialized here, because the child must not wait for another thread's initialization.
    _ = forks.load(ordering: .relaxed)
    return miniorm_at_fork { HomeProcess.forks.add(1, ordering: .relaxed) } == 0
  }()

  private let then: UInt

  init() {
    _ = Self.isCounting
    then = Self.forks.load(ordering: .relaxed)
  }

  var isCurrent: Bool { Self.forks.load(ordering: .relaxed) == then }
}

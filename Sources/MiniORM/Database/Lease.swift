import Synchronization

/// The use of a connection by one caller. It ends once: as soon as the work is done, on the thread that
/// has done it, and at the latest when nobody has it any more.
final class Lease: Sendable {
  let connection: Connection
  private let pool: Pool
  private let isOver = Atomic(false)
  /// How long the caller waited for it.
  let waited: Duration

  init(of connection: Connection, _ pool: Pool, after waited: Duration = .zero) {
    (self.connection, self.pool, self.waited) = (connection, pool, waited)
  }

  deinit { end() }

  /// Gives the connection back.
  func end() {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { pool.give(back: connection) }
  }
}

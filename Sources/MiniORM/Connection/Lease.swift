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

/// Where those wait whom a connection is lent later: on a thread of the connections', and not on their own.
/// Somebody on the main actor would otherwise have a connection and not use it for as long as the main
/// thread is busy.
actor Lobby {
  private nonisolated let executor = ConnectionExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Runs something here.
  func run<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await body()
  }
}

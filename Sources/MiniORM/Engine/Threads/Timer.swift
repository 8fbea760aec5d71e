import Dispatch

/// Runs on a MiniORM thread: a sleeping task would need a thread of Swift's pool, and all these
/// threads may be blocked.
struct Timer: Sendable {
  /// A dedicated serial queue gets a thread even while the global queues are busy.
  private static let queue = DispatchQueue(label: "MiniORM timers")

  // A cancelled source releases its closure at once, unlike a delayed block. Sources are
  // thread-safe.
  nonisolated(unsafe) private let source: any DispatchSourceTimer

  /// - Parameter body: The work, which must not block.
  init(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.schedule(deadline: .now() + (moment - .now) / .seconds(1))
    source.setEventHandler { [source] in
      body()
      source.cancel()  // also breaks the reference cycle of the closure and its source
    }
    source.resume()
  }

  func cancel() { source.cancel() }
}

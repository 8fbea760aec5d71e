import Dispatch

/// A timer on a queue of its own: a sleeping task needs a thread of Swift's pool, whose threads may
/// all be blocked.
package struct Timer: Sendable {
  /// A serial queue of its own gets a thread even while the global queues are busy.
  private static let queue = DispatchQueue(label: "MiniORM timers")

  // Unlike a delayed block, a cancelled source releases its closure at once. Sources are
  // thread-safe.
  nonisolated(unsafe) private let source: any DispatchSourceTimer

  /// - Parameter body: The work, which must not block.
  package init(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.schedule(deadline: .now() + (moment - .now) / .seconds(1))
    source.setEventHandler { [source] in
      body()
      source.cancel()  // also breaks the reference cycle of the closure and its source
    }
    source.resume()
  }

  package func cancel() { source.cancel() }
}

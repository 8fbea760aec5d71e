import Dispatch
import Synchronization

/// A timer on a queue of its own: a sleeping task needs a thread of Swift's pool, whose threads may
/// all be blocked.
package final class Timer: Sendable {
  /// A serial queue of its own gets a thread even while the global queues are busy.
  private static let queue = DispatchQueue(label: "MiniORM timers")

  // Unlike a delayed block, a cancelled source releases its closure at once.
  private let source: Mutex<any DispatchSourceTimer>

  /// - Parameter body: The work, which must not block.
  package init(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.schedule(deadline: .now() + (moment - .now) / .seconds(1))
    self.source = Mutex(source)
    self.source.withLock { source in
      source.setEventHandler {
        body()
        self.cancel()  // also breaks the reference cycle of the closure and its source
      }
      source.resume()
    }
  }

  package func cancel() { source.withLock { $0.cancel() } }
}

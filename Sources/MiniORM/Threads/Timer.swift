import Dispatch

/// Calls a closure at a moment, on a thread of MiniORM's own: a task that sleeps would need one of Swift's
/// threads to wake, and all of them may be blocked.
struct Timer: Sendable {
  /// A serial queue of its own gets a thread even while those of the global queues are busy.
  private static let queue = DispatchQueue(label: "MiniORM timers")

  // A source that is canceled lets go of its closure at once; a block that is to run later keeps it until then.
  // Sources may be used from any thread.
  nonisolated(unsafe) private let source: any DispatchSourceTimer

  /// - Parameter body: The work, which must not block.
  init(at moment: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
    source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.schedule(deadline: .now() + (moment - .now) / .seconds(1))
    source.setEventHandler { [source] in
      body()
      source.cancel()  // which also ends the reference of the closure to its own source
    }
    source.resume()
  }

  func cancel() { source.cancel() }
}

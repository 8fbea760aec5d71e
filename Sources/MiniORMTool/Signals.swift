import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and the like, which cancel what the tool does: the library cleans up after that.
enum Signals {
  private final class State: Sendable {
    let isCancelled = Atomic(false)
  }

  static func cancelling(_ body: sending @escaping () async throws -> Void) async throws {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    let registration = DispatchGroup()
    for _ in numbers { registration.enter() }
    let task = Task {
      // Until then, a signal would end the process with its files half written, or be lost.
      await withCheckedContinuation { ready in
        registration.notify(queue: .global()) { ready.resume() }
      }
      try await body()
    }
    let state = State()
    let sources = numbers.map { number in
      // The source hears of a signal only where that does not end the process.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setRegistrationHandler { registration.leave() }
      source.setEventHandler {
        // A second one ends the process at once. To restore what a signal does by itself would let the
        // first one do it, where that has been seen and not been taken yet.
        if state.isCancelled.exchange(true, ordering: .relaxed) { _exit(128 + number) }
        task.cancel()
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    try await task.value
  }
}

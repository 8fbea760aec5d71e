import Dispatch
import Foundation
import Synchronization

/// Cancels the tool's task on SIGINT and similar signals, so that the library cleans up.
enum Signals {
  /// What the tool says after the first signal, while it does what cannot be stopped.
  static let message = Mutex<String?>(nil)

  static func cancelling(_ body: sending @escaping () async throws -> Void) async throws {
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    let registration = DispatchGroup()
    for _ in numbers { registration.enter() }
    let task = Task {
      // Before the handler is registered, a signal would end the process and leave incomplete
      // files, or would be lost.
      await withCheckedContinuation { ready in
        registration.notify(queue: .global()) { ready.resume() }
      }
      try await body()
    }
    let sources = numbers.map { number in
      // A dispatch source receives a signal only if its default action is disabled.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setRegistrationHandler { registration.leave() }
      source.setEventHandler {
        // A second signal ends the process at once. Restoring the default action instead would be a
        // race: if the first signal were still pending, it would end the process.
        if task.isCancelled { _exit(128 + number) }
        task.cancel()
        guard let text = message.withLock({ $0 }) else { return }
        // The terminal has written ^C, or a progress bar.
        if Terminal.showsProgress { Terminal.send("\n", to: STDERR_FILENO) }
        Terminal.complain(text)
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    try await task.value
  }
}

import Dispatch
import Foundation

/// Ctrl-C and the like, which cancel what the tool does: the library cleans up after that.
enum Signals {
  static func cancelling(_ body: sending @escaping () async throws -> Void) async throws {
    let task = Task { try await body() }
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      // The source hears of a signal only where that does not end the process.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        task.cancel()
        // A second one ends the process at once.
        signal(number, SIG_DFL)
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    try await task.value
  }
}

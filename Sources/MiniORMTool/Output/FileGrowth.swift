import Foundation
import MiniORM
import Synchronization

/// Estimates the progress of a key change. SQLCipher reports none, but writes every page to the log
/// or the journal.
struct FileGrowth {
  private let path: String
  private let size: Double

  init(of path: String) {
    self.path = (path as NSString).resolvingSymlinksInPath
    size = max(1, Double(DatabaseFile.size(path)))
  }

  func watching(
    _ progress: @escaping @Sendable (Double) -> Void, _ body: () async throws -> Void
  ) async throws {
    let began = ContinuousClock.now
    progress(0)
    defer { Signals.message.withLock { $0 = nil } }
    let watch = Task.detached {
      var last = 0.0
      while !Task.isCancelled {
        let beside = Double(["-wal", "-journal"].map { DatabaseFile.size(path + $0) }.max() ?? 0)
        // The checkpoint at the end shrinks the log.
        last = max(last, min(0.99, beside / size))
        progress(last)
        let rest = last > 0 ? (ContinuousClock.now - began) * ((1 - last) / last) : nil
        let time = rest.map { "about \($0.components.seconds + 1) s" } ?? "a while"
        let text =
          "the change of the key cannot be stopped, and takes \(time) longer. A second Ctrl-C ends "
          + "the program, and the file keeps its old key"
        Signals.message.withLock { $0 = text }
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { watch.cancel() }
    try await body()
  }
}

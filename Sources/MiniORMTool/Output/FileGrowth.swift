import Foundation

/// Estimates the progress of a key change. SQLCipher reports none, but writes every page to the log
/// or the journal.
struct FileGrowth {
  private let path: String
  private let size: Double

  init(of path: String) {
    self.path = (path as NSString).resolvingSymlinksInPath
    size = max(1, Self.size(self.path))
  }

  func watching(
    _ progress: @escaping @Sendable (Double) -> Void, _ body: () async throws -> Void
  ) async throws {
    let watch = Task.detached {
      var last = 0.0
      while !Task.isCancelled {
        let beside = max(Self.size(path + "-wal"), Self.size(path + "-journal"))
        // The checkpoint at the end shrinks the log.
        last = max(last, min(0.99, beside / size))
        progress(last)
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { watch.cancel() }
    try await body()
  }

  private static func size(_ path: String) -> Double {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.doubleValue ?? 0
  }
}

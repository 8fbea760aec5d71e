import Foundation

/// How far a change of key is: SQLCipher does it in one call that tells nothing, but every page goes into the log, or
/// into the journal, beside the file on its way.
struct FileGrowth {
  private let path: String
  private let size: Double

  init(of path: String) {
    self.path = (path as NSString).resolvingSymlinksInPath
    size = max(1, Self.size(self.path))
  }

  /// Looks at the files now and then while a closure runs.
  func watching(
    _ progress: @escaping @Sendable (Double) -> Void, _ body: () async throws -> Void
  ) async throws {
    let watch = Task.detached {
      var last = 0.0
      while !Task.isCancelled {
        let beside = max(Self.size(path + "-wal"), Self.size(path + "-journal"))
        // It gets smaller again in the end, when the log is moved into the file.
        last = max(last, min(0.99, beside / size))
        progress(last)
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    watch.cancel()
    await watch.value
    try result.get()
  }

  private static func size(_ path: String) -> Double {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.doubleValue ?? 0
  }
}

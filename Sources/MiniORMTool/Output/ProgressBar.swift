import Foundation
import Synchronization

/// A progress line on the standard error, if that is a terminal.
final class ProgressBar: Sendable {
  private let title: String
  /// The percentage on the terminal: -1 before the first, and more than 100 after `finish`.
  private let shown = Mutex(-1)

  init(_ title: String) { self.title = title }

  func show(_ fraction: Double) {
    guard Terminal.showsProgress, fraction.isFinite else { return }
    let percent = Int(100 * min(1, max(0, fraction)))
    shown.withLock { shown in
      guard percent != shown, shown <= 100 else { return }
      shown = percent
      let bar = String(repeating: "#", count: percent / 4).padded(to: 25)
      let number = "\(percent)".padded(to: 3, atEnd: false)
      Terminal.send("\r\(title) [\(bar)] \(number) %", to: STDERR_FILENO)
    }
  }

  func finish() {
    shown.withLock { shown in
      if (0...100).contains(shown) { Terminal.send("\r\u{1B}[K", to: STDERR_FILENO) }
      shown = .max
    }
  }

  /// Shows the progress that a closure reports. Before the first report, it may ask for a key.
  static func showing<Result>(
    _ title: String, _ body: (@escaping @Sendable (Double) -> Void) async throws -> Result
  ) async throws -> Result {
    let bar = ProgressBar(title)
    defer { bar.finish() }
    return try await body { bar.show($0) }
  }
}

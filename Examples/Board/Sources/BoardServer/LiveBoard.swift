import Foundation
import MiniORM
import ServiceLifecycle
import Synchronization

/// Sends the board to every open page, at once and again after each commit that changes it.
///
/// The cards are read and encoded once for all pages, however many there are. A page that is slow
/// gets the latest board, and nothing piles up for it.
final class LiveBoard: Service {
  private struct State {
    var latest: String?
    var pages: [Int: AsyncStream<String>.Continuation] = [:]
    var nextID = 0
    var isFinished = false
  }

  private let store: Store
  private let state = Mutex(State())

  init(_ store: Store) {
    self.store = store
  }

  /// Observes the cards until the server shuts down, then ends all streams and closes the file.
  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let boards = Store.summaries().values(in: self.store.database)
      for try await board in boards.removingDuplicates() {
        self.publish(try Self.event(board))
      }
    }
    let pages = state.withLock { state in
      state.isFinished = true
      defer { state.pages = [:] }
      return Array(state.pages.values)
    }
    for page in pages { page.finish() }
    try await store.database.close()
  }

  /// The events for one page, the first of which is the board as it is.
  func events() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      if let latest = state.latest { continuation.yield(latest) }
      state.nextID += 1
      state.pages[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in
      _ = self.state.withLock { $0.pages.removeValue(forKey: id) }
    }
    return stream
  }

  /// How many pages are open.
  var pageCount: Int { state.withLock { $0.pages.count } }

  private func publish(_ event: String) {
    state.withLock { state in
      state.latest = event
      for page in state.pages.values { page.yield(event) }
    }
  }

  /// One server-sent event: JSON has no line break in it.
  private static func event(_ board: [CardSummary]) throws -> String {
    let json = String(decoding: try JSONEncoder().encode(board), as: UTF8.self)
    return "event: board\ndata: \(json)\n\n"
  }
}

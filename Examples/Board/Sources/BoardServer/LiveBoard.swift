import Foundation
import MiniORM
import NIOCore
import ServiceLifecycle
import Synchronization

/// Sends the board to every open page, immediately and after each commit that changes the board.
///
/// The cards are read and encoded once for all pages, and the pages share the bytes. A page that
/// reads slowly gets the latest board: at most one event waits for each page.
final class LiveBoard: Service {
  private struct State {
    var latest: ByteBuffer?
    var pages: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var nextID = 0
    var isFinished = false
  }

  private static let ping = ByteBuffer(string: ": ping\n\n")

  private let store: Store
  private let pingInterval: Duration
  private let state = Mutex(State())

  init(_ store: Store, pingInterval: Duration = .seconds(10)) {
    self.store = store
    self.pingInterval = pingInterval
  }

  /// Observes the cards until the server shuts down, and ends all streams.
  func run() async throws {
    defer { finish() }
    try await cancelWhenGracefulShutdown {
      async let _: Void = self.pingPages()
      for try await board in Store.summaries().values(in: self.store.database).removingDuplicates()
      {
        self.publish(try Self.event(board))
        // Under load, a page gets 20 boards in a second, not one for each commit.
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Returns the events for a page. The first event is the current board.
  func events() -> AsyncStream<ByteBuffer> {
    let (stream, page) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      if let latest = state.latest { page.yield(latest) }
      state.nextID += 1
      state.pages[state.nextID] = page
      return state.nextID
    }
    guard let id else {
      page.finish()
      return stream
    }
    page.onTermination = { _ in
      _ = self.state.withLock { $0.pages.removeValue(forKey: id) }
    }
    return stream
  }

  /// The number of open pages.
  var pageCount: Int { state.withLock { $0.pages.count } }

  private func publish(_ event: ByteBuffer) {
    state.withLock { state in
      state.latest = event
      for page in state.pages.values { page.yield(event) }
    }
  }

  /// Writes to every page regularly: only a write shows that a page is gone.
  private func pingPages() async throws {
    while true {
      try await Task.sleep(for: pingInterval)
      state.withLock { state in
        for page in state.pages.values {
          // A ping must not replace a board that waits.
          if case .dropped(let event) = page.yield(Self.ping) { page.yield(event) }
        }
      }
    }
  }

  private func finish() {
    let pages = state.withLock { state in
      state.isFinished = true
      defer { state.pages = [:] }
      return Array(state.pages.values)
    }
    // Outside of the lock, because finish calls onTermination.
    for page in pages { page.finish() }
  }

  /// Returns a server-sent event. The encoded JSON has no line break.
  private static func event(_ board: [CardSummary]) throws -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: board\ndata: ")
    buffer.writeBytes(try JSONEncoder().encode(board))
    buffer.writeString("\n\n")
    return buffer
  }
}

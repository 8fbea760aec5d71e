import Foundation
import MiniORM
import NIOCore
import ServiceLifecycle
import Synchronization

/// Sends the board to every open page, and after each commit the changes of the board.
///
/// The cards are read and encoded once for all pages, and the pages share the bytes. At most one
/// event waits for each page: a page that reads slowly gets the whole board again.
final class LiveBoard: Service {
  private struct Page {
    let client: String
    let events: AsyncStream<ByteBuffer>.Continuation
  }

  private struct State {
    var board: [CardSummary]?
    /// The number of the board. A page that misses a number asks for the whole board.
    var number = 0
    /// The event with the whole board, once a page has needed it.
    var whole: ByteBuffer?
    var pages: [Int: Page] = [:]
    var nextID = 0
    var isFinished = false
  }

  private static let ping = ByteBuffer(string: ": ping\n\n")

  private let store: Store
  private let pingInterval: Duration
  private let streamsPerClient: Int
  private let state = Mutex(State())

  /// - Parameter streamsPerClient: The number of pages that a client may have open.
  init(_ store: Store, pingInterval: Duration = .seconds(10), streamsPerClient: Int = 64) {
    self.store = store
    self.pingInterval = pingInterval
    self.streamsPerClient = streamsPerClient
  }

  /// Observes the cards until the server shuts down, and ends all streams.
  func run() async throws {
    defer { finish() }
    try await cancelWhenGracefulShutdown {
      async let _: Void = self.pingPages()
      for try await board in Store.summaries().values(in: self.store.database).removingDuplicates()
      {
        try self.publish(board)
        // Under load, a page gets 20 events in a second, not one for each commit.
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Returns the events for a page, or nil if the client has too many pages. The first event is the
  /// whole board.
  /// - Parameter client: The client's address.
  func events(for client: String) -> AsyncStream<ByteBuffer>? {
    let (stream, page) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = state.withLock { state in
      guard !state.isFinished else {
        page.finish()
        return 0
      }
      guard state.pages.values.count(where: { $0.client == client }) < streamsPerClient else {
        return nil
      }
      if let whole = Self.whole(&state) { page.yield(whole) }
      state.nextID += 1
      state.pages[state.nextID] = Page(client: client, events: page)
      return state.nextID
    }
    guard let id else { return nil }
    page.onTermination = { _ in
      _ = self.state.withLock { $0.pages.removeValue(forKey: id) }
    }
    return stream
  }

  /// The number of open pages.
  var pageCount: Int { state.withLock { $0.pages.count } }

  private func publish(_ board: [CardSummary]) throws {
    let (number, old) = state.withLock { ($0.number + 1, $0.board) }
    let change = try old.map {
      try Self.event("change", BoardChange(number: number, from: $0, to: board))
    }
    state.withLock { state in
      (state.board, state.whole) = (board, nil)
      state.number = number
      for page in state.pages.values {
        // The page has not taken the event before: the change alone would be of no use.
        if let change, case .enqueued = page.events.yield(change) { continue }
        if let whole = Self.whole(&state) { page.events.yield(whole) }
      }
    }
  }

  private static func whole(_ state: inout State) -> ByteBuffer? {
    guard let board = state.board else { return nil }
    if state.whole == nil {
      state.whole = try? event("board", WholeBoard(number: state.number, cards: board))
    }
    return state.whole
  }

  /// Writes to every page regularly: only a write shows that a page is gone.
  private func pingPages() async throws {
    while true {
      try await Task.sleep(for: pingInterval)
      state.withLock { state in
        for page in state.pages.values {
          // A ping must not replace an event that waits.
          if case .dropped(let event) = page.events.yield(Self.ping) { page.events.yield(event) }
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
    for page in pages { page.events.finish() }
  }

  /// Returns a server-sent event. The encoded JSON has no line break.
  private static func event(_ name: String, _ data: some Encodable) throws -> ByteBuffer {
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    buffer.writeBytes(try JSONEncoder().encode(data))
    buffer.writeString("\n\n")
    return buffer
  }
}

/// The event of a page that does not have the board.
struct WholeBoard: Codable {
  var number: Int
  var cards: [CardSummary]
}

/// The event of a page that has the board before.
struct BoardChange: Codable {
  struct Insertion: Codable {
    var index: Int
    var card: CardSummary
  }

  /// The number of the board after the change.
  var number: Int
  /// The places of cards that are removed first, the last place first.
  var removed: [Int] = []
  /// The cards that are inserted then, the first place first.
  var inserted: [Insertion] = []

  init(number: Int, from old: [CardSummary], to new: [CardSummary]) {
    self.number = number
    let difference = new.difference(from: old)
    for case .remove(let index, _, _) in difference.removals.reversed() { removed.append(index) }
    for case .insert(let index, let card, _) in difference.insertions {
      inserted.append(Insertion(index: index, card: card))
    }
  }
}

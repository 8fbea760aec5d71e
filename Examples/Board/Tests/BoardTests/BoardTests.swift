import Foundation
import Hummingbird
import HummingbirdTesting
import MiniORM
import NIOCore
import Testing

@testable import BoardServer

@Suite("The board over HTTP")
struct BoardTests {
  /// Runs a board on a new encrypted file.
  func withBoard(
    origins: Set<String> = ["http://localhost"], pingInterval: Duration = .seconds(10),
    streamsPerClient: Int = 64,
    _ work: @Sendable (Client, LiveBoard, Store) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let path = folder + "/board.db"
      let store = try await Store(path: path) {
        try KeyFile.key(at: folder + "/board.key", of: path)
      }
      let live = LiveBoard(
        store, pingInterval: pingInterval, streamsPerClient: streamsPerClient)
      let application = Application(
        router: store.routes(live: live, origins: origins), services: [live])
      try await application.test(.router) { try await work(Client(client: $0), live, store) }
      try await store.database.close()
    }
  }

  @Test("a card is added, moved before another card, changed and deleted")
  func life() async throws {
    try await withBoard { client, _, _ in
      let first = try await client.add("first")
      let second = try await client.add("second", person: "Ada")
      #expect(try await client.list().map(\.title) == ["first", "second"])

      #expect(try await client.change(second, before: first.id) == .ok)
      #expect(try await client.list().map(\.title) == ["second", "first"])
      #expect(try await client.list().map(\.person) == ["Ada", nil])

      #expect(try await client.change(first, title: "1st", lane: .done) == .ok)
      #expect(try await client.list().first { $0.id == first.id }?.lane == .done)

      #expect(try await client.delete(first, version: 2) == .noContent)
      #expect(try await client.list().map(\.title) == ["second"])
    }
  }

  @Test("a page with an old version of a card neither changes, moves nor deletes the card")
  func conflict() async throws {
    try await withBoard { client, _, _ in
      let card = try await client.add("title")
      #expect(try await client.change(card, title: "mine") == .ok)
      #expect(try await client.change(card, title: "yours") == .conflict)
      #expect(try await client.change(card, lane: .done) == .conflict)
      #expect(try await client.delete(card, version: 1) == .conflict)
      #expect(try await client.list().map(\.title) == ["mine"])
      #expect(try await client.list().map(\.lane) == [.todo])
    }
  }

  @Test("a stale page cannot reach a new card through the key of a deleted card")
  func keys() async throws {
    try await withBoard { client, _, _ in
      let old = try await client.add("old")
      #expect(try await client.delete(old, version: 1) == .noContent)
      let new = try await client.add("new")
      #expect(new.id != old.id)
      #expect(try await client.change(old, title: "stale") == .notFound)
      #expect(try await client.delete(old, version: 1) == .notFound)
      #expect(try await client.list().map(\.title) == ["new"])
    }
  }

  @Test("1,000 moves leave every card at its place, half of them between the same neighbors")
  func moves() async throws {
    try await withBoard { client, _, store in
      var cards: [CardReply] = []
      for number in 0..<6 { cards.append(try await client.add("\(number)")) }
      var expected: [Lane: [Card.ID]] = [.todo: cards.map(\.id)]
      var random = SplitMix(state: 49)
      for number in 0..<1_000 {
        // Even moves alternate two cards before the last card, which itself never moves.
        let index =
          number.isMultiple(of: 2) ? number / 2 % 2 : Int.random(in: 2..<5, using: &random)
        let lane = number.isMultiple(of: 2) ? .todo : Lane.allCases.randomElement(using: &random)!
        let id = cards[index].id
        for lane in Lane.allCases { expected[lane]?.removeAll { $0 == id } }
        let next =
          number.isMultiple(of: 2)
          ? cards[5].id
          : Bool.random(using: &random) ? expected[lane]?.randomElement(using: &random) : nil
        let place = next.flatMap { expected[lane]?.firstIndex(of: $0) }
        expected[lane, default: []].insert(id, at: place ?? expected[lane]?.count ?? 0)
        let version = cards[index].version
        let moved = try await store.change(
          id, CardChange(version: version, lane: lane, before: next))
        cards[index] = CardReply(moved)
        let found = Dictionary(grouping: try await store.search(""), by: \.lane)
        try #require(found.mapValues { $0.map(\.id) } == expected.filter { !$0.value.isEmpty })
      }
      #expect(try await client.list().count == 6)
    }
  }

  @Test(
    "a move before a card that is gone from the lane is a conflict, and before itself no change")
  func movedAway() async throws {
    try await withBoard { client, _, _ in
      let (first, second) = (try await client.add("first"), try await client.add("second"))
      #expect(try await client.change(second, lane: .done) == .ok)
      #expect(try await client.change(first, before: second.id) == .conflict)
      #expect(try await client.change(first, before: 99) == .conflict)
      #expect(try await client.change(first, before: first.id) == .ok)
      #expect(try await client.list().map(\.title) == ["first", "second"])
    }
  }

  @Test(
    "an invalid request is refused with its reason",
    arguments: [
      ("/api/cards", HTTPRequest.Method.post, #"{"title": ""}"#, 422, "title must have 1 to 600"),
      ("/api/cards", .post, #"{"title": "a", "person": "LONG"}"#, 422, "person must have 1 to 240"),
      ("/api/cards", .post, #"{"title": "a", "notes": "LONG"}"#, 422, "notes must have 0 to 12000"),
      ("/api/cards", .post, #"{"title": "\u0000LONG"}"#, 422, "title must have 1 to 600"),
      ("/api/cards", .post, #"{"title": " \n\t"}"#, 422, "title must have a character"),
      ("/api/cards", .post, #"{"title": "a", "person": " "}"#, 422, "person must have a character"),
      ("/api/cards", .post, #"{}"#, 400, "`title` not found"),
      ("/api/cards", .post, #"{"title": 7}"#, 400, "`title`"),
      ("/api/cards", .post, "{", 400, "not valid"),
      ("/api/cards", .post, #"{"title": "LONGLONGLONGLONGLONGLONGLONGLONGLONGLONGLONG"}"#, 413, ""),
      ("/api/cards/7", .patch, #"{"version": 1}"#, 404, "no such card"),
      ("/api/cards/x", .patch, #"{"version": 1}"#, 400, ""),
      ("/api/cards/7/remarks", .post, #"{"text": "to a missing card"}"#, 404, "no such card"),
      ("/api/cards/7/remarks", .post, #"{"text": ""}"#, 422, "text must have 1 to 6000"),
      ("/api/cards/7?version=1", .delete, "", 404, "no such card"),
      ("/api/cards/7", .delete, "", 400, ""),
    ])
  func refusals(uri: String, method: HTTPRequest.Method, body: String, status: Int, reason: String)
    async throws
  {
    try await withBoard { client, _, store in
      let body = body.replacing("LONG", with: String(repeating: "x", count: 12_001))
      let reply = try await client.execute(uri, method, body: ByteBuffer(string: body))
      let text = String(buffer: reply.body)
      #expect(reply.status.code == status)
      #expect(reason.isEmpty || text.contains(reason))
      #expect(!text.contains(store.database.path) && !text.contains("CHECK"))
      #expect(try await client.list().isEmpty)
      #expect(try await people.count(in: store.database) == 0)
    }
  }

  @Test("the tables refuse a text that is too long, also after a NUL character")
  func limits() async throws {
    try await withBoard { client, _, store in
      let title = "\0" + String(repeating: "x", count: 600)
      let draft = Card.Draft(title: title, lane: .todo, position: 1, personID: nil)
      let error = await #expect(throws: DatabaseError.self) {
        try await cards.insert(draft, in: store.database)
      }
      #expect(error?.code == .constraintCheck)
      _ = try await client.add(String(title.dropLast()))
    }
  }

  @Test(
    "only pages of the board can send requests",
    arguments: [
      (nil, "application/json", 201), ("http://localhost", "application/json; charset=utf-8", 201),
      ("http://localhost", "text/plain", 415), (nil, nil, 415),
      (nil, "application/x-www-form-urlencoded", 415),
      ("http://evil.example", "application/json", 403), ("null", "text/plain", 403),
      ("http://localhost:8080", "application/json", 403),
    ] as [(String?, String?, Int)])
  func origins(origin: String?, type: String?, status: Int) async throws {
    try await withBoard { client, _, _ in
      let body = ByteBuffer(string: #"{"title": "card"}"#)
      let reply = try await client.execute(
        "/api/cards", .post, type: type, origin: origin, body: body)
      #expect(reply.status.code == status)
      #expect(try await client.list().count == (status == 201 ? 1 : 0))
    }
  }

  @Test(
    "behind a proxy, the page's requests and the machine's health check are answered",
    arguments: ["https://localhost", "https://LOCALHOST:443"])
  func proxy(origin: String) async throws {
    try await withBoard(origins: [Gate.origin(origin)]) { client, _, _ in
      let body = ByteBuffer(string: #"{"title": "card"}"#)
      let reply = try await client.execute("/api/cards", .post, origin: origin, body: body)
      #expect(reply.status == .created)
    }
    try await withBoard(origins: ["https://board.example"]) { client, _, _ in
      let health = try await client.execute("/health", .get).status
      #expect(health == .ok)
    }
  }

  @Test(
    "a method that a path does not have is refused with the methods that it has",
    arguments: [
      ("/", HTTPRequest.Method.post, "GET, HEAD"), ("/api/cards", .delete, "GET, HEAD, POST"),
      ("/api/cards/7", .get, "DELETE, PATCH"), ("/api/events", .options, "GET, HEAD"),
    ])
  func methods(uri: String, method: HTTPRequest.Method, allowed: String) async throws {
    try await withBoard { client, _, _ in
      let reply = try await client.execute(uri, method)
      #expect(reply.status == .methodNotAllowed)
      #expect(reply.headers[.allow] == allowed)
      let head = try await client.execute("/", .head)
      #expect(head.status == .ok && head.body.readableBytes == 0)
    }
  }

  @Test("a request for another host is refused", arguments: ["/", "/api/cards", "/api/events"])
  func hosts(uri: String) async throws {
    try await withBoard(origins: ["https://board.example"]) { client, _, _ in
      let reply = try await client.execute(uri, .get)
      #expect(reply.status == .misdirectedRequest)
    }
  }

  @Test(
    "every response restricts what a browser does with it",
    arguments: ["/", "/board.js", "/board.css", "/api/cards", "/api/cards/x", "/unknown"])
  func headers(uri: String) async throws {
    try await withBoard { client, _, _ in
      let headers = try await client.execute(uri, .get).headers
      #expect(headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
      #expect(headers[.contentSecurityPolicy]?.contains("unsafe") == false)
      #expect(headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test("any text can be searched for", arguments: ["caf", "Café", "\"", "a OR", "😀", "' --"])
  func search(text: String) async throws {
    try await withBoard { client, _, _ in
      _ = try await client.add("Look for a café")
      _ = try await client.add("Something else")
      let found = try await client.list(search: text).map(\.title)
      #expect(found == (text.lowercased().hasPrefix("caf") ? ["Look for a café"] : []))
    }
  }

  @Test("open pages get the board immediately, and again after each change")
  func events() async throws {
    try await withBoard { client, live, _ in
      var pages = try (0..<3).map { _ in try #require(live.events(for: "")).makeAsyncIterator() }
      for index in pages.indices {
        #expect(String(buffer: try #require(await pages[index].next())).contains(#""cards":[]"#))
      }
      _ = try await client.add("news")
      for index in pages.indices {
        let event = String(buffer: try #require(await pages[index].next()))
        #expect(event.hasPrefix("event: change") && event.contains("news"))
      }
    }
  }

  @Test("a page that applies the events shows the board", arguments: 0..<4 as Range<UInt64>)
  func changes(seed: UInt64) async throws {
    try await withBoard { client, live, store in
      var page = try #require(live.events(for: "")).makeAsyncIterator()
      var random = SplitMix(state: seed)
      var (shown, number, kinds): ([CardSummary], Int, Set<String>) = ([], 0, [])
      for step in 0..<40 {
        let list = try await client.list()
        let card = list.randomElement(using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          if let card { try await store.delete(card.id, version: card.version) }
        case 1:
          guard let card else { break }
          let next = list.filter { $0.lane == .doing }.randomElement(using: &random)?.id
          _ = try await store.change(
            card.id, CardChange(version: card.version, lane: .doing, before: next))
        case 2:
          guard let card else { break }
          _ = try await store.change(
            card.id, CardChange(version: card.version, title: "changed in \(step)"))
        default: _ = try await client.add("card \(step)")
        }
        // Some steps are not read, so that the page gets the whole board.
        if Int.random(in: 0..<4, using: &random) == 0 { continue }
        let expected = try await client.list()
        while shown != expected || number == 0 {
          let event = String(buffer: try #require(await page.next()))
          guard let data = event.split(separator: "data: ").last.map({ Data($0.utf8) }) else {
            return
          }
          if event.hasPrefix("event: board") {
            let board = try JSONDecoder().decode(WholeBoard.self, from: data)
            (shown, number) = (board.cards, board.number)
          } else {
            let change = try JSONDecoder().decode(BoardChange.self, from: data)
            try #require(change.number == number + 1)
            number = change.number
            for index in change.removed { shown.remove(at: index) }
            for insertion in change.inserted { shown.insert(insertion.card, at: insertion.index) }
          }
          kinds.insert(String(event.prefix(12)))
        }
      }
      #expect(kinds.count == 2)
    }
  }

  @Test("a client with too many open pages is refused, and other clients are not")
  func manyPages() async throws {
    try await withBoard(streamsPerClient: 2) { client, live, _ in
      var pages = [live.events(for: "first"), live.events(for: "first")]
      #expect(live.events(for: "first") == nil)
      #expect(live.events(for: "second") != nil)
      pages.removeLast()
      #expect(live.events(for: "first") != nil)
      #expect(pages.count == 1)
      let tests = [live.events(for: ""), live.events(for: "")]
      let refused = try await client.execute("/api/events", .get).status
      #expect(refused == .tooManyRequests)
      #expect(tests.count == 2)
    }
  }

  @Test("a page that reads slowly gets the whole board, and pings replace no board")
  func slowPage() async throws {
    try await withBoard(pingInterval: .milliseconds(1)) { client, live, _ in
      var slow = try #require(live.events(for: "")).makeAsyncIterator()
      for number in 0..<5 { _ = try await client.add("card \(number)") }
      // Another page shows when the last board is published.
      var other = try #require(live.events(for: "")).makeAsyncIterator()
      while !String(buffer: try #require(await other.next())).contains("card 4") {}
      #expect(String(buffer: try #require(await slow.next())).contains("card 4"))
      #expect(String(buffer: try #require(await slow.next())) == ": ping\n\n")
    }
  }

  @Test("a closed page is forgotten")
  func closedPage() async throws {
    try await withBoard { _, live, _ in
      do {
        var page = try #require(live.events(for: "")).makeAsyncIterator()
        _ = await page.next()
        #expect(live.pageCount == 1)
      }
      #expect(live.pageCount == 0)
    }
  }

  @Test("a backup is made while requests write, and opens with the same key")
  func backup() async throws {
    try await withBoard { client, _, store in
      _ = try await client.add("kept")
      #expect(try await client.execute("/api/backup", .post).status == .noContent)
      let path = store.database.path
      let key = try KeyFile.key(at: path.replacing("board.db", with: "board.key"), of: path)
      let copy = try await Database(path: path + ".backup", key: key)
      #expect(try await cards.fetchAll(in: copy).map(\.title) == ["kept"])
      try await copy.close()
    }
  }

  @Test(
    "an error of the database has a status",
    arguments: [
      (ResultCode.busy, 503), (.interrupt, 503), (.constraintUnique, 409), (.constraintCheck, 422),
      (.corrupt, 500), (.full, 500),
    ])
  func statuses(code: ResultCode, status: Int) {
    #expect(DatabaseError(.step, code: code, "").httpStatus == status)
  }
}

/// Sends requests as the page does.
struct Client: Sendable {
  let client: any TestClientProtocol

  func execute(
    _ uri: String, _ method: HTTPRequest.Method, type: String? = "application/json",
    origin: String? = nil, body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.origin] = origin
    return try await client.execute(uri: uri, method: method, headers: headers, body: body) { $0 }
  }

  func add(_ title: String, person: String? = nil) async throws -> CardReply {
    let reply = try await execute(
      "/api/cards", .post, body: try json(NewCard(title: title, person: person)))
    #expect(reply.status == .created)
    return try JSONDecoder().decode(CardReply.self, from: reply.body)
  }

  func change(
    _ card: CardReply, title: String? = nil, lane: Lane? = nil, before: Card.ID? = nil
  ) async throws -> HTTPResponse.Status {
    let change = CardChange(version: card.version, title: title, lane: lane, before: before)
    return try await execute("/api/cards/\(card.id)", .patch, body: try json(change)).status
  }

  func delete(_ card: CardReply, version: Int) async throws -> HTTPResponse.Status {
    try await execute("/api/cards/\(card.id)?version=\(version)", .delete).status
  }

  func list(search: String = "") async throws -> [CardSummary] {
    let words = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let reply = try await execute("/api/cards?search=\(words)", .get)
    #expect(reply.status == .ok)
    return try JSONDecoder().decode([CardSummary].self, from: reply.body)
  }

  private func json(_ value: some Encodable) throws -> ByteBuffer {
    ByteBuffer(data: try JSONEncoder().encode(value))
  }
}

/// A random number generator with a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }
}

/// Calls a closure with a new folder, and deletes the folder.
func withFolder(_ work: (String) async throws -> Void) async throws {
  let folder = URL.temporaryDirectory.appending(path: "board-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await work(folder.path(percentEncoded: false))
}

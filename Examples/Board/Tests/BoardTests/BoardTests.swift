import Foundation
import Hummingbird
import HummingbirdTesting
import MiniORM
import Testing

@testable import BoardServer

@Suite("The board over HTTP")
struct BoardTests {
  /// Runs a board on a new encrypted file.
  func withBoard(_ work: @Sendable (any TestClientProtocol, LiveBoard, String) async throws -> Void)
    async throws
  {
    let folder = URL.temporaryDirectory.appending(path: "board-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "board.db").path(percentEncoded: false)
    let keyPath = folder.appending(path: "board.key").path(percentEncoded: false)
    let store = try await Store(path: path) { try KeyFile.key(at: keyPath, of: path) }
    let live = LiveBoard(store)
    let application = Application(router: store.routes(live: live), services: [live])
    try await application.test(.router) { try await work($0, live, path) }
  }

  func json(_ value: some Encodable) throws -> ByteBuffer {
    ByteBuffer(data: try JSONEncoder().encode(value))
  }

  func add(
    _ title: String, lane: Lane = .todo, person: String? = nil, _ client: any TestClientProtocol
  )
    async throws -> CardReply
  {
    let body = try json(NewCard(title: title, lane: lane, person: person))
    return try await client.execute(uri: "/api/cards", method: .post, body: body) { response in
      #expect(response.status == .created)
      return try JSONDecoder().decode(CardReply.self, from: response.body)
    }
  }

  func change(_ card: CardReply, _ change: CardChange, _ client: any TestClientProtocol)
    async throws
    -> HTTPResponse.Status
  {
    try await client.execute(
      uri: "/api/cards/\(card.id)", method: .patch, body: try json(change)
    ) { $0.status }
  }

  func list(_ client: any TestClientProtocol, search: String = "") async throws -> [CardSummary] {
    let words = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try await client.execute(uri: "/api/cards?search=\(words)", method: .get) { response in
      #expect(response.status == .ok)
      return try JSONDecoder().decode([CardSummary].self, from: response.body)
    }
  }

  @Test("a card is added, moved before another one, changed and deleted")
  func life() async throws {
    try await withBoard { client, _, _ in
      let first = try await add("first", client)
      let second = try await add("second", person: "Ada", client)
      #expect(try await list(client).map(\.title) == ["first", "second"])

      #expect(
        try await change(second, CardChange(version: 1, before: first.id), client) == .ok)
      #expect(try await list(client).map(\.title) == ["second", "first"])
      #expect(try await list(client).map(\.person) == ["Ada", nil])

      #expect(
        try await change(first, CardChange(version: 1, title: "1st", lane: .done), client) == .ok)
      #expect(try await list(client).first { $0.id == first.id }?.lane == .done)

      try await client.execute(uri: "/api/cards/\(first.id)", method: .delete) {
        #expect($0.status == .noContent)
      }
      #expect(try await list(client).map(\.title) == ["second"])
    }
  }

  @Test("who changes what somebody else has changed meanwhile is told, and overwrites nothing")
  func conflict() async throws {
    try await withBoard { client, _, _ in
      let card = try await add("title", client)
      #expect(try await change(card, CardChange(version: 1, title: "mine"), client) == .ok)
      #expect(
        try await change(card, CardChange(version: 1, title: "yours"), client) == .conflict)
      #expect(try await list(client).map(\.title) == ["mine"])
    }
  }

  @Test(
    "what a request says wrong is answered so",
    arguments: [
      (
        "/api/cards", HTTPRequest.Method.post, #"{"title": ""}"#,
        HTTPResponse.Status.unprocessableContent
      ),
      ("/api/cards", .post, "{", .badRequest),
      ("/api/cards/7", .patch, #"{"version": 1}"#, .notFound),
      ("/api/cards/x", .patch, #"{"version": 1}"#, .badRequest),
      ("/api/cards/7/remarks", .post, #"{"text": "to nobody"}"#, .notFound),
      ("/api/cards/7", .delete, "", .notFound),
    ])
  func mistakes(
    uri: String, method: HTTPRequest.Method, body: String, status: HTTPResponse.Status
  ) async throws {
    try await withBoard { client, _, _ in
      try await client.execute(uri: uri, method: method, body: ByteBuffer(string: body)) {
        #expect($0.status == status)
      }
      #expect(try await list(client).isEmpty)
    }
  }

  @Test(
    "a search takes whatever somebody types", arguments: ["caf", "Café", "\"", "a OR", "😀", "' --"])
  func search(text: String) async throws {
    try await withBoard { client, _, _ in
      _ = try await add("Look for a café", client)
      _ = try await add("Something else", client)
      let found = try await list(client, search: text).map(\.title)
      #expect(found == (text.lowercased().hasPrefix("caf") ? ["Look for a café"] : []))
    }
  }

  @Test("open pages get the board at once, and again after each change")
  func events() async throws {
    try await withBoard { client, live, _ in
      var pages = (0..<3).map { _ in live.events().makeAsyncIterator() }
      for index in pages.indices {
        #expect(try #require(await pages[index].next()).contains("data: []"))
      }
      _ = try await add("news", client)
      for index in pages.indices {
        #expect(try #require(await pages[index].next()).contains("news"))
      }
    }
  }

  @Test("a backup is made while people write, and opens with the same key")
  func backup() async throws {
    try await withBoard { client, _, path in
      _ = try await add("kept", client)
      try await client.execute(uri: "/api/backup", method: .post) { #expect($0.status == .ok) }
      let keyPath = URL(filePath: path).deletingLastPathComponent().appending(path: "board.key")
      let copy = try await Database(
        path: path + ".backup",
        key: try KeyFile.key(at: keyPath.path(percentEncoded: false), of: path))
      #expect(try await cards.fetchAll(in: copy).map(\.title) == ["kept"])
      try await copy.close()
    }
  }

  @Test("the key is made once, only for a new file, and no other user may read it")
  func key() throws {
    let folder = URL.temporaryDirectory.appending(path: "board-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "board.key").path(percentEncoded: false)
    let database = folder.appending(path: "board.db").path(percentEncoded: false)
    _ = try KeyFile.key(at: path, of: database)
    let bytes = try Data(contentsOf: URL(filePath: path))
    try Data("rows".utf8).write(to: URL(filePath: database))
    _ = try KeyFile.key(at: path, of: database)
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(bytes.count == 32)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: KeyFileError.self) { try KeyFile.key(at: path, of: database) }
    try bytes.dropLast().write(to: URL(filePath: path))
    #expect(throws: KeyFileError.self) { try KeyFile.key(at: path, of: database) }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["board.db", "board.key"])
  }
}

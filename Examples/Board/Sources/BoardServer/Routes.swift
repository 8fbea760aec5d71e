import Hummingbird
import MiniORM
import NIOCore
import ServiceLifecycle

struct BoardContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The address of the client, or of the proxy in front of the board.
  var remoteAddress: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    remoteAddress = source.channel.remoteAddress?.ipAddress
  }

  /// The longest body of a request, in bytes.
  var maxUploadSize: Int { 128 * 1024 }
}

extension Store {
  /// The page, and the requests that it sends.
  /// - Parameters:
  ///   - origins: The addresses of the page, such as `http://127.0.0.1:8080`.
  ///   - isBehindProxy: True if a proxy passes the client's address in `X-Forwarded-For`.
  func routes(
    live: LiveBoard, origins: Set<String>, isBehindProxy: Bool = false
  ) -> Router<BoardContext> {
    let router = Router(context: BoardContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: Gate(origins: origins))

    for (path, type, bytes) in [
      ("/", "text/html", PackageResources.index_html),
      ("/board.css", "text/css", PackageResources.board_css),
      ("/board.js", "text/javascript", PackageResources.board_js),
      ("/events.js", "text/javascript", PackageResources.events_js),
      ("/worker.js", "text/javascript", PackageResources.worker_js),
    ] {
      let body = ByteBuffer(bytes: bytes)
      router.get(RouterPath(path)) { _, _ in
        Response(
          status: .ok, headers: [.contentType: "\(type); charset=utf-8"],
          body: .init(byteBuffer: body))
      }
    }
    router.get("/health") { _, _ -> HTTPResponse.Status in
      _ = try await people.count(in: database)
      return .ok
    }

    let api = router.group("/api")
    api.get("cards") { request, _ in
      try await search(request.uri.queryParameters["search"].map { String($0) } ?? "")
    }
    api.post("cards") { request, context in
      let card = try await add(try await request.decode(as: NewCard.self, context: context))
      return EditedResponse(status: .created, response: CardReply(card))
    }
    api.patch("cards/:id") { request, context in
      let id = try context.parameters.require("id", as: Card.ID.self)
      let change = try await request.decode(as: CardChange.self, context: context)
      return CardReply(try await self.change(id, change))
    }
    api.delete("cards/:id") { request, context -> HTTPResponse.Status in
      try await delete(
        try context.parameters.require("id", as: Card.ID.self),
        version: try request.uri.queryParameters.require("version", as: Int.self))
      return .noContent
    }
    api.get("cards/:id/remarks") { _, context in
      let id = try context.parameters.require("id", as: Card.ID.self)
      return try await remarks.where { $0.cardID == id }.order { $0.id }.fetchAll(in: database)
    }
    api.post("cards/:id/remarks") { request, context in
      let id = try context.parameters.require("id", as: Card.ID.self)
      let body = try await request.decode(as: NewRemark.self, context: context)
      return EditedResponse(status: .created, response: try await addRemark(body.text, to: id))
    }
    api.get("people") { _, _ in
      try await people.order { $0.name }.fetchAll(in: database)
    }
    api.post("backup") { _, _ -> HTTPResponse.Status in
      try await backUp()
      return .noContent
    }
    api.get("events") { request, context in
      // A proxy appends the address of its client to the list that the client has sent.
      let forwarded = request.headers.last { $0.name.canonicalName == "x-forwarded-for" }
      let proxied = forwarded?.value.split(separator: ",").last?.trimmingPrefix { $0 == " " }
      let client = isBehindProxy ? proxied.map { String($0) } : nil
      guard let events = live.events(for: client ?? context.remoteAddress ?? "") else {
        context.logger.warning("\(client ?? context.remoteAddress ?? "") has too many open pages")
        throw HTTPError(.tooManyRequests, message: "This address has too many open pages.")
      }
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream"],
        // A stream that stays open would keep the server from shutting down.
        body: .init(asyncSequence: events.cancelOnGracefulShutdown()))
    }
    refuseOtherMethods(of: router)
    return router
  }

  /// Adds a response for the methods that a path does not have.
  private func refuseOtherMethods(of router: Router<BoardContext>) {
    for (_, routes) in Dictionary(grouping: router.routes, by: \.path.description) {
      var allowed = routes.map(\.method)
      if allowed.contains(.get) { allowed.append(.head) }
      let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options]
      where !allowed.contains(method) {
        router.on(routes[0].path, method: method) { _, _ -> Response in
          throw HTTPError(
            .methodNotAllowed, headers: [.allow: list], message: "Allowed methods: \(list).")
        }
      }
    }
  }
}

/// The reply to a request that has changed a card.
struct CardReply: ResponseCodable, Equatable {
  var id: Card.ID
  var lane: Lane
  var version: Int

  init(_ card: Card) {
    (id, lane, version) = (card.id, card.lane, card.version)
  }
}

extension Remark: ResponseCodable {}

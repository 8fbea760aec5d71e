import Hummingbird
import MiniORM
import NIOCore
import ServiceLifecycle

extension Store {
  /// The page, and what it asks for.
  func routes(live: LiveBoard) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorResponses())

    router.get("/") { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "text/html; charset=utf-8",
          .contentSecurityPolicy: "default-src 'self' 'unsafe-inline'; img-src data:",
        ],
        body: .init(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
    }
    router.get("/health") { _, _ -> HTTPResponse.Status in
      _ = try await people.count(in: database)
      return .ok
    }

    let api = router.group("/api")
    api.get("cards") { request, _ in
      let words = request.uri.queryParameters["search"].map { String($0) } ?? ""
      return try await Store.summaries(matching: words).fetchAll(in: database)
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
    api.delete("cards/:id") { _, context -> HTTPResponse.Status in
      try await delete(try context.parameters.require("id", as: Card.ID.self))
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
    api.post("backup") { _, _ in
      ["path": try await backUp()]
    }
    api.get("events") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        // A stream that stays open would keep the server from shutting down.
        body: .init(
          asyncSequence: live.events().map { ByteBuffer(string: $0) }.cancelOnGracefulShutdown()))
    }
    return router
  }
}

/// What the page needs to know of a card that it has written.
struct CardReply: ResponseCodable, Equatable {
  var id: Card.ID
  var lane: Lane
  var version: Int

  init(_ card: Card) {
    (id, lane, version) = (card.id, card.lane, card.version)
  }
}

extension Remark: ResponseCodable {}

/// Says what was wrong with a request, and keeps to itself what is wrong with the server.
struct ErrorResponses<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch BoardError.notFound {
      throw HTTPError(.notFound, message: "There is no such card.")
    } catch BoardError.changedMeanwhile {
      throw HTTPError(.conflict, message: "Somebody has changed the card meanwhile.")
    } catch let error as DatabaseError {
      guard error.code.primary == .constraint else {
        // A DatabaseError has neither values nor a key in it.
        context.logger.error("\(error)")
        throw HTTPError(.internalServerError)
      }
      throw HTTPError(.unprocessableContent, message: error.message)
    }
  }
}

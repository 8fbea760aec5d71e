import Hummingbird
import MiniORM

/// Refuses requests of other sites' pages, and turns errors into responses.
///
/// A browser sends requests of any page to this server. The check of Host stops a site whose name
/// resolves to this server's address (DNS rebinding), the check of Origin stops forms and scripts of
/// other sites, and a form cannot send JSON.
struct Gate: RouterMiddleware {
  /// The addresses of the page, as ``origin(_:)`` returns them.
  let origins: Set<String>

  /// Returns an address as browsers compare it: in lower case, without a slash at its end and
  /// without the default port.
  static func origin(_ text: String) -> String {
    var text = text.lowercased()
    if text.hasSuffix("/") { text.removeLast() }
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
    where text.hasPrefix(scheme) && text.hasSuffix(port) { text.removeLast(port.count) }
    return text
  }

  func handle(
    _ request: Request, context: BoardContext,
    next: (Request, BoardContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request)
      response = try await next(request, context)
    } catch {
      guard let error = reply(to: error, context) else { throw error }
      response = try error.response(from: request, context: context)
    }
    response.headers[.contentSecurityPolicy] =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
      + "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.crossOriginResourcePolicy] = "same-origin"
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func check(_ request: Request) throws(HTTPError) {
    // A health check on the same machine does not know the address of the page.
    if request.uri.path == "/health" { return }
    let host = request.head.authority ?? ""
    guard ["http", "https"].contains(where: { origins.contains(Self.origin("\($0)://\(host)")) })
    else {
      throw HTTPError(
        .misdirectedRequest, message: "The board has another address: see ORIGIN in its README.")
    }
    if let origin = request.headers[.origin], !origins.contains(Self.origin(origin)) {
      throw HTTPError(.forbidden, message: "Only the page of the board can send this request.")
    }
    if [.post, .patch].contains(request.method),
      request.headers[.contentType].flatMap({ MediaType(from: $0) })?.isType(.applicationJson)
        != true
    {
      throw HTTPError(.unsupportedMediaType, message: "The content type must be application/json.")
    }
  }

  /// Returns the response to an error: the reason if the request caused the error. The log has the
  /// details of all other errors, which may contain paths and SQL.
  private func reply(to error: any Error, _ context: BoardContext) -> (any HTTPResponseError)? {
    switch error {
    case BoardError.notFound:
      return HTTPError(.notFound, message: "There is no such card.")
    case BoardError.changedMeanwhile:
      return HTTPError(.conflict, message: "Another page has changed the card meanwhile.")
    case BoardError.invalid(let field):
      return HTTPError(
        .unprocessableContent,
        message: "\(field) must have \(field.bytes.lowerBound) to \(field.bytes.upperBound) bytes.")
    case BoardError.blank(let field):
      return HTTPError(
        .unprocessableContent, message: "\(field) must have a character that is not a space.")
    case let error as DatabaseError:
      // A DatabaseError contains neither values nor a key.
      context.logger.error("\(error)")
      return HTTPError(.init(code: error.httpStatus), message: "The request failed.")
    default:
      return error as? any HTTPResponseError
    }
  }
}

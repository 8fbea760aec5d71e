#if canImport(Darwin)
  import Foundation

  /// Sends requests by URLSession. Not exercised by this project's CI, which runs on Linux.
  final class HTTPClient: Sendable {
    /// All stores share a session.
    private static let session = {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      return URLSession(configuration: configuration)
    }()

    /// - Throws: ``HTTPFailure``; `CancellationError`.
    func answer(to request: HTTPRequest) async throws -> HTTPAnswer {
      guard let url = URL(string: request.url) else {
        throw HTTPFailure(.service, "the address is not a valid URL")
      }
      var sent = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
      sent.timeoutInterval = request.timeout / .seconds(1)
      sent.httpMethod = request.method
      sent.httpBody = request.body.map { Data($0) }
      // URLSession sends the host itself.
      for (name, value) in request.headers where name != "host" {
        sent.setValue(value, forHTTPHeaderField: name)
      }
      let (data, response): (Data, URLResponse)
      do {
        (data, response) = try await Self.session.data(for: sent, delegate: RedirectRefusal())
      } catch {
        try Task.checkCancellation()
        throw HTTPFailure(.unreachable, error.localizedDescription)
      }
      guard let response = response as? HTTPURLResponse else {
        throw HTTPFailure(.unreachable, "The answer is not HTTP.")
      }
      guard data.count <= S3Store.maximumSize else { throw HTTPFailure.tooLarge }
      var answer = HTTPAnswer(status: response.statusCode, body: Array(data))
      for (name, value) in response.allHeaderFields {
        answer.headers["\(name)".lowercased()] = "\(value)"
      }
      if let length = answer.header("Content-Length").flatMap({ Int($0) }), length != data.count {
        throw HTTPFailure.damaged
      }
      return answer
    }
  }

  /// A redirected request would carry the signature of another host, so the caller learns of the
  /// redirection.
  private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
    ) async -> URLRequest? { nil }
  }
#endif

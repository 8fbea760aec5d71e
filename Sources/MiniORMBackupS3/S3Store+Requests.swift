import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension S3Store {
  struct Request {
    let method: String
    /// The object's name; nil for a request to the bucket.
    let name: String?
    let query: [(name: String, value: String)]
    let body: [UInt8]
    /// True if an existing object of this name is an error.
    var isConditional = false
    /// The actions that the policy must allow.
    let permission: String

    init(
      _ method: String, _ name: String?, query: [(name: String, value: String)] = [],
      body: [UInt8] = [], _ permission: String
    ) {
      (self.method, self.name, self.query) = (method, name, query)
      (self.body, self.permission) = (body, permission)
    }
  }

  struct Answer {
    let status: Int
    let body: [UInt8]
    let response: HTTPURLResponse

    func header(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }
  }

  /// The request and the object, for errors.
  func place(_ request: Request) -> String {
    "\(request.method) \(bucket)/\(prefix)\(request.name ?? "")"
  }

  /// All stores share a session. On Linux, ending a session can race with its last connection.
  private static let session = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    return URLSession(configuration: configuration)
  }()

  /// Sends a request until it succeeds, fails for a lasting reason, or has failed too often.
  func send(_ request: Request) async throws -> Answer {
    let hash = try S3Signature.hash(request.body)
    var hasRenewed = false
    var attempt = 1
    while true {
      do {
        return try await answer(to: request, hash)
      } catch let error as S3Error {
        if error.isExpired && !hasRenewed {
          hasRenewed = true
          current.withLock { $0 = nil }
          continue
        }
        guard error.isTransient else { throw error }
        guard attempt < tuning.attempts else { throw error.afterAttempts(attempt) }
      }
      // Half of the wait is random, so that many clients do not return at the same moment.
      let wait = tuning.backoff << (attempt - 1)
      try await Task.sleep(for: .milliseconds(Int.random(in: wait / 2...wait)))
      attempt += 1
    }
  }

  private func answer(to request: Request, _ hash: String) async throws -> Answer {
    let credentials = try await currentCredentials()
    let date = tuning.now()
    let signed = try urlRequest(request, hash, credentials, date)
    let data: Data
    let response: URLResponse
    do {
      (data, response) = try await Self.data(for: signed)
    } catch {
      try Task.checkCancellation()
      throw S3Error(
        .unreachable,
        "\(place(request)): \(error.localizedDescription) Check the endpoint and the network",
        isTransient: true)
    }
    guard let response = response as? HTTPURLResponse else {
      throw S3Error(.service, "\(place(request)): the answer is not HTTP: check the endpoint")
    }
    let answer = Answer(status: response.statusCode, body: Array(data), response: response)
    guard (200..<300).contains(answer.status) else {
      throw S3Error(
        answer, to: request, at: place(request), time: S3Signature.time(date),
        secrets: [credentials.secretAccessKey, credentials.sessionToken].compactMap(\.self))
    }
    if let length = answer.header("Content-Length").flatMap({ Int($0) }), length != data.count {
      throw S3Error(
        .damaged,
        "\(place(request)): \(data.count) of \(length) bytes arrived: check the network",
        isTransient: true)
    }
    return answer
  }

  /// Returns the signed request.
  func urlRequest(
    _ request: Request, _ hash: String, _ credentials: S3Credentials, _ date: Date
  ) throws -> URLRequest {
    try credentials.validate()
    let folder = virtualHost ? "" : "/\(bucket)"
    let object = request.name.map { "/\(prefix)\($0)" } ?? (virtualHost ? "/" : "")
    let path = S3Signature.encoded(folder + object, isPath: true)
    let query = request.query.sorted { $0.name < $1.name }
      .map { "\(S3Signature.encoded($0.name))=\(S3Signature.encoded($0.value))" }
      .joined(separator: "&")
    let scheme = isSecure ? "https" : "http"
    guard let url = URL(string: "\(scheme)://\(host)\(path)\(query.isEmpty ? "" : "?")\(query)")
    else { throw S3Error(.invalidArgument, "\(place(request)): the address is not a valid URL") }

    var headers = ["x-amz-content-sha256": hash, "x-amz-date": S3Signature.time(date)]
    headers["x-amz-security-token"] = credentials.sessionToken
    if request.method == "PUT" { headers["content-type"] = "application/octet-stream" }
    if request.isConditional { headers["if-none-match"] = "*" }
    var result = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    // On Linux, fractions of a second are cut off.
    result.timeoutInterval = max(1, Double(timeout.components.seconds))
    result.httpMethod = request.method
    if request.method == "PUT" { result.httpBody = Data(request.body) }
    for (name, value) in headers { result.setValue(value, forHTTPHeaderField: name) }
    // A compressed answer would have another length.
    result.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    headers["host"] = host
    result.setValue(
      try S3Signature.authorization(
        request.method, path, query, headers, credentials, region: region),
      forHTTPHeaderField: "Authorization")
    return result
  }

  /// Returns the current credentials, or asks for new ones.
  private func currentCredentials() async throws -> S3Credentials {
    if let known = current.withLock({ $0 }), !known.isOver(at: tuning.now()) { return known }
    let new = try await makeCredentials()
    current.withLock { $0 = new }
    return new
  }
}

extension S3Store {
  /// On Linux, `URLSession.data(for:delegate:)` asks no delegate about redirections.
  private static func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    let task = Mutex<URLSessionDataTask?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let new = session.dataTask(with: request) { data, response, error in
          if let data, let response, error == nil {
            continuation.resume(returning: (data, response))
          } else {
            continuation.resume(throwing: error ?? URLError(.unknown))
          }
        }
        new.delegate = RedirectRefusal()
        task.withLock { $0 = new }
        new.resume()
        if Task.isCancelled { new.cancel() }
      }
    } onCancel: {
      task.withLock { $0 }?.cancel()
    }
  }
}

/// A redirected request would carry the signature of another host, so the caller learns of the
/// redirection.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}

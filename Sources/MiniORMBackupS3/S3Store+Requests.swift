import Foundation
import Synchronization

extension S3Store {
  struct Request {
    let method: String
    /// The object's name; nil for a request to the bucket.
    let name: String?
    let query: [(name: String, value: String)]
    /// nil for a request without a body.
    let body: [UInt8]?
    /// True if an existing object of this name is an error.
    var isConditional = false
    /// The actions that the policy must allow.
    let permission: String

    init(
      _ method: String, _ name: String?, query: [(name: String, value: String)] = [],
      body: [UInt8]? = nil, _ permission: String
    ) {
      (self.method, self.name, self.query) = (method, name, query)
      (self.body, self.permission) = (body, permission)
    }
  }

  /// The request and the object, for errors.
  func place(_ request: Request) -> String {
    "\(request.method) \(bucket)/\(prefix)\(request.name ?? "")"
  }

  /// Sends a request until it succeeds, fails for a lasting reason, or has failed too often.
  func send(_ request: Request) async throws -> HTTPAnswer {
    let hash = try S3Signature.hash(request.body ?? [])
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

  private func answer(to request: Request, _ hash: [UInt8]) async throws -> HTTPAnswer {
    let credentials = try await currentCredentials()
    let date = tuning.now()
    let signed = try signed(request, hash, credentials, date)
    let answer: HTTPAnswer
    do {
      answer = try await client.answer(to: signed)
    } catch let failure as HTTPFailure {
      try Task.checkCancellation()
      let advice = failure.reason == .unreachable ? " Check the endpoint and the network" : ""
      throw S3Error(
        failure.reason, "\(place(request)): \(failure.text)\(advice)",
        isTransient: failure.reason != .service)
    }
    guard (200..<300).contains(answer.status) else {
      throw S3Error(
        answer, to: request, at: place(request), time: S3Signature.time(date),
        secrets: [credentials.secretAccessKey, credentials.sessionToken].compactMap(\.self))
    }
    return answer
  }

  /// Returns the signed request.
  /// - Parameter hash: The SHA-256 of the body.
  func signed(
    _ request: Request, _ hash: [UInt8], _ credentials: S3Credentials, _ date: Date
  ) throws -> HTTPRequest {
    try credentials.validate()
    let folder = virtualHost ? "" : "/\(bucket)"
    let object = request.name.map { "/\(prefix)\($0)" } ?? (virtualHost ? "/" : "")
    let path = S3Signature.encoded(folder + object, isPath: true)
    let query = request.query.sorted { $0.name < $1.name }
      .map { "\(S3Signature.encoded($0.name))=\(S3Signature.encoded($0.value))" }
      .joined(separator: "&")

    var headers = [
      "host": host, "x-amz-content-sha256": S3Signature.hexadecimal(hash),
      "x-amz-date": S3Signature.time(date),
    ]
    headers["x-amz-security-token"] = credentials.sessionToken
    if request.body != nil {
      headers["content-type"] = "application/octet-stream"
      // A bucket with Object Lock accepts no object without a checksum.
      headers["x-amz-checksum-sha256"] = Data(hash).base64EncodedString()
      headers["x-amz-sdk-checksum-algorithm"] = "SHA256"
    }
    if request.isConditional { headers["if-none-match"] = "*" }
    headers["authorization"] = try S3Signature.authorization(
      request.method, path, query, headers, credentials, region: region)
    // Not signed: a proxy may change it. A compressed answer would have another length.
    headers["accept-encoding"] = "identity"
    return HTTPRequest(
      method: request.method,
      url: "\(isSecure ? "https" : "http")://\(host)\(path)\(query.isEmpty ? "" : "?")\(query)",
      headers: headers, body: request.body, timeout: timeout)
  }

  /// Returns the current credentials, or asks for new ones.
  private func currentCredentials() async throws -> S3Credentials {
    if let known = current.withLock({ $0 }), !known.isOver(at: tuning.now()) { return known }
    let new = try await makeCredentials()
    current.withLock { $0 = new }
    return new
  }
}

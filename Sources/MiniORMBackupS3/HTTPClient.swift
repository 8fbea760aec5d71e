/// A request of HTTP, as it is sent.
struct HTTPRequest: Sendable {
  let method: String
  let url: String
  /// Names in lower case.
  let headers: [String: String]
  /// nil for a request without a body.
  let body: [UInt8]?
  /// The time in which an attempt must make progress.
  let timeout: Duration
}

/// An answer that arrived as a whole.
struct HTTPAnswer: Sendable {
  var status: Int
  /// Names in lower case.
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// A request without a complete answer.
struct HTTPFailure: Error {
  let reason: S3Error.Reason
  let text: String

  init(_ reason: S3Error.Reason, _ text: String) { (self.reason, self.text) = (reason, text) }

  static let damaged = HTTPFailure(
    .damaged, "the answer was cut: check the endpoint and the network")
  static let tooLarge = HTTPFailure(
    .service,
    "the answer has more than \(S3Store.maximumSize) bytes: is the endpoint an S3 service?")
}

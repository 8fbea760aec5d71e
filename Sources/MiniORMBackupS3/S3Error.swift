public import Foundation

/// A failed request to an S3-compatible service, or an invalid argument of an ``S3Store``. The
/// message says what to do. It never contains a secret.
public struct S3Error: Error, Sendable {
  /// The kind of failure.
  public enum Reason: String, Sendable {
    /// An argument of the store, or the name of an object, is invalid.
    case invalidArgument
    /// The service does not accept the access key, the secret or the session token.
    case invalidCredentials
    /// The clocks of this machine and of the service differ by more than the service allows.
    case clockSkew
    /// The policy of the access key or of the bucket does not allow the request.
    case accessDenied
    /// The bucket does not exist.
    case noSuchBucket
    /// The bucket is in another region, or the endpoint belongs to another region.
    case wrongRegion
    /// The object was damaged or cut on the way, in every attempt.
    case damaged
    /// The service cannot be reached, or does not answer in time.
    case unreachable
    /// Another failure, which ``S3Error/code`` names.
    case service
  }

  /// The kind of failure.
  public let reason: Reason
  /// The service's code, for example `SlowDown`.
  public let code: String?
  /// The status of HTTP, for example 503.
  public let status: Int?
  /// A description of the failure, with the request and a remedy.
  public let message: String
  /// True if the same request can succeed later.
  let isTransient: Bool

  init(
    _ reason: Reason, _ message: String, code: String? = nil, status: Int? = nil,
    isTransient: Bool = false
  ) {
    self.reason = reason
    self.message = message
    self.code = code
    self.status = status
    self.isTransient = isTransient
  }

  func afterAttempts(_ count: Int) -> S3Error {
    S3Error(reason, "\(message), after \(count) attempts", code: code, status: status)
  }

  /// True for credentials that were valid earlier.
  var isExpired: Bool {
    code == "ExpiredToken" || code == "TokenRefreshRequired"
  }
}

extension S3Error: CustomStringConvertible, LocalizedError {
  /// The message.
  public var description: String { message }
  /// The message.
  public var errorDescription: String? { message }
}

extension S3Error {
  /// Describes an answer with a status other than 200…299.
  init(
    _ answer: HTTPAnswer, to request: S3Store.Request, at place: String, time: String,
    secrets: [String]
  ) {
    let xml = XMLText(answer.body)
    // The code and the message are the service's own text.
    func shown(_ text: String) -> String {
      secrets.contains { text.contains($0) } ? "hidden" : String(text.prefix(200))
    }
    let code = xml["Code"].map(shown)
    let status = answer.status
    let region = answer.header("x-amz-bucket-region") ?? xml["Region"]
    let (reason, remedy): (Reason, String) =
      switch (code ?? "", status) {
      case ("SignatureDoesNotMatch", _):
        (.invalidCredentials, "the signatures differ: check the secret access key")
      case ("InvalidAccessKeyId", _):
        (.invalidCredentials, "the service does not know the access key ID: check it")
      case ("InvalidToken", _), ("ExpiredToken", _), ("TokenRefreshRequired", _):
        (.invalidCredentials, "the session token is not valid: obtain new credentials")
      case ("RequestTimeTooSkewed", _):
        (
          .clockSkew,
          "the time is \(time) here, and \(shown(xml["ServerTime"] ?? "another")) at the service: "
            + "set the clock"
        )
      case ("NoSuchBucket", _):
        (.noSuchBucket, "the bucket does not exist: create it, or correct its name")
      case ("AuthorizationHeaderMalformed", _), ("IllegalLocationConstraintException", _),
        (_, 300..<400):
        (
          .wrongRegion,
          "the bucket is in \(region.map { "the region \(shown($0))" } ?? "another region"): "
            + "correct the region and the endpoint"
        )
      case ("BadDigest", _), ("XAmzContentSHA256Mismatch", _), ("IncompleteBody", _):
        (.damaged, "the object was damaged on the way to the service: check the network")
      case ("AccessDenied", _), (_, 401), (_, 403):
        (.accessDenied, "access denied: the policy must allow \(request.permission)")
      default:
        (.service, "the service refused it\(xml["Message"].map { ": \(shown($0))" } ?? "")")
      }
    let isTransient =
      reason == .damaged || [408, 429].contains(status) || (status >= 500 && status != 501)
      || code == "RequestTimeout"
    self.init(
      reason, "\(place): \(remedy) (\(status)\(code.map { " \($0)" } ?? ""))", code: code,
      status: status, isTransient: isTransient)
  }
}

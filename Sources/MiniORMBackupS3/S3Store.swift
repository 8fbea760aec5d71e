import Foundation
public import MiniORMBackup
import Synchronization

/// A backup store in a bucket of AWS, or of another service that speaks S3, such as Garage,
/// SeaweedFS or Ceph.
///
/// ```swift
/// let store = try S3Store(
///   endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1",
///   bucket: "acme-backups", prefix: "app", credentials: { try S3Credentials.environment() })
/// ```
///
/// Requests carry a signature (Signature Version 4) and the SHA-256 of the body, so the service
/// refuses a damaged upload. A request that fails for a passing reason is repeated up to five times
/// within about six seconds. All errors are ``S3Error``; errors of the closure for credentials pass
/// through unchanged. A cancelled task's request ends with `CancellationError`.
///
/// On Linux, libcurl sends the requests, on threads of their own. It obeys the environment variables
/// `https_proxy`, `http_proxy` and `no_proxy`, and trusts the certificates that the system trusts.
public final class S3Store: BackupStore {
  /// Values that tests change.
  struct Tuning: Sendable {
    var attempts = 6
    /// The longest wait before the second attempt. It doubles with each attempt.
    var backoff = 200
    /// The number of objects in an answer, if not the service's own.
    var pageSize: Int?
    var now: @Sendable () -> Date = { Date() }
  }

  /// The maximum size of an object in bytes: objects are in memory as a whole.
  static let maximumSize = 64 << 20

  let client = HTTPClient()
  let isSecure: Bool
  let host: String
  let region: String
  let bucket: String
  /// Empty, or ends with a slash.
  let prefix: String
  let virtualHost: Bool
  let timeout: Duration
  let tuning: Tuning
  let makeCredentials: @Sendable () async throws -> S3Credentials
  let current = Mutex<S3Credentials?>(nil)

  /// Creates a store. No request is sent yet.
  /// - Parameters:
  ///   - endpoint: The service's address, for example `https://s3.eu-central-1.amazonaws.com` or
  ///     `http://localhost:3900`.
  ///   - region: The bucket's region. Services without regions ignore it or document a name.
  ///   - bucket: The bucket's name. The bucket must exist.
  ///   - prefix: A folder in the bucket. Databases that share a bucket need different folders.
  ///   - virtualHost: True to put the bucket into the host name, `bucket.host`, and not into the path.
  ///   - timeout: The time in which each attempt must move a kilobyte, or end. At least a second;
  ///     20 seconds by default.
  ///   - credentials: Returns the access key. It is called at the first request, a minute before the
  ///     credentials expire, and after the service reported that they have expired.
  /// - Throws: An ``S3Error`` if an argument is invalid.
  public convenience init(
    endpoint: String, region: String, bucket: String, prefix: String = "",
    virtualHost: Bool = false, timeout: Duration = .seconds(20),
    credentials: @escaping @Sendable () async throws -> S3Credentials
  ) throws(S3Error) {
    try self.init(
      endpoint, region, bucket, prefix, virtualHost, timeout, Tuning(), credentials)
  }

  init(
    _ endpoint: String, _ region: String, _ bucket: String, _ prefix: String, _ virtualHost: Bool,
    _ timeout: Duration, _ tuning: Tuning,
    _ credentials: @escaping @Sendable () async throws -> S3Credentials
  ) throws(S3Error) {
    // The endpoint is not shown: it may contain a password.
    guard let address = Self.address(endpoint) else {
      throw S3Error(
        .invalidArgument, "The endpoint must be http:// or https:// and a host, without a path")
    }
    for (name, value) in [("region", region), ("bucket", bucket)]
    where value.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]*/) == nil {
      throw S3Error(
        .invalidArgument, "The \(name) must have letters, digits, dots and hyphens, not \(value)")
    }
    let names = prefix.split(separator: "/", omittingEmptySubsequences: false)
    guard prefix.isEmpty || !names.contains(where: { ["", ".", ".."].contains($0) }) else {
      throw S3Error(
        .invalidArgument,
        "The prefix must be names separated by single slashes, without . and .., not \(prefix)")
    }
    (isSecure, host) = (address.isSecure, virtualHost ? "\(bucket).\(address.host)" : address.host)
    (self.region, self.bucket) = (region, bucket)
    self.prefix = prefix.isEmpty ? "" : prefix + "/"
    self.virtualHost = virtualHost
    self.timeout = min(max(.seconds(1), timeout), .seconds(3_600))
    (self.tuning, makeCredentials) = (tuning, credentials)
  }

  /// Stores an object.
  /// - Parameters:
  ///   - name: The object's name, from `[a-z0-9/-]`.
  ///   - bytes: At most 64 MiB.
  public func put(_ name: String, _ bytes: [UInt8]) async throws {
    let request = Request("PUT", try checked(name), body: bytes, "s3:PutObject")
    guard bytes.count <= Self.maximumSize else {
      throw S3Error(
        .invalidArgument,
        "\(place(request)): the object has more than \(Self.maximumSize) bytes: divide it")
    }
    let answer = try await send(request)
    // A proxy that answers 200 to everything would lose the object.
    guard answer.header("ETag") != nil else {
      throw unexpected(request, "has no ETag: is the endpoint an S3 service?")
    }
  }

  /// Stores an object, unless there is an object of the same name.
  ///
  /// The request has the header `If-None-Match`. A service that ignores the header, or refuses it, cannot
  /// exclude that two callers at the same moment receive true.
  /// - Parameters:
  ///   - name: The object's name, from `[a-z0-9/-]`.
  ///   - bytes: At most 5 GB.
  /// - Returns: False if there is such an object.
  public func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
    guard try await get(name) == nil else { return false }
    var request = Request("PUT", try checked(name), body: bytes, "s3:PutObject")
    request.isConditional = true
    do {
      guard try await send(request).header("ETag") != nil else {
        throw unexpected(request, "has no ETag: is the endpoint an S3 service?")
      }
      return true
    } catch let error as S3Error where error.status == 412 {
      return false
    } catch let error as S3Error where error.status == 501 {
      try await put(name, bytes)
      return true
    }
  }

  /// Returns an object; nil if there is none of this name.
  /// - Parameter name: The object's name, from `[a-z0-9/-]`.
  public func get(_ name: String) async throws -> [UInt8]? {
    let request = Request("GET", try checked(name), "s3:GetObject and s3:ListBucket")
    guard let answer = try await found(request) else { return nil }
    // `answer(to:)` has compared the length.
    guard answer.header("Content-Length") != nil else {
      throw unexpected(
        request, "has no Content-Length, so a cut object would be accepted: check the proxy")
    }
    return answer.body
  }

  /// Returns the names that begin with a text, in byte order. Objects of other programs, whose names
  /// have other characters, are left out. Sends one request for 1,000 objects.
  /// - Parameter prefix: The beginning of the names.
  public func list(_ prefix: String) async throws -> [String] {
    var names: [String] = []
    var token: String?
    while true {
      var query: [(name: String, value: String)] = [
        ("list-type", "2"), ("prefix", self.prefix + prefix),
      ]
      if let token { query.append(("continuation-token", token)) }
      if let size = tuning.pageSize { query.append(("max-keys", "\(size)")) }
      let request = Request("GET", nil, query: query, "s3:ListBucket")
      let page = XMLText(try await send(request).body)
      guard page.root == "ListBucketResult" else {
        throw unexpected(request, "is not a list of objects: is the endpoint an S3 service?")
      }
      for key in page.all("Key") where key.hasPrefix(self.prefix + prefix) {
        let name = String(key.dropFirst(self.prefix.count))
        if Self.isName(name) { names.append(name) }
      }
      guard page["IsTruncated"] == "true" else { return names.sorted() }
      guard let next = page["NextContinuationToken"], next != token else {
        throw unexpected(
          request, "is incomplete, and does not say how to continue: is the endpoint an S3 service?"
        )
      }
      token = next
    }
  }

  /// Deletes an object. An object that does not exist is no error.
  /// - Parameter name: The object's name, from `[a-z0-9/-]`.
  public func delete(_ name: String) async throws {
    _ = try await found(Request("DELETE", try checked(name), "s3:DeleteObject"))
  }

  /// Returns nil if the object does not exist. An answer 404 without the code comes from elsewhere.
  private func found(_ request: Request) async throws -> HTTPAnswer? {
    do {
      return try await send(request)
    } catch let error as S3Error where error.code == "NoSuchKey" {
      return nil
    }
  }

  private func unexpected(_ request: Request, _ problem: String) -> S3Error {
    S3Error(.service, "\(place(request)): the answer \(problem)")
  }
}

extension S3Store {
  private func checked(_ name: String) throws -> String {
    guard Self.isName(name) else {
      throw S3Error(
        .invalidArgument, "The name of an object has only a-z, 0-9, - and single slashes: \(name)")
    }
    return name
  }

  private static func isName(_ name: String) -> Bool {
    name.wholeMatch(of: /[a-z0-9\-]+(\/[a-z0-9\-]+)*/) != nil
  }

  /// The host is in lower case, and without the scheme's own port, as clients send it.
  private static func address(_ endpoint: String) -> (isSecure: Bool, host: String)? {
    let text = endpoint.lowercased()
    guard
      let match = text.wholeMatch(of: /(https?):\/\/([a-z0-9.\-]+|\[[0-9a-f:]+\])(:\d{1,5})?\/?/)
    else { return nil }
    let isSecure = match.1 == "https"
    let port = match.3.flatMap { $0 == (isSecure ? ":443" : ":80") ? nil : $0 } ?? ""
    return (isSecure, "\(match.2)\(port)")
  }
}

extension S3Store: CustomStringConvertible, CustomReflectable {
  /// The bucket, the folder and the host.
  public var description: String { "S3Store(\(bucket)/\(prefix) at \(host))" }
  /// A mirror without children, which hides the access key.
  public var customMirror: Mirror { Mirror(self, children: [:]) }  // hides the access key
}

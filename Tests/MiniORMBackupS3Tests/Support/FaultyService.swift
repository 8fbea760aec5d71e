#if canImport(Glibc)
  import Foundation
  import Synchronization

  @testable import MiniORMBackupS3

  /// A service that fails as told: a small S3 in memory, or a real service behind a proxy.
  final class FaultyService: Sendable {
    enum Fault: Sendable, Hashable {
      /// An answer with a status and a code.
      case refuse(Int, String)
      /// The connection ends without an answer.
      case disconnect
      /// The connection ends in the middle of the answer's body, or of the headers of an answer
      /// without a body.
      case cut
      /// The answer comes after an hour.
      case slow
      /// A byte of the object changes on the way to the service.
      case damage
      /// Any answer.
      case answer(Int, String, [String: String])
    }

    fileprivate struct State {
      var objects: [String: [UInt8]] = [:]
      var faults: [String: [Fault]] = [:]
      var requests: [LocalServer.Request] = []
    }

    private let state = Mutex(State())
    /// The port of the real service.
    private let upstream: UInt16?
    private let server = Mutex<LocalServer?>(nil)

    init(before upstream: UInt16? = nil) throws {
      self.upstream = upstream
      let server = try LocalServer { [weak self] in self?.answer($0) ?? LocalServer.Answer() }
      self.server.withLock { $0 = server }
    }

    var port: UInt16 { server.withLock { $0?.port ?? 0 } }
    var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    var requests: [LocalServer.Request] { state.withLock { $0.requests } }

    /// Lets the next requests with a verb fail.
    func fail(_ verb: String, _ faults: Fault...) {
      state.withLock {
        $0.faults[verb] = faults
        $0.requests = []
      }
    }

    func add(_ key: String, _ bytes: [UInt8]) { state.withLock { $0.objects[key] = bytes } }

    func store(
      prefix: String = "", attempts: Int = 3, pageSize: Int? = 3,
      timeout: Duration = .seconds(30), now: @escaping @Sendable () -> Date = { Date() },
      credentials: @escaping @Sendable () async throws -> S3Credentials = { .example }
    ) throws -> S3Store {
      try S3Store(
        "http://127.0.0.1:\(port)", "test-1", "bucket", prefix, false, timeout,
        S3Store.Tuning(attempts: attempts, backoff: 2, pageSize: pageSize, now: now), credentials)
    }

    private func answer(_ received: LocalServer.Request) -> LocalServer.Answer {
      var request = received
      let fault = state.withLock { state in
        state.requests.append(received)
        let next = state.faults[received.verb]?.first
        if next != nil { state.faults[received.verb]?.removeFirst() }
        return next
      }
      switch fault {
      case .refuse(let status, let code): return Self.refusal(status, code)
      case .answer(let status, let body, let headers):
        return .status(status, Array(body.utf8), headers)
      case .disconnect: return LocalServer.Answer()
      case .damage:
        if !request.body.isEmpty { request.body[request.body.count / 2] ^= 1 }
      case .cut, .slow, nil: break
      }
      var answer =
        upstream.map { LocalServer.forward(request, to: $0) }
        ?? state.withLock { $0.serve(request) }
      if fault == .cut {
        let body = answer.bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0
        let count = answer.bytes.count - body
        answer.bytes.removeLast(((count > 0 ? count : answer.bytes.count) + 1) / 2)
      }
      if fault == .slow { answer.delay = 3_600 }
      return answer
    }

    static func refusal(_ status: Int, _ code: String, _ more: String = "") -> LocalServer.Answer {
      .status(status, Array(refusalText(code, more).utf8))
    }

    static func refusalText(_ code: String, _ more: String = "") -> String {
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>\(code)</Code><Message>A &quot;text&quot; &amp; more</Message>\(more)</Error>
      """
    }
  }

  extension FaultyService.State {
    fileprivate mutating func serve(_ request: LocalServer.Request) -> LocalServer.Answer {
      let hash = (try? S3Signature.hash(request.body)) ?? []
      guard S3Signature.hexadecimal(hash) == request.headers["x-amz-content-sha256"] else {
        return FaultyService.refusal(400, "XAmzContentSHA256Mismatch")
      }
      // As a bucket with Object Lock: with a checksum, which is signed.
      let signed = request.headers["authorization"]?.contains(";x-amz-checksum-sha256;") ?? false
      let checksum = signed ? request.headers["x-amz-checksum-sha256"] : nil
      guard request.verb != "PUT" || checksum == Data(hash).base64EncodedString() else {
        return FaultyService.refusal(400, "InvalidRequest")
      }
      guard request.path.hasPrefix("/bucket") else {
        return FaultyService.refusal(404, "NoSuchBucket")
      }
      let key = String(request.path.dropFirst("/bucket/".count))
      switch request.verb {
      case "PUT":
        objects[key] = request.body
        return .status(200, [], ["ETag": "\"1\""])
      case "GET":
        guard let bytes = objects[key] else { return FaultyService.refusal(404, "NoSuchKey") }
        return .status(200, bytes, ["ETag": "\"1\""])
      case "DELETE":
        objects[key] = nil
        return .status(204)
      default: return list(request.query)
      }
    }

    private func list(_ query: [String: String]) -> LocalServer.Answer {
      let size = query["max-keys"].flatMap { Int($0) } ?? 1_000
      // The service chooses the order, as directory buckets in AWS do.
      let keys = objects.keys
        .filter { $0.hasPrefix(query["prefix"] ?? "") }
        .sorted { String($0.reversed()) > String($1.reversed()) }
      let start = query["continuation-token"].flatMap { Int($0.dropFirst(2)) } ?? 0
      let page = keys.dropFirst(start).prefix(size)
      let isCut = start + page.count < keys.count
      func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      }
      let contents = page.map { "<Contents><Key>\(escaped($0))</Key><Size>1</Size></Contents>" }
      let next = "<NextContinuationToken>+/\(start + page.count)</NextContinuationToken>"
      let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>
        \(isCut ? next : "")<IsTruncated>\(isCut)</IsTruncated>\(contents.joined())
        </ListBucketResult>
        """
      return .status(200, Array(text.utf8))
    }
  }
#endif

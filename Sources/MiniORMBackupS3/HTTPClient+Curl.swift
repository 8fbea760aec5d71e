#if !canImport(Darwin)
  import CCurl
  import Dispatch
  import Synchronization

  /// Sends requests by libcurl. A handle keeps its connection for later requests.
  final class HTTPClient: Sendable {
    private static let maximumIdleCount = 16
    private let idle = Mutex<[CurlHandle]>([])

    /// - Throws: ``HTTPFailure``; `CancellationError` within about a second after a cancellation.
    func answer(to request: HTTPRequest) async throws -> HTTPAnswer {
      let handle = try idle.withLock { $0.popLast() } ?? CurlHandle()
      let cancellation = Cancellation()
      let answer = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          handle.queue.async {
            continuation.resume(with: Result { try handle.perform(request, cancellation) })
          }
        }
      } onCancel: {
        cancellation.isCancelled.store(true, ordering: .relaxed)
      }
      // After an error, the connection is closed with the handle.
      idle.withLock { if $0.count < Self.maximumIdleCount { $0.append(handle) } }
      return answer
    }
  }

  private final class Cancellation: Sendable {
    let isCancelled = Atomic(false)
  }

  private final class CurlHandle: Sendable {
    /// Only one request at a time uses the handle.
    nonisolated(unsafe) private let easy: UnsafeMutableRawPointer
    /// A request blocks its thread, which must not belong to Swift's pool.
    let queue = DispatchQueue(label: "MiniORM S3")
    private static let isReady = ccurl_initialize() != 0

    init() throws {
      guard Self.isReady, let easy = ccurl_create() else {
        throw HTTPFailure(.unreachable, "libcurl cannot start, for example for want of memory.")
      }
      self.easy = easy
    }

    deinit { ccurl_free(easy) }

    func perform(_ request: HTTPRequest, _ cancellation: Cancellation) throws -> HTTPAnswer {
      var headers: UnsafeMutablePointer<curl_slist>?
      defer { curl_slist_free_all(headers) }
      // "Expect: 100-continue" would wait a second for services that do not know it.
      for line in request.headers.map({ "\($0.key): \($0.value)" }) + ["Expect:"] {
        guard let longer = curl_slist_append(headers, line) else {
          throw HTTPFailure(.unreachable, "There is not enough memory.")
        }
        headers = longer
      }
      let transfer = Transfer(request.timeout, cancellation)
      let code = withExtendedLifetime(transfer) {
        request.method.withCString { method in
          request.url.withCString { url in
            (request.body ?? []).withUnsafeBytes { body in
              var curl = ccurl_request()
              (curl.method, curl.url, curl.headers) = (method, url, headers)
              // The pointer to an empty array may be nil.
              if request.body != nil { curl.body = body.baseAddress ?? UnsafeRawPointer(url) }
              curl.body_size = body.count
              curl.connect_milliseconds = Int(request.timeout / .milliseconds(1))
              curl.on_header = { Transfer.of($3)?.addHeader(Transfer.bytes($0, $1 * $2)) ?? 0 }
              curl.on_body = { Transfer.of($3)?.addBody(Transfer.bytes($0, $1 * $2)) ?? 0 }
              curl.on_progress = { Transfer.of($0)?.check(moved: $2 + $4) ?? 1 }
              curl.context = Unmanaged.passUnretained(transfer).toOpaque()
              return ccurl_perform(easy, &curl)
            }
          }
        }
      }
      return try transfer.answer(code)
    }
  }

  /// An answer that arrives, on the thread of its request.
  private final class Transfer {
    /// An attempt without a KiB in the time of its request fails, so that an answer of a byte per
    /// second does not last for ever.
    private static let leastProgress = 1 << 10
    private static let maximumHeaderSize = 64 << 10

    private let timeout: Duration
    private let cancellation: Cancellation
    private var received = HTTPAnswer(status: 0)
    private var headerSize = 0
    /// False again at the beginning of the answer that follows "100 Continue".
    private var hasAllHeaders = false
    private var isTooLarge = false
    private var isStalled = false
    private var mark = (moved: 0, time: ContinuousClock.now)

    init(_ timeout: Duration, _ cancellation: Cancellation) {
      (self.timeout, self.cancellation) = (timeout, cancellation)
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
      context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    static func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer
    {
      UnsafeRawBufferPointer(start: start, count: count)
    }

    /// - Returns: The number of bytes; another number ends the request.
    func addHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
      headerSize += bytes.count
      guard headerSize <= Self.maximumHeaderSize else {
        isTooLarge = true
        return -1
      }
      let line = String(decoding: bytes, as: UTF8.self)
      if line.hasPrefix("HTTP/") {
        let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) }
        received = HTTPAnswer(status: status ?? 0)
        hasAllHeaders = false
      } else if !hasAllHeaders {
        if let field = line.wholeMatch(of: /([^:\r\n]+):\s*(.*?)\s*/) {
          received.headers[field.1.lowercased()] = String(field.2)
        } else {
          hasAllHeaders = line.allSatisfy(\.isNewline)
        }
      }
      return bytes.count
    }

    /// - Returns: The number of bytes; another number ends the request.
    func addBody(_ bytes: UnsafeRawBufferPointer) -> Int {
      guard received.body.count + bytes.count <= S3Store.maximumSize else {
        isTooLarge = true
        return -1
      }
      received.body += bytes
      return bytes.count
    }

    /// libcurl calls this at least once per second.
    /// - Returns: 0 to continue.
    func check(moved: Int) -> Int32 {
      let now = ContinuousClock.now
      let moved = moved + headerSize
      if moved - mark.moved >= Self.leastProgress { mark = (moved, now) }
      isStalled = now - mark.time > timeout
      return isStalled || cancellation.isCancelled.load(ordering: .relaxed) ? 1 : 0
    }

    func answer(_ code: CURLcode) throws -> HTTPAnswer {
      if cancellation.isCancelled.load(ordering: .relaxed) { throw CancellationError() }
      if isTooLarge { throw HTTPFailure.tooLarge }
      if isStalled {
        throw HTTPFailure(
          .unreachable, "Less than \(Self.leastProgress) bytes moved within \(timeout).")
      }
      switch code {
      // libcurl accepts an answer that ends within its headers.
      case CURLE_OK:
        guard hasAllHeaders else { throw HTTPFailure.damaged }
        return received
      case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: throw HTTPFailure.damaged
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
        throw HTTPFailure(.unreachable, "The answer is not HTTP.")
      default:
        // A static ASCII text.
        throw HTTPFailure(.unreachable, "\(String(cString: curl_easy_strerror(code))).")
      }
    }
  }
#endif

#if canImport(Glibc)
  import Foundation
  import Testing

  @testable import MiniORMBackupS3

  @Suite("Answers that are cut, slow, or not HTTP")
  struct CutAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let answer: LocalServer.Answer
      let reason: S3Error.Reason
      let message: String
      /// The time in which a KiB must move. Answers that end do not need it, also on a busy machine.
      let limit: Duration

      init(
        _ name: String, _ text: String, _ reason: S3Error.Reason, _ message: String,
        delay: TimeInterval = 0, pause: TimeInterval = 0
      ) {
        testDescription = name
        answer = LocalServer.Answer(bytes: Array(text.utf8), delay: delay, pause: pause)
        (self.reason, self.message) = (reason, message)
        limit = delay + pause > 0 ? .seconds(1) : .seconds(60)
      }
    }

    private static let head = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\n"
    static let cases = [
      Case("nothing", "", .damaged, "was cut"),
      Case("within the status line", "HTTP/1.1 20", .damaged, "was cut"),
      Case("after the status line", "HTTP/1.1 200 OK\r\n", .damaged, "was cut"),
      Case("within a header", "\(head)Content-Le", .damaged, "was cut"),
      Case("after a header", "\(head)Content-Length: 0\r\n", .damaged, "was cut"),
      Case("within the last line", "\(head)Content-Length: 0\r\n\r", .damaged, "was cut"),
      Case("after the headers", "\(head)Content-Length: 9\r\n\r\n", .damaged, "was cut"),
      Case("within the body", "\(head)Content-Length: 9\r\n\r\nabc", .damaged, "was cut"),
      Case(
        "within a chunk", "\(head)Transfer-Encoding: chunked\r\n\r\n9\r\nabc", .damaged,
        "was cut"),
      Case("after 100", "HTTP/1.1 100 Continue\r\n\r\n", .damaged, "was cut"),
      Case("within the headers after 100", "HTTP/1.1 100 X\r\n\r\n\(head)", .damaged, "was cut"),
      Case("text", "<html>no such page</html>", .unreachable, "is not HTTP"),
      Case("bytes", "\0\u{1}\u{2}\0\n\n\0", .unreachable, "is not HTTP"),
      Case("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", .unreachable, "is not HTTP"),
      Case("no status", "HTTP/1.1 abc\r\n\r\n", .unreachable, "is not HTTP"),
      Case(
        "no end of the headers",
        head + String(repeating: "x: \(String(repeating: "y", count: 99))\r\n", count: 1_000),
        .service, "has more than"),
      Case("no answer", "", .unreachable, "Less than 1024 bytes moved", delay: 600),
      Case(
        "a byte from time to time",
        "\(head)Content-Length: 900\r\n\r\n"
          + String(repeating: "x", count: 900), .unreachable, "Less than 1024 bytes moved",
        pause: 1),
    ]

    @Test("each is a typed error", .timeLimit(.minutes(5)), arguments: cases)
    func error(_ fault: Case) async throws {
      // A request without a limit ends after the test.
      let server = try LocalServer { _ in fault.answer }
      let store = try S3Store(
        "http://127.0.0.1:\(server.port)", "r", "bucket", "", false, fault.limit,
        S3Store.Tuning(attempts: 1)
      ) { .example }
      await withTaskGroup(of: Void.self) { group in
        for verb in S3StoreTests.verbs.keys {
          group.addTask {
            let error = await #expect(throws: S3Error.self) {
              try await S3StoreTests.call(verb, store)
            }
            #expect(error?.reason == fault.reason, "\(verb)")
            #expect(error?.message.contains(fault.message) == true, "\(error?.message ?? "")")
          }
        }
      }
    }

    @Test("many at once leave the other requests of the store untouched", .timeLimit(.minutes(5)))
    func parallel() async throws {
      let server = try LocalServer { request in
        switch request.path.suffix(1) {
        case "1": LocalServer.Answer(bytes: Array(Self.head.utf8))
        case "2": LocalServer.Answer(bytes: Array("\(Self.head)Content-Length: 9\r\n\r\n".utf8))
        default: .status(200, Array(request.path.utf8), ["ETag": "\"1\""])
        }
      }
      let store = try S3Store(
        "http://127.0.0.1:\(server.port)", "r", "bucket", "", false, .seconds(30),
        S3Store.Tuning(attempts: 1)
      ) { .example }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let name = "\(number)"
            guard number % 10 == 1 || number % 10 == 2 else {
              let found = try await store.get(name)
              #expect(found == Array("/bucket/\(name)".utf8))
              return
            }
            let error = await #expect(throws: S3Error.self) { try await store.get(name) }
            #expect(error?.reason == .damaged)
          }
        }
        try await group.waitForAll()
      }
    }

    @Test("an answer that does not end fails before it fills the memory", .timeLimit(.minutes(5)))
    func large() async throws {
      let server = try LocalServer { _ in
        LocalServer.Answer(
          bytes: Array("\(Self.head)\r\n".utf8)
            + [UInt8](repeating: 7, count: S3Store.maximumSize + 1))
      }
      let store = try S3Store(
        endpoint: "http://127.0.0.1:\(server.port)", region: "r", bucket: "bucket",
        credentials: { .example })
      let error = await #expect(throws: S3Error.self) { try await store.get("a") }
      #expect(error?.message.contains("has more than 67108864 bytes") == true)
      let refused = await #expect(throws: S3Error.self) {
        try await store.put("a", [UInt8](repeating: 7, count: S3Store.maximumSize + 1))
      }
      #expect(refused?.reason == .invalidArgument)
    }
  }
#endif

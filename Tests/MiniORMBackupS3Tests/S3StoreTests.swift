#if canImport(Glibc)
  import BackupTestSupport
  import Foundation
  import Testing

  @testable import MiniORMBackupS3

  @Suite("A store of S3, with a service that fails as told")
  struct S3StoreTests {
    typealias Fault = FaultyService.Fault

    /// Calls a verb, and returns its result as text.
    static func call(_ verb: String, _ store: S3Store) async throws -> String {
      switch verb {
      case "PUT":
        try await store.put("a/new", [7, 8])
        return "stored"
      case "GET": return "\(try await store.get("a/1") ?? [])"
      case "LIST": return "\(try await store.list("a/"))"
      default:
        try await store.delete("a/1")
        return "deleted"
      }
    }

    static let verbs = [
      "PUT": "stored", "GET": "[1, 2, 3]", "LIST": #"["a/1", "a/2"]"#, "DELETE": "deleted",
    ]

    private static func filled() throws -> FaultyService {
      let service = try FaultyService()
      service.add("a/1", [1, 2, 3])
      service.add("a/2", [])
      return service
    }

    @Test(
      "random calls have the results of a dictionary", arguments: ["", "app", "a&b/<ü>/c d"])
    func random(_ prefix: String) async throws {
      let service = try FaultyService()
      let store = try service.store(prefix: prefix)
      let start = prefix.isEmpty ? "" : prefix + "/"
      // Neither belongs to the store.
      service.add("\(start)Readme.txt", [1])
      service.add("zz/other", [1])
      if prefix.isEmpty { service.add("zz/Other", [1]) }
      let outside = prefix.isEmpty ? ["zz/other"] : []
      var expected: [String: [UInt8]] = [:]
      var random = AttackRandom(UInt64(prefix.utf8.count))
      for _ in 0..<120 {
        let name =
          "g\(Int.random(in: 0...2, using: &random))/\(Int.random(in: 0...9, using: &random))"
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          let count = [0, 1, 300, 70_000].randomElement(using: &random) ?? 0
          let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
          try await store.put(name, bytes)
          expected[name] = bytes
        case 2:
          try await store.delete(name)
          expected[name] = nil
        case 3:
          let found = try await store.get(name)
          #expect(found == expected[name])
        default:
          let folder = ["", "g", "g1/", "g2/3", "x"].randomElement(using: &random) ?? ""
          let names = try await store.list(folder)
          let all = Array(expected.keys) + outside
          #expect(names == all.filter { $0.hasPrefix(folder) }.sorted())
        }
      }
      #expect(service.objects["\(start)Readme.txt"] == [1])
    }

    @Test(
      "each verb repeats a request that failed for a passing reason",
      arguments: verbs.keys.sorted(),
      [
        Fault.refuse(503, "SlowDown"), .refuse(429, "TooManyRequests"),
        .refuse(500, "InternalError"),
        .refuse(400, "RequestTimeout"), .answer(502, "<html>Bad gateway</html>", [:]), .disconnect,
        .cut,
      ])
    func repeated(_ verb: String, _ fault: Fault) async throws {
      let service = try Self.filled()
      let store = try service.store()
      service.fail(verb, fault)
      let result = try await Self.call(verb, store)
      #expect(result == Self.verbs[verb])
      #expect(service.requests.map(\.verb) == [verb, verb])
    }

    @Test("each verb repeats a request that takes too long", arguments: verbs.keys.sorted())
    func slow(_ verb: String) async throws {
      let service = try Self.filled()
      let store = try service.store(timeout: .seconds(1))
      service.fail(verb, .slow)
      let result = try await Self.call(verb, store)
      #expect(result == Self.verbs[verb])
      // A busy machine may take too long again.
      #expect(service.requests.count >= 2)
    }

    @Test("attempts are limited", arguments: verbs.keys.sorted())
    func limited(_ verb: String) async throws {
      let service = try Self.filled()
      let store = try service.store(attempts: 2)
      service.fail(verb, .refuse(503, "SlowDown"), .refuse(503, "SlowDown"))
      let error = await #expect(throws: S3Error.self) { try await Self.call(verb, store) }
      #expect(error?.reason == .service)
      #expect(error?.status == 503)
      #expect(error?.code == "SlowDown")
      #expect(
        error?.message.hasSuffix(
          ": the service refused it: A \"text\" & more (503 SlowDown), after 2 attempts") == true)
      #expect(service.requests.count == 2)
    }

    @Test("a service that does not exist is reported")
    func unreachable() async throws {
      let port = try FaultyService().port  // closed at once
      let store = try S3Store(
        "http://127.0.0.1:\(port)", "r", "bucket", "", false, .seconds(5),
        S3Store.Tuning(attempts: 2, backoff: 1)
      ) { .example }
      let error = await #expect(throws: S3Error.self) { try await store.get("a") }
      #expect(error?.reason == .unreachable)
      #expect(
        error?.message.hasSuffix("Check the endpoint and the network, after 2 attempts") == true)
    }

    @Test("an object that is damaged on its way to the service is sent again, and then refused")
    func damaged() async throws {
      let service = try FaultyService()
      let store = try service.store()
      service.fail("PUT", .damage)
      try await store.put("a", [1, 2, 3])
      #expect(service.objects == ["a": [1, 2, 3]])

      service.fail("PUT", .damage, .damage, .damage)
      let error = await #expect(throws: S3Error.self) { try await store.put("a", [4]) }
      #expect(error?.reason == .damaged)
      #expect(
        error?.message
          == "PUT bucket/a: the object was damaged on the way to the service: check the network "
          + "(400 XAmzContentSHA256Mismatch), after 3 attempts")
      #expect(service.objects == ["a": [1, 2, 3]])
    }

    @Test(
      "a refusal has a reason and a remedy, and is not repeated",
      arguments: [
        (403, "SignatureDoesNotMatch", "", .invalidCredentials, "check the secret access key"),
        (403, "InvalidAccessKeyId", "", .invalidCredentials, "does not know the access key ID"),
        (
          403, "RequestTimeTooSkewed", "<ServerTime>2026-11-28T05:00:00Z</ServerTime>", .clockSkew,
          "the time is 20270115T080000Z here, and 2026-11-28T05:00:00Z at the service: set the clock"
        ),
        (404, "NoSuchBucket", "", .noSuchBucket, "create it, or correct its name"),
        (403, "AccessDenied", "", .accessDenied, "allow s3:GetObject and s3:ListBucket"),
        (
          400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>", .wrongRegion,
          "the bucket is in the region eu-west-1"
        ),
        (501, "NotImplemented", "", .service, "the service refused it: A \"text\" & more"),
        (404, "NoSuchUpload", "", .service, "the service refused it"),
      ] as [(Int, String, String, S3Error.Reason, String)])
    func refused(
      _ status: Int, _ code: String, _ more: String, _ reason: S3Error.Reason, _ remedy: String
    ) async throws {
      let service = try Self.filled()
      let store = try service.store(now: { Date(timeIntervalSince1970: 1_800_000_000) })
      service.fail("GET", .answer(status, FaultyService.refusalText(code, more), [:]))
      let error = await #expect(throws: S3Error.self) { try await store.get("a/1") }
      #expect(error?.reason == reason)
      #expect(error?.code == code)
      #expect(error?.status == status)
      let message = error?.message ?? ""
      #expect(message.hasPrefix("GET bucket/a/1: "), "\(message)")
      #expect(message.contains(remedy), "\(message)")
      #expect(message.hasSuffix(" (\(status) \(code))"), "\(message)")
      #expect(error?.localizedDescription == message)
      #expect(service.requests.count == 1)
    }

    @Test("the permission of each verb is named", arguments: verbs.keys.sorted())
    func permission(_ verb: String) async throws {
      let service = try Self.filled()
      let store = try service.store()
      service.fail(verb, .answer(403, "", [:]))
      let error = await #expect(throws: S3Error.self) { try await Self.call(verb, store) }
      #expect(error?.reason == .accessDenied)
      let names = [
        "PUT": "s3:PutObject", "GET": "s3:GetObject and s3:ListBucket", "LIST": "s3:ListBucket",
        "DELETE": "s3:DeleteObject",
      ]
      #expect(
        error?.message.hasSuffix("the policy must allow \(names[verb] ?? "") (403)") == true)
    }

    @Test(
      "a redirection is reported and not followed", arguments: [301, 302, 307, 308], [true, false])
    func redirection(_ status: Int, _ isLocated: Bool) async throws {
      let (service, other) = (try Self.filled(), try Self.filled())
      let store = try service.store()
      service.fail(
        "GET",
        .answer(
          status, FaultyService.refusalText("PermanentRedirect", ""),
          [
            isLocated ? "Location" : "x-other": "http://127.0.0.1:\(other.port)/bucket/a/1",
            "x-amz-bucket-region": "eu-west-1",
          ]))
      let error = await #expect(throws: S3Error.self) { try await store.get("a/1") }
      #expect(error?.reason == .wrongRegion)
      #expect(error?.message.contains("the region eu-west-1") == true)
      #expect(service.requests.count == 1 && other.requests.isEmpty)
    }

    @Test(
      "an answer of something else than S3 is refused",
      arguments: [
        ("GET", 404, "<html>Not found</html>", [:], "GET bucket/a/1: the service refused it (404)"),
        ("DELETE", 404, "", [:], "DELETE bucket/a/1: the service refused it (404)"),
        ("PUT", 200, "ok", [:], "has no ETag: is the endpoint an S3 service?"),
        ("LIST", 200, "<html></html>", [:], "is not a list of objects"),
        (
          "LIST", 200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", [:],
          "is incomplete, and does not say how to continue: is the endpoint an S3 service?"
        ),
        ("LIST", 200, "<ListBucketResult><Contents><Key>a</Key></Contents>", [:], "is not a list"),
        ("GET", 200, "abc", ["Content-Length": ""], "has no Content-Length"),
      ] as [(String, Int, String, [String: String], String)])
    func foreign(
      _ verb: String, _ status: Int, _ body: String, _ headers: [String: String], _ message: String
    ) async throws {
      let service = try Self.filled()
      let store = try service.store()
      service.fail(verb, .answer(status, body, headers))
      let error = await #expect(throws: S3Error.self) { try await Self.call(verb, store) }
      #expect(error?.reason == .service)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      #expect(service.requests.count == 1)
    }

    @Test("a list whose continuation leads nowhere ends")
    func endless() async throws {
      let service = try FaultyService()
      let page = """
        <ListBucketResult><IsTruncated>true</IsTruncated>\
        <NextContinuationToken>same</NextContinuationToken></ListBucketResult>
        """
      service.fail("LIST", .answer(200, page, [:]), .answer(200, page, [:]))
      let store = try service.store()
      await #expect(throws: S3Error.self) { try await store.list("") }
      #expect(service.requests.count == 2)
    }

    @Test("cancelling a task ends its request", .timeLimit(.minutes(5)))
    func cancelled() async throws {
      let service = try Self.filled()
      // Neither the answer nor the limit of the request comes before the end of the test.
      let store = try service.store(timeout: .seconds(3_600))
      service.fail("GET", .slow)
      let task = Task { try await store.get("a/1") }
      while service.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      task.cancel()
      let result = await task.result
      #expect(throws: CancellationError.self) { try result.get() }
      #expect(service.requests.count == 1)
    }

    @Test(
      "invalid names are refused without a request",
      arguments: ["", "/", "a//b", "/a", "a/", "A", "a.b", "../a", "a b", "é", "a\n"])
    func names(_ name: String) async throws {
      let service = try FaultyService()
      let store = try service.store()
      for verb in ["PUT", "GET", "DELETE"] {
        let error = await #expect(throws: S3Error.self) {
          switch verb {
          case "PUT": try await store.put(name, [])
          case "GET": _ = try await store.get(name)
          default: try await store.delete(name)
          }
        }
        #expect(error?.reason == .invalidArgument)
      }
      #expect(service.requests.isEmpty)
    }
  }
#endif

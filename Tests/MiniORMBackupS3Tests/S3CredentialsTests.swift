import Foundation
import Synchronization
import Testing

@testable import MiniORMBackupS3

@Suite("Credentials of S3")
struct S3CredentialsTests {
  private static let credentials = S3Credentials(
    accessKeyID: "AKID", secretAccessKey: "hushhush", sessionToken: "tokentoken")

  private static func store(_ credentials: S3Credentials = credentials) throws -> S3Store {
    try S3Store(
      endpoint: "https://s3.example.org", region: "r", bucket: "bucket", prefix: "app",
      credentials: { credentials })
  }

  @Test("descriptions, mirrors and dumps show no secret")
  func hidden() throws {
    let store = try Self.store()
    store.current.withLock { $0 = Self.credentials }
    for value in [Self.credentials, [Self.credentials], store, [store]] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      let texts = [dumped, "\(value)", String(reflecting: value), String(describing: value)]
      for text in texts { #expect(!text.contains("hush") && !text.contains("token"), "\(text)") }
    }
    #expect(Self.credentials.description == "S3Credentials(AKID, hidden)")
    #expect(store.description == "S3Store(bucket/app/ at s3.example.org)")
  }

  @Test("the environment's variables are read")
  func environment() throws {
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
    var variables = Dictionary(uniqueKeysWithValues: zip(names, ["id", "secret", "token"]))
    let all = try S3Credentials(variables)
    #expect(all.accessKeyID == "id" && all.secretAccessKey == "secret")
    #expect(all.sessionToken == "token")
    variables[names[2]] = ""
    #expect(try S3Credentials(variables).sessionToken == nil)
    for name in names.prefix(2) {
      var fewer = variables
      fewer[name] = name == names[0] ? nil : ""
      let error = #expect(throws: S3Error.self) { try S3Credentials(fewer) }
      #expect(error?.reason == .invalidArgument)
      #expect(
        error?.message == "The environment variable \(name) is not set: set it for this process")
    }
  }

  @Test(
    "a profile of a file is read",
    arguments: [
      ("default", "one"), ("second", "two"), ("third", nil), ("missing", nil), ("", nil),
    ])
  func file(_ profile: String, _ id: String?) throws {
    let text = """
      aws_access_key_id = none
      [default]
      # comment
      AWS_Access_Key_ID=one\r
      aws_secret_access_key = hush/+=
      region = r

      [ second ]
      aws_access_key_id = two
      aws_secret_access_key\t= hush/+=  \n\
      aws_session_token = token==
      [third]
      aws_access_key_id = three
      """
    guard let id else {
      let error = #expect(throws: S3Error.self) {
        try S3Credentials(file: Array(text.utf8), profile: profile)
      }
      #expect(error?.reason == .invalidArgument)
      #expect(error?.message.contains("hush") == false)
      return
    }
    let found = try S3Credentials(file: Array(text.utf8), profile: profile)
    #expect(found.accessKeyID == id && found.secretAccessKey == "hush/+=")
    #expect(found.sessionToken == (id == "two" ? "token==" : nil))
  }

  @Test(
    "a key that cannot be a header is refused without being shown",
    arguments: [
      ("", "s", nil, "access key ID"), ("a\r\nb: c", "s", nil, "access key ID"),
      ("a", "hush\n", nil, "secret access key"), ("a", "s", "hüsh", "session token"),
    ] as [(String, String, String?, String)])
  func invalid(_ id: String, _ secret: String, _ token: String?, _ name: String) async throws {
    let store = try Self.store(
      S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token))
    let error = await #expect(throws: S3Error.self) { try await store.get("a") }
    #expect(error?.reason == .invalidCredentials)
    #expect(
      error?.message
        == "The \(name) is empty, or contains a space, a line break or a character beyond ASCII: copy it again"
    )
  }

  #if canImport(Glibc)
    /// Returns credentials with another name at each call.
    private final class Issuer: Sendable {
      let count = Mutex(0)
      let lifetime: TimeInterval?
      let start: Date

      init(_ lifetime: TimeInterval?, from start: Date) {
        self.lifetime = lifetime
        self.start = start
      }

      func issue() -> S3Credentials {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return S3Credentials(
          accessKeyID: "key\(number)", secretAccessKey: "s", sessionToken: "t\(number)",
          expiration: lifetime.map { start.addingTimeInterval($0) })
      }
    }

    private static func keys(_ service: FaultyService) -> [String] {
      service.requests.map { request in
        let header = request.headers["authorization"] ?? ""
        return header.firstMatch(of: /Credential=(\w+)\//).map { String($0.1) } ?? ""
      }
    }

    @Test("credentials are asked for a minute before they expire")
    func expiration() async throws {
      let service = try FaultyService()
      let start = Date(timeIntervalSince1970: 1_800_000_000)
      let issuer = Issuer(600, from: start)
      let now = Mutex(start)
      let store = try service.store(now: { now.withLock { $0 } }, credentials: { issuer.issue() })
      for seconds in [0, 1, 539, 541] as [TimeInterval] {
        now.withLock { $0 = start.addingTimeInterval(seconds) }
        try await store.put("a", [1])
      }
      #expect(Self.keys(service) == ["key1", "key1", "key1", "key2"])
      #expect(service.requests.last?.headers["x-amz-security-token"] == "t2")
    }

    @Test("credentials that the service calls expired are renewed once")
    func expired() async throws {
      let service = try FaultyService()
      let issuer = Issuer(nil, from: Date())
      let store = try service.store(credentials: { issuer.issue() })
      service.fail("PUT", .refuse(400, "ExpiredToken"))
      try await store.put("a", [1])
      #expect(Self.keys(service) == ["key1", "key2"])

      service.fail("PUT", .refuse(400, "ExpiredToken"), .refuse(400, "ExpiredToken"))
      let error = await #expect(throws: S3Error.self) { try await store.put("a", [1]) }
      #expect(error?.reason == .invalidCredentials)
      #expect(
        error?.message
          == "PUT bucket/a: the session token is not valid: obtain new credentials (400 ExpiredToken)"
      )
      #expect(Self.keys(service) == ["key2", "key3"])
    }

    @Test("an error of the closure passes through")
    func failing() async throws {
      struct Locked: Error {}
      let service = try FaultyService()
      let store = try service.store(credentials: { throw Locked() })
      await #expect(throws: Locked.self) { try await store.get("a") }
      #expect(service.requests.isEmpty)
    }

    @Test("a service that repeats the token or the secret does not reach the message")
    func echo() async throws {
      let service = try FaultyService()
      let store = try service.store(credentials: { Self.credentials })
      for text in ["<Code>tokentoken</Code>", "<Message>hushhush</Message>"] {
        service.fail("GET", .answer(418, "<Error>\(text)</Error>", [:]))
        let error = await #expect(throws: S3Error.self) { try await store.get("a") }
        #expect(error?.message.contains("hidden") == true)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("hushhush") && !dumped.contains("tokentoken"))
      }
    }
  #endif
}

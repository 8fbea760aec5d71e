#if canImport(Glibc)
  import BackupTestSupport
  import Foundation
  import Testing
  import TestSupport

  @testable import MiniORMBackupS3

  /// A real service in a process of its own, on a loopback port.
  enum RealService: String, CaseIterable {
    case moto, rclone

    /// True if the program is installed. `make test` installs neither.
    var isInstalled: Bool {
      let command =
        switch self {
        case .moto:
          [
            "python3", "-c",
            "import importlib.util as i, sys; sys.exit(not (i.find_spec('moto') and i.find_spec('flask')))",
          ]
        case .rclone: ["rclone", "serve", "s3", "--help"]
        }
      return (try? ChildProcess.runAndWait(command[0], Array(command.dropFirst())))?.status == 0
    }

    static let installed = allCases.filter(\.isInstalled)

    /// Starts the service, calls a closure with the port and the folder, and stops the service.
    /// - Parameter verifies: True if moto verifies signatures and policies. It decodes queries before
    ///   it verifies their signature, so it refuses a list whose prefix has a slash.
    func run(verifies: Bool, _ body: (UInt16, URL) async throws -> Void) async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("bucket"), withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // The port is free again once this server is gone.
      let port = try LocalServer { _ in LocalServer.Answer() }.port
      let (program, arguments) =
        switch self {
        case .moto:
          ("python3", ["-c", Self.motoScript, "\(port)", folder.path, verifies ? "0" : "inf"])
        case .rclone:
          (
            "rclone",
            [
              "serve", "s3", "--addr", "127.0.0.1:\(port)", "--auth-key",
              "\(S3Credentials.example.accessKeyID),\(S3Credentials.example.secretAccessKey)",
              "--config", folder.appendingPathComponent("none").path, folder.path,
            ]
          )
        }
      let process = Task { try await ChildProcess.run(program, arguments) }
      do {
        for _ in 0..<600 where !LocalServer.isListening(port) {
          try await Task.sleep(for: .milliseconds(100))
        }
        try #require(LocalServer.isListening(port), "\(self) does not start")
        try await body(port, folder)
      } catch {
        process.cancel()
        _ = await process.result
        throw error
      }
      process.cancel()
      _ = await process.result
    }

    /// Serves a bucket, a user who may use the bucket, and a user who may only read; ends with the
    /// test's process.
    private static let motoScript = """
      import json, os, sys, time, urllib.request
      os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = "setup"
      import boto3, logging
      from moto.server import ThreadedMotoServer
      logging.getLogger("werkzeug").setLevel(logging.ERROR)
      parent, port, folder = os.getppid(), int(sys.argv[1]), sys.argv[2]
      # The tests wait for the port, so the setup happens in this process, before the server starts.
      from moto import mock_aws
      from moto.core.authorization import ActionAuthenticatorMixin
      from moto import settings
      with mock_aws():
          boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="bucket")
          iam = boto3.client("iam", region_name="us-east-1")
          def key(user, *actions):
              iam.create_user(UserName=user)
              if actions:
                  document = {"Version": "2012-10-17", "Statement": [
                      {"Effect": "Allow", "Action": list(actions), "Resource": "arn:aws:s3:::*"}]}
                  iam.put_user_policy(UserName=user, PolicyName="p", PolicyDocument=json.dumps(document))
              made = iam.create_access_key(UserName=user)["AccessKey"]
              return [made["AccessKeyId"], made["SecretAccessKey"]]
          keys = [key("writer", "s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:ListBucket"),
                  key("reader", "s3:GetObject", "s3:ListBucket")]
          with open(folder + "/keys.json", "w") as file: json.dump(keys, file)
          settings.INITIAL_NO_AUTH_ACTION_COUNT = float(sys.argv[3])
          ActionAuthenticatorMixin.request_count = 0
          ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False).start()
          while os.getppid() == parent: time.sleep(0.2)
      """

    /// The access keys that may write and that may only read.
    func keys(_ folder: URL) throws -> (writer: S3Credentials, reader: S3Credentials) {
      guard self == .moto else { return (.example, .example) }
      let file = try Data(contentsOf: folder.appendingPathComponent("keys.json"))
      let keys = try JSONDecoder().decode([[String]].self, from: file)
        .map { S3Credentials(accessKeyID: $0[0], secretAccessKey: $0[1]) }
      return (keys[0], keys[1])
    }
  }

  @Suite(
    "Real services of S3",
    .enabled(
      if: !RealService.installed.isEmpty,
      "neither moto (pip install 'moto[server]') nor rclone 1.65 is installed"),
    .serialized)
  struct RealServiceTests {
    @Test(
      "the four verbs, each with a failure that passes", .timeLimit(.minutes(5)),
      arguments: RealService.installed)
    func verbs(_ real: RealService) async throws {
      try await real.run(verifies: false) { port, folder in
        let keys = try real.keys(folder)
        let service = try FaultyService(before: port)
        let store = try service.store(
          prefix: "app/one", pageSize: 7, credentials: { keys.writer })
        var expected: [String: [UInt8]] = [:]
        for number in 0..<25 {
          let name = "g\(number % 2)/log/\(number)"
          expected[name] = (0..<(number * 977)).map { UInt8(truncatingIfNeeded: $0 &* number) }
        }
        service.fail("PUT", .refuse(503, "SlowDown"))
        for (name, bytes) in expected { try await store.put(name, bytes) }
        #expect(service.requests.count == 26)

        for fault in [FaultyService.Fault.refuse(503, "SlowDown"), .disconnect, .cut] {
          service.fail("LIST", fault)
          let names = try await store.list("")
          #expect(names == expected.keys.sorted())
          service.fail("GET", fault)
          for (name, bytes) in expected {
            let found = try await store.get(name)
            #expect(found == bytes, "\(name)")
          }
          #expect(service.requests.count == 26)
        }
        let some = try await store.list("g1/log/1")
        #expect(some == expected.keys.filter { $0.hasPrefix("g1/log/1") }.sorted())

        service.fail("DELETE", .refuse(500, "InternalError"))
        try await store.delete("g0/log/0")
        try await store.delete("g0/log/0")
        let (gone, never) = (try await store.get("g0/log/0"), try await store.get("x/y"))
        #expect(gone == nil && never == nil)
        let left = try await store.list("g0/")
        #expect(left == expected.keys.filter { $0.hasPrefix("g0/") && $0 != "g0/log/0" }.sorted())
        // Each folder of the bucket is a separate store.
        let other = try service.store(prefix: "app/two", credentials: { keys.writer })
        let nothing = try await other.list("")
        #expect(nothing == [])
      }
    }

    @Test(
      "an object of 24 MB arrives unchanged, without a proxy", .timeLimit(.minutes(5)),
      arguments: RealService.installed)
    func large(_ real: RealService) async throws {
      try await real.run(verifies: true) { port, folder in
        let keys = try real.keys(folder)
        let store = try S3Store(
          endpoint: "http://127.0.0.1:\(port)", region: "us-east-1", bucket: "bucket"
        ) { keys.writer }
        for size in [16_383, 16_384, 65_537, 1_048_577, 24_000_000] {
          var bytes = [UInt8](repeating: 7, count: size)
          for index in stride(from: 0, to: size, by: 1_021) {
            bytes[index] = UInt8(truncatingIfNeeded: index)
          }
          try await store.put("large", bytes)
          let found = try await store.get("large")
          #expect(found == bytes, "\(size)")
        }
      }
    }

    @Test(
      "a wrong secret, an unknown key, a missing permission and a missing bucket are distinguished",
      .timeLimit(.minutes(5)), arguments: RealService.installed)
    func refusals(_ real: RealService) async throws {
      try await real.run(verifies: true) { port, folder in
        let keys = try real.keys(folder)
        func reason(_ credentials: S3Credentials, bucket: String = "bucket") async throws
          -> S3Error.Reason?
        {
          let store = try S3Store(
            endpoint: "http://127.0.0.1:\(port)", region: "us-east-1", bucket: bucket
          ) { credentials }
          do {
            try await store.put("a", [1])
            return nil
          } catch let error as S3Error {
            #expect(!error.message.contains(credentials.secretAccessKey))
            return error.reason
          }
        }
        let id = keys.writer.accessKeyID
        let right = try await reason(keys.writer)
        let wrong = try await reason(S3Credentials(accessKeyID: id, secretAccessKey: "wrong"))
        let unknown = try await reason(S3Credentials(accessKeyID: "AKIAX", secretAccessKey: "x"))
        #expect(right == nil)
        #expect(wrong == .invalidCredentials)
        #expect(unknown == .invalidCredentials)
        let missing = try await reason(keys.writer, bucket: "missing-bucket")
        #expect(missing == .noSuchBucket)
        guard real == .moto else { return }
        let denied = try await reason(keys.reader)
        #expect(denied == .accessDenied)
      }
    }
  }
#endif

#if canImport(Glibc)
  import Foundation
  import Synchronization
  import Testing
  import TestSupport

  @testable import MiniORMBackupS3

  /// A real service in a process of its own, on a loopback port.
  enum RealService: String, CaseIterable {
    case moto, rclone, seaweedfs

    /// True if the program is installed. `make test` installs none of them.
    var isInstalled: Bool {
      let command =
        switch self {
        case .moto:
          [
            "python3", "-c",
            "import importlib.util as i, sys; sys.exit(not (i.find_spec('moto') and i.find_spec('flask')))",
          ]
        case .rclone: ["rclone", "serve", "s3", "--help"]
        case .seaweedfs: ["weed", "version"]
        }
      return (try? ChildProcess.runAndWait(command[0], Array(command.dropFirst())))?.status == 0
    }

    static let installed = allCases.filter(\.isInstalled)

    /// The services whose objects outlive a kill. moto keeps its objects in memory.
    static let durable = installed.filter { $0 != .moto }

    /// Starts the service, calls a closure, and stops the service.
    /// - Parameter verifies: True if moto verifies signatures and policies. It decodes queries before
    ///   it verifies their signature, so it refuses a list whose prefix has a slash.
    func run(verifies: Bool, _ body: (RunningService) async throws -> Void) async throws {
      let service = try RunningService(self, verifies: verifies)
      defer { service.deleteFiles() }
      do {
        try await service.start()
        try await body(service)
      } catch {
        await service.kill()
        throw error
      }
      await service.kill()
    }

    fileprivate func command(_ ports: [UInt16], _ folder: String, verifies: Bool)
      -> (program: String, arguments: [String])
    {
      switch self {
      case .moto:
        ("python3", ["-c", Self.motoScript, "\(ports[0])", folder, verifies ? "0" : "inf"])
      case .rclone:
        (
          "rclone",
          [
            "serve", "s3", "--addr", "127.0.0.1:\(ports[0])", "--auth-key",
            "\(S3Credentials.example.accessKeyID),\(S3Credentials.example.secretAccessKey)",
            "--config", folder + "/none", folder,
          ]
        )
      case .seaweedfs:
        ("sh", ["-c", Self.seaweedfsScript, folder] + ports.map { "\($0)" })
      }
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

    /// Serves a bucket to the same users. Its arguments are the folder and eight ports. The bucket is
    /// made in the background, as soon as the server answers.
    private static let seaweedfsScript = """
      cd "$0"
      mkdir -p data
      cat >s3.json <<'END'
      {"identities": [
        {"name": "writer", "actions": ["Read", "Write", "List"],
         "credentials": [{"accessKey": "writer", "secretKey": "writers-secret"}]},
        {"name": "reader", "actions": ["Read", "List"],
         "credentials": [{"accessKey": "reader", "secretKey": "readers-secret"}]}]}
      END
      [ -e ready ] || (
        for attempt in $(seq 300); do
          if echo 's3.bucket.create -name bucket' | weed shell -master="127.0.0.1:$2.$3" 2>/dev/null |
            grep -q 'created bucket'; then touch ready; exit; fi
          sleep 0.2
        done
      ) &
      exec weed server -dir=data -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.port="$2" \\
        -master.port.grpc="$3" -volume.port="$4" -volume.port.grpc="$5" -filer.port="$6" \\
        -filer.port.grpc="$7" -s3 -s3.port="$1" -s3.port.grpc="$8" -s3.port.iceberg=0 \\
        -s3.port.lance=0 -s3.config=s3.json -s3.autoCreateBucket=false -s3.iam=false \\
        -master.volumeSizeLimitMB=64 >>log 2>&1
      """

    /// The access keys that may write and that may only read.
    func keys(_ folder: URL) throws -> (writer: S3Credentials, reader: S3Credentials) {
      if self == .rclone { return (.example, .example) }
      if self == .seaweedfs {
        return (
          S3Credentials(accessKeyID: "writer", secretAccessKey: "writers-secret"),
          S3Credentials(accessKeyID: "reader", secretAccessKey: "readers-secret")
        )
      }
      let file = try Data(contentsOf: folder.appendingPathComponent("keys.json"))
      let keys = try JSONDecoder().decode([[String]].self, from: file)
        .map { S3Credentials(accessKeyID: $0[0], secretAccessKey: $0[1]) }
      return (keys[0], keys[1])
    }
  }

  /// A service that can be killed and started again with the same port and folder.
  final class RunningService: Sendable {
    let real: RealService
    let folder: URL
    private let ports: [UInt16]
    private let verifies: Bool
    private let process = Mutex<Task<ChildProcess.Ended, any Error>?>(nil)

    var port: UInt16 { ports[0] }

    init(_ real: RealService, verifies: Bool) throws {
      (self.real, self.verifies) = (real, verifies)
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("bucket"), withIntermediateDirectories: true)
      // The ports are free again once these servers are gone.
      let servers = try (0..<8).map { _ in try LocalServer { _ in LocalServer.Answer() } }
      ports = withExtendedLifetime(servers) { servers.map(\.port) }
    }

    /// Returns when the service answers.
    func start() async throws {
      let (program, arguments) = real.command(ports, folder.path, verifies: verifies)
      process.withLock { $0 = Task { try await ChildProcess.run(program, arguments) } }
      var isReady: Bool {
        LocalServer.isListening(port)
          && (real != .seaweedfs || FileManager.default.fileExists(atPath: folder.path + "/ready"))
      }
      for _ in 0..<1_200 where !isReady { try await Task.sleep(for: .milliseconds(50)) }
      try #require(isReady, "\(real) does not start")
    }

    /// Deletes the folder, and the sockets that a killed SeaweedFS leaves in /tmp.
    func deleteFiles() {
      try? FileManager.default.removeItem(at: folder)
      let ends = ports.map { "-\($0).sock" }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
      for name in names where name.hasPrefix("seaweedfs-") && ends.contains(where: name.hasSuffix) {
        try? FileManager.default.removeItem(atPath: "/tmp/" + name)
      }
    }

    /// Returns when the process has ended.
    func kill() async {
      let task = process.withLock { $0 }
      task?.cancel()
      _ = await task?.result
    }
  }
#endif

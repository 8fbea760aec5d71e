#if canImport(Glibc)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  @testable import MiniORMBackupS3

  /// A folder with an encrypted database, a service with a bucket, and the built tool.
  private final class BucketRun: Sendable {
    static let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("miniorm").path
    /// The tool is built only if `MINIORM_TOOL` is set.
    static let isBuilt = FileManager.default.isExecutableFile(atPath: program)

    let service: FaultyService
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("miniorm-bucket-\(UUID().uuidString)")

    init() async throws {
      service = try FaultyService()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let bytes = [UInt8](0..<32)
      try write("app.key", bytes.map { String(format: "%02x", $0) }.joined())
      let database = try await Database(path: path("app.db"), key: .raw(bytes))
      try await database.write { db in
        try db.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT)")
      }
      try await database.close()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String, permissions: Int = 0o600) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
      try FileManager.default.setAttributes(
        [.posixPermissions: permissions], ofItemAtPath: path(name))
    }

    static let accessKey = [
      "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_REGION": "r",
    ]

    /// Runs a script in the folder, with the tool on the PATH.
    func callAsFunction(
      _ script: String, _ variables: [String: String] = accessKey
    ) async throws -> ChildProcess.Ended {
      let usual = ProcessInfo.processInfo.environment.filter {
        ["PATH", "LD_LIBRARY_PATH"].contains($0.key)
      }
      var environment = usual.merging(variables) { $1 }
      environment["PATH", default: ""] =
        "\((Self.program as NSString).deletingLastPathComponent):\(usual["PATH"] ?? "/usr/bin:/bin")"
      environment["AWS_ENDPOINT_URL_S3"] =
        variables["AWS_ENDPOINT_URL_S3"] ?? "http://127.0.0.1:\(service.port)"
      environment["HOME"] = folder.path
      return try await ChildProcess.run(
        "/bin/bash", ["-c", script], in: folder, environment, limit: .seconds(120))
    }
  }

  @Suite(
    "The tool and a bucket", .enabled(if: BucketRun.isBuilt, "the tool is built by scripts/test"))
  struct ToolTests {
    private static let key = "--raw --key-file app.key"
    /// Backs up, makes two commits, and ends.
    private static let backUp = """
      miniorm backup --continuous app.db s3://bucket/app \(key) --json --interval 0.05 \\
        --log-limit 16 --keep-all 36h >lines & tool=$!
      wait_for() { until eval "$1" >/dev/null 2>&1; do kill -0 $tool || exit 9; sleep 0.1; done; }
      wait_for 'grep lastRestorable lines'
      count() { miniorm backups s3://bucket/app --positions | wc -l; }
      for name in first second; do
        before=$(count)
        miniorm query app.db --write "INSERT INTO account (name) VALUES ('$name')" \(key) || exit 8
        wait_for '[ $(count) -gt $before ]'
      done
      kill -TERM $tool
      wait $tool
      """

    @Test("a backup in a bucket is listed, restored, followed and pruned")
    func bucket() async throws {
      let run = try await BucketRun()
      let backup = try await run(Self.backUp)
      #expect(backup.status == 0, "\(backup.output)")
      #expect(run.service.objects.keys.allSatisfy { $0.hasPrefix("app/") })

      struct State: Decodable { let position: String, date: String }
      let listed = try await run("miniorm backups s3://bucket/app --positions --json")
      let states = try listed.output.split(separator: "\n").map {
        try JSONDecoder().decode(State.self, from: Data($0.utf8))
      }
      #expect(states.count >= 3, "\(listed.output)")
      struct Generation: Decodable { let states: Int, broken: Int, last: String, lastDate: String }
      let generations = try await run("miniorm backups s3://bucket/app --json")
      let generation = try JSONDecoder().decode(
        Generation.self, from: Data(generations.output.utf8))
      #expect(generation.states == states.count && generation.broken == 0)
      #expect(generation.last == states.last?.position)

      // A date, a UNIX time and a position find each state.
      for (number, state) in states.enumerated() {
        let date = try Date(
          state.date, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let unix = String(format: "%.3f", date.timeIntervalSince1970)
        for (kind, time) in [state.date, unix, state.position].enumerated() {
          let restored = try await run(
            "miniorm restore s3://bucket/app --at \(time) --to \(number)-\(kind).db \(Self.key)")
          #expect(restored.output.hasPrefix(state.position), "\(time): \(restored.output)")
        }
      }
      let sql = "SELECT count(*) FROM account"
      let count = try await run(
        "miniorm query \(states.count - 1)-0.db '\(sql)' --format csv \(Self.key)")
      #expect(count.output.contains("2"), "\(count.output)")
      let again = try await run(
        "miniorm restore s3://bucket/app --to 0-0.db --if-not-exists \(Self.key)")
      #expect(again.status == 0 && again.output.contains("nothing was restored"), "\(again.output)")

      // The same states are listed with and without --dry-run.
      let prune =
        "miniorm backups prune s3://bucket/app --before \(states[states.count - 1].position)"
      let objects = run.service.objects
      let dry = try await run("\(prune) --dry-run")
      #expect(dry.status == 0 && dry.output.contains("would be deleted"), "\(dry.output)")
      #expect(run.service.objects == objects)
      let old = try await run("miniorm backups prune s3://bucket/app --keep-all 31d --dry-run")
      #expect(old.output == "miniorm: 0 objects would be deleted\n")
      let pruned = try await run(prune)
      #expect(pruned.output == dry.output.replacing("would be", with: "were"))

      let promoted = try await run("miniorm follow s3://bucket/app copy.db --promote \(Self.key)")
      #expect(promoted.status == 0, "\(promoted.output)")
      #expect(!FileManager.default.fileExists(atPath: run.path("copy.db-follower")))
    }

    @Test(
      "wrong usage of a bucket is reported, without the secret",
      arguments: [
        ("backups s3://bucket/app", [:], 64, "there is no access key: set AWS_ACCESS_KEY_ID"),
        ("backups s3://bucket/app --credentials open", [:], 64, "chmod 600 open"),
        ("backups s3://bucket/app --credentials none", [:], 64, "cannot be read"),
        ("backups s3://bucket/app --credentials other", [:], 64, "the profile [default] has no"),
        ("backups s3://bucket/app --credentials good", [:], 1, "has no backup"),
        (
          "backups s3://bucket/app --credentials other", ["AWS_PROFILE": "other"], 1,
          "has no backup"
        ),
        ("backups s3://missing/app", BucketRun.accessKey, 1, "the bucket does not exist"),
        ("backups s3://", BucketRun.accessKey, 1, "The bucket must have"),
        (
          "backups s3://bucket --endpoint http://a/b", BucketRun.accessKey, 1,
          "The endpoint must be"
        ),
        ("backups . --region r", [:], 64, "need a bucket such as s3://"),
        ("backup app.db s3://bucket/app", BucketRun.accessKey, 64, "need --continuous"),
        ("backups prune . --keep-all 1w", [:], 64, "keep-all"),
        ("backups prune .", [:], 64, "Give either --before"),
      ] as [(String, [String: String], Int32, String)])
    func usage(
      _ arguments: String, _ variables: [String: String], _ status: Int32, _ message: String
    ) async throws {
      let run = try await BucketRun()
      let good = "[default]\naws_access_key_id = id\naws_secret_access_key = hush\n"
      try run.write("good", good)
      try run.write("open", good, permissions: 0o644)
      try run.write("other", good.replacing("default", with: "other"))
      let ended = try await run("miniorm \(arguments)", variables)
      #expect(ended.status == status, "\(ended.output)")
      #expect(ended.output.contains(message), "\(ended.output)")
      #expect(!ended.output.contains("hush"))
    }

    @Test(
      "a time names one moment, or is refused",
      arguments: [
        ("2026-10-25 02:30", 64, "twice, because they are changed: give a time with its zone, "),
        ("2026-10-25 02:30", 64, "2026-10-25T00:30:00Z or 2026-10-25T01:30:00Z"),
        ("2026-03-29 02:30", 64, "never"),
        ("2026-02-29 12:00", 64, "--at takes"), ("2026-11-20 24:00", 64, "--at takes"),
        ("2026-11-20", 64, "--at takes"), ("yesterday", 64, "--at takes"),
        ("", 64, "--at takes"), ("17e8", 64, "--at takes"),
        ("2026-10-25 01:59", 1, "no such folder"), ("2026-10-25 03:00", 1, "no such folder"),
        ("2026-10-25 02:30 +0100", 1, "no such folder"), ("1795442639", 1, "no such folder"),
        ("2026-11-20T14:03:59.123456789Z", 1, "no such folder"),
        ("2026-11-20T14:03:59,5+05:30", 1, "no such folder"), ("0.5", 1, "no such folder"),
      ] as [(String, Int32, String)])
    func time(_ text: String, _ status: Int32, _ message: String) async throws {
      let run = try await BucketRun()
      let ended = try await run(
        "miniorm restore nowhere --at '\(text)' --to b.db \(Self.key)", ["TZ": "Europe/Berlin"])
      #expect(ended.status == status, "\(ended.output)")
      #expect(ended.output.contains(message), "\(ended.output)")
    }

    @Test("the commands of the page about servers run in their order")
    func page() async throws {
      let run = try await BucketRun()
      let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Docs.docc/RunningABackup.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      // A block after a comment is done by hand.
      let blocks = text.matches(of: /(-->\n)? *```sh\n((?s:.*?))\n *```/).filter { $0.1 == nil }
        .map { String($0.2) }
      #expect(blocks.count == 10)
      try run.write(
        "backup.env",
        BucketRun.accessKey.map { "\($0.key)=\($0.value)\n" }.joined()
          + "AWS_ENDPOINT_URL_S3=http://127.0.0.1:\(run.service.port)\n")
      var script = """
        set -eu
        step() { echo "step: $1"; }
        trap 'kill $tool 2>/dev/null; wait $tool' EXIT

        """
      for (number, block) in blocks.enumerated() {
        script += "step \(number)\n"
        for line in block.split(separator: "\n") {
          let command = line.trimmingCharacters(in: .whitespaces)
            .replacing("/var/lib/app/", with: "\(run.folder.path)/")
            .replacing("/etc/app/", with: "\(run.folder.path)/")
            .replacing("s3://acme-backups/", with: "s3://bucket/")
          guard command.contains("--continuous") else {
            script += "\(command)\n"
            continue
          }
          script += """
            \(command) >lines & tool=$!
            until grep -q lastRestorable lines; do kill -0 $tool; sleep 0.1; done

            """
        }
      }
      let ended = try await run(script, [:])
      #expect(ended.status == 0, "\(ended.output)")
      for text in [
        "app.db exists, and nothing was restored", "0 objects would be deleted", "standby.db has",
      ] {
        #expect(ended.output.contains(text), "\(ended.output)")
      }
    }
  }
#endif

#if canImport(Glibc)
  import BackupTestSupport
  import Foundation
  import MiniORM
  import MiniORMBackup
  import Synchronization
  import Testing

  @testable import MiniORMBackupS3

  @Suite(
    "Real services of S3",
    .enabled(
      if: !RealService.installed.isEmpty,
      "none of moto (pip install 'moto[server]'), rclone 1.65 and SeaweedFS (weed) is installed"),
    .serialized)
  struct RealServiceTests {
    @Test(
      "the four verbs, each with a failure that passes", .timeLimit(.minutes(5)),
      arguments: RealService.installed)
    func verbs(_ real: RealService) async throws {
      try await real.run(verifies: false) { running in
        let port = running.port
        let keys = try real.keys(running.folder)
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
      try await real.run(verifies: true) { running in
        let port = running.port
        let keys = try real.keys(running.folder)
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
      try await real.run(verifies: true) { running in
        let port = running.port
        let keys = try real.keys(running.folder)
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
        guard real != .rclone else { return }
        let denied = try await reason(keys.reader)
        #expect(denied == .accessDenied)
      }
    }

    /// `MINIORM_STORE_KILLS=200` kills a service that many times.
    private static let kills =
      ProcessInfo.processInfo.environment["MINIORM_STORE_KILLS"].flatMap { Int($0) } ?? 3

    @Test(
      "after kills of the service, the newest state in the store has every flushed commit",
      arguments: RealService.durable)
    func killed(_ real: RealService) async throws {
      try await real.run(verifies: false) { running in
        let keys = try real.keys(running.folder)
        let store = try S3Store(
          endpoint: "http://127.0.0.1:\(running.port)", region: "us-east-1", bucket: "bucket",
          prefix: "app"
        ) { keys.writer }
        let key = Key.raw([UInt8](0..<32))
        let database = try await Database(path: running.folder.path + "/a.db", key: key)
        try await database.write { db in
          try db.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, text BLOB)")
        }
        let backup = ContinuousBackup(of: database, to: store, interval: .milliseconds(20))
        try await backup.start()
        var random = AttackRandom(9)
        var (last, flushes) = (0, 0)
        for kill in 0..<Self.kills {
          let delay = Duration.milliseconds(Int.random(in: 0...400, using: &random))
          let hasRestarted = Mutex(false)
          let restart = Task {
            defer { hasRestarted.withLock { $0 = true } }
            try await Task.sleep(for: delay)
            await running.kill()
            try await running.start()
          }
          // The last flush begins after the service runs again.
          while true {
            let isLast = hasRestarted.withLock { $0 }
            try await database.write { db in
              for _ in 0..<3 {
                try db.execute("INSERT INTO entry (text) VALUES (randomblob(300))")
              }
            }
            last += 3
            try await backup.flush()
            flushes += 1
            if isLast { break }
          }
          try await restart.value
          guard kill % 10 == 9 || kill == Self.kills - 1 else { continue }
          let copy = running.folder.path + "/restored-\(kill).db"
          try await Database.restore(from: store, to: copy, keys: [key])
          let restored = try await Database(path: copy, key: key)
          let (found, expected) = (try await rows(restored), try await rows(database))
          #expect(found == expected && found.count == last, "kill \(kill)")
          try await restored.close()
          try Database.delete(path: copy)
        }
        await backup.stop()
        try await database.close()
        if Self.kills > 3 { print("figure: \(real): \(Self.kills) killed, \(flushes) flushes") }
      }
    }

    private func rows(_ database: Database) async throws -> [Data] {
      try await database.read { db in
        try db.query(Data.self, "SELECT text FROM entry ORDER BY id")
      }
    }
  }
#endif

#if os(Linux) || os(macOS)
  import Foundation
  import MiniORM
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  @testable import MiniORMBackup

  /// Processes write, back up and follow until they are killed, and note how many entries the copy had
  /// after each catch-up. `MINIORM_FOLLOWER_KILLS=1000` kills that many.
  @Suite("Killed followers")
  struct KilledFollowerTests {
    private static let kills =
      ProcessInfo.processInfo.environment["MINIORM_FOLLOWER_KILLS"].flatMap { Int($0) } ?? 6

    @Test("after a kill, the copy has a committed state, at or after the last noted state")
    func killed() async throws {
      var random = SplitMix(state: 8)
      var (copies, notes) = (0, 0)
      // Starts a new database every 10 kills.
      for first in stride(from: 0, to: Self.kills, by: 10) {
        try await withBackupCase { place in
          var ledger: [Int] = []
          for kill in first..<min(Self.kills, first + 10) {
            let delay = Int.random(in: 20_000...400_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [folder = place.folder as String, delay = delay as Int, seed = kill as Int] in
              try await Self.followUntilKilled(folder, delay, seed)
            }
            ledger =
              (try? String(contentsOfFile: place.folder + "/ledger", encoding: .utf8))
              .map { $0.split(separator: "\n").compactMap { Int($0) } } ?? []
            guard FileManager.default.fileExists(atPath: place.copy) else { continue }
            let copy = try await place.openCopy()
            let entries = try await copy.entries()
            let total = try await copy.read { db in
              try db.query(Int.self, "SELECT sum(count) FROM total")
            }
            try await copy.close()
            let expected = (1..<entries.count + 1).map { "\($0) counted entry" }
            let isWhole = entries == expected && total == [entries.count]
            #expect(isWhole, "kill \(kill) after \(delay) µs")
            #expect(entries.count >= ledger.last ?? 0, "kill \(kill) after \(delay) µs")
            copies += 1
          }
          notes += ledger.count
          guard FileManager.default.fileExists(atPath: place.copy) else { return }
          let follower = try await place.follow(place.store)
          try await follower.catchUp()
          await follower.stop()
          let (copied, restored) = (try await place.copied(), try await place.restored())
          #expect(copied == restored)
          let report = try await Database.verify(path: place.copy, key: backupKey)
          #expect(report.problems.isEmpty)
        }
      }
      if Self.kills > 6 {
        print("figure: \(Self.kills) killed, \(copies) copies read, \(notes) catch-ups noted")
      }
    }

    private static func followUntilKilled(
      _ folder: String, _ delay: Int, _ seed: Int
    ) async throws {
      let place = BackupCase(folder: folder)
      let database = try await place.openCounted()
      var random = SplitMix(state: UInt64(seed))
      let backup = ContinuousBackup(of: database, to: try place.store, interval: .zero)
      try await backup.start()
      try await backup.flush()
      Thread.detachNewThread {
        usleep(UInt32(delay))
        kill(getpid(), SIGKILL)
      }
      let ledger = open(folder + "/ledger", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      let follower = try await place.follow(place.store)
      var count = try await database.entries().count
      while true {
        let size = Int.random(in: 1...60, using: &random)
        try await database.addCounted(size)
        count += size
        try await backup.flush()
        guard Bool.random(using: &random) else { continue }
        try await follower.catchUp()
        let line = Array("\(count)\n".utf8)
        _ = write(ledger, line, line.count)
      }
    }
  }
#endif

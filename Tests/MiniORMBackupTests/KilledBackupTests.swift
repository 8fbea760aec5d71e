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

  /// Processes write and back up, and note each acknowledged flush in a ledger outside the database
  /// and the store, until they are killed. `MINIORM_BACKUP_KILLS=1000` kills that many.
  @Suite("Killed backups")
  struct KilledBackupTests {
    private static let kills =
      ProcessInfo.processInfo.environment["MINIORM_BACKUP_KILLS"].flatMap { Int($0) } ?? 6

    @Test("after a kill, the newest state in the store has every acknowledged commit")
    func killed() async throws {
      var random = SplitMix(state: 5)
      var flushes = 0
      // Starts a new database every 10 kills.
      for first in stride(from: 0, to: Self.kills, by: 10) {
        try await withBackupCase { place in
          var noted = 0
          defer { flushes += noted }
          for kill in first..<min(Self.kills, first + 10) {
            let delay = Int.random(in: 5_000...250_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
              [folder = place.folder as String, delay = delay as Int, seed = kill as Int] in
              try await Self.workUntilKilled(folder, delay, seed)
            }
            let ledger =
              (try? String(contentsOfFile: place.folder + "/ledger", encoding: .utf8)) ?? ""
            guard let least = ledger.split(separator: "\n").last.flatMap({ Int($0) }) else {
              continue
            }
            noted = ledger.split(separator: "\n").count
            let entries = try await place.restored()
            let expected = (1..<max(1, entries.count + 1)).map { "\($0) entry \($0)" }
            #expect(entries.count >= least && entries == expected, "kill \(kill) after \(delay) µs")
          }
        }
      }
      if Self.kills > 6 { print("figure: \(Self.kills) killed, \(flushes) flushes noted") }
    }

    private static func workUntilKilled(_ folder: String, _ delay: Int, _ seed: Int) async throws {
      let place = BackupCase(folder: folder)
      let database = try await place.open()
      var random = SplitMix(state: UInt64(seed))
      Thread.detachNewThread {
        usleep(UInt32(delay))
        kill(getpid(), SIGKILL)
      }
      let ledger = open(folder + "/ledger", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      let retention =
        seed % 2 == 0
        ? nil : BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      let backup = ContinuousBackup(
        of: database, to: try place.store, interval: .milliseconds(seed % 3), retention: retention)
      try await backup.start()
      var count = try await database.entries().count
      while true {
        let size = Int.random(in: 1...30, using: &random)
        let first = count + 1
        try await database.write { db in
          for id in first..<first + size {
            let text = "entry \(id)"
            try db.execute("INSERT INTO entry (id, text) VALUES (\(id), \(text))")
          }
          // Some pages more, so that the log restarts now and then.
          try db.execute("UPDATE entry SET text = text WHERE id % 2 = 0")
        }
        count += size
        if Bool.random(using: &random) {
          try await backup.flush()
          let line = Array("\(count)\n".utf8)
          _ = write(ledger, line, line.count)
        }
      }
    }
  }
#endif

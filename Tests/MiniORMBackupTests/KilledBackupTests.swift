#if os(Linux) || os(macOS)
  import Foundation
  import MiniORM
  import Synchronization
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
  /// and the store, until they are killed. Other processes prune or restore until they are killed.
  /// `MINIORM_BACKUP_KILLS=1000` kills that many in each test.
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

    @Test("after a kill of pruning, every listed state can be restored")
    func killedPruning() async throws {
      var random = SplitMix(state: 6)
      var deletions = 0
      for kill in 0..<Self.kills {
        try await withBackupCase { place in
          let store = try place.store
          let latest = try await Self.fill(place)
          let count = try store.list("").count
          // The deletion after which the process is killed, and the pause.
          let (last, delay) = (1 + kill % 8, Int.random(in: 0...2_000, using: &random))
          await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = place.folder as String, last = last as Int, delay = delay as Int] in
            let store = PausingStore(store: try BackupCase(folder: folder).store, last) {
              Self.killLater(delay)
            }
            try await Self.nothing.prune(store, now: .now + 10)
            raise(SIGKILL)
          }
          deletions += count - (try store.list("").count)
          for chain in try await BackupCatalog(store).all() {
            for moment in chain.moments {
              let position = BackupPosition(file: chain.name.file, object: moment)
              let entries = try await place.restored(.position(position))
              #expect(latest.starts(with: entries), "kill \(kill), deletion \(last)")
            }
          }
          try await Self.nothing.prune(store, now: .now + 10)
          let restored = try await place.restored()
          #expect(restored == latest, "kill \(kill), deletion \(last)")
        }
      }
      #expect(deletions >= Self.kills)
      if Self.kills > 6 {
        print("figure: \(Self.kills) killed, \(deletions) objects deleted before")
      }
    }

    @Test("after a kill of restores, each file with its final name is complete")
    func killedRestores() async throws {
      var random = SplitMix(state: 7)
      try await withBackupCase { place in
        let latest = try await Self.fill(place)
        var complete = 0
        for kill in 0..<Self.kills {
          let folder = place.folder + "/restored"
          try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
          let delay = Int.random(in: 0...100_000, using: &random)
          let before = complete
          await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = place.folder as String, delay = delay as Int] in
            let store = try BackupCase(folder: folder).store
            Self.killLater(delay)
            for number in 0... {
              let path = "\(folder)/restored/\(number).db"
              try await Database.restore(from: store, to: path, keys: [backupKey])
            }
          }
          for name in try FileManager.default.contentsOfDirectory(atPath: folder)
          where name.hasSuffix(".db") {
            let database = try await Database(path: "\(folder)/\(name)", key: backupKey)
            let entries = try await database.entries()
            #expect(entries == latest, "kill \(kill) after \(delay) µs")
            try await database.close()
            complete += 1
          }
          // The restore that was killed is repeated, and deletes its temporary file.
          let path = "\(folder)/\(complete - before).db"
          try await Database.restore(from: try place.store, to: path, keys: [backupKey])
          let names = try FileManager.default.contentsOfDirectory(atPath: folder)
          #expect(!names.contains { $0.contains(".miniorm-") }, "kill \(kill) after \(delay) µs")
          try FileManager.default.removeItem(atPath: folder)
        }
        let restored = try await place.restored()
        #expect(restored == latest)
        if Self.kills > 6 { print("figure: \(Self.kills) killed, \(complete) complete restores") }
      }
    }

    @Test("a restore deletes the temporary files of killed restores to its path, and no others")
    func leftovers() async throws {
      try await withBackupCase { place in
        let latest = try await Self.fill(place)
        let kept = [
          "a.db.miniorm-1", "b.db.miniorm-restore.miniorm-2", "a.db.miniorm-restore.miniorm-3",
          "a.db.miniorm-restore.miniorm-3-wal",
        ]
        let deleted = ["", "-wal", "-shm", "-journal"].map {
          "a.db.miniorm-restore.miniorm-4\($0)"
        }
        let folder = place.folder + "/restored"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in kept + deleted {
          #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([1])))
        }
        let link = "a.db.miniorm-restore.miniorm-5"
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(link)", withDestinationPath: kept[0])
        // A restore that runs.
        let running = open("\(folder)/\(kept[2])", O_RDWR | O_CLOEXEC)
        defer { close(running) }
        #expect(flock(running, LOCK_EX) == 0)

        try await Database.restore(
          from: try place.store, to: folder + "/a.db", keys: [backupKey])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.sorted() == (kept + [link, "a.db"]).sorted())
        let database = try await Database(path: folder + "/a.db", key: backupKey)
        let entries = try await database.entries()
        #expect(entries == latest)
        try await database.close()
      }
    }

    private static let nothing = BackupRetention(all: .zero, hourly: .zero, daily: .zero)

    private static func killLater(_ microseconds: Int) {
      Thread.detachNewThread {
        usleep(UInt32(microseconds))
        kill(getpid(), SIGKILL)
      }
    }

    /// Fills a store with generations, and returns the newest state.
    private static func fill(_ place: BackupCase) async throws -> [String] {
      let database = try await place.open()
      for generation in 0..<3 {
        try await withRunningBackup(of: database, to: try place.store) { backup in
          for step in 0..<3 {
            try await database.add(["\(generation) \(step)"])
            try await backup.flush()
          }
        }
      }
      let entries = try await database.entries()
      try await database.close()
      return entries
    }

    /// Pauses before each deletion, and calls a closure after one of them.
    private final class PausingStore: BackupStore {
      private let store: FolderStore
      private let left: Mutex<Int>
      private let after: @Sendable () -> Void

      init(store: FolderStore, _ count: Int, after: @escaping @Sendable () -> Void) {
        (self.store, self.after) = (store, after)
        left = Mutex(count)
      }

      func put(_ name: String, _ bytes: [UInt8]) throws { try store.put(name, bytes) }
      func get(_ name: String) throws -> [UInt8]? { try store.get(name) }
      func list(_ prefix: String) throws -> [String] { try store.list(prefix) }
      func delete(_ name: String) async throws {
        try await Task.sleep(for: .milliseconds(1))
        try store.delete(name)
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { after() }
      }
    }

    private static func workUntilKilled(_ folder: String, _ delay: Int, _ seed: Int) async throws {
      let place = BackupCase(folder: folder)
      let database = try await place.open()
      var random = SplitMix(state: UInt64(seed))
      killLater(delay)
      let ledger = open(folder + "/ledger", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      let retention = seed % 2 == 0 ? nil : nothing
      // Most starts continue the newest state.
      let backup = ContinuousBackup(
        database, try place.store, .milliseconds(seed % 3), 256 << 20, retention,
        fenceInterval: .seconds(10), comparedSize: seed % 4 == 3 ? 1 << 30 : 0)
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

import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Continuous backups")
struct ContinuousBackupTests {
  @Test("a flushed commit can be restored, and the copy has the key of the database")
  func flush() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one", "two"])
        try await backup.flush()
        let entries = try await place.restored(keys: [backupKey])
        #expect(entries == ["1 one", "2 two"])
        let status = await backup.now
        #expect(status.isRunning && status.behind == 0 && status.lastError == nil)
        #expect(status.position != nil && status.reason == "the backup started")
      }
      try await database.close()
    }
  }

  @Test("each state of a random history can be restored by position")
  func timeTravel() async throws {
    let count = ProcessInfo.processInfo.environment["MINIORM_BACKUP_MOMENTS"].flatMap { Int($0) }
    var random = SplitMix(state: 52)
    try await withBackupCase { place in
      let database = try await place.open()
      let other = try await place.open()
      var history: [(position: BackupPosition, entries: [String])] = []
      try await withRunningBackup(of: database, to: place.store) { backup in
        for step in 0..<(count ?? 40) {
          try await database.changeRandomly(step, beside: other, &random)
          history.append((try await backup.flushedPosition(), try await database.entries()))
        }
      }
      try await other.close()
      try await database.close()
      for index in Set(
        (0..<(count ?? 12)).map { _ in Int.random(in: 0..<history.count, using: &random) })
      {
        let entries = try await place.restored(.position(history[index].position))
        #expect(entries == history[index].entries, "step \(index)")
      }
      let last = try #require(history.last)
      let latest = try await place.restored()
      #expect(latest == last.entries)
      let dated = try await place.restored(.date(last.position.date))
      #expect(dated == last.entries)
      let names = try place.store.list(GenerationName.folder)
      #expect(names.count == 1)
    }
  }

  @Test("a copied log restarts, and a generation gets further bases instead of endless frames")
  func longHistory() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await database.add(Array(repeating: String(repeating: "page ", count: 500), count: 150))
      var states: [(BackupPosition, [String])] = []
      var longest = 0
      try await withRunningBackup(of: database, to: place.store) { backup in
        for step in 0..<40 {
          try await database.write { db in
            try db.execute("UPDATE entry SET text = \(step) || substr(text, 3)")
          }
          states.append((try await backup.flushedPosition(), try await database.entries()))
          let log = try FileManager.default.attributesOfItem(atPath: place.path + "-wal")
          longest = max(longest, (log[.size] as? Int ?? 0) / 4_120)
        }
      }
      let objects = try place.store.list("").compactMap { ObjectName($0) }
      #expect(Set(objects.map(\.generation)).count == 1)
      #expect(objects.count { $0.link == "base" } > 2)
      #expect(longest < 1_500, "\(longest) frames")
      try await database.close()
      for index in [0, 7, 15, 39] {
        let entries = try await place.restored(.position(states[index].0))
        #expect(entries == states[index].1, "step \(index)")
      }
    }
  }

  @Test("a commit notifies the backup at the same depth of calls, however many commits came before")
  func depth() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let depths = Mutex<[Int]>([])
      database.setLogHolder(
        onCommit: { _ in
          depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
        }, release: {})
      for number in 0..<40 { try await database.add(["\(number)"]) }
      database.removeLogHolder()
      let found = depths.withLock { $0 }
      #expect(found.count == 40)
      // Different threads may begin with a few calls more.
      let growth = try #require(found.last) - found[1]
      #expect(growth < 20, "\(found)")
      try await database.close()
    }
  }

  @Test("a database that is closed while the store is away ends its backup")
  func closing() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = FaultyStore(store: try place.store, faults: .init(seed: 1, share: 200))
      let backup = ContinuousBackup(of: database, to: store, interval: .zero)
      try await backup.start()
      let flush = Task { try await backup.flush() }
      try await Task.sleep(for: .milliseconds(50))
      try await database.close()
      let error = await #expect(throws: DatabaseError.self) { try await flush.value }
      #expect(error?.code == .misuse)
      let status = await backup.now
      #expect(!status.isRunning)
    }
  }

  @Test("a date restores the last state before, and a date before the first state is refused")
  func dates() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      var first: BackupPosition?
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        first = try await backup.flushedPosition()
        try await Task.sleep(for: .milliseconds(50))
        try await database.add(["two"])
        try await backup.flush()
      }
      try await database.close()
      let position = try #require(first)
      let entries = try await place.restored(.date(position.date.addingTimeInterval(0.02)))
      #expect(entries == ["1 one"])
      let error = try await failureOfBackup {
        try await place.restored(.date(position.date.addingTimeInterval(-3_600)))
      }
      #expect(error.code == .cannotOpen && error.message.contains("its oldest state is of"))
      #expect(BackupPosition(position.description) == position)
    }
  }

  @Test("a database without tables, and a backup that begins after the commits")
  func beginnings() async throws {
    try await withBackupCase { place in
      let empty = try await Database(path: place.path, key: backupKey)
      try await withRunningBackup(of: empty, to: place.store) { backup in
        try await backup.flush()
      }
      let copy = place.folder + "/copy.db"
      try await Database.restore(from: place.store, to: copy, keys: [backupKey])
      let tables = try await Database.inspect(path: copy, key: backupKey) { database in
        try await database.read { db in
          try db.query(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table'")
        }
      }
      #expect(tables == ["miniorm_backup"])
      try await empty.close()

      let database = try await place.open()
      try await database.add((0..<5_000).map { "before \($0)" })
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await backup.flush()
        let before = try await place.restored()
        #expect(before.count == 5_000)
        // A transaction of several objects.
        try await database.add(
          Array(repeating: String(repeating: "large ", count: 500), count: 2_000))
        try await backup.flush()
      }
      let (restored, entries) = (try await place.restored(), try await database.entries())
      #expect(restored == entries)
      try await database.close()
    }
  }

  @Test("a change of the key begins a generation, and each state needs the key of its time")
  func rekey() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      var positions: [BackupPosition] = []
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        positions.append(try await backup.flushedPosition())
        try await database.changeKey(to: laterKey)
        try await database.add(["two"])
        positions.append(try await backup.flushedPosition())
        let reason = await backup.now.reason
        #expect(reason?.contains("the key changed") ?? false)
      }
      try await database.close()
      #expect(positions[0] < positions[1])
      let before = try await place.restored(.position(positions[0]))
      #expect(before == ["1 one"])
      let after = try await place.restored(keys: [laterKey])
      #expect(after == ["1 one", "2 two"])
      let error = try await failureOfBackup { try await place.restored(keys: [backupKey]) }
      #expect(error.operation == .key && error.code == .notADatabase)
    }
  }

  @Test("suspending the database and resuming it loses no commit")
  func suspension() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        try await database.suspend()
        database.resume()
        try await database.add(["two"])
        try await backup.flush()
      }
      try await database.close()
      let entries = try await place.restored()
      #expect(entries == ["1 one", "2 two"])
    }
  }

  @Test("if the store is away until the log is too long, the backup copies the file again")
  func longLog() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = FaultyStore(store: try place.store, faults: .init(seed: 1, share: 0))
      try await withRunningBackup(of: database, to: store, maximumLogSize: 1 << 20) { backup in
        try await database.add(["one"])
        try await backup.flush()
        store.faults.share.store(200, ordering: .relaxed)
        for _ in 0..<40 {
          try await database.add(Array(repeating: String(repeating: "x", count: 3_000), count: 20))
        }
        let moved = try await database.checkpoint(.truncate)
        #expect(moved?.isComplete ?? false)
        let status = await backup.now
        #expect(status.lastError is StoreFault)
        store.faults.share.store(0, ordering: .relaxed)
        try await backup.flush()
        let later = await backup.now
        #expect(later.lastError == nil && later.generation != status.generation)
      }
      let (restored, entries) = (try await place.restored(), try await database.entries())
      #expect(restored == entries)
      try await database.close()
    }
  }

  @Test("a store whose operations fail at random delays the backup, and damages nothing")
  func failingStore() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = FaultyStore(store: try place.store, faults: .init(seed: 7, share: 30))
      try await withRunningBackup(of: database, to: store) { backup in
        for step in 0..<15 {
          try await database.add(["step \(step)"])
          if step % 3 == 0 { try await backup.flush() }
        }
        try await backup.flush()
      }
      let entries = try await database.entries()
      try await database.close()
      let restored = try await place.restored(from: store)
      #expect(restored == entries)
      let failed = store.faults.counts.withLock { $0 }
      #expect(failed["put"] ?? 0 > 0)
    }
  }

  @Test("frames after the end in the log's index are not copied, although their checksums match")
  func failedCommit() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await database.add(["one"])
      let (hold, end) = try await LogHold.begin(database, limit: 1_000) { _ in }
      let frames = try await hold.frames(after: nil, to: end, limit: 1 << 20)
      #expect(frames.end == end.position && frames.isCommitted)
      // A COMMIT that failed to sync leaves such a frame.
      let log = place.path + "-wal"
      let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
      var frame = [UInt8](frames.bytes.suffix(24 + end.pageSize))
      var sum = WriteAheadLog.Checksum(isBigEndian: bytes[3] & 1 == 1)
      (sum.first, sum.second) = (end.position.sums[0], end.position.sums[1])
      sum.add(frame[..<8])
      sum.add(frame[24...])
      var sums: [UInt8] = []
      sums.append(UInt64(sum.first), count: 4)
      sums.append(UInt64(sum.second), count: 4)
      frame.replaceSubrange(16..<24, with: sums)
      let size = 32 + end.position.frame * (24 + end.pageSize)
      let handle = try #require(FileHandle(forWritingAtPath: log))
      try handle.seek(toOffset: UInt64(size))
      try handle.write(contentsOf: frame)
      try handle.close()
      let now = try await hold.end()
      #expect(now.position == end.position)
      hold.release()
      try await database.close()
    }
  }

  @Test("databases that cannot be backed up are refused with advice")
  func refusals() async throws {
    try await withBackupCase { place in
      let store = try place.store
      func refusal(_ database: Database) async throws -> DatabaseError {
        defer { withExtendedLifetime(database) {} }
        let error = try await failureOfBackup {
          try await ContinuousBackup(of: database, to: store).start()
        }
        try await database.close()
        return error
      }
      let memory = try await refusal(.inMemory())
      #expect(memory.code == .misuse && memory.message.contains("write-ahead log"))
      let journal = try await refusal(place.open(at: place.folder + "/b.db", .delete))
      #expect(journal.code == .misuse && journal.message.contains("write-ahead log"))
      let plain = try await refusal(place.open(nil, at: place.folder + "/c.db"))
      #expect(plain.code == .misuse && plain.message.contains("not encrypted"))
      let database = try await place.open()
      let first = ContinuousBackup(of: database, to: store)
      try await first.start()
      try await first.start()
      let second = try await failureOfBackup {
        try await ContinuousBackup(of: database, to: store).start()
      }
      #expect(second.code == .busy)
      await first.stop()
      let stopped = try await failureOfBackup { try await first.flush() }
      #expect(stopped.code == .misuse)
      try await first.start()
      try await first.flush()
      try await database.close()
      let closed = await #expect(throws: DatabaseError.self) { try await first.flush() }
      #expect(closed?.code == .misuse)
    }
  }

  @Test("a cancelled flush ends, while the backup goes on")
  func cancellation() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = FaultyStore(store: try place.store, faults: .init(seed: 1, share: 200))
      try await withRunningBackup(of: database, to: store) { backup in
        let flush = Task { try await backup.flush() }
        try await Task.sleep(for: .milliseconds(20))
        flush.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        store.faults.share.store(0, ordering: .relaxed)
        try await backup.flush()
      }
      try await database.close()
    }
  }

  @Test(
    "a second machine that takes over the store ends the first backup, and both stay whole")
  func fence() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await database.add(["both"])
      try await withRunningBackup(of: database, to: place.store) { try await $0.flush() }
      _ = try await database.checkpoint(.truncate)
      let path = place.folder + "/machine.db"
      try FileManager.default.copyItem(atPath: place.path, toPath: path)
      let machine = try await place.open(at: path)
      var own: BackupPosition?
      try await withRunningBackup(of: database, to: place.store, fenceInterval: .zero) { backup in
        try await database.add(["first"])
        own = try await backup.flushedPosition()
        try await withRunningBackup(
          of: machine, to: place.store, takingOver: true, fenceInterval: .zero
        ) { other in
          try await machine.add(["second"])
          try await other.flush()
          try await database.add(["lost"])
          let error = try await failureOfBackup { try await backup.flush() }
          #expect(error.message.contains("Another backup to the same store"))
          try await machine.add(["third"])
          try await other.flush()
        }
      }
      try await machine.close()
      try await database.close()
      let latest = try await place.restored()
      #expect(latest == ["1 both", "2 second", "3 third"])
      let first = try await place.restored(.position(try #require(own)))
      #expect(first == ["1 both", "2 first"])
    }
  }

  @Test("the backups of two databases need two stores")
  func twoDatabases() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { try await $0.flush() }
      let other = try await place.open(at: place.folder + "/b.db")
      try await withRunningBackup(of: other, to: place.store) { backup in
        let error = try await failureOfBackup { try await backup.flush() }
        #expect(error.message.contains("the backup of another database"))
      }
      try await other.close()
      try await database.close()
    }
  }
}

import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Followers", .timeLimit(.minutes(5)))
struct FollowerTests {
  /// `MINIORM_FOLLOWER_STEPS=40` takes that many steps.
  @Test("after each step of a random history, the copy equals the database")
  func history() async throws {
    let steps = ProcessInfo.processInfo.environment["MINIORM_FOLLOWER_STEPS"].flatMap { Int($0) }
    var random = SplitMix(state: 25)
    try await withBackupCase { place in
      let database = try await place.open()
      let other = try await place.open()
      let store = try place.store
      var backup = ContinuousBackup(of: database, to: store, interval: .zero)
      try await backup.start()
      try await backup.flush()
      var follower = try await place.follow(store)
      let reader = try await place.openCopy()
      for step in 0..<(steps ?? 14) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          await backup.stop()
          backup = ContinuousBackup(of: database, to: store, interval: .zero)
          try await backup.start()
        case 1:
          await follower.stop()
          follower = try await place.follow(store)
        default: try await database.changeRandomly(step, beside: other, &random)
        }
        try await backup.flush()
        try await follower.catchUp()
        let (copied, entries) = (try await reader.entries(), try await database.entries())
        #expect(copied == entries, "step \(step)")
        let (status, source) = (await follower.now, await backup.now)
        #expect(status.position == source.position && status.segmentsBehind == 0, "step \(step)")
        let isHealthy = status.isRunning && status.lastError == nil
        #expect(isHealthy, "step \(step)")
      }
      await follower.stop()
      await backup.stop()
      try await reader.close()
      try await other.close()
      let report = try await Database.verify(path: place.copy, key: backupKey)
      #expect(report.problems.isEmpty)
      try await database.close()
    }
  }

  @Test("readers of the copy see only committed states while it is updated, in their order")
  func readers() async throws {
    try await withBackupCase { place in
      let database = try await place.openCounted()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await backup.flush()
        let follower = try await place.follow(place.store)
        let path = place.copy
        let readers = (0..<2).map { _ in
          Task {
            let reader = try await place.openCopy(at: path)
            var (last, count) = (-1, 0)
            while !Task.isCancelled {
              let seen: [Int]
              do {
                seen = try await reader.read { db in
                  let first = try db.query(Int.self, "SELECT count(*) FROM entry")
                  // The state of the transaction stays, while the follower goes on.
                  Thread.sleep(forTimeInterval: 0.002)
                  return try first + db.query(Int.self, "SELECT count FROM total")
                }
              } catch is CancellationError {
                break
              }
              #expect(seen.count == 2 && seen[0] == seen[1] && seen[0] >= last)
              (last, count) = (seen.last ?? 0, count + 1)
            }
            try await reader.close()
            return count
          }
        }
        for step in 0..<60 {
          try await database.addCounted(step % 7 * 20 + 1)
          try await backup.flush()
          if step % 5 == 0 { try await follower.catchUp() }
        }
        try await follower.catchUp()
        for reader in readers {
          reader.cancel()
          let count = try await reader.value
          #expect(count > 5)
        }
        await follower.stop()
        let (copied, entries) = (try await place.copied(), try await database.entries())
        #expect(copied == entries)
      }
      try await database.close()
    }
  }

  @Test("after a change of the key, the copy has the new key")
  func rekey() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(Array(repeating: String(repeating: "page ", count: 500), count: 40))
        try await backup.flush()
        let follower = try await place.follow(place.store)
        let reader = try await place.openCopy()
        let before = try await reader.entries()
        #expect(before.count == 40)
        try await database.changeKey(to: laterKey)
        try await database.add(["two"])
        try await backup.flush()
        try await follower.catchUp()
        let old = try await failureOfBackup { try await place.copied(backupKey) }
        #expect(old.operation == .key)
        let after = try await place.copied(laterKey)
        #expect(after.last == "41 two")
        try await reader.close()
        try await database.add(["three"])
        try await backup.flush()
        try await follower.catchUp()
        await follower.stop()
        let second = try await place.follow(place.store)
        try await database.vacuum()
        try await backup.flush()
        try await second.catchUp()
        await second.stop()
        let (copied, entries) = (try await place.copied(laterKey), try await database.entries())
        #expect(copied == entries)
      }
      try await database.close()
    }
  }

  /// What a store does with the second of three states.
  enum Fault: CaseIterable, Sendable {
    case missing, changed, truncated
  }

  @Test(
    "a missing or changed object stops the copy before it, until it is back",
    arguments: Fault.allCases)
  func fault(fault: Fault) async throws {
    try await withBackupCase { place in
      let (database, mirror) = (try await place.open(), MemoryStore())
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["zero"])
        try await backup.flush()
        try await place.copyStore(to: mirror)
        let follower = try await place.follow(mirror)
        var positions: [BackupPosition] = []
        for text in ["one", "two", "three"] {
          try await database.add([text])
          positions.append(try await backup.flushedPosition())
        }
        let name = positions[1].object.text
        let bytes = try #require(try place.store.get(name))
        var changed = bytes
        changed[changed.count / 2] ^= 1
        switch fault {
        case .missing: break
        case .changed: await mirror.put(name, changed)
        case .truncated: await mirror.put(name, Array(bytes.dropLast(40)))
        }
        try await place.copyStore(to: mirror, without: name)
        let text =
          fault == .missing ? "Object \(positions[1].object.sequence) of generation" : name
        // An attempt during the copy of the store may have missed an earlier object.
        let status = await follower.next {
          ($0.lastError as? DatabaseError)?.message.contains(text) ?? false
            && $0.position == positions[0] && $0.segmentsBehind > 0
        }
        let error = try #require(status.lastError as? DatabaseError)
        #expect(error.code == .corrupt && error.operation == .copy)
        let copied = try await place.copied()
        #expect(copied == ["1 zero", "2 one"])
        await mirror.put(name, bytes)
        try await follower.catchUp()
        let later = await follower.now
        #expect(later.lastError == nil && later.position == positions[2])
        await follower.stop()
        let entries = try await place.copied()
        #expect(entries == ["1 zero", "2 one", "3 two", "4 three"])
      }
      try await database.close()
    }
  }

  @Test("a copy never returns to an earlier state that a store shows, even after a restart")
  func rollback() async throws {
    try await withBackupCase { place in
      let (database, mirror) = (try await place.open(), MemoryStore())
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        try await database.add(["two"])
        let newest = try await backup.flushedPosition()
        try await place.copyStore(to: mirror)
        for isFirst in [true, false] {
          let follower = try await place.follow(mirror)
          if isFirst {
            try await follower.catchUp()
            await mirror.delete(newest.object.text)
          }
          let status = await follower.next { $0.lastError != nil }
          let error = try #require(status.lastError as? DatabaseError)
          #expect(error.message.contains("older than the required position"))
          #expect(status.position == newest)
          await follower.stop()
        }
        let entries = try await place.copied()
        #expect(entries == ["1 one", "2 two"])
      }
      try await database.close()
    }
  }

  @Test("a store whose operations fail at random delays the copy, and damages nothing")
  func failingStore() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = FaultyStore(store: try place.store, faults: .init(seed: 3, share: 0))
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await backup.flush()
        let follower = try await place.follow(store)
        store.faults.share.store(30, ordering: .relaxed)
        for step in 0..<8 {
          try await database.add(["step \(step)"])
          try await backup.flush()
          if step % 2 == 0 { try await follower.catchUp() }
        }
        try await follower.catchUp()
        await follower.stop()
      }
      let (copied, entries) = (try await place.copied(), try await database.entries())
      #expect(copied == entries)
      try await database.close()
    }
  }

  @Test("changes and checkpoints of the copy by other connections are overwritten")
  func otherWriters() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let follower = try await place.follow(place.store)
        let writer = try await Database(path: place.copy, key: backupKey)
        for step in 0..<4 {
          switch step {
          case 0: try await writer.add(["stray"])
          case 1: try await writer.checkpoint(.truncate)
          case 2:
            try await writer.add(Array(repeating: String(repeating: "y", count: 900), count: 400))
          default: try await writer.vacuum()
          }
          try await database.add(["step \(step)"])
          try await backup.flush()
          try await follower.catchUp()
          let (copied, entries) = (try await writer.entries(), try await database.entries())
          #expect(copied == entries, "step \(step)")
        }
        try await writer.close()
        await follower.stop()
      }
      let report = try await Database.verify(path: place.copy, key: backupKey)
      #expect(report.problems.isEmpty)
      try await database.close()
    }
  }

  @Test("a promoted copy is written and backed up, and the former writer stops")
  func promotion() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store, fenceInterval: .zero) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let follower = try await place.follow(place.store)
        try await database.add(["two"])
        try await backup.flush()
        try await follower.catchUp()
        try await follower.promote()
        let ended = try await failureOfBackup { try await follower.catchUp() }
        #expect(ended.code == .misuse)
        let refused = try await failureOfBackup { _ = try await place.follow(place.store) }
        #expect(refused.code == .cannotOpen && refused.message.contains("was promoted"))
        let standby = try await place.open(at: place.copy)
        try await withRunningBackup(of: standby, to: place.store) { other in
          try await standby.add(["three"])
          try await other.flush()
          try await database.add(["lost"])
          let fenced = try await failureOfBackup { try await backup.flush() }
          #expect(fenced.message.contains("Another backup to the same store"))
        }
        try await standby.close()
      }
      let entries = try await place.restored()
      #expect(entries == ["1 one", "2 two", "3 three"])
      try await database.close()
    }
  }

  @Test("changes of other connections are overwritten without a new commit, and are never promoted")
  func strayChanges() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let follower = try await place.follow(place.store)
        try await follower.catchUp()
        let writer = try await Database(path: place.copy, key: backupKey)
        try await writer.add(["stray"])
        try await follower.catchUp()
        let copied = try await writer.entries()
        #expect(copied == ["1 one"])
        let faults = FaultyStore.Faults(seed: 1, share: 0)
        let store = FaultyStore(store: try place.store, faults: faults)
        await follower.stop()
        let other = try await place.follow(store)
        try await other.catchUp()
        faults.share.store(FaultyStore.Faults.all, ordering: .relaxed)
        try await writer.add(["stray"])
        let refused = try await failureOfBackup { try await other.promote() }
        #expect(refused.message.contains("Other connections changed the copy"))
        try await writer.close()
        let last = try await place.follow(place.store)
        try await last.catchUp()
        try await last.promote()
        let promoted = try await place.open(at: place.copy)
        let entries = try await promoted.entries()
        #expect(entries == ["1 one"])
        try await promoted.close()
      }
      try await database.close()
    }
  }

  @Test("a follower whose copy was deleted says so, without a new commit")
  func deletedCopy() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let follower = try await place.follow(place.store)
        try await follower.catchUp()
        try FileManager.default.removeItem(atPath: place.copy)
        let status = try await within {
          await follower.status.first { $0.lastError != nil }
        }
        #expect((status?.lastError as? DatabaseError)?.code == .readOnlyMoved)
        let refused = try await failureOfBackup { try await follower.promote() }
        #expect(refused.code == .mismatch)
      }
      try await database.close()
    }
  }

  @Test("what is not a follower's copy is not overwritten, and errors leave no files")
  func refusals() async throws {
    try await withBackupCase { place in
      let store = try place.store
      let empty = try await failureOfBackup { _ = try await place.follow(store) }
      #expect(empty.code == .cannotOpen && empty.message.contains("no state"))
      for path in ["", ":memory:", "a\0b"] {
        let error = try await failureOfBackup {
          _ = try await Database.follow(store, to: path, keys: [backupKey])
        }
        #expect(error.code == .misuse)
      }
      let database = try await place.open()
      try await withRunningBackup(of: database, to: store) { backup in
        try await database.add(["one"])
        try await backup.flush()
      }
      let source = try await failureOfBackup {
        _ = try await Database.follow(store, to: place.path, keys: [backupKey])
      }
      #expect(source.code == .cannotOpen && source.message.contains("not the copy of a follower"))
      let key = try await failureOfBackup { _ = try await place.follow(store, keys: [laterKey]) }
      #expect(key.operation == .key)
      let files = try FileManager.default.contentsOfDirectory(atPath: place.folder)
      #expect(!files.contains { $0.hasPrefix("copy.db") })
      let follower = try await place.follow(store)
      let second = try await failureOfBackup { _ = try await place.follow(store) }
      #expect(second.code == .busy)
      await follower.stop()
      let offline = try await failureOfBackup {
        _ = try await place.follow(store, keys: [laterKey])
      }
      #expect(offline.operation == .key)

      let another = try await place.open(at: place.folder + "/b.db")
      let foreign = try FolderStore(place.folder + "/other")
      try await withRunningBackup(of: another, to: foreign) { try await $0.flush() }
      try await another.close()
      let confused = try await place.follow(foreign)
      let status = await confused.next { $0.lastError != nil }
      #expect((status.lastError as? DatabaseError)?.message.contains("another database") ?? false)
      await confused.stop()
      let entries = try await place.copied()
      #expect(entries == ["1 one"])
      try await database.close()
    }
  }
}

// MARK: - Copies

extension BackupCase {
  var copy: String { folder + "/copy.db" }

  func follow(
    _ store: any BackupStore, keys: [Key] = [laterKey, backupKey]
  ) async throws -> Follower {
    try await Database.follow(store, to: copy, keys: keys, interval: .milliseconds(5))
  }

  func openCopy(_ key: Key = backupKey, at path: String? = nil) async throws -> Database {
    var configuration = Configuration()
    configuration.isReadOnly = true
    return try await Database(path: path ?? copy, key: key, configuration: configuration)
  }

  /// Reads the entries of the copy through a new connection.
  func copied(_ key: Key = backupKey) async throws -> [String] {
    let reader = try await openCopy(key)
    let entries = try await reader.entries()
    try await reader.close()
    return entries
  }

  /// Copies new objects, in the order in which the backup stored them.
  func copyStore(to mirror: MemoryStore, without missing: String? = nil) async throws {
    let known = await mirror.list("")
    let names = try store.list("").filter { $0 != missing && !known.contains($0) }
    for name in names.filter({ $0.hasPrefix(GenerationName.folder) }) + names {
      await mirror.put(name, try #require(try store.get(name)))
    }
  }

  /// Opens the database with a table that has the number of entries.
  func openCounted() async throws -> Database {
    let database = try await open()
    try await database.write { db in
      try db.execute("CREATE TABLE IF NOT EXISTS total (count INTEGER)")
      try db.execute("INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total)")
    }
    return database
  }
}

extension Database {
  /// Adds entries in two statements of a transaction.
  func addCounted(_ count: Int) async throws {
    try await write { db in
      for _ in 0..<count { try db.execute("INSERT INTO entry (text) VALUES ('counted entry')") }
      // Some pages more, so that the log restarts now and then.
      try db.execute("UPDATE entry SET text = text WHERE id % 2 = 0")
      try db.execute("UPDATE total SET count = count + \(count)")
    }
  }
}

extension Follower {
  /// The status at present.
  var now: FollowerStatus {
    get async { await next { _ in true } }
  }

  /// Waits for a status.
  func next(_ isExpected: (FollowerStatus) -> Bool) async -> FollowerStatus {
    for await status in status where isExpected(status) { return status }
    return FollowerStatus()
  }
}

import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("The only writer of a store", .timeLimit(.minutes(5)))
struct WriterTests {
  /// What happens to a former primary that was cut off from the store.
  enum Return: CaseIterable, Sendable {
    case nothing, logLimit, keyChange, suspension, restart
  }

  @Test(
    "a former primary never stops the promoted copy, and acknowledges no request",
    arguments: Return.allCases)
  func formerPrimary(event: Return) async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let faults = FaultyStore.Faults(seed: 1, share: 0)
      let cut = FaultyStore(store: try place.store, faults: faults)
      func start() async throws -> ContinuousBackup {
        let backup = ContinuousBackup(
          database, cut, .milliseconds(1), 1 << 20, nil, fenceInterval: .seconds(3_600))
        try await backup.start()
        return backup
      }
      var former = try await start()
      try await database.add(["one"])
      try await former.flush()
      let follower = try await place.follow(place.store)
      try await follower.catchUp()
      faults.share.store(FaultyStore.Faults.all, ordering: .relaxed)
      try await follower.promote()
      let standby = try await place.open(at: place.copy)
      try await withRunningBackup(of: standby, to: place.store, fenceInterval: .zero) { backup in
        try await standby.add(["two"])
        try await backup.flush()
        switch event {
        case .nothing: break
        case .logLimit:
          for _ in 0..<40 {
            try await database.add(
              Array(repeating: String(repeating: "x", count: 3_000), count: 20))
          }
          _ = try await database.checkpoint(.truncate)
        case .keyChange: try await database.changeKey(to: laterKey)
        case .suspension:
          try await database.suspend()
          database.resume()
        case .restart:
          await former.stop()
          former = try await start()
        }
        try await database.add(["lost"])
        let pending = Task { [former] in try await former.flush() }
        try await Task.sleep(for: .milliseconds(100))
        faults.share.store(0, ordering: .relaxed)
        let error = try await failureOfBackup {
          try await within { try await pending.value }
        }
        #expect(error.code == .misuse, "\(error)")
        #expect(error.message.contains("Another backup to the same store"), "\(error)")
        for _ in 0..<2 {
          await former.stop()
          former = try await start()
          let again = try await failureOfBackup { try await former.flush() }
          #expect(again.message.contains("Another backup to the same store"), "\(again)")
        }
        try await standby.add(["three"])
        try await backup.flush()
        let status = await backup.now
        #expect(status.isRunning && status.lastError == nil)
      }
      try await database.close()
      let latest = try await place.restored()
      #expect(latest == ["1 one", "2 two", "3 three"])
      // The promoted copy continues after a restart.
      try await withRunningBackup(of: standby, to: place.store) { try await $0.flush() }
      try await standby.close()
    }
  }

  @Test("a copy is promoted only if it can claim the store, and can be promoted later")
  func promotionWithoutStore() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let faults = FaultyStore.Faults(seed: 1, share: 0)
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let follower = try await place.follow(FaultyStore(store: place.store, faults: faults))
        try await follower.catchUp()
        // The copy gets what the former primary acknowledges before the claim.
        try await database.add(["two"])
        try await backup.flush()
        faults.share.store(FaultyStore.Faults.all, ordering: .relaxed)
        await #expect(throws: StoreFault.self) { try await follower.promote() }
        try await database.add(["three"])
        try await backup.flush()
        faults.share.store(0, ordering: .relaxed)
        try await follower.promote()
        try await database.add(["lost"])
        let fenced = try await failureOfBackup { try await backup.flush() }
        #expect(fenced.message.contains("epoch 1"))
      }
      let entries = try await place.copied()
      #expect(entries == ["1 one", "2 two", "3 three"])
      try await database.close()
    }
  }

  @Test("a copy whose newer objects are damaged is promoted at its last state")
  func promotionOfDamagedStore() async throws {
    try await withBackupCase { place in
      let (database, mirror) = (try await place.open(), MemoryStore())
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        try await place.copyStore(to: mirror)
        let follower = try await place.follow(mirror)
        try await follower.catchUp()
        try await database.add(["two"])
        let newest = try await backup.flushedPosition()
        try await place.copyStore(to: mirror)
        await mirror.put(newest.object.text, [1])
        try await follower.promote()
        let status = await follower.now
        #expect((status.lastError as? DatabaseError)?.code == .corrupt)
      }
      let entries = try await place.copied()
      #expect(entries == ["1 one"])
      try await database.close()
    }
  }

  @Test("of several claims at once, each epoch has one winner", arguments: [true, false])
  func claims(isFolder: Bool) async throws {
    try await withBackupCase { place in
      let store: any BackupStore = isFolder ? try place.store : MemoryStore()
      let salt = [UInt8](repeating: 1, count: 16)
      let key = try BackupKey(backupKey, salt: salt, settings: .sqlcipher4)
      // Objects of others do not occupy an epoch.
      try await store.put("generations/00000001", [])
      let won = try await withThrowingTaskGroup(of: UInt64?.self) { group in
        for _ in 0..<12 {
          group.addTask {
            do {
              return try await Epoch.claimNext(after: 0, in: store, key, identity: salt, path: "")
            } catch let error as DatabaseError where error.code == .busy {
              return nil
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
      }
      #expect(!won.isEmpty && Set(won).count == won.count && !won.contains(1), "\(won)")
    }
  }

  @Test("of several callers, one creates an object of a folder")
  func creation() async throws {
    try await withBackupCase { place in
      let store = try place.store
      for round in 0..<20 {
        let created = try await withThrowingTaskGroup(of: Bool.self) { group in
          for caller in 0..<8 {
            group.addTask { try store.create("a/\(round)", [UInt8(caller)]) }
          }
          return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(created == 1)
        #expect(try store.get("a/\(round)")?.count == 1)
      }
    }
  }

  @Test(
    "a restored file writes to the store only if it takes over, and then the former file never does"
  )
  func takeover() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = try place.store
      try await withRunningBackup(of: database, to: store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        let path = place.folder + "/restored.db"
        try await Database.restore(from: store, to: path, keys: [backupKey])
        let restored = try await place.open(at: path)
        let before = try store.list("")
        let second = ContinuousBackup(of: restored, to: store, interval: .zero)
        try await second.start()
        let error = try await failureOfBackup { try await second.flush() }
        #expect(error.code == .misuse && error.message.contains("takingOver: true"), "\(error)")
        #expect(try store.list("") == before)
        try await database.add(["two"])
        try await backup.flush()

        try await second.start(takingOver: true)
        try await restored.add(["three"])
        try await second.flush()
        try await database.add(["lost"])
        let fenced = try await failureOfBackup { try await backup.flush() }
        #expect(fenced.message.contains("Another backup to the same store"))
        await second.stop()
        try await second.start()
        try await second.flush()
        await second.stop()
        try await restored.close()
      }
      let again = ContinuousBackup(of: database, to: store, interval: .zero)
      try await again.start()
      let fenced = try await failureOfBackup { try await again.flush() }
      #expect(fenced.message.contains("Another backup to the same store"))
      try await database.close()
      let latest = try await place.restored()
      #expect(latest == ["1 one", "2 three"])
    }
  }

  @Test("of two clones of a file, the later start writes, and the earlier one never again")
  func clones() async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), try place.store)
      try await withRunningBackup(of: database, to: store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        _ = try await database.checkpoint(.passive)
        let path = place.folder + "/clone.db"
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: place.path + suffix, toPath: path + suffix)
        }
        let clone = try await place.open(at: path)
        // The clone of a disk has the same inodes.
        try await clone.write { db in
          let inode = Int64(bitPattern: DatabaseFile.inode(path))
          try db.execute("UPDATE miniorm_backup SET inode = \(inode)")
        }
        try await withRunningBackup(of: clone, to: store) { other in
          try await clone.add(["clone"])
          try await other.flush()
          try await database.add(["lost"])
          let error = try await failureOfBackup { try await backup.flush() }
          #expect(error.message.contains("Another backup to the same store"))
          let again = ContinuousBackup(of: database, to: store, interval: .zero)
          try await again.start()
          let refused = try await failureOfBackup { try await again.flush() }
          #expect(refused.message.contains("Another backup to the same store"))
          try await other.flush()
        }
        try await clone.close()
      }
      try await database.close()
      let latest = try await place.restored()
      #expect(latest == ["1 one", "2 clone"])
    }
  }

  /// Two copies claim at the same moment, without conditional writes: neither sees the claim of the other.
  private struct BlindStore: BackupStore {
    let store: FolderStore

    func put(_ name: String, _ bytes: [UInt8]) throws { try store.put(name, bytes) }
    func get(_ name: String) throws -> [UInt8]? {
      Epoch.number(name) == nil ? try store.get(name) : nil
    }
    func list(_ prefix: String) throws -> [String] {
      try store.list(prefix).filter { Epoch.number($0) == nil }
    }
    func delete(_ name: String) throws { try store.delete(name) }
  }

  @Test("of two copies that claim the same epoch, one is refused")
  func sameEpoch() async throws {
    try await withBackupCase { place in
      let (database, blind) = (try await place.open(), BlindStore(store: try place.store))
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
      }
      try await database.close()
      let paths = ["first", "second"].map { "\(place.folder)/\($0).db" }
      for path in paths {
        try await Database.follow(blind, to: path, keys: [backupKey]).promote()
      }
      let first = try await place.open(at: paths[0])
      let second = try await place.open(at: paths[1])
      try await withRunningBackup(of: first, to: place.store) { backup in
        try await first.add(["two"])
        try await backup.flush()
        let other = ContinuousBackup(of: second, to: try place.store, interval: .zero)
        try await other.start()
        let error = try await failureOfBackup { try await other.flush() }
        #expect(error.message.contains("generation 00000001-"), "\(error)")
        try await backup.flush()
      }
      try await first.close()
      try await second.close()
      let latest = try await place.restored()
      #expect(latest == ["1 one", "2 two"])
    }
  }

  @Test("a file that was replaced by an older state of itself does not write to the store")
  func olderState() async throws {
    try await withBackupCase { place in
      let files = FileManager.default
      let path = URL(fileURLWithPath: place.path)
      var older = Data()
      for text in ["one", "two"] {
        let database = try await place.open()
        try await withRunningBackup(of: database, to: place.store) { backup in
          try await database.add([text])
          try await backup.flush()
        }
        try await database.close()
        if text == "one" { older = try Data(contentsOf: path) }
      }
      // The inode stays.
      try older.write(to: path)
      #expect(!files.fileExists(atPath: place.path + "-wal"))
      let database = try await place.open()
      let backup = ContinuousBackup(of: database, to: try place.store, interval: .zero)
      try await backup.start()
      let error = try await failureOfBackup { try await backup.flush() }
      #expect(error.message.contains("older state"), "\(error)")
      try await backup.start(takingOver: true)
      try await backup.flush()
      await backup.stop()
      try await database.close()
      let latest = try await place.restored()
      #expect(latest == ["1 one"])
    }
  }
}

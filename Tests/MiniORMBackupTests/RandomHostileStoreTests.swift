import BackupTestSupport
import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("Random hostile stores")
struct RandomHostileStoreTests {
  private static var count: UInt64 {
    ProcessInfo.processInfo.environment["MINIORM_HOSTILE_STORES"].flatMap { UInt64($0) } ?? 60
  }

  /// A recorded backup, and the entries at each of its positions.
  fileprivate struct History {
    let store = HostileStore()
    var positions: [BackupPosition] = []
    var states: [[String]] = []

    /// Backs up eight transactions, with a change of the key and a restart of the backup between.
    mutating func record(at path: String, _ place: BackupCase) async throws {
      let database = try await place.open(at: path)
      for part in 0..<2 {
        let (found, entries) = try await withRunningBackup(of: database, to: store) { backup in
          var found: [(BackupPosition, [String])] = []
          for step in 0..<4 {
            try await database.add(["part \(part) step \(step)"])
            let position = try await backup.flushedPosition()
            found.append((position, try await database.entries()))
          }
          return (found.map(\.0), found.map(\.1))
        }
        positions += found
        states += entries
        if part == 0 { try await database.changeKey(to: laterKey) }
      }
      try await database.close()
    }
  }

  @Test("a random manipulation gives an error or the requested state")
  func random() async throws {
    try await withBackupCase { place in
      var (history, other) = (History(), History())
      try await history.record(at: place.folder + "/one.db", place)
      try await other.record(at: place.folder + "/two.db", place)
      let foreign = try await other.store.objects()
      var (restored, refused) = (0, 0)
      for seed in 0..<Self.count {
        if try await Self.hostile(seed, history, foreign, place) {
          restored += 1
        } else {
          refused += 1
        }
      }
      // Both happen: no attack is out of reach of a restore, and not all of them hit it.
      #expect(restored > 0 && refused > 0)
      print("hostile stores: \(restored) restored the requested state, \(refused) were refused")
    }
  }

  /// Returns false if the restore throws.
  private static func hostile(
    _ seed: UInt64, _ history: History, _ foreign: [String: [UInt8]], _ place: BackupCase
  ) async throws -> Bool {
    let (store, attacks) = try await history.store.hostile(seed, other: foreign)
    let last = try #require(history.positions.last)
    let index = Int(seed / 3 % UInt64(history.positions.count))
    do {
      // The newest state, the newest state of a store that must not be rolled back, or an exact state.
      switch seed % 3 {
      case 0:
        let entries = try await place.restored(from: store)
        // Before the first transaction, the file was copied without entries.
        #expect(([[]] + history.states).contains(entries), "seed \(seed): \(attacks)")
      case 1:
        let entries = try await place.restored(from: store, notBefore: last)
        #expect(entries == history.states.last, "seed \(seed): \(attacks)")
      default:
        let position = BackupMoment.position(history.positions[index])
        let entries = try await place.restored(position, from: store)
        #expect(entries == history.states[index], "seed \(seed): \(attacks)")
      }
      return true
    } catch let error as DatabaseError {
      #expect([.copy, .key].contains(error.operation), "seed \(seed): \(attacks): \(error)")
      return false
    }
  }

  @Test("a follower of a random hostile store gets an error or a right state, until the repair")
  func followers() async throws {
    try await withBackupCase { place in
      var (history, other) = (History(), History())
      try await history.record(at: place.folder + "/one.db", place)
      try await other.record(at: place.folder + "/two.db", place)
      let foreign = try await other.store.objects()
      var (updated, refused) = (0, 0)
      for seed in 0..<max(1, Self.count / 2) {
        if try await Self.follow(seed, history, foreign, place) {
          updated += 1
        } else {
          refused += 1
        }
      }
      #expect(updated > 0 && refused > 0)
      print("hostile stores: \(updated) updated a copy, \(refused) were refused")
    }
  }

  /// Follows a store that becomes hostile, and is repaired later. Returns false if the follower sees
  /// an error.
  private static func follow(
    _ seed: UInt64, _ history: History, _ foreign: [String: [UInt8]], _ parent: BackupCase
  ) async throws -> Bool {
    let place = BackupCase(folder: parent.folder + "/\(seed)")
    try FileManager.default.createDirectory(
      atPath: place.folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: place.folder) }
    let (hostile, attacks) = try await history.store.hostile(seed, other: foreign)
    let start = Int(seed / 2 % UInt64(history.positions.count))
    let store = ChangingStore(
      MemoryStore(history.objects(upTo: start, of: try await history.store.objects())))
    var follower = try await place.follow(store)
    try await follower.catchUp()
    let first = try await place.copiedWithAnyKey()
    #expect(first == history.states[start], "seed \(seed)")

    // A follower that runs, and a follower that starts with the hostile store.
    if seed % 2 == 0 { await follower.stop() }
    await store.become(hostile)
    if seed % 2 == 0 { follower = try await place.follow(store) }
    let isUpdated = await follower.catchesUp()
    let status = await follower.now
    if !isUpdated, let error = status.lastError {
      let operation = (error as? DatabaseError)?.operation
      #expect(operation == .copy || operation == .key, "seed \(seed): \(attacks): \(error)")
    }
    let hostileState = try await place.copiedWithAnyKey()
    #expect(
      history.states[start...].contains(hostileState), "seed \(seed): \(attacks)")

    await store.become(MemoryStore(try await history.store.objects()))
    try await follower.catchUp()
    let repaired = await follower.now
    let isRepaired = repaired.lastError == nil && repaired.position == history.positions.last
    #expect(isRepaired, "seed \(seed): \(attacks): \(repaired)")
    await follower.stop()
    let last = try await place.copiedWithAnyKey()
    #expect(last == history.states.last, "seed \(seed): \(attacks)")
    return isUpdated
  }
}

extension RandomHostileStoreTests.History {
  /// The objects that the store had at a position.
  fileprivate func objects(
    upTo index: Int, of objects: [String: [UInt8]]
  ) -> [String: [UInt8]] {
    let last = positions[index].object
    return objects.filter { name, _ in
      if let object = ObjectName(name) {
        let (one, other) = (object.generation.name, last.generation.name)
        return one < other || one == other && object.sequence <= last.sequence
      }
      return GenerationName(name).map { $0.generation.name <= last.generation.name } ?? false
    }
  }
}

/// A store whose objects are replaced as a whole.
private actor ChangingStore: BackupStore {
  private var store: MemoryStore

  init(_ store: MemoryStore) { self.store = store }

  func become(_ store: MemoryStore) { self.store = store }

  func put(_ name: String, _ bytes: [UInt8]) async { await store.put(name, bytes) }
  func get(_ name: String) async -> [UInt8]? { await store.get(name) }
  func list(_ prefix: String) async -> [String] { await store.list(prefix) }
  func delete(_ name: String) async { await store.delete(name) }
}

extension Follower {
  /// Returns true when the copy has the newest state, and false after an error.
  fileprivate func catchesUp() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { (try? await self.catchUp()) != nil }
      group.addTask {
        _ = await self.next { $0.lastError != nil }
        return false
      }
      let isUpdated = await group.next() ?? false
      group.cancelAll()
      return isUpdated
    }
  }
}

extension BackupCase {
  /// The follower may change the key at any time.
  fileprivate func copiedWithAnyKey() async throws -> [String] {
    for _ in 0..<5 {
      for key in [backupKey, laterKey] {
        if let entries = try? await copied(key) { return entries }
      }
    }
    return try await copied(laterKey)
  }
}

import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("The retention of a continuous backup", .timeLimit(.minutes(5)))
struct RetentionTests {
  private static let generation = Generation(epoch: 0, number: 1, random: 1)

  @Test(
    "all states of a day, one per hour of a week, one per day of a month, and the newest are kept")
  func kept() {
    let hour: UInt64 = 3_600_000
    let now = 2_000_000 * hour
    // A state every 10 minutes for 60 days, up to 2 days ago.
    let moments = stride(from: now - 1_440 * hour, through: now, by: Int(hour / 6)).enumerated().map
    {
      ObjectName(
        generation: Self.generation, sequence: $0.offset, link: "00000000", time: $0.element)
    }
    let kept = BackupRetention().kept(moments, now: now)
    let ages = kept.map { (now - $0.time) / hour }
    #expect(ages.count { $0 < 24 } == 144)
    let hourly = ages.filter { $0 > 24 && $0 < 168 }
    #expect(Set(hourly).count == hourly.count && hourly.count == 143)
    let daily = ages.filter { $0 > 169 }
    #expect(daily.count == 24 && daily.max() ?? 0 <= 744)
    let none = BackupRetention(all: .zero, hourly: .zero, daily: .zero).kept(
      moments.dropLast(), now: now)
    #expect(none == Set(moments.dropLast().suffix(1)))
  }

  @Test("pruning that is interrupted at any deletion leaves only states that can be restored")
  func interrupted() async throws {
    try await withBackupCase { place in
      let store = try place.store
      var latest: [String] = []
      for generation in 0..<3 {
        let database = try await place.open()
        try await withRunningBackup(of: database, to: store) { backup in
          for step in 0..<3 {
            try await database.add(["\(generation) \(step)"])
            try await backup.flush()
          }
        }
        latest = try await database.entries()
        try await database.close()
      }
      let retention = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      let before = try store.list("").count
      var deletions = 0
      while deletions < 100 {
        let counted = StoreWithLimit(store: store, limit: 1)
        let isOver = (try? await retention.prune(counted, now: .now + 10)) != nil
        for chain in try await BackupCatalog(store).all() {
          for moment in chain.moments {
            #expect(throws: Never.self) { _ = try chain.objects(upTo: moment) }
          }
        }
        if isOver { break }
        deletions += 1
      }
      let after = try store.list("")
      #expect(deletions > 5 && after.count < before)
      #expect(after.filter { $0.hasPrefix(GenerationName.folder) }.count == 1)
      let restored = try await place.restored()
      #expect(restored == latest)
    }
  }

  @Test(
    "a newer state with a missing object replaces no state that can be restored",
    arguments: [1, 2])
  func broken(generations: Int) async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), try place.store)
      var states: [(position: BackupPosition, entries: [String])] = []
      for _ in 0..<generations {
        try await withRunningBackup(of: database, to: store) { backup in
          for step in 0..<4 {
            try await database.add(["\(step)"])
            states.append((try await backup.flushedPosition(), try await database.entries()))
          }
        }
      }
      try await database.close()
      // The third state of the first generation, or the base of the second.
      let base = try store.list(states[states.count - 1].position.object.generation.name)
        .first { $0.contains("-base-") }
      try store.delete(generations == 1 ? states[2].position.object.text : try #require(base))
      let good = states[generations == 1 ? 1 : 3]
      let retention = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      for seconds in [10.0, 100_000] {
        try await retention.prune(store, now: .now + seconds)
        let newest = try await BackupCatalog(store).newestMoment()
        #expect(newest == good.position)
        let entries = try await place.restored(.position(good.position))
        #expect(entries == good.entries)
      }
      // A state that was read back is kept too.
      let last = states[0].position.object
      try await retention.prune(store, now: .now + 100_000, keeping: [last])
      let kept = try await BackupCatalog(store).all().flatMap(\.completeMoments)
      #expect(kept.contains(last))
    }
  }

  @Test("deletions that the store refuses, or that take long, are reported and delay no commit")
  func slow() async throws {
    try await withBackupCase { place in
      for run in 0..<2 {
        let database = try await place.open()
        try await withRunningBackup(of: database, to: place.store) { backup in
          for step in 0..<10 {
            try await database.add(["\(run) \(step)"])
            try await backup.flush()
          }
        }
        try await database.close()
      }
      let database = try await place.open()
      let store = RefusingStore(try place.store)
      let retention = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      try await withRunningBackup(of: database, to: store, retention: retention) { backup in
        for step in 0..<10 {
          try await database.add(["2 \(step)"])
          try await within { try await backup.flush() }
        }
        store.isBlocked.store(false, ordering: .relaxed)
        let status = try await within {
          await backup.status.first { $0.lastError is StoreFault }
        }
        #expect(status?.lastErrorDate != nil)
        // Copies succeed, and the error stays.
        try await database.add(["last"])
        try await backup.flush()
        let later = await backup.now
        #expect(later.lastError is StoreFault)
      }
      try await database.close()
    }
  }

  @Test("a full store gets room for the base")
  func full() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      for run in 0..<3 {
        try await withRunningBackup(of: database, to: place.store) { backup in
          try await database.add(["\(run)"])
          try await backup.flush()
        }
      }
      let retention = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      try await withRunningBackup(
        of: database, to: FullStore(store: place.store), retention: retention
      ) { backup in
        try await database.add(["last"])
        try await within { try await backup.flush() }
      }
      let (restored, entries) = (try await place.restored(), try await database.entries())
      #expect(restored == entries)
      try await database.close()
    }
  }

  /// Has room for as many objects as two generations have.
  private struct FullStore: BackupStore {
    let store: FolderStore

    func put(_ name: String, _ bytes: [UInt8]) async throws {
      guard try store.list("").count < 7 else { throw StoreFault() }
      try store.put(name, bytes)
    }

    func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
    func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
    func delete(_ name: String) async throws { try store.delete(name) }
  }

  /// Blocks each deletion, and then refuses it.
  private final class RefusingStore: BackupStore {
    let store: FolderStore
    let isBlocked = Atomic(true)

    init(_ store: FolderStore) { self.store = store }

    func put(_ name: String, _ bytes: [UInt8]) async throws { try store.put(name, bytes) }
    func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
    func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
    func delete(_ name: String) async throws {
      while isBlocked.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(5)) }
      throw StoreFault()
    }
  }

  /// Fails after a number of deletions.
  private final class StoreWithLimit: BackupStore, @unchecked Sendable {
    // A single task uses the store.
    let store: FolderStore
    var limit: Int

    init(store: FolderStore, limit: Int) { (self.store, self.limit) = (store, limit) }

    func put(_ name: String, _ bytes: [UInt8]) async throws { try store.put(name, bytes) }
    func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
    func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
    func delete(_ name: String) async throws {
      guard limit > 0 else { throw StoreFault() }
      limit -= 1
      try store.delete(name)
    }
  }
}

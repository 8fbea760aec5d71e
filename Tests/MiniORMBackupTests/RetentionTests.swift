import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("The retention of a continuous backup")
struct RetentionTests {
  private static let generation = Generation(time: 1, random: 1)

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

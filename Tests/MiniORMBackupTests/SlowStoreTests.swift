import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Backups to a slow store", .timeLimit(.minutes(5)))
struct SlowStoreTests {
  @Test("the status counts commits that were made while the store was busy")
  func behind() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = GatedStore(store: try place.store)
      try await withRunningBackup(of: database, to: store) { backup in
        try await backup.flush()
        store.permits.store(0, ordering: .sequentiallyConsistent)
        let first = store.begun.load(ordering: .sequentiallyConsistent)
        let texts = Array(repeating: String(repeating: "x", count: 3_000), count: 800)
        try await database.add(texts)
        try await store.begins(first + 1)
        // Several objects are in progress or wait. These commits follow.
        try await database.add(texts)
        store.permits.store(1, ordering: .sequentiallyConsistent)
        let status = await backup.status.first { $0.behind > 3_500_000 }
        #expect(status != nil)
        store.permits.store(.max, ordering: .sequentiallyConsistent)
        try await backup.flush()
        let later = await backup.now.behind
        #expect(later == 0)
      }
      try await database.close()
    }
  }

  /// Stores objects only with permits.
  private final class GatedStore: BackupStore {
    let store: FolderStore
    let permits = Atomic(Int.max)
    /// The number of calls of `put`.
    let begun = Atomic(0)

    init(store: FolderStore) { self.store = store }

    func put(_ name: String, _ bytes: [UInt8]) async throws {
      begun.add(1, ordering: .sequentiallyConsistent)
      while !takesPermit() { try await Task.sleep(for: .milliseconds(1)) }
      try store.put(name, bytes)
    }

    private func takesPermit() -> Bool {
      let count = permits.load(ordering: .sequentiallyConsistent)
      guard count > 0 else { return false }
      return permits.compareExchange(
        expected: count, desired: count - 1, ordering: .sequentiallyConsistent
      ).exchanged
    }

    func begins(_ count: Int) async throws {
      while begun.load(ordering: .sequentiallyConsistent) < count {
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
    func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
    func delete(_ name: String) async throws { try store.delete(name) }
  }
}

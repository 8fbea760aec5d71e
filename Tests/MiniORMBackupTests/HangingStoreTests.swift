import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Stores that do not answer", .timeLimit(.minutes(5)))
struct HangingStoreTests {
  @Test("calls that hang are reported, and do not stop other databases")
  func hang() async throws {
    try await withBackupCase { place in
      let stores = (0..<3).map { _ in BlockingStore() }
      defer { for store in stores { store.open() } }
      let third = try await place.open(at: place.folder + "/third.db")
      var backups: [(Database, ContinuousBackup)] = []
      for (number, store) in stores.enumerated() {
        let database = try await place.open(at: place.folder + "/\(number).db")
        let backup = ContinuousBackup(
          database, store, .milliseconds(1), 256 << 20, nil, fenceInterval: .seconds(10),
          callLimit: .milliseconds(200))
        try await backup.start()
        backups.append((database, backup))
      }
      for (_, backup) in backups {
        let status = try await within {
          await backup.status.first {
            ($0.lastError as? DatabaseError)?.message.contains("did not end within") ?? false
          }
        }
        #expect(status?.isRunning ?? false)
      }
      try await within {
        for number in 0..<40 {
          try await third.add(["\(number)"])
          _ = try await third.entries()
        }
      }
      for store in stores { store.open() }
      for (database, backup) in backups {
        try await within { try await backup.flush() }
        // A look at the store may still have failed.
        let status = try await within { await backup.status.first { $0.lastError == nil } }
        #expect(status != nil)
        await backup.stop()
        try await database.close()
      }
      try await third.close()
    }
  }

  @Test("the number of calls that hang is limited")
  func number() async throws {
    let blocking = BlockingStore()
    defer { blocking.open() }
    let store = TimedStore(blocking, limit: .milliseconds(50))
    let messages = await withTaskGroup(of: String.self) { group in
      for number in 0..<40 {
        group.addTask {
          do {
            try await store.put("\(number)", [])
            return ""
          } catch {
            return "\(error)"
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(messages.count { $0.contains("did not end within") } == TimedStore.maximumCalls)
    #expect(messages.count { $0.contains("have not returned") } == 40 - TimedStore.maximumCalls)
    #expect(blocking.calls.load(ordering: .relaxed) == TimedStore.maximumCalls)
  }

  /// Blocks its threads until it is opened.
  private final class BlockingStore: BackupStore {
    private let gate = NSCondition()
    private let isOpen = Mutex(false)
    private let objects = Mutex<[String: [UInt8]]>([:])
    let calls = Atomic(0)

    func open() {
      isOpen.withLock { $0 = true }
      gate.broadcast()
    }

    private func wait() {
      guard !isOpen.withLock({ $0 }) else { return }
      calls.add(1, ordering: .relaxed)
      gate.lock()
      while !isOpen.withLock({ $0 }) { _ = gate.wait(until: .now + 0.05) }
      gate.unlock()
    }

    func put(_ name: String, _ bytes: [UInt8]) {
      wait()
      objects.withLock { $0[name] = bytes }
    }

    func get(_ name: String) -> [UInt8]? {
      wait()
      return objects.withLock { $0[name] }
    }

    func list(_ prefix: String) -> [String] {
      wait()
      return objects.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    func delete(_ name: String) {
      wait()
      objects.withLock { $0[name] = nil }
    }
  }
}

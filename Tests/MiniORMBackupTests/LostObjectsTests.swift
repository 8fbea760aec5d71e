import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Stores that lose objects", .timeLimit(.minutes(5)))
struct LostObjectsTests {
  enum Loss: CaseIterable, Sendable {
    case all, announcement, base, frames, state, damaged
  }

  @Test("a loss that is found again does not hide the states of the next generation")
  func foundTwice() throws {
    let status = BackupState<BackupStatus>()
    let audit = StoreAudit(
      MemoryStore(), nil, status, lookInterval: .zero, readInterval: nil, clock: { .now })
    let lost = Generation(epoch: 0, number: 1, random: 1)
    audit.lose(lost, "An object is missing")
    #expect(status.current.lastError != nil)
    #expect(audit.takeLoss(of: lost)?.code == .corrupt)
    let object = ObjectName(
      generation: Generation(epoch: 0, number: 2, random: 1), sequence: 0, link: "frames", time: 2)
    let position = BackupPosition(file: [], object: object)
    status.change { $0.position = position }
    audit.lose(lost, "An object is missing")
    #expect(status.current.position == position)
    #expect(audit.takeLoss(of: lost) == nil)
  }

  @Test(
    "a loss is reported, and a new generation makes the database restorable again",
    arguments: Loss.allCases)
  func loss(loss: Loss) async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), LossyStore())
      try await withRunningBackup(
        of: database, to: store, fenceInterval: .milliseconds(20), checkInterval: .milliseconds(20)
      ) { backup in
        let events = backup.events
        for text in ["one", "two", "three"] {
          try await database.add([text])
          try await backup.flush()
        }
        let before = await backup.now
        let names = try await store.list("")
        let objects = names.compactMap { ObjectName($0) }.sorted { $0.sequence < $1.sequence }
        let lost =
          switch loss {
          case .all: names
          case .announcement: names.filter { $0.hasPrefix(GenerationName.folder) }
          case .base: objects.filter { $0.link == "base" }.map(\.text)
          case .frames, .damaged: [objects[objects.count - 2].text]
          case .state: [try #require(objects.last).text]
          }
        if loss == .damaged { store.damagesNext.store(true, ordering: .relaxed) }
        try await database.add(["four"])
        if loss != .damaged { for name in lost { try await store.delete(name) } }
        let reported = Task { await backup.status.first { $0.generation != before.generation } }
        let status = try #require(try await within { await reported.value })
        #expect(status.reason?.contains("the backup copies the file again") ?? false)
        // A slow reader receives a later status, in which the new generation may be checked already.
        #expect(status.lastRestorable?.object.generation.name != before.generation)
        try await backup.flush()
        let healthy = try await within {
          await backup.status.first { $0.lastRestorable != nil && $0.lastError == nil }
        }
        #expect(
          healthy?.lastRestorable?.object.generation.name != before.generation)
        // The first generation may have begun before or after the subscription.
        var seen: [String] = []
        var codes: [ResultCode?] = []
        for await event in events {
          switch event {
          case .began(let generation, _):
            if generation != before.generation { seen.append("began") }
          case .failed(let error):
            seen.append("failed")
            codes.append((error as? DatabaseError)?.code)
          case .recovered: seen.append("recovered")
          case .sent, .restorable, .ended: continue
          }
          if seen.last == "recovered" { break }
        }
        #expect(seen.contains("began") && codes.contains(.corrupt), "\(seen)")
        let entries = try await place.restored(from: store)
        #expect(entries == ["1 one", "2 two", "3 three", "4 four"])
      }
      try await database.close()
    }
  }

  /// Changes a bit of a state on request.
  private final class LossyStore: BackupStore {
    private let store = MemoryStore()
    let damagesNext = Atomic(false)

    func put(_ name: String, _ bytes: [UInt8]) async throws {
      var bytes = bytes
      if ObjectName(name)?.base != nil, damagesNext.exchange(false, ordering: .relaxed) {
        bytes[bytes.count / 2] ^= 1
      }
      await store.put(name, bytes)
    }

    func get(_ name: String) async throws -> [UInt8]? { await store.get(name) }
    func list(_ prefix: String) async throws -> [String] { await store.list(prefix) }
    func delete(_ name: String) async throws { await store.delete(name) }
  }
}

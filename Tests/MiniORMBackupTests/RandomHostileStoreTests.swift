import BackupTestSupport
import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("Restoring from random hostile stores")
struct RandomHostileStoreTests {
  private static var count: UInt64 {
    ProcessInfo.processInfo.environment["MINIORM_HOSTILE_STORES"].flatMap { UInt64($0) } ?? 60
  }

  /// A recorded backup, and the entries at each of its positions.
  private struct History {
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
}

import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("Restoring from a hostile store")
struct HostileStoreTests {
  /// A change of a store with the objects of a generation.
  enum Attack: CaseIterable, Sendable {
    case drop, swap, truncate, duplicate, rename, flip, empty, otherDatabase, dropGeneration
  }

  @Test("each manipulation gives an error or a state of the database", arguments: Attack.allCases)
  func attack(attack: Attack) async throws {
    try await withBackupCase { place in
      let store = try place.store
      let states = try await Self.fill(store, place.path)
      let (other, otherPath) = (try FolderStore(place.folder + "/other"), place.folder + "/b.db")
      _ = try await Self.fill(other, otherPath)
      let all = try store.list("").filter { !$0.hasPrefix(GenerationName.folder) }
      let foreign = try other.list("").filter { !$0.hasPrefix(GenerationName.folder) }
      var random = SplitMix(state: UInt64(all.count))
      for round in 0..<min(all.count, 6) {
        let name = try #require(round == 0 ? all.last : all.randomElement(using: &random))
        let second = try #require(all.randomElement(using: &random))
        let (bytes, others) = (
          try #require(try store.get(name)), try #require(try store.get(second))
        )
        var names: [String] = []
        switch attack {
        case .drop: try store.delete(name)
        case .swap:
          try store.put(name, others)
          try store.put(second, bytes)
        case .truncate: try store.put(name, Array(bytes.dropLast(round * 7 + 1)))
        case .duplicate:
          names = ["\(name.dropLast(12))\(String(repeating: "f", count: 12))"]
          try store.put(names[0], bytes)
        case .rename:
          let object = try #require(ObjectName(name))
          names = [
            ObjectName(
              generation: object.generation, sequence: object.sequence + 100, link: object.link,
              time: object.time
            ).text
          ]
          try store.delete(name)
          try store.put(names[0], bytes)
        case .flip:
          var changed = bytes
          changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8(round)
          try store.put(name, changed)
        case .empty: try store.put(name, [])
        case .otherDatabase:
          let bytes = try #require(try other.get(foreign[min(round, foreign.count - 1)]))
          try store.put(name, bytes)
        case .dropGeneration:
          for name in try store.list(GenerationName.folder) { try store.delete(name) }
        }
        do {
          let entries = try await place.restored()
          #expect(states.contains(entries), "\(attack) of \(name)")
        } catch let error as DatabaseError {
          #expect([.copy, .key].contains(error.operation), "\(error)")
        }
        if attack == .dropGeneration { break }
        for name in names { try store.delete(name) }
        try store.put(name, bytes)
        try store.put(second, others)
      }
      guard attack != .dropGeneration else { return }
      let latest = try await place.restored()
      #expect(latest == states.last)
    }
  }

  @Test("a missing object is named, with the newest state whose objects are listed")
  func missing() async throws {
    try await withBackupCase { place in
      let states = try await Self.fill(try place.store, place.path)
      let store = try place.store
      let moments = try store.list("").compactMap { ObjectName($0) }.filter { $0.base != nil }
      let name = moments[moments.count - 2]
      try store.delete(name.text)
      let error = try await failureOfBackup { try await place.restored() }
      #expect(
        error.code == .corrupt && error.message.contains("Object \(name.sequence) of generation"))
      let text = try #require(error.message.components(separatedBy: "at the position ").last)
      let position = try #require(BackupPosition(text))
      #expect(position.object == moments[moments.count - 3])
      let entries = try await place.restored(.position(position))
      #expect(states.contains(entries))
    }
  }

  @Test("a store that is rolled back is detected by a position that the database had reached")
  func rollback() async throws {
    try await withBackupCase { place in
      let store = try place.store
      _ = try await Self.fill(store, place.path)
      let moments = try store.list("").compactMap { ObjectName($0) }.filter { $0.base != nil }
      let last = try #require(moments.last)
      let file = try #require(GenerationName(try store.list(GenerationName.folder)[0])).file
      let position = BackupPosition(file: file, object: last)
      _ = try await place.restored(notBefore: position)
      try store.delete(last.text)
      let error = try await failureOfBackup { try await place.restored(notBefore: position) }
      #expect(error.code == .corrupt && error.message.contains("older than the required position"))
      let foreign = BackupPosition(file: [UInt8](repeating: 1, count: 16), object: last)
      let other = try await failureOfBackup { try await place.restored(notBefore: foreign) }
      #expect(other.message.contains("another database"))
    }
  }

  @Test(
    "an existing file, and files that SQLite would apply to the new file, are not touched",
    arguments: ["", "-wal", "-journal"])
  func existing(suffix: String) async throws {
    try await withBackupCase { place in
      _ = try await Self.fill(try place.store, place.path)
      let (target, store) = (place.folder + "/target.db", try place.store)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: target + suffix))
      let error = try await failureOfBackup {
        try await Database.restore(from: store, to: target, keys: [backupKey])
      }
      #expect(error.code == .cannotOpen && error.message.contains(target + suffix))
      let kept = try Data(contentsOf: URL(fileURLWithPath: target + suffix))
      #expect(kept == Data("mine".utf8))
      let files = try FileManager.default.contentsOfDirectory(atPath: place.folder)
      #expect(!files.contains { $0.contains(".miniorm-") })
    }
  }

  /// Backs up a history, and returns its states.
  private static func fill(_ store: FolderStore, _ path: String) async throws -> [[String]] {
    let place = BackupCase(folder: path)
    let database = try await place.open(at: path)
    var states: [[String]] = []
    try await withRunningBackup(of: database, to: store) { backup in
      for step in 0..<6 {
        try await database.add(["step \(step)"])
        try await backup.flush()
        states.append(try await database.entries())
      }
    }
    try await database.close()
    return states
  }
}

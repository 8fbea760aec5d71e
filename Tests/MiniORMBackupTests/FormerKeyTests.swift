import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("States that a former key seals", .timeLimit(.minutes(5)))
struct FormerKeyTests {
  enum Forgery: CaseIterable, Sendable {
    /// The last generation.
    case append
    /// The same, in a later epoch.
    case epoch
    /// The generations of the new key are deleted too.
    case replace
  }

  @Test(
    "the holder of a former key cannot append a state, and states before the change stay restorable",
    arguments: Forgery.allCases)
  func forgery(forgery: Forgery) async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = try place.store
      var positions: [BackupPosition] = []
      try await withRunningBackup(of: database, to: store) { backup in
        try await database.add(["one"])
        positions.append(try await backup.flushedPosition())
        try await database.changeKey(to: laterKey)
        try await database.add(["two"])
        positions.append(try await backup.flushedPosition())
      }
      try await database.close()
      let (old, new) = (positions[0].object.generation, positions[1].object.generation)
      try Self.forge(
        store, old,
        as: Generation(
          epoch: forgery == .epoch ? 1 : 0, number: new.number + 1, random: old.random))
      if forgery == .replace {
        for name in try store.list("") where name.contains(new.name) { try store.delete(name) }
      }
      let keys = [laterKey, backupKey]
      let error = try await failureOfBackup {
        try await place.restored(keys: keys, notBefore: positions[1])
      }
      #expect(error.operation == .key && error.message.contains("former key"), "\(error)")
      let follower = await #expect(throws: DatabaseError.self) {
        let follower = try await place.follow(store, keys: keys)
        // Without the generations of the new key, and without a position, this is a rollback.
        await follower.stop()
        if forgery == .replace { throw DatabaseError(.key, "rolled back") }
      }
      #expect(follower?.operation == .key)
      let before = try await place.restored(.position(positions[0]), keys: keys)
      #expect(before == ["1 one"])
      guard forgery != .replace else { return }
      let after = try await place.restored(.position(positions[1]), keys: keys)
      #expect(after == ["1 one", "2 two"])
    }
  }

  @Test("a follower with a position of the new key does not go back to the former key")
  func follower() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let store = try place.store
      let backup = ContinuousBackup(of: database, to: store, interval: .zero)
      try await backup.start()
      try await database.add(["one"])
      let first = try await backup.flushedPosition()
      let follower = try await place.follow(store)
      try await database.changeKey(to: laterKey)
      try await database.add(["two"])
      let second = try await backup.flushedPosition()
      try await follower.catchUp()
      await backup.stop()
      try await database.close()
      let old = first.object.generation
      let (number, new) = (second.object.generation.number + 1, second.object.generation)
      try Self.forge(store, old, as: Generation(epoch: 0, number: number, random: old.random))
      for name in try store.list("") where name.contains(new.name) { try store.delete(name) }
      let status = await follower.next {
        ($0.lastError as? DatabaseError)?.message.contains("former key") ?? false
      }
      #expect(status.position == second)
      await follower.stop()
      let entries = try await place.copied(laterKey)
      #expect(entries == ["1 one", "2 two"])
    }
  }

  /// Seals the objects of a generation as a later generation, as the holder of the first key can.
  private static func forge(
    _ store: FolderStore, _ old: Generation, as new: Generation
  ) throws {
    var previous = BackupObject.noCode
    for name in try store.list(old.name) {
      let bytes = try #require(try store.get(name))
      let salt = try #require(BackupObject.salt(of: bytes))
      let key = try BackupKey(backupKey, salt: salt, settings: .sqlcipher4)
      var object = try #require(try BackupObject(bytes, key: key))
      (object.generation, object.previous) = (new, previous)
      let sealed = try object.sealed(by: key)
      previous = sealed.code
      try store.put(object.name.text, sealed.bytes)
    }
    for name in try store.list(GenerationName.folder) {
      guard let known = GenerationName(name), known.generation == old else { continue }
      try store.put(
        GenerationName(new, known.file).text, try #require(try store.get(name)))
    }
  }
}

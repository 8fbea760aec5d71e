import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("The identity of a database in its backup", .timeLimit(.minutes(5)))
struct IdentityTests {
  enum Copy: CaseIterable, Sendable {
    case backup, backupWithKey, export, bytes
  }

  @Test(
    "copies of a template with one key have backups that are not interchangeable",
    arguments: Copy.allCases)
  func tenants(copy: Copy) async throws {
    try await withBackupCase { place in
      let template = try await place.open()
      try await withRunningBackup(of: template, to: place.store) { backup in
        try await template.add(["template"])
        try await backup.flush()
      }
      var tenants: [(path: String, store: FolderStore)] = []
      for name in ["first", "second"] {
        let path = place.folder + "/\(name).db"
        switch copy {
        case .backup: try await template.backup(to: path)
        case .backupWithKey: try await template.backup(to: path, key: backupKey)
        case .export: try await template.export(to: path, key: backupKey)
        case .bytes:
          _ = try await template.checkpoint(.truncate)
          try FileManager.default.copyItem(atPath: place.path, toPath: path)
        }
        if copy != .bytes {
          let count = try await Database.inspect(path: path, key: backupKey) { database in
            try await database.read { db in
              try db.query(Int.self, "SELECT count(*) FROM miniorm_backup")
            }
          }
          #expect(count == [0])
        }
        tenants.append((path, try FolderStore(place.folder + "/\(name)")))
      }
      try await template.close()
      var positions: [BackupPosition] = []
      for (path, store) in tenants {
        let database = try await place.open(at: path)
        try await withRunningBackup(of: database, to: store) { backup in
          try await database.add([path])
          positions.append(try await backup.flushedPosition())
        }
        try await database.close()
        let own = try await place.restored(from: store, notBefore: positions.last)
        #expect(own == ["1 template", "2 \(path)"])
      }
      let error = try await failureOfBackup {
        try await place.restored(from: tenants[1].store, notBefore: positions[0])
      }
      #expect(error.message.contains("another database"), "\(error)")
      // Neither can write to the store of the other, nor of the template.
      let database = try await place.open(at: tenants[0].path)
      for store in [tenants[1].store, try place.store] {
        let backup = ContinuousBackup(of: database, to: store, interval: .zero)
        try await backup.start()
        let error = try await failureOfBackup { try await backup.flush() }
        #expect(error.message.contains("the backup of another database"), "\(error)")
      }
      try await database.close()
    }
  }

  @Test("objects of another file with the same key and salt are refused in place of the file's own")
  func exchangedObjects() async throws {
    try await withBackupCase { place in
      let template = try await place.open()
      let path = place.folder + "/second.db"
      try await template.backup(to: path)
      let (second, other) = (try await place.open(at: path), try FolderStore(place.folder + "/b"))
      try await withRunningBackup(of: second, to: other) { backup in
        try await second.add(["foreign"])
        try await backup.flush()
      }
      try await second.close()
      try await withRunningBackup(of: template, to: place.store) { backup in
        try await template.add(["own"])
        try await backup.flush()
      }
      try await template.close()
      // The foreign generation under the identity of the file.
      let store = try place.store
      let name = try #require(GenerationName(try store.list(GenerationName.folder)[0]))
      let foreign = try #require(GenerationName(try other.list(GenerationName.folder)[0]))
      for object in try store.list("") { try store.delete(object) }
      for object in try other.list("") {
        let target = GenerationName(object).map { GenerationName($0.generation, name.file).text }
        try store.put(target ?? object, try #require(try other.get(object)))
      }
      #expect(try store.list(GenerationName.folder) != [foreign.text])
      let error = try await failureOfBackup { try await place.restored() }
      #expect(error.code == .corrupt && error.message.contains("belongs elsewhere"), "\(error)")
    }
  }

  @Test("a database keeps its identity when it is restored from a backup or vacuumed")
  func restoredInPlace() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let copy = place.folder + "/copy.db"
      try await database.add(["one"])
      for isRunning in [true, false] {
        try await withRunningBackup(of: database, to: place.store) { backup in
          try await backup.flush()
          try? FileManager.default.removeItem(atPath: copy)
          try await database.backup(to: copy)
          guard isRunning else { return }
          try await database.restore(from: copy)
          try await database.add(["two"])
          try await backup.flush()
        }
        if !isRunning { try await database.restore(from: copy) }
        try await database.vacuum()
      }
      try await withRunningBackup(of: database, to: place.store) { try await $0.flush() }
      let (entries, restored) = (try await database.entries(), try await place.restored())
      #expect(entries == ["1 one", "2 two"] && restored == entries)
      try await database.close()
    }
  }

  @Test("the table of the backup is not a difference from the models, and a foreign one is refused")
  func table() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let before = try await database.schemaReport(for: DatabaseSchema(version: 1))
      try await withRunningBackup(of: database, to: place.store) { try await $0.flush() }
      let after = try await database.schemaReport(for: DatabaseSchema(version: 1))
      #expect(before.description == after.description)
      try await database.write { db in
        try db.execute("DROP TABLE miniorm_backup")
        try db.execute("CREATE TABLE miniorm_backup (a)")
      }
      let backup = ContinuousBackup(
        of: database, to: try FolderStore(place.folder + "/b"), interval: .zero)
      try await backup.start()
      let error = try await failureOfBackup { try await backup.flush() }
      #expect(error.code == .misuse && error.message.contains("rename that table"), "\(error)")
      try await database.close()
    }
  }
}

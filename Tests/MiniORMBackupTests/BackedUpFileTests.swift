import Foundation
import MiniORM
import Testing

@testable import MiniORMBackup

@Suite("The file of a backup", .timeLimit(.minutes(5)))
struct BackedUpFileTests {
  @Test(
    "a file that another program replaces or deletes ends the backup with an error",
    arguments: ["replace", "delete", "rename"])
  func moved(fault: String) async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let files = FileManager.default
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await database.add(["one"])
        try await backup.flush()
        switch fault {
        case "replace":
          let copy = place.folder + "/copy.db"
          try await Database.restore(from: place.store, to: copy, keys: [backupKey])
          #expect(rename(copy, place.path) == 0)
        case "delete": try files.removeItem(atPath: place.path)
        default: try files.moveItem(atPath: place.path, toPath: place.path + "-old")
        }
        let error = try await failureOfBackup {
          try await within { try await backup.flush() }
        }
        #expect(error.code == .readOnlyMoved && error.message.contains("its backup ended"))
        let status = await backup.now
        #expect(!status.isRunning && status.lastError != nil)
      }
      try? await database.close()
    }
  }

  @Test("a second backup of a file, by another connection or process, is refused")
  func second() async throws {
    try await withBackupCase { place in
      let (database, other) = (try await place.open(), try await place.open())
      let store = try FolderStore(place.folder + "/other")
      let second = ContinuousBackup(of: other, to: store, interval: .zero)
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await backup.flush()
        let error = try await failureOfBackup { try await second.start() }
        #expect(error.code == .busy && error.message.contains("Another continuous backup"))
        try await database.add(["one"])
        try await backup.flush()
      }
      try await second.start()
      try await second.flush()
      await second.stop()
      let entries = try await place.restored(from: store)
      #expect(entries == ["1 one"])
      let names = try FileManager.default.contentsOfDirectory(atPath: place.folder)
      #expect(!names.contains("a.db-backup"))
      try await other.close()
      try await database.close()
    }
  }

  @Test("concurrent starts of a backup start it once")
  func starts() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      let backup = ContinuousBackup(of: database, to: try place.store, interval: .zero)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<80 { group.addTask { try await backup.start() } }
        try await group.waitForAll()
      }
      try await backup.flush()
      await backup.stop()
      try await database.close()
    }
  }
}

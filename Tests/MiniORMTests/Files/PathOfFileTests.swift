import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

@Suite("Paths without a file")
struct PathOfFileTests {
  private static let key = TemporaryFile.key

  @Test(
    "file operations refuse such paths, and create nothing", arguments: ["", ":memory:", "a\0b"])
  func refused(name: String) async throws {
    try await withTemporaryDirectory { folder throws in
      try await refuse(name.utf8.contains(0) ? folder + "/" + name : name, in: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
    #expect(!FileManager.default.fileExists(atPath: ":memory:"))
  }

  private func refuse(_ path: String, in folder: String) async throws {
    let key = Self.key
    let file = TemporaryFile()
    let closed = file.path
    try await file.open().close()
    let calls: [(String, @Sendable (Database) async throws -> Void)] = [
      ("encrypt", { _ in try await Database.encrypt(path: path, key: key) }),
      ("decrypt", { _ in try await Database.decrypt(path: path, key: key) }),
      ("upgrade", { _ in try await Database.upgrade(path: path, key: key) }),
      ("verify", { _ in _ = try await Database.verify(path: path, key: key) }),
      (
        "salvage",
        { _ in _ = try await Database.salvage(path: path, key: key, to: folder + "/none") }
      ),
      ("salvage to", { _ in _ = try await Database.salvage(path: closed, key: key, to: path) }),
      ("export", { try await $0.export(to: path, key: key) }),
      ("backup", { try await $0.backup(to: path) }),
      ("backup over", { try await $0.backup(to: path, key: nil, replacing: true) }),
      ("restore", { try await $0.restore(from: path, key: key) }),
    ]
    try await withFile { database throws in
      for (name, call) in calls {
        let error = await #expect(throws: DatabaseError.self, "\(name)") {
          try await call(database)
        }
        let codes: [ResultCode] = [.misuse, .cannotOpen]
        #expect(error.map { codes.contains($0.code.primary) } == true, "\(name): \(error as Any)")
      }
    }
  }

  @Test("a read-only database cannot be restored")
  func readOnly() async throws {
    let file = TemporaryFile()
    let copy = TemporaryFile()
    let database = try await file.open()
    try await database.write { try $0.execute("CREATE TABLE t (a)") }
    try await database.backup(to: copy.path)
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reading = try await file.open(configuration)
    let error = try await failure { try await reading.restore(from: copy.path, key: Self.key) }
    #expect(
      error.summary
        == "copy 8 -.- -: The database is open for reading only: restore it through a Database that can write"
    )
    #expect(try await reading.values("SELECT name FROM sqlite_schema") == [.text("t")])
    try await reading.close()
  }
}

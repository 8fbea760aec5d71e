import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Backups")
struct BackupTests {
  private static let key = Key.raw(testKeyBytes)
  private static let other = Key.raw(testKeyBytes.reversed())

  /// The rows of a file.
  private static func contents(_ path: String, _ key: Key?) async throws -> [[DatabaseValue]] {
    let database = try await Database(path: path, key: key)
    #expect(try await database.integrityReport().isEmpty)
    let rows = try await database.read { db in
      var rows = try db.query("SELECT type, name, sql FROM sqlite_schema ORDER BY name").map(
        \.values)
      rows += try db.query("SELECT rowid, * FROM person").map(\.values)
      rows += try db.query("SELECT rowid, * FROM note").map(\.values)
      return rows + (try db.query("PRAGMA user_version").map(\.values))
    }
    try await database.close()
    return rows
  }

  private static func make(_ path: String, _ key: Key?, rows: Int = 1000) async throws -> Database {
    let database = try await Database(path: path, key: key)
    try await database.write { db in
      try db.execute(script: tables(rows: rows))
      try db.execute("PRAGMA user_version = 7")
      try db.execute("DELETE FROM note WHERE person % 7 = 0")
      try db.execute("DELETE FROM person WHERE id % 7 = 0")
    }
    return database
  }

  @Test(
    "a backup has the same contents, with the same key, another raw key, a passphrase, or no key",
    arguments: [true, false], ["same", "other", "passphrase", "none"])
  func keys(isEncrypted: Bool, kind: String) async throws {
    try await withTemporaryDirectory { folder throws in
      let key = isEncrypted ? Self.key : nil
      let database = try await Self.make(folder + "/a.db", key)
      let (copy, seen) = (folder + "/b.db", Fractions())
      let copyKey: Key?
      switch kind {
      case "same":
        copyKey = key
        try await database.backup(to: copy) { seen.append($0) }
      default:
        copyKey = kind == "other" ? Self.other : kind == "passphrase" ? .passphrase("p") : nil
        try await database.backup(to: copy, key: copyKey) { seen.append($0) }
      }
      #expect(seen.all == seen.all.sorted() && seen.all.last == 1)
      #expect(try DatabaseFile.isPlain(copy) == (copyKey == nil))
      try await database.close()
      #expect(try names(in: folder) == ["a.db", "b.db"])
      #expect(try await Self.contents(copy, copyKey) == Self.contents(folder + "/a.db", key))
    }
  }

  @Test("backing up a file with a passphrase needs no key derivation")
  func passphrase() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", .passphrase("secret"), rows: 20)
      try await database.backup(to: folder + "/b.db")
      try await database.close()
      try await Database(path: folder + "/b.db", key: .passphrase("secret")).close()
    }
  }

  @Test(
    "a backup is verified and restored with the database's key",
    arguments: ["raw", "passphrase", "none", "plaintext header", "another salt"])
  func ownKey(kind: String) async throws {
    try await withTemporaryDirectory { folder throws in
      var configuration = Configuration()
      let salt = [UInt8](1...16)
      let key: Key?
      switch kind {
      case "passphrase": key = .passphrase("secret")
      case "none": key = nil
      case "plaintext header":
        configuration.cipher.plaintextHeaderSize = 32
        key = .raw(testKeyBytes, salt: salt)
      default: key = Self.key
      }
      let database = try await Database(
        path: folder + "/a.db", key: key, configuration: configuration)
      try await database.write { try $0.execute(script: tables(rows: 300)) }
      let copy = folder + "/b.db"
      if kind == "another salt" {
        try await database.export(to: copy, key: .raw(testKeyBytes, salt: salt))
      } else {
        try await database.backup(to: copy)
      }
      #expect(try await database.verify(path: copy).isEmpty)
      try await database.write { try $0.execute("DELETE FROM note") }
      try await database.restore(from: copy)
      #expect(try await database.values("SELECT count(*) > 0 FROM note") == [.integer(1)])
      if key != nil {
        try damage(copy, pages: [5])
        #expect(try await database.verify(path: copy).damagedPages == [5])
        let error = try await failure { try await database.restore(from: copy) }
        #expect(
          error.summary
            == "copy 11 -.- -: Page 5 of the file is damaged, so nothing was restored: Database.salvage recovers the readable rows"
        )
      }
      try await database.close()
    }
  }

  @Test("a backup with another key is distinguished from a backup with the same key")
  func foreignKey() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", Self.key, rows: 20)
      let copy = folder + "/b.db"
      try await database.backup(to: copy)
      try await database.backup(to: folder + "/plain.db", key: nil)
      try await database.changeKey(to: Self.other)
      for work in [
        { _ = try await database.verify(path: copy) }, { try await database.restore(from: copy) },
      ] as [() async throws -> Void] {
        let error = try await failure { try await work() }
        #expect(error.openingFailure == .wrongKey)
      }
      let error = try await failure { _ = try await database.verify(path: folder + "/plain.db") }
      #expect(error.openingFailure == .notEncrypted)
      #expect(try await Database.verify(path: copy, key: Self.key).isEmpty)
      try await database.close()
    }
  }

  /// The key may change after a call read the key, and before the call opens the file.
  @Test("backups, exports and checks succeed while the key changes")
  func whileKeyChanges() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", Self.key, rows: 20)
      let keys = Task {
        var changes = 0
        while !Task.isCancelled {
          do {
            try await database.changeKey(to: changes % 2 == 0 ? Self.other : Self.key)
            changes += 1
          } catch let error as DatabaseError where error.code.primary == .busy {
            // A copy reads an earlier state of the file.
          } catch is CancellationError {}
        }
        return changes
      }
      for round in 0..<25 {
        try await database.backup(to: folder + "/b.db", replacing: true)
        try await database.export(to: folder + "/c\(round).db", key: Self.key)
        let report = try await database.integrityReport()
        #expect(report.isEmpty, "\(report) \(report.problems)")
      }
      keys.cancel()
      #expect(try await keys.value > 0)
      try await database.close()
    }
  }

  @Test("a backup contains a single state of a file that others keep writing")
  func whileWriting() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", Self.key, rows: 3000)
      try await database.write { db in
        try db.execute("CREATE TABLE pair(id INTEGER PRIMARY KEY, a, b)")
        try db.execute("INSERT INTO pair VALUES (1, 0, 0)")
      }
      let other = try await Database(path: folder + "/a.db", key: Self.key)
      // Writes through the source database, and through a second database as another process would.
      let writers = [database, other].map { database in
        Task {
          while !Task.isCancelled {
            try await database.write { db in
              try db.execute("UPDATE pair SET a = a + 1")
              try db.execute("UPDATE person SET photo = randomblob(300) WHERE id % 50 = 3")
              try db.execute("UPDATE pair SET b = b + 1")
            }
          }
        }
      }
      for round in 1...5 {
        let copy = "\(folder)/\(round).db"
        try await database.backup(to: copy)
        #expect(try await Database.verify(path: copy, key: Self.key).isEmpty)
        let opened = try await Database(path: copy, key: Self.key)
        #expect(try await opened.values("SELECT a = b FROM pair") == [.integer(1)])
        try await opened.close()
      }
      for writer in writers {
        writer.cancel()
        _ = await writer.result
      }
      try await other.close()
      try await database.close()
    }
  }

  @Test("a backup replaces an earlier file only on request, and atomically")
  func replacing() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", Self.key, rows: 100)
      let copy = folder + "/b.db"
      try await database.backup(to: copy)
      func refusal(_ path: String = copy, replacing: Bool = true) async throws -> String {
        let before = try names(in: folder)
        let error = try await failure { try await database.backup(to: path, replacing: replacing) }
        #expect(try names(in: folder) == before)
        return error.summary.replacingOccurrences(of: folder, with: "")
      }
      #expect(
        try await refusal(replacing: false)
          == "copy 14 -.- -: There is a file at /b.db already: choose another path")
      #expect(
        try await refusal(folder + "/a.db")
          == "copy 5 -.- -: /a.db is open in this process: close it first")
      #expect(try await refusal(folder) == "copy 14 -.- -:  is a folder: choose the path of a file")
      try Data([1]).write(to: URL(fileURLWithPath: copy + "-wal"))
      #expect(try await refusal().hasPrefix("copy 5 -.- -: /b.db-wal contains changes of the file"))
      try DatabaseFile.remove(copy + "-wal")

      try await database.write { try $0.execute("UPDATE person SET name = 'new'") }
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: "b.db")
      try await database.backup(to: folder + "/link", replacing: true)
      #expect(DatabaseFile.isLink(folder + "/link"))
      let opened = try await Database(path: copy, key: Self.key)
      #expect(try await opened.values("SELECT DISTINCT name FROM person") == [.text("new")])
      #expect(
        try await refusal() == "copy 5 -.- -: /b.db is open in this process: close it first"
      )
      try await opened.close()
      try await database.close()
    }
  }

  @Test("a backup and an export have the file's permissions", arguments: [0o600, 0o640])
  func permissions(mode: Int) async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Self.make(folder + "/a.db", Self.key, rows: 5)
      let manager = FileManager.default
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/a.db")
      try await database.backup(to: folder + "/b.db")
      try await database.export(to: folder + "/c.db", key: nil)
      for name in ["b.db", "c.db"] {
        let found = try manager.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions]
        #expect(found as? Int == mode)
      }
      try await database.close()
    }
  }

  @Test(
    "a cancelled backup, or a backup of a damaged file, leaves no copy", arguments: [true, false])
  func ended(isCancelled: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try await Self.make(path, Self.key, rows: 3000).close()
      if !isCancelled { try damage(path, pages: [100]) }
      let database = try await Database(path: path, key: Self.key)
      try Data("former".utf8).write(to: URL(fileURLWithPath: folder + "/b.db"))
      if isCancelled {
        let task = Task {
          try await database.backup(to: folder + "/b.db", replacing: true) { _ in
            withUnsafeCurrentTask { $0?.cancel() }
          }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
      } else {
        let error = try await failure {
          try await database.backup(to: folder + "/b.db", replacing: true)
        }
        #expect(
          error.summary
            == "copy 11 -.- -: Page 100 of the file is damaged, so nothing was copied: Database.salvage recovers the readable rows"
        )
      }
      try await database.close()
      #expect(try names(in: folder) == ["a.db", "b.db"])
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/b.db")) == Data("former".utf8))
    }
  }

  @Test("with a rollback journal, a backup delays writers but does not make them fail")
  func rollbackJournal() async throws {
    try await withTemporaryDirectory { folder throws in
      var configuration = Configuration()
      configuration.journalMode = .delete
      let database = try await Database(
        path: folder + "/a.db", key: Self.key, configuration: configuration)
      try await database.write { try $0.execute(script: tables(rows: 1000)) }
      let writing = Task {
        for number in 1...20 {
          try await database.write { try $0.execute("UPDATE person SET name = \("\(number)")") }
        }
      }
      for round in 1...3 { try await database.backup(to: "\(folder)/\(round).db") }
      try await writing.value
      try await database.close()
      for round in 1...3 {
        #expect(try await Database.verify(path: "\(folder)/\(round).db", key: Self.key).isEmpty)
      }
    }
  }

  @Test("a database without a file cannot be backed up")
  func memory() async throws {
    let database = try await Database.inMemory()
    let error = try await failure { try await database.backup(to: "never.db") }
    #expect(
      error.message
        == "Only a database in a file can be backed up: use VACUUM INTO in withoutTransaction")
    try await database.close()
  }

  #if os(Linux)
    @Test("a backup of a file that another program moves away and back is complete or fails")
    func moved() async throws {
      try await withTemporaryDirectory { folder throws in
        let (path, away, copy) = (folder + "/a.db", folder + "/away.db", folder + "/b.db")
        let database = try await Self.make(path, Self.key, rows: 3)
        _ = try await database.checkpoint(.truncate)
        try await database.backup(to: copy)
        let isOver = Atomic(false)
        let mover = Thread {
          while !isOver.load(ordering: .relaxed) {
            rename(path, away)
            rename(away, path)
          }
        }
        mover.start()
        var successes = 0
        for _ in 0..<400 {
          do {
            try await database.backup(to: copy, replacing: true)
            successes += 1
          } catch is DatabaseError {}
        }
        isOver.store(true, ordering: .relaxed)
        while !mover.isFinished { try await Task.sleep(for: .milliseconds(1)) }
        let backup = try await Database(path: copy, key: Self.key)
        #expect(try await backup.values("SELECT count(*) FROM person") == [.integer(3)])
        try await backup.close()
        #expect(DatabaseFile.size(path) > 0 && !DatabaseFile.exists(away), "\(successes)")
        try await database.close()
      }
    }
  #endif
}

import Foundation
import Testing

@testable import MiniORM

@Suite("Database lifetime")
struct DatabaseTests {
  private static let script = "CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER)"

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  @Test(
    "100 tasks that read and write at the same time lose nothing and never see SQLITE_BUSY",
    arguments: TestPlace.allCases)
  func tasks(place: TestPlace) async throws {
    let script = Self.script + "; INSERT INTO t VALUES (0, 0)"
    try await place.withDatabase(script: script) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 1...100 {
          group.addTask {
            if index % 2 == 0 {
              try await database.write { db in
                let count = try db.value(Int.self, "SELECT b FROM t WHERE a = 0") ?? -1
                try db.execute("UPDATE t SET b = \(count + 1) WHERE a = 0")
                try db.execute("INSERT INTO t VALUES (\(index), \(count))")
              }
            } else {
              try await database.read { db in
                let rows = try db.value(Int.self, "SELECT count(*) FROM t") ?? -1
                let count = try db.value(Int.self, "SELECT b FROM t WHERE a = 0") ?? -1
                #expect(rows == count + 1)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await database.values("SELECT b FROM t WHERE a = 0") == [.integer(50)])
      #expect(
        try await database.values("SELECT count(DISTINCT b) FROM t WHERE a > 0") == [.integer(50)])
    }
  }

  @Test("two databases of the same file wait for each other", arguments: [true, false])
  func twoDatabases(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isWAL ? .wal : .delete
    configuration.busyTimeout = .milliseconds(60_000)
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { first in
      let second = try await Database(
        path: first.path, key: .raw(testKeyBytes), configuration: configuration)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
          group.addTask {
            let database = index % 2 == 0 ? first : second
            try await database.write { try $0.execute("INSERT INTO t(b) VALUES (\(index))") }
            _ = try await database.values("SELECT count(*) FROM t")
          }
        }
        try await group.waitForAll()
      }
      #expect(try await second.values("SELECT count(DISTINCT b) FROM t") == [.integer(40)])
      try await second.close()
    }
  }

  @Test("reads run while a transaction writes, and a second writer waits")
  func readsDuringWrite() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.writer.begin(.immediate)
      try await database.writer.execute("INSERT INTO t VALUES (1, 1)")
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(0)])
      try await database.writer.commit()
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(1)])
    }
  }

  @Test(
    "a second close has no effect, and other calls after closing throw",
    arguments: TestPlace.allCases)
  func closed(place: TestPlace) async throws {
    try await place.withDatabase(script: Self.script) { database in
      try await database.close()
      try await database.close()
      let expected = ErrorFacts(
        .open, .misuse, "The database is closed: open a new Database", path: database.path)
      let writing = try await failure { try await database.write { _ in } }
      #expect(writing.facts == expected)
      let reading = try await failure { _ = try await database.values("SELECT 1") }
      #expect(reading.facts == expected)
    }
  }

  @Test("closing inside a transaction or a query throws and closes nothing")
  func closedInside() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let expected = ErrorFacts(
        .close, .busy,
        "The database cannot be closed inside a transaction or a query: close it after the closure has returned",
        path: database.path)
      try await database.write { db in
        #expect(throws: DatabaseError.self) { try db.close() }
        let error = #expect(throws: DatabaseError.self) { try db.transaction { try $0.close() } }
        #expect(error?.facts == expected)
        try db.execute("INSERT INTO t VALUES (1, 1)")
      }
      let error = try await failure { try await Self.closeDuringQuery(database.writer) }
      #expect(error.facts == expected)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
    }
  }

  private static func closeDuringQuery(_ db: isolated Connection) throws {
    let statement = try db.statement("SELECT 1 UNION SELECT 2")
    #expect(try statement.step())
    try db.close()
  }

  @Test(
    "closing lets each waiting task finish or refuses it, and loses no finished change")
  func closedWhileWaiting() async throws {
    try await withTemporaryPath { path in
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.write { try $0.execute(script: Self.script) }
      let written = await withTaskGroup(of: Bool.self) { group in
        for index in 0..<50 {
          group.addTask {
            do {
              try await database.write { try $0.execute("INSERT INTO t(b) VALUES (\(index))") }
              return true
            } catch {
              #expect(
                (error as? DatabaseError)?.message == "The database is closed: open a new Database")
              return false
            }
          }
          if index == 25 {
            group.addTask {
              await #expect(throws: Never.self) { try await database.close() }
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      let again = try await Database(path: path, key: .raw(testKeyBytes))
      #expect(try await again.values("SELECT count(*) FROM t") == [.integer(Int64(written))])
      try await again.close()
    }
  }

  @Test("closing moves the log into the file and removes it")
  func closingCleans() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      #expect(Self.exists(database.path + "-wal"))
      try await database.close()
      #expect(!Self.exists(database.path + "-wal"))
      #expect(!Self.exists(database.path + "-shm"))
    }
  }

  @Test("delete removes only the file, its log and its journal")
  func delete() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/test.db"
      for suffix in ["", "-wal", "-shm", "-journal", ".other"] {
        try Data([1]).write(to: URL(fileURLWithPath: path + suffix))
      }
      try Database.delete(path: path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["test.db.other"])
      try Database.delete(path: path)
      try Database.delete(path: folder + "/none/test.db")
      try Database.delete(path: ":memory:")
      try Database.delete(path: "")
    }
  }

  @Test("delete removes the log of a missing file")
  func deleteLog() async throws {
    try await withTemporaryPath { path in
      try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
      try Database.delete(path: path)
      #expect(!Self.exists(path + "-wal"))
    }
  }

  @Test("delete refuses a folder, and keeps the files beside it")
  func deleteFolder() async throws {
    try await withTemporaryPath { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try Data([1]).write(to: URL(fileURLWithPath: path + "-wal"))
      let error = try await failure { try Database.delete(path: path) }
      #expect(
        error.facts
          == ErrorFacts(
            .delete, .cannotOpen, "\(path) is a folder: give the path of the database file",
            path: path))
      #expect(error.errorDescription == "The database could not be deleted.")
      #expect(Self.exists(path + "-wal"))
    }
  }

  #if os(Linux)
    @Test("a failed deletion throws an error with the path")
    func deleteForbidden() async throws {
      let path = "/proc/version"
      let error = try await failure { try Database.delete(path: path) }
      #expect(error.operation == .delete)
      #expect(error.code == .inputOutput)
      #expect(error.path == path)
      #expect(error.message.hasPrefix("/proc/version could not be deleted: "))
    }
  #endif

  @Table fileprivate struct Note: Equatable {
    let id: Int64
    var text: String
  }

  @Test("after deleting and reopening the file, migrate creates the tables again")
  func recreated() async throws {
    try await withTemporaryPath { path in
      for _ in 0..<2 {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        #expect(try await database.values("PRAGMA user_version") == [.integer(0)])
        try await database.migrate(DatabaseSchema(version: 3, Note.self))
        #expect(try await database.values("PRAGMA user_version") == [.integer(3)])
        let note = try await Table<Note>().insert(Note.Draft(text: "one"), in: database)
        #expect(note == Note(id: 1, text: "one"))
        try await database.close()
        let reopened = try await Database(path: path, key: .raw(testKeyBytes))
        try await reopened.migrate(DatabaseSchema(version: 3, Note.self))
        #expect(try await Table<Note>().fetchAll(in: reopened) == [note])
        try await reopened.close()
        try Database.delete(path: path)
        #expect(!Self.exists(path))
      }
    }
  }

  @Test("a missing table, a missing row and an empty table give different results")
  func toldApart() async throws {
    try await withTemporaryDatabase { database in
      let notes = Table<Note>()
      let fetching = try await failure { _ = try await notes.fetchAll(in: database) }
      #expect(fetching.operation == .prepare)
      #expect(fetching.code == .error)
      #expect(fetching.message == "no such table: Note")
      let finding = try await failure { _ = try await notes.find(1, in: database) }
      #expect(finding.message == "no such table: Note")
      try await database.migrate(DatabaseSchema(Note.self))
      #expect(try await notes.fetchAll(in: database) == [])
      #expect(try await notes.find(1, in: database) == nil)
      let note = try await notes.insert(Note.Draft(text: "one"), in: database)
      #expect(try await notes.find(note.id, in: database) == note)
      #expect(try await notes.find(2, in: database) == nil)
    }
  }

  @Table("select from \"where\"") fileprivate struct Odd: Equatable {
    let id: Int64
    @Column("group") var group: String
    @Column("a \"b\" .c'd;--") var odd: Int
    @Column("naïve 🐚") var shell: String?
  }

  @Test("tables are created once, and reserved words and odd names are quoted")
  func oddNames() async throws {
    try await withTemporaryDatabase { database in
      for _ in 0..<3 { try await database.migrate(DatabaseSchema(Odd.self)) }
      #expect(
        try await database.values(
          "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
          == [
            "select from \"where\"", "miniorm_migrations", "miniorm_objects", "miniorm_tables",
            "miniorm_columns",
          ].map { .text($0) })
      let row = try await Table<Odd>().insert(
        Odd.Draft(group: "by", odd: 3, shell: "🐚"), in: database)
      #expect(row == Odd(id: 1, group: "by", odd: 3, shell: "🐚"))
      let found = try await Table<Odd>().where { $0.odd == 3 && $0.group == "by" }
        .fetchAll(in: database)
      #expect(found == [row])
      let raw = try await database.read { db in
        try db.query(
          Odd.self,
          "SELECT * FROM \(identifier: "select from \"where\"") WHERE \(identifier: "group") = \("by")"
        )
      }
      #expect(raw == [row])
    }
  }
}

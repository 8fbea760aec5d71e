import Foundation
import Synchronization
import Testing

@testable import MiniORM

/// The results that readers have seen.
private final class Seen: Sendable {
  private let found = Mutex<Set<[Int]>>([])
  var all: Set<[Int]> { found.withLock { $0 } }
  func insert(_ counts: [Int]) { found.withLock { _ = $0.insert(counts) } }
}

@Suite("Restoring")
struct RestoreTests {
  private static let key = Key.raw(testKeyBytes)
  private static let other = Key.raw(testKeyBytes.reversed())

  /// Creates a file with people, and returns the contents.
  private static func make(_ path: String, _ key: Key?, rows: Int, extra: String = "") async throws
  {
    let database = try await Database(path: path, key: key)
    try await database.write { db in
      try db.execute(script: extra + tables(rows: rows))
      try db.execute("CREATE VIEW named AS SELECT name FROM person")
      try db.execute("PRAGMA user_version = 7")
    }
    try await database.close()
  }

  private static func people(_ database: Database) async throws -> [[DatabaseValue]] {
    try await database.read { try $0.query("SELECT rowid, * FROM person").map(\.values) }
  }

  @Test(
    "a file is restored into any kind of open database, which keeps its key",
    arguments: TestPlace.allCases, [true, false])
  func kinds(place: TestPlace, isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (backup, key) = (folder + "/b.db", isEncrypted ? Self.other : nil)
      try await Self.make(backup, key, rows: 800)
      let whole = try await Database(path: backup, key: key)
      let rows = try await Self.people(whole)
      try await whole.close()
      try await place.withDatabase(script: "CREATE TABLE old(a); INSERT INTO old VALUES (1)") {
        database throws in
        #expect(try await database.values("SELECT a FROM old") == [.integer(1)])
        let seen = Fractions()
        try await database.restore(from: backup, key: key) { seen.append($0) }
        #expect(seen.all == seen.all.sorted() && seen.all.last == 1)
        // The log was checkpointed.
        #expect(place != .file || DatabaseFile.size(database.path + "-wal") == 0)
        #expect(try await Self.people(database) == rows)
        #expect(try await database.values("PRAGMA user_version") == [.integer(7)])
        #expect(try await database.values("SELECT count(name) FROM named") == [.integer(800)])
        let gone = try await failure { try await database.values("SELECT a FROM old") }
        #expect(gone.message == "no such table: old")
        #expect(try await database.integrityReport().isEmpty)
        try await database.write { try $0.execute("DELETE FROM note") }
        guard place == .file else { return }
        let path = database.path
        #expect(try !DatabaseFile.isPlain(path))
        try await database.close()
        let again = try await Database(path: path, key: Self.key)
        #expect(try await Self.people(again) == rows)
        try await again.close()
      }
      #expect(try names(in: folder) == ["b.db"])
    }
  }

  @Test(
    "restoring works with another page size, and from a file with a log",
    arguments: [Configuration.JournalMode.wal, .delete], [true, false])
  func formats(mode: Configuration.JournalMode, isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let backup = folder + "/b.db"
      try runSQL(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;" + tables(rows: 300), on: backup)
      var configuration = Configuration()
      configuration.journalMode = mode
      let database = try await Database(
        path: folder + "/a.db", key: isEncrypted ? Self.key : nil, configuration: configuration)
      try await database.write { try $0.execute("CREATE TABLE old(a)") }
      for _ in 1...2 {
        try await database.restore(from: backup, key: nil)
        #expect(try await database.values("SELECT count(*) FROM person") == [.integer(300)])
        #expect(
          try await database.values("PRAGMA journal_mode")
            == [.text(mode.rawValue.lowercased())])
        #expect(try await database.integrityReport().isEmpty)
      }
      try await database.close()
      #expect(try names(in: folder) == ["a.db", "b.db"])
    }
  }

  @Test(
    "readers see the complete old or new contents, and statements follow the schema")
  func readers() async throws {
    try await withTemporaryDirectory { folder throws in
      let (one, two) = (folder + "/1.db", folder + "/2.db")
      try await Self.make(one, Self.key, rows: 700)
      // The table has other columns, in another order.
      try await Self.make(two, Self.other, rows: 300)
      try runSQL(
        """
        ALTER TABLE person ADD COLUMN later DEFAULT 5; ALTER TABLE person DROP COLUMN photo;
        DROP INDEX person_name; CREATE TABLE more(a);
        """, on: two, key: "x'\(Array(testKeyBytes.reversed()).hexadecimal)'")
      let database = try await Database(path: folder + "/a.db", key: Self.key)
      try await database.restore(from: one, key: Self.key)
      let counts = Seen()
      let reading = (1...3).map { _ in
        Task {
          while !Task.isCancelled {
            let found = try await database.read { db in
              let count = try #require(try db.value(Int.self, "SELECT count(*) FROM person"))
              let names = try #require(try db.value(Int.self, "SELECT count(name) FROM named"))
              let columns = try db.query("SELECT * FROM person LIMIT 1").first?.values.count ?? 0
              return [count, names, columns]
            }
            counts.insert(found)
          }
        }
      }
      for round in 1...8 {
        let (source, key) = round % 2 == 0 ? (one, Self.key) : (two, Self.other)
        try await database.restore(from: source, key: key)
      }
      for reader in reading {
        reader.cancel()
        do { try await reader.value } catch is CancellationError {}
      }
      #expect(counts.all.isSubset(of: [[700, 700, 3], [300, 300, 3]]))
      try await database.close()
    }
  }

  @Test("observers are notified, and read the restored rows")
  func observers() async throws {
    try await withTemporaryDirectory { folder throws in
      try await Self.make(folder + "/b.db", Self.key, rows: 30)
      let database = try await Database(path: folder + "/a.db", key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 10)) }
      let counts = database.values { db in try db.value(Int.self, "SELECT count(*) FROM person") }
      var iterator = counts.makeAsyncIterator()
      #expect(try await iterator.next() == 10)
      try await database.restore(from: folder + "/b.db", key: Self.key)
      #expect(try await iterator.next() == 30)
      try await database.close()
    }
  }

  @Test("another connection of the process continues after a restore")
  func others() async throws {
    try await withTemporaryDirectory { folder throws in
      try await Self.make(folder + "/b.db", Self.key, rows: 30)
      try await Self.make(folder + "/a.db", Self.key, rows: 10)
      let database = try await Database(path: folder + "/a.db", key: Self.key)
      let other = try await Database(path: folder + "/a.db", key: Self.key)
      #expect(try await other.values("SELECT count(*) FROM person") == [.integer(10)])
      try await database.restore(from: folder + "/b.db", key: Self.key)
      #expect(try await other.values("SELECT count(*) FROM person") == [.integer(30)])
      try await other.write { try $0.execute("DELETE FROM note") }
      #expect(try await database.values("SELECT count(*) FROM note") == [.integer(0)])
      try await other.close()
      try await database.close()
    }
  }

  enum Ending: CaseIterable {
    case cancelled, damaged, wrongKey, missing, itself, encoding, plainDamage
  }

  @Test(
    "a failed or cancelled restore keeps the earlier contents", arguments: Ending.allCases)
  func ended(ending: Ending) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, backup) = (folder + "/a.db", folder + "/b.db")
      try await Self.make(path, Self.key, rows: 50)
      var key: Key? = Self.other
      if ending == .encoding || ending == .plainDamage {
        key = nil
        try runSQL(
          "PRAGMA encoding = '\(ending == .encoding ? "UTF-16le" : "UTF-8")';" + tables(rows: 900),
          on: backup)
      } else {
        try await Self.make(backup, Self.other, rows: 2000)
      }
      if ending == .damaged || ending == .plainDamage {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: backup))
        try file.seek(toOffset: 119 * 4096)
        try file.write(contentsOf: Data(repeating: 0xee, count: 4096))
        try file.close()
      }
      if ending == .wrongKey { key = Self.key }
      let database = try await Database(path: path, key: Self.key)
      let rows = try await Self.people(database)
      let before = try names(in: folder)
      let source = ending == .missing ? folder + "/c.db" : ending == .itself ? path : backup
      if ending == .itself { key = Self.key }
      if ending == .cancelled {
        let task = Task { [key] in
          try await database.restore(from: source, key: key) { _ in
            withUnsafeCurrentTask { $0?.cancel() }
          }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
      } else {
        let error = try await failure { try await database.restore(from: source, key: key) }
        let expected =
          switch ending {
          case .cancelled, .damaged:
            "copy 11 -.- -: Page 120 of the file is damaged, so nothing was restored"
          case .wrongKey: "key 26 -.- -: The key is wrong, the file has other cipher settings, or"
          case .missing: "open 14 -.- -: The file does not exist: check the path"
          case .itself:
            "copy 21 -.- -: A database cannot be restored from itself: give the path of a backup"
          case .encoding:
            "copy 21 -.- -: The file stores text as UTF-16le, and the database stores text"
          case .plainDamage: "copy 11 -.- -: The file is damaged, so nothing was restored: "
          }
        #expect(error.summary.hasPrefix(expected), "\(error.summary)")
        #expect(error.path == source)
      }
      #expect(try names(in: folder) == before)
      #expect(try await Self.people(database) == rows)
      try await database.write { try $0.execute("DELETE FROM note") }
      #expect(try await database.integrityReport().isEmpty)
      try await database.close()
    }
  }

  @Test("restoring waits for another process's transaction, up to a limit")
  func busy() async throws {
    try await withTemporaryDirectory { folder throws in
      try await Self.make(folder + "/b.db", Self.key, rows: 30)
      var configuration = Configuration()
      configuration.busyTimeout = .milliseconds(20)
      let database = try await Database(
        path: folder + "/a.db", key: Self.key, configuration: configuration)
      let other = try await Database(path: folder + "/a.db", key: Self.key)
      try await other.write { db in
        try db.execute("CREATE TABLE t(a)")
        let (done, backup) = (DispatchSemaphore(value: 0), folder + "/b.db")
        let outcome = Mutex<DatabaseError?>(nil)
        Task.detached {
          do {
            try await database.restore(from: backup, key: Self.key)
          } catch let error as DatabaseError {
            outcome.withLock { $0 = error }
          }
          done.signal()
        }
        done.wait()
        #expect(outcome.withLock { $0?.code.primary } == .busy)
      }
      try await database.restore(from: folder + "/b.db", key: Self.key)
      #expect(try await other.values("SELECT count(*) FROM person") == [.integer(30)])
      try await other.close()
      try await database.close()
    }
  }
}

import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Integrity reports")
struct IntegrityTests {
  private static let key = Key.raw(testKeyBytes)

  @Test(
    "an undamaged database has an empty report, in a file or in memory",
    arguments: TestPlace.allCases)
  func whole(place: TestPlace) async throws {
    try await place.withDatabase(script: tables(rows: 300)) { database throws in
      let report = try await database.integrityReport()
      #expect(report == IntegrityReport(problems: [], isComplete: true))
      #expect(report.isEmpty && report.damagedPages == [] && report.description == "ok")
    }
  }

  @Test(
    "verify does not open the file as a database, and leaves no other file",
    arguments: ["WAL", "DELETE"], [true, false])
  func verified(mode: String, isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL("PRAGMA journal_mode = \(mode);" + tables(rows: 50), on: path)
      if isEncrypted { try await Database.encrypt(path: path, key: Self.key) }
      #expect(try await Database.verify(path: path, key: isEncrypted ? Self.key : nil).isEmpty)
      #expect(try names(in: folder) == ["a.db"])
      let wrong = try await failure {
        try await Database.verify(
          path: path, key: isEncrypted ? .raw(testKeyBytes.reversed()) : Self.key)
      }
      #expect(wrong.operation == .key && wrong.code == .notADatabase && wrong.path == path)
      let none = try await failure { try await Database.verify(path: path + "x", key: nil) }
      #expect(none.summary == "open 14 -.- -: The file does not exist: check the path")
      let folderError = try await failure { try await Database.verify(path: folder, key: nil) }
      #expect(
        folderError.summary == "open 14 -.- -: The path leads to a folder: give the path of a file")
    }
  }

  @Test("exactly the damaged pages are named, and the open database continues")
  func damagedPages() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 2000)) }
      try await database.close()
      let count = Int(DatabaseFile.size(path) / 4096)
      #expect(count > 200)
      var random = SeededRandom(7)
      let pages = Array((2...count).shuffled(using: &random).prefix(12)).sorted()
      try damage(path, pages: pages)
      let report = try await Database.verify(path: path, key: Self.key)
      #expect(report.damagedPages == pages && report.problems.count == 12)
      #expect(report.problems.allSatisfy { $0.kind == .page } && !report.isComplete)
      #expect(
        report.description.hasPrefix(
          "page \(pages[0]) is damaged: HMAC verification failed for page \(pages[0])\npage"))
      #expect(report.description.hasSuffix("\nthere may be more"))

      let open = try await Database(path: path, key: Self.key)
      for _ in 1...3 { #expect(try await open.integrityReport() == report) }
      #expect(try await open.values("SELECT max(id) FROM person").count == 1)
      try await open.close()
    }
  }

  @Test("damage in the schema is reported, although SQLite cannot read the file")
  func damagedSchema() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.write { db in
        for number in 1...200 { try db.execute("CREATE TABLE \(raw: "t\(number)")(a, b, c, d)") }
      }
      let roots = Set(try await database.values("SELECT rootpage FROM sqlite_schema"))
      try await database.close()
      // The tables are empty and have a single page each. The other pages belong to the schema.
      let count = Int(DatabaseFile.size(path) / 4096)
      let page = try #require((2...count).first { !roots.contains(.integer(Int64($0))) })
      try damage(path, pages: [page])
      let report = try await Database.verify(path: path, key: Self.key)
      #expect(report.damagedPages == [page])
      try damage(path, pages: [1])
      let error = try await failure { try await Database.verify(path: path, key: Self.key) }
      #expect(error.operation == .key && error.code == .notADatabase)
    }
  }

  @Test("a truncated file is reported", arguments: [1, 100, 4095, 4096])
  func cutOff(count: Int) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 200)) }
      try await database.close()
      let size = DatabaseFile.size(path)
      #expect(truncate(path, Int(size) - count) == 0)
      let report = try await Database.verify(path: path, key: Self.key)
      #expect(!report.isEmpty && !report.isComplete, "\(report)")
    }
  }

  @Test(
    "SQLite's findings about indexes, constraints, foreign keys and pages become typed problems")
  func typed() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL(
        """
        CREATE TABLE "a.b"(id INTEGER PRIMARY KEY, x TEXT, y INTEGER);
        CREATE INDEX "i of index j" ON "a.b"(x);
        CREATE TABLE child(p REFERENCES "a.b"(id));
        CREATE TABLE leaf(a PRIMARY KEY, p REFERENCES "a.b"(id)) WITHOUT ROWID;
        INSERT INTO "a.b" VALUES (1, 'one', 1), (2, NULL, -2), (3, 'three', 3);
        INSERT INTO child VALUES (1), (7);
        INSERT INTO leaf VALUES (1, 8);
        PRAGMA writable_schema = 1;
        UPDATE sqlite_schema SET sql =
          'CREATE TABLE "a.b"(id INTEGER PRIMARY KEY, x TEXT NOT NULL, y INTEGER CHECK (y > 0))'
          WHERE name = 'a.b';
        UPDATE sqlite_schema SET sql = 'CREATE INDEX "i of index j" ON "a.b"(y) WHERE id = 3'
          WHERE name = 'i of index j';
        """, on: path)
      let report = try await Database.verify(path: path, key: nil)
      #expect(report.isComplete)
      #expect(
        report.problems == [
          IntegrityReport.Problem(.constraint, "NULL value in a.b.x", table: "a.b"),
          IntegrityReport.Problem(.constraint, "CHECK constraint failed in a.b", table: "a.b"),
          IntegrityReport.Problem(
            .index, "row 3 missing from index i of index j", table: "a.b",
            index: "i of index j", rowID: 3),
          IntegrityReport.Problem(
            .foreignKey, "row 2 of table child refers to a row of a.b that does not exist",
            table: "child", rowID: 2),
          IntegrityReport.Problem(
            .foreignKey, "a row of table leaf refers to a row of a.b that does not exist",
            table: "leaf"),
        ])
      #expect(
        report.problems[2].description
          == "row 3 missing from index i of index j, an index of table a.b")
    }
  }

  @Test(
    "each form of SQLite's messages has its kind",
    arguments: [
      ("row 12 missing from index i", "index - t i 12"),
      ("non-unique entry in index i", "index - t i -"),
      ("rowid not at end-of-record for row 3 of index i", "index - t i 3"),
      ("row 4 values differ from index i", "index - t i 4"),
      ("non-INT value in t.c", "constraint - t - -"),
      ("TEXT value in t.c", "constraint - t - -"),
      ("Tree 5 page 700 cell 3: Rowid 12 out of order", "structure 700 - - -"),
      ("Page 42: never used", "structure 42 - - -"),
      ("Freelist: size is 3 but should be 4", "structure - - - -"),
    ])
  func messages(line: String, expected: String) {
    let problem = IntegrityCheck.problem(line, ["i": "t", "t": "t"])
    func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "-" }
    #expect(
      [
        problem.kind.rawValue, text(problem.page), text(problem.table), text(problem.index),
        text(problem.rowID),
      ].joined(separator: " ") == expected)
    #expect(problem.message == line)
  }

  @Test("inconsistent pages of a plain file are reported")
  func plainDamage() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL(tables(rows: 1000), on: path)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seek(toOffset: 9 * 4096)
      try file.write(contentsOf: Data(repeating: 0xee, count: 4096))
      try file.close()
      let report = try await Database.verify(path: path, key: nil)
      #expect(report.problems.contains { $0.kind == .structure && $0.page == 10 }, "\(report)")
      #expect(!report.isComplete)
    }
  }

  @Test("the report stays empty while others write and checkpoint")
  func whileWriting() async throws {
    try await withTemporaryDatabase(script: tables(rows: 500)) { database throws in
      let writing = Task {
        var number = 0
        while !Task.isCancelled {
          number += 1
          try await database.write { [number] db in
            try db.execute("UPDATE person SET name = \("other \(number)") WHERE id % 5 = 0")
          }
          if number % 3 == 0 {
            try await database.withoutTransaction { db in
              _ = try db.query("PRAGMA wal_checkpoint")
            }
          }
        }
      }
      for _ in 1...10 { #expect(try await database.integrityReport().isEmpty) }
      writing.cancel()
      _ = await writing.result
    }
  }

  @Test(
    "a file whose log has only pages with another key is not damaged",
    arguments: [true, false])
  func loggedKey(isRead: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, killed) = (folder + "/a.db", folder + "/killed.db")
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 300)) }
      try await database.close()
      // Simulates a process killed between the rekey and the checkpoint.
      var pointer: OpaquePointer?
      try #require(sqlite3_open(path, &pointer) == SQLITE_OK)
      defer { sqlite3_close(pointer) }
      let (old, new) = (testKeyBytes.hexadecimal, Array(testKeyBytes.reversed()).hexadecimal)
      let code = sqlite3_exec(
        pointer,
        """
        PRAGMA key = "x'\(old)'"; PRAGMA wal_autocheckpoint = 0; SELECT count(*) FROM note;
        PRAGMA rekey = "x'\(new)'"; SELECT count(*) FROM note;
        """, nil, nil, nil)
      try #require(code == SQLITE_OK)
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + ending, toPath: killed + ending)
      }
      try #require(DatabaseFile.size(killed + "-wal") > 100_000)

      let key = Key.raw(testKeyBytes.reversed())
      // An open read transaction prevents the checkpoint.
      var reader: OpaquePointer?
      defer { sqlite3_close(reader) }
      if isRead {
        try #require(sqlite3_open(killed, &reader) == SQLITE_OK)
        let code = sqlite3_exec(
          reader, "PRAGMA key = \"x'\(new)'\"; BEGIN; SELECT count(*) FROM note", nil, nil, nil)
        try #require(code == SQLITE_OK)
        let other = try await Database(path: killed, key: key)
        try await other.write { try $0.execute("UPDATE note SET text = text || 'x'") }
        #expect(try await other.integrityReport().isEmpty)
        try await other.close()
      }
      #expect(try await Database.verify(path: killed, key: key).isEmpty)
    }
  }

  @Test("a report can be cancelled, and limited in time")
  func cancelled() async throws {
    let door = Door()
    let stops = Mutex(false)
    var configuration = Configuration()
    configuration.functions = [
      SQLFunction("stopping", deterministic: true, innocuous: true) { (number: Int) in
        if stops.withLock({ $0 }) { door.pass() }
        return number
      }
    ]
    try await withTemporaryDatabase(
      configuration: configuration, script: tables(rows: 200)
    ) { database throws in
      try await database.write { db in
        // The CHECK constraint makes each row slow to verify.
        try db.execute("CREATE TABLE slow(a, CHECK (length(hex(zeroblob(stopping(a)))) > 1))")
        try db.execute("INSERT INTO slow SELECT 20000 FROM person, person AS other")
      }
      // The function blocks at the first row until the task is cancelled, independent of the
      // machine's speed.
      stops.withLock { $0 = true }
      let task = Task { try await database.integrityReport() }
      await door.wait(for: 1)
      task.cancel()
      door.open()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      stops.withLock { $0 = false }
      let late = try await failure {
        try await withTimeLimit(.milliseconds(30)) { try await database.integrityReport() }
      }
      #expect(late.code == .interrupt && late.message.contains("time limit"))
      #expect(try await database.values("SELECT count(*) FROM slow") == [.integer(40000)])
    }
  }

  #if os(Linux)
    // Runs in a separate process, because the limit is process-wide. SQLCipher 4.6.1 does not check
    // for a failed allocation of an HMAC buffer.
    @Test("with little memory, the codes are checked or the report throws")
    func memory() async {
      await #expect(processExitsWith: .success) {
        try #require(SQLiteMemory.count())
        try await withTemporaryDatabase(script: tables(rows: 20)) { database throws in
          try await database.withoutTransaction { db in
            let handle = try db.handle
            let salt = try DatabaseFile.salt(database.path, CipherSettings())
            let key = try CipherKey(.raw(testKeyBytes), fileSalt: salt)
            #expect(try IntegrityCheck.codes("main", handle, key: key) == [])
            let used = SQLiteMemory.used
            let enough: Int64 = 1_000_000
            for bytes in Array(stride(from: 0, to: 8_192, by: 8)) + [enough] {
              sqlite3_hard_heap_limit64(used + bytes)
              defer { sqlite3_hard_heap_limit64(0) }
              do throws(DatabaseError) {
                let codes = try IntegrityCheck.codes("main", handle, key: key)
                #expect(codes == [] && bytes == enough, "\(bytes): \(codes)")
              } catch {
                #expect(error.code.rawValue == SQLITE_NOMEM && bytes < enough, "\(bytes): \(error)")
              }
            }
          }
        }
      }
    }
  #endif
}

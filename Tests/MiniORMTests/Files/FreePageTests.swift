import CSQLCipher
import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

/// A power cut can leave a torn free page. The page contains no data and blocks no operation.
@Suite("Damaged free pages")
struct FreePageTests {
  private static let key = Key.raw(testKeyBytes)
  private static let other = Key.raw(testKeyBytes.reversed())
  /// Free pages before a table's pages, so that every rewrite of the file reuses them.
  private static let script = """
    CREATE TABLE gone(x); CREATE TABLE kept(x);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
    INSERT INTO gone SELECT randomblob(3000) FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO kept SELECT randomblob(3000) FROM n;
    DELETE FROM gone;
    """
  private static let message = "is damaged but free: no row is lost, and vacuum() rewrites the page"

  /// Creates a closed file with two damaged free pages.
  private static func make(
    _ path: String, _ mode: Configuration.JournalMode, _ script: String = script
  ) async throws -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = mode
    let database = try await Database(path: path, key: key, configuration: configuration)
    try await database.write { try $0.execute(script: script) }
    try await database.close()
    try damage(path, pages: [21, 501])
    return configuration
  }

  private static func checkKept(_ database: Database) async throws {
    #expect(try await database.values("SELECT count(*) FROM kept") == [.integer(900)])
    #expect(try await database.values("SELECT count(DISTINCT x) FROM kept") == [.integer(900)])
  }

  @Test(
    "damaged free pages are found by SQLite's count, on any number of trunk pages",
    arguments: [0, 3, 200, 900])
  func found(count: Int) async throws {
    try await withTemporaryPath { path throws in
      try runSQL(
        """
        PRAGMA page_size = 512; CREATE TABLE gone(x); CREATE TABLE kept(x);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO gone SELECT randomblob(400) FROM n WHERE \(count) > 0;
        INSERT INTO kept VALUES (1);
        DELETE FROM gone;
        """, on: path)
      let source = try PageSource(path, pageSize: 512, reserved: 0, cipher: nil, damaged: [])
      let free = FreePages(source)
      #expect(free.isWhole && free.trunks.isDisjoint(with: free.leaves))
      let database = try await Database(path: path, key: nil)
      let total = free.trunks.count + free.leaves.count
      #expect(try await database.values("PRAGMA freelist_count") == [.integer(Int64(total))])
      #expect(total >= count * 9 / 10)
      try await database.close()
    }
  }

  @Test(
    "a trunk page with an invalid count leaves the free pages unknown",
    arguments: [126, 127, 140])
  func tooMany(count: Int) async throws {
    try await withTemporaryPath { path throws in
      func bytes(_ numbers: [Int]) -> [UInt8] {
        numbers.flatMap {
          [UInt8($0 >> 24), UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)]
        }
      }
      let leaves = Array(3...128)
      // The first page contains the first trunk page's number and the number of free pages.
      var file = [UInt8](repeating: 0, count: 32) + bytes([2, 1 + leaves.count])
      file += [UInt8](repeating: 0, count: 512 - file.count)
      file += bytes([0, count] + leaves)
      file += [UInt8](repeating: 0, count: 512 * 200)
      try Data(file).write(to: URL(fileURLWithPath: path))
      let source = try PageSource(path, pageSize: 512, reserved: 0, cipher: nil, damaged: [])
      let free = FreePages(source)
      #expect(free.isWhole == (count == leaves.count))
      #expect(free.leaves == (free.isWhole ? Set(leaves) : []))
    }
  }

  @Test("damaged free pages are distinguished from used pages, and the check continues")
  func report() async throws {
    try await withTemporaryPath { path throws in
      let script =
        Self.script
        + "CREATE TABLE a(b PRIMARY KEY); CREATE TABLE c(d REFERENCES a(b))"
      let configuration = try await Self.make(path, .delete, script)
      try runSQL("INSERT INTO c VALUES (7)", on: path, key: "x'\(testKeyBytes.hexadecimal)'")
      let report = try await Database.verify(path: path, key: Self.key)
      #expect(report.problems.compactMap(\.page) == [21, 501] && report.isComplete)
      #expect(report.problems.map(\.kind) == [.freePage, .freePage, .foreignKey])
      #expect(report.problems.first?.message == "page 21 \(Self.message)")
      // Also damages a page in use.
      try damage(path, pages: [2_000])
      let worse = try await Database.verify(
        path: path, key: Self.key, configuration: configuration)
      #expect(worse.problems.map(\.kind) == [.freePage, .freePage, .page] && !worse.isComplete)
      #expect(worse.damagedPages == [21, 501, 2_000])
    }
  }

  enum Work: CaseIterable { case vacuum, changeKey, keyHistory, restore }

  @Test(
    "operations that write every page rewrite damaged free pages", arguments: Work.allCases,
    [Configuration.JournalMode.wal, .delete])
  func works(work: Work, mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, copy) = (folder + "/a.db", folder + "/b.db")
      let configuration = try await Self.make(path, mode)
      var database = try await Database(path: path, key: Self.key, configuration: configuration)
      #expect(try await database.integrityReport().damagedPages == [21, 501])
      switch work {
      case .vacuum:
        try await database.vacuum()
        #expect(try await database.values("PRAGMA freelist_count") == [.integer(0)])
      case .changeKey: try await database.changeKey(to: Self.other)
      case .keyHistory:
        try await database.close()
        let opened = try await Database.open(
          path: path, keys: [Self.other, Self.key], configuration: configuration)
        #expect(opened.keyIndex == 1)
        database = opened.database
      case .restore:
        let source = try await Database(path: copy, key: Self.other)
        try await source.write { try $0.execute(script: Self.script) }
        try await source.close()
        try await database.write { try $0.execute("DELETE FROM kept WHERE rowid > 3") }
        try await database.restore(from: copy, key: Self.other)
      }
      try await Self.checkKept(database)
      #expect(try await database.integrityReport().isEmpty)
      let names = try await database.values("SELECT name FROM sqlite_schema ORDER BY name")
      #expect(names == [.text("gone"), .text("kept")])
      try await database.close()
    }
  }

  @Test("a backup never writes to its source", arguments: [Configuration.JournalMode.wal, .delete])
  func backup(mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, copy) = (folder + "/a.db", folder + "/b.db")
      let configuration = try await Self.make(path, mode)
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      for key in [Self.key, Self.other] {
        let error = try await failure { try await database.backup(to: copy, key: key) }
        #expect(
          error.summary
            == "copy 11 -.- -: Page 21 of the file is damaged but free, so nothing was copied: call vacuum() to rewrite the page, or export to copy the rows"
        )
      }
      // This copy needs no free page, and fails at its destination.
      let taken = try await failure {
        try await database.backup(to: copy, key: nil) { _ in
          _ = FileManager.default.createFile(atPath: copy, contents: nil)
        }
      }
      #expect(taken.code == .inputOutput && taken.message.contains("could not be moved"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      try await database.vacuum()
      try await database.backup(to: copy, key: Self.key, replacing: true)
      #expect(try await Database.verify(path: copy, key: Self.key).isEmpty)
      try await database.close()
    }
  }

  @Test(
    "damaged free pages stay if a used page is damaged too, and the database works",
    arguments: [Work.vacuum, .changeKey], [Configuration.JournalMode.wal, .delete])
  func damaged(work: Work, mode: Configuration.JournalMode) async throws {
    try await withTemporaryPath { path throws in
      let configuration = try await Self.make(path, mode)
      try damage(path, pages: [2_000])
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      await #expect(throws: DatabaseError.self) {
        if work == .vacuum {
          try await database.vacuum()
        } else {
          try await database.changeKey(to: Self.other)
        }
      }
      _ = try await database.checkpoint(.truncate)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      // A failed rekey must not keep the log locked. SQLCipher alone would not release the lock.
      try await database.write { try $0.execute("CREATE TABLE next(x)") }
      #expect(try await database.values("SELECT count(*) FROM next") == [.integer(0)])
      try await database.close()
    }
  }

  @Test(
    "rows, exports and salvage work with damaged free pages, and a read-only backup names the remedy"
  )
  func reading() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      var configuration = try await Self.make(path, .delete)
      configuration.isReadOnly = true
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      try await Self.checkKept(database)
      try await database.export(to: folder + "/b.db", key: Self.key)
      #expect(try await database.verify(path: folder + "/b.db").isEmpty)
      let error = try await failure { try await database.backup(to: folder + "/c.db") }
      #expect(
        error.summary
          == "copy 11 -.- -: Page 21 of the file is damaged but free, so nothing was copied: call vacuum() to rewrite the page, or export to copy the rows"
      )
      try await database.close()
      let salvaged = try await Database.salvage(path: path, key: Self.key, to: folder + "/d.db")
      #expect(salvaged.isComplete && salvaged.damagedPages == [21, 501], "\(salvaged)")
      try await Database.decrypt(path: path, key: Self.key)
      #expect(try names(in: folder) == ["a.db", "b.db", "d.db"])
    }
  }

  @Test("damaged free pages are reused")
  func use() async throws {
    try await withTemporaryPath { path throws in
      let configuration = try await Self.make(path, .delete)
      let database = try await Database(path: path, key: Self.key, configuration: configuration)
      try await database.write { db in
        try db.execute("INSERT INTO gone VALUES (zeroblob(12000000))")
      }
      #expect(try await database.integrityReport().isEmpty)
      try await Self.checkKept(database)
      try await database.close()
    }
  }
}

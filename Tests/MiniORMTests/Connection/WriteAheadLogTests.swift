import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

/// Detects a commit in a log. Without a commit, MiniORM may report that the transaction failed.
@Suite("Reading write-ahead logs")
struct WriteAheadLogTests {
  private static let key = "x'\(testKeyBytes.hexadecimal)'"

  /// A connection through SQLite's C API.
  private final class Raw {
    let database: OpaquePointer

    init(_ path: String, _ key: String?) throws {
      var pointer: OpaquePointer?
      try #require(sqlite3_open(path, &pointer) == SQLITE_OK)
      database = try #require(pointer)
      if let key { try run("PRAGMA key = \"\(key)\"") }
    }

    deinit { sqlite3_close_v2(database) }

    func run(_ sql: String) throws {
      try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
    }

    func count() throws -> String? {
      try SQLiteLibrary.value("SELECT count(*) FROM t", database)
    }
  }

  /// Returns the number of rows in a copy of the file and its log.
  private static func found(_ path: String, _ key: String?, pageSize: Int) throws -> String? {
    let copy = path + ".copy"
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) }
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
    }
    let raw = try Raw(copy, key)
    if key != nil { try raw.run("PRAGMA cipher_page_size = \(pageSize)") }
    return try raw.count()
  }

  @Test(
    "a log contains a commit exactly if SQLite finds one in it",
    arguments: [1_024, 4_096, 65_536], [nil, key])
  func states(pageSize: Int, key: String?) async throws {
    try await withTemporaryPath { path throws in
      let size = key == nil ? "page_size" : "cipher_page_size"
      let raw = try Raw(path, key)
      // A small cache spills pages into the log before the commit.
      try raw.run(
        """
        PRAGMA \(size) = \(pageSize); PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        PRAGMA cache_size = 1; PRAGMA cache_spill = 1; CREATE TABLE t(x);
        """)
      let rows = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO t SELECT randomblob(\(pageSize)) FROM n
        """
      func holds() -> Bool { WriteAheadLog.mayHoldCommit(beside: path) }
      #expect(holds())
      try raw.run("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(!holds())

      try raw.run("BEGIN; \(rows)")
      #expect(DatabaseFile.size(path + "-wal") > pageSize && !holds())
      #expect(try Self.found(path, key, pageSize: pageSize) == "0")
      try raw.run("ROLLBACK")
      #expect(!holds())
      try raw.run("BEGIN; \(rows); COMMIT")
      #expect(holds())
      #expect(try Self.found(path, key, pageSize: pageSize) == "40")

      // Truncated anywhere, as by a failed disk.
      let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      try FileManager.default.copyItem(atPath: path, toPath: path + ".cut")
      var random = SeededRandom(UInt64(pageSize))
      let cuts = (0..<40).map { _ in Int.random(in: 0..<log.count, using: &random) }
      var answers: Set<Bool> = []
      for cut in cuts + [0, 31, 32, log.count - 1, log.count] {
        try log.prefix(cut).write(to: URL(fileURLWithPath: path + ".cut-wal"))
        let mayHold = WriteAheadLog.mayHoldCommit(beside: path + ".cut")
        let count = try Self.found(path + ".cut", key, pageSize: pageSize)
        #expect(mayHold == (count == "40"), "cut at \(cut) of \(log.count)")
        answers.insert(mayHold)
      }
      #expect(answers == [true, false])

      // An older log, partly overwritten.
      try raw.run("PRAGMA wal_checkpoint(RESTART); BEGIN; \(rows)")
      #expect(!holds())
      #expect(try Self.found(path, key, pageSize: pageSize) == "40")
      try raw.run("COMMIT")
      #expect(holds())
    }
  }

  @Test("an unreadable or invalid log may contain a commit")
  func unreadable() async throws {
    try await withTemporaryPath { path throws in
      #expect(WriteAheadLog.mayHoldCommit(beside: path))
      let log = URL(fileURLWithPath: path + "-wal")
      try Data(count: 31).write(to: log)
      #expect(!WriteAheadLog.mayHoldCommit(beside: path))
      try Data(count: 5_000).write(to: log)
      #expect(WriteAheadLog.mayHoldCommit(beside: path))
    }
  }
}

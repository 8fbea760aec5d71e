import Foundation
import Testing

@testable import MiniORM

@Suite("Changing the key")
struct ChangeKeyTests {
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
    """
  private static let other = Key.raw(testKeyBytes.reversed())

  /// Expects undamaged data.
  private static func expectWhole(
    _ database: Database, rows: Int64 = 500, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(
      try await database.values("SELECT count(*) FROM t") == [.integer(rows)],
      sourceLocation: sourceLocation)
    #expect(
      try await database.values("PRAGMA integrity_check") == [.text("ok")],
      sourceLocation: sourceLocation)
    #expect(
      try await database.values("PRAGMA cipher_integrity_check") == [],
      sourceLocation: sourceLocation)
  }

  /// The facts of an error about a lock, whose message has the time of the wait.
  private static func locked(_ error: DatabaseError, _ path: String) -> ErrorFacts {
    let time = error.message.firstMatch(of: /waited (.+?) for it/)?.1 ?? ""
    return ErrorFacts(
      .rekey, .busy,
      "database is locked: another connection or process held the lock, and this call waited \(time) "
        + "for it. Shorten the other transaction, or raise Configuration.busyTimeout",
      sql: "BEGIN IMMEDIATE", path: path)
  }

  private static func expectRefused(_ path: String, _ key: Key) async throws {
    let error = try await failure { try await Database(path: path, key: key).close() }
    #expect(error.operation == .key)
    #expect(error.code == .notADatabase)
  }

  @Test(
    "after a key change, another connection reports that the file is not a database",
    arguments: [true, false])
  func others(isLogged: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isLogged ? .wal : .delete
    try await withTemporaryPath { path in
      let key = Key.raw([UInt8](repeating: 9, count: 32))
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await database.write {
        try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      }
      let other = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      #expect(try await other.values("SELECT a FROM t") == [.integer(1)])
      try await database.changeKey(to: key)
      let reading = try await failure { try await other.values("SELECT a FROM t") }
      #expect(reading.code.primary == .notADatabase)
      #expect(
        reading.message
          == "file is not a database: another connection has changed its key since it was opened, or the file was replaced or damaged. Open it again with its current key"
      )
      let writing = try await failure {
        try await other.write { try $0.execute("INSERT INTO t VALUES (2)") }
      }
      #expect(writing.code.primary == .notADatabase)
      try? await other.close()
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
      try await database.close()
      let again = try await Database(path: path, key: key, configuration: configuration)
      #expect(try await again.values("PRAGMA integrity_check") == [.text("ok")])
      try await again.close()
    }
  }

  @Test("changes from passphrase to raw key and back keep the data, and each old key is refused")
  func thereAndBack() async throws {
    let keys = [Key.passphrase("one"), Self.other, .passphrase("two")]
    try await withTemporaryDatabase(key: keys[0], script: Self.script) { database in
      for (index, key) in keys.enumerated().dropFirst() {
        try await database.changeKey(to: key)
        try await Self.expectWhole(database, rows: Int64(499 + index))
        try await database.write {
          try $0.execute("INSERT INTO t(b) VALUES ('after')")
        }
        try await Self.expectRefused(database.path, keys[index - 1])
      }
      try await database.close()
      for key in keys.dropLast() { try await Self.expectRefused(database.path, key) }
      let again = try await Database(path: database.path, key: keys[2])
      try await Self.expectWhole(again, rows: 502)
      try await again.close()
    }
  }

  @Test("the key changes in every journal mode, also with a new salt", arguments: [true, false])
  func salted(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let key = Key.raw(testKeyBytes.reversed(), salt: [UInt8](1...16))
      try await database.changeKey(to: key)
      try await Self.expectWhole(database)
      try await database.close()
      for key in [key, Self.other] {
        let again = try await Database(path: database.path, key: key)
        try await Self.expectWhole(again)
        try await again.close()
      }
      try await Self.expectRefused(database.path, .raw(testKeyBytes))
    }
  }

  @Test("an empty file's key can be changed", arguments: [true, false])
  func empty(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.changeKey(to: Self.other)
      try await database.write { try $0.execute(script: Self.script) }
      try await Self.expectWhole(database)
      try await Self.expectRefused(database.path, .raw(testKeyBytes))
    }
  }

  @Test("reads and writes during a key change wait, and none fails")
  func meanwhile() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 {
          group.addTask {
            #expect(try await database.values("SELECT a FROM t WHERE a = 5") == [.integer(5)])
            try await database.write { try $0.execute("INSERT INTO t(b) VALUES (\(index))") }
          }
          if index % 20 == 10 {
            group.addTask {
              try await database.changeKey(to: .raw([UInt8](repeating: UInt8(index), count: 32)))
            }
          }
        }
        try await group.waitForAll()
      }
      try await Self.expectWhole(database, rows: 560)
    }
  }

  @Test(
    "a key change that cannot get the lock throws, and the old key remains",
    arguments: [true, false])
  func locked(isWAL: Bool) async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(1)
    configuration.journalMode = isWAL ? .wal : .delete
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let path = database.path
      let locker = Connection(path: path, configuration: configuration)
      try await locker.open(
        try CipherKey(.raw(testKeyBytes), fileSalt: try DatabaseFile.head(path)), isReadOnly: false)
      try await locker.begin(.immediate)
      let error = try await failure { try await database.changeKey(to: Self.other) }
      #expect(error.facts == Self.locked(error, path))
      #expect(error.errorDescription == "The database's key could not be changed.")
      // sqlite3_rekey would have reported no error, and the next write would have damaged the file.
      try await Self.expectWhole(database)
      await locker.rollback()
      try await locker.close()
      try await database.write { try $0.execute("INSERT INTO t(b) VALUES ('after')") }
      try await Self.expectWhole(database, rows: 501)
      try await Self.expectRefused(path, Self.other)
      try await database.changeKey(to: Self.other)
      try await Self.expectWhole(database, rows: 501)
      try await Self.expectRefused(path, .raw(testKeyBytes))
    }
  }

  // Runs in a separate process, because the file size limit is process-wide.
  @Test("a key change that fails midway throws, and keeps the old key and every row")
  func halfway() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      try await withTemporaryDatabase(script: Self.script) { first in
        try await first.close()  // empties the log
        let database = try await Database(path: first.path, key: .raw(testKeyBytes))
        let limits = try Self.limitFileSize(to: 65_536)
        let error = try await failure { try await database.changeKey(to: Self.other) }
        try Self.setLimit(limits)
        try #require(error.operation == .rekey)
        try #require(error.path == database.path)
        try await Self.requireWhole(database, rows: 500)
        try await database.write { try $0.execute("INSERT INTO t(b) VALUES ('after')") }
        try await Self.requireWhole(database, rows: 501)
        try await database.close()
        let again = try await Database(path: first.path, key: .raw(testKeyBytes))
        try await Self.requireWhole(again, rows: 501)
        try await again.close()
      }
    }
  }

  private static func requireWhole(_ database: Database, rows: Int64) async throws {
    try #require(try await database.values("SELECT count(*) FROM t") == [.integer(rows)])
    try #require(try await database.values("PRAGMA integrity_check") == [.text("ok")])
    try #require(try await database.values("PRAGMA cipher_integrity_check") == [])
  }

  /// Sets the file size limit of this process, and returns the old limit.
  private static func limitFileSize(to bytes: rlim_t) throws -> rlimit {
    var old = rlimit()
    try #require(getrlimit(fileSizeLimit, &old) == 0)
    try setLimit(rlimit(rlim_cur: bytes, rlim_max: old.rlim_max))
    return old
  }

  private static func setLimit(_ limit: rlimit) throws {
    var limit = limit
    try #require(setrlimit(fileSizeLimit, &limit) == 0)
  }

  #if canImport(Glibc)
    private static var fileSizeLimit: __rlimit_resource_t { Int32(RLIMIT_FSIZE.rawValue) }
  #else
    private static var fileSizeLimit: Int32 { RLIMIT_FSIZE }
  #endif

  @Test("a locked attached file makes the key change throw before anything changes")
  func busyAttachment() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(1)
    configuration.journalMode = .persist
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let path = database.path + "-archive"
      try await database.attach(path, as: "archive", key: .raw(testKeyBytes))
      let archive = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await archive.writer.begin(.immediate)
      let error = try await failure { try await database.changeKey(to: Self.other) }
      #expect(error.facts == Self.locked(error, database.path))
      await archive.writer.rollback()
      try await archive.close()
      try await Self.expectRefused(database.path, Self.other)
      let mode = try await database.writer.query("PRAGMA journal_mode").map(\.values)
      #expect(mode == [[.text("persist")]])
      try await database.changeKey(to: Self.other)
      try await Self.expectWhole(database)
    }
  }

  @Test(
    "connections closed by a key change are reopened by the next call, which never creates a file")
  func reopening() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let path = database.path + "-archive"
      try await database.attach(path, as: "archive", key: .raw(testKeyBytes))
      for (file, operation) in [(path, DatabaseError.Operation.attach), (database.path, .open)] {
        for connection in [database.reader, database.writer] { await connection.reopenLater() }
        let files = DatabaseFile.all(file).filter(DatabaseFile.exists)
        for file in files {
          try FileManager.default.moveItem(atPath: file, toPath: file + "-moved")
        }
        for _ in 1...2 {
          let reading = try await failure { try await database.values("SELECT count(*) FROM t") }
          let writing = try await failure { try await database.write { _ in } }
          let expected = ErrorFacts(
            operation, .cannotOpen,
            "The file does not exist: check the path: reopening the file failed; every call retries it",
            path: file)
          #expect([reading.facts, writing.facts] == [expected, expected])
        }
        for file in files {
          try FileManager.default.moveItem(atPath: file + "-moved", toPath: file)
        }
        try await Self.expectWhole(database)
        try await database.write { db in
          try db.execute("CREATE TABLE IF NOT EXISTS archive.t(a)")
        }
        #expect(try await database.values("SELECT count(*) FROM archive.t") == [.integer(0)])
      }
      for connection in [database.reader, database.writer] { await connection.reopenLater() }
      try await database.close()
      let error = try await failure { try await database.write { _ in } }
      #expect(
        error.facts
          == ErrorFacts(
            .open, .misuse, "The database is closed: open a new Database", path: database.path))
    }
  }

  @Test(
    "no page with the old key remains beside the file, in any journal mode",
    arguments: journals)
  func leftBeside(before: Configuration.JournalMode, now: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = before
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { first in
      let path = first.path
      try await first.write { try $0.execute("UPDATE t SET b = b || 'x'") }
      try await first.close()
      configuration.journalMode = now
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      let pages = try Self.pages(path)
      #expect(pages.count > 50)
      try await database.changeKey(to: Self.other)
      try await database.write { try $0.execute("UPDATE t SET b = b || 'y'") }
      for file in DatabaseFile.all(path) where DatabaseFile.exists(file) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let found = pages.filter { bytes.range(of: $0) != nil }.count
        #expect(found == 0, "\(found) pages in \(file)")
      }
      try await Self.expectWhole(database)
      try await database.close()
    }
  }

  static let journals: [(Configuration.JournalMode, Configuration.JournalMode)] = [
    (.wal, .wal), (.delete, .delete), (.truncate, .truncate), (.persist, .persist),
    (.persist, .wal), (.persist, .delete), (.persist, .truncate),
  ]

  /// Some encrypted bytes of each page.
  private static func pages(_ path: String) throws -> [Data] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return stride(from: 0, to: bytes.count, by: 4096).map { bytes[($0 + 100)..<($0 + 132)] }
  }

  @Test(
    "a connection that reopens continues in the journal mode that another connection has set",
    arguments: [Configuration.JournalMode.delete, .truncate, .persist])
  func journalOfAnother(_ mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder in
      let (path, second) = (folder + "/test.db", folder + "/second.db")
      var configuration = Configuration()
      configuration.journalMode = mode
      configuration.busyTimeout = .milliseconds(50)
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await database.write { try $0.execute(script: Self.script) }
      try await database.attach(second, as: "second", key: .raw(testKeyBytes))
      try await database.write { try $0.execute("CREATE TABLE second.u AS SELECT 1 AS a") }
      #expect(try await database.values("SELECT a FROM second.u") == [.integer(1)])
      // The WAL files exist while any connection is open.
      for path in [path, second] {
        let other = try await Database(path: path, key: .raw(testKeyBytes))
        try await other.write { try $0.execute("CREATE TABLE w(a)") }
        try await other.close()
      }
      #expect(try await database.values("SELECT count(*) FROM second.w") == [.integer(0)])
      try await database.changeKey(to: Self.other)
      try await database.write { try $0.execute("INSERT INTO w VALUES (1)") }
      try await database.write { try $0.execute("INSERT INTO second.w VALUES (1)") }
      try await Self.expectWhole(database)
      #expect(try await database.values("SELECT a FROM second.w") == [.integer(1)])
      try await database.close()
    }
  }

  @Test("a database without a key reports that it has none to change")
  func refused() async throws {
    let memory = try await Database.inMemory()
    let inMemory = try await failure { try await memory.changeKey(to: Self.other) }
    #expect(
      inMemory.facts
        == ErrorFacts(
          .rekey, .misuse,
          "Only a file that is open for writing can change its key: open a file without isReadOnly and isImmutable",
          path: ":memory:"))
    try await memory.close()
    try await withTemporaryPath { path in
      let plain = try await Database(path: path, key: nil)
      try await plain.write { try $0.execute(script: Self.script) }
      let error = try await failure { try await plain.changeKey(to: Self.other) }
      #expect(
        error.facts
          == ErrorFacts(
            .rekey, .misuse,
            "This file is not encrypted: close it, "
              + "and call Database.encrypt(path:key:)",
            path: path))
      #expect(try await plain.values("SELECT count(*) FROM t") == [.integer(500)])
      try await plain.close()
    }
    try await withTemporaryDatabase { database in
      try await database.close()
      let error = try await failure { try await database.changeKey(to: Self.other) }
      #expect(
        error.facts
          == ErrorFacts(
            .open, .misuse, "The database is closed: open a new Database", path: database.path))
    }
  }
}

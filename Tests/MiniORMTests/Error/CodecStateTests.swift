import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

@Table("large")
private struct Large {
  let id: Int64
  var note: Int?
  var bytes: Data
}

@Suite("Damaged pages of encrypted files")
struct CodecStateTests {
  private static let key = Key.raw(testKeyBytes)
  private static let script = """
    CREATE TABLE small(a);
    INSERT INTO small VALUES (1), (2);
    CREATE TABLE large(id INTEGER PRIMARY KEY, note INTEGER, bytes BLOB);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
    INSERT INTO large SELECT i, 0, randomblob(15000) FROM n;
    """
  private static let largeRows: SQL = "SELECT bytes FROM large ORDER BY id"

  /// Calls a closure for each page of the large rows, with a database in which that page is
  /// damaged, and the rows.
  private static func forEachDamagedPage(
    _ body: (Database, _ page: Int, _ rows: [DatabaseValue]) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let new = try await Database(path: path, key: Self.key)
      try await new.write { try $0.execute(script: Self.script) }
      let expected = try await new.values(Self.largeRows)
      try await new.close()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      for page in 4...whole.count / 4096 {
        try whole.write(to: URL(fileURLWithPath: path))
        try damage(path, pages: [page])
        let database = try await Database(path: path, key: Self.key)
        try await body(database, page, expected)
        try await database.close()
      }
    }
  }

  /// A value longer than a page spans several pages. SQLite cannot detect damage in the last of
  /// them.
  @Test(
    "reading a damaged page throws, never returns another value, and other pages stay readable",
    arguments: [false, true])
  func everyPage(isAttached: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let new = try await Database(path: path, key: Self.key)
      try await new.write { try $0.execute(script: Self.script) }
      let expected = try await new.values(Self.largeRows)
      try await new.close()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      var errors = 0
      for page in 2...whole.count / 4096 {
        try whole.write(to: URL(fileURLWithPath: path))
        try damage(path, pages: [page])
        let main = isAttached ? folder + "/main.db" : path
        let database = try await Database(path: main, key: Self.key)
        if isAttached { try await database.attach(path, as: "other", key: Self.key) }
        let (small, large): (SQL, SQL) =
          isAttached ? ("other.small", "other.large") : ("small", "large")
        let largeRows: SQL = "SELECT bytes FROM \(large) ORDER BY id"
        func rows(_ sql: SQL, _ database: Database) async throws -> [DatabaseValue]? {
          do {
            return try await database.values(sql)
          } catch let error as DatabaseError {
            #expect([.corrupt, .notADatabase, .error].contains(error.code.primary), "\(error)")
            errors += 1
            return nil
          }
        }
        if let rows = try await rows(largeRows, database) {
          #expect(rows == expected, "page \(page)")
        } else {
          #expect(try await rows("SELECT a FROM \(small)", database) == [.integer(1), .integer(2)])
        }
        do {
          try await database.write { db in
            try db.execute("CREATE TABLE copy AS SELECT id, bytes FROM \(large)")
          }
          #expect(
            try await rows("SELECT bytes FROM copy ORDER BY id", database) == expected,
            "page \(page)")
        } catch is DatabaseError {
          errors += 1
        }
        try await database.close()
      }
      #expect(errors >= whole.count / 4096 - 1)
    }
  }

  /// The authorizer would refuse the schema's name, because the SQL of the closure does not contain
  /// it.
  @Test("the state of an attached file's codec and journal is read, and an error is not a value")
  func pragmas() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.attach(folder + "/b.db", as: "it's", key: Self.key)
      try await database.attach(folder + "/c.db", as: "plain", key: nil)
      try await database.withoutTransaction { db throws in
        let handle = try db.handle
        func value(_ schema: String, _ name: String) throws -> String? {
          try SQLiteLibrary.value("PRAGMA \(schema.quotedIdentifier).\(name)", handle)
        }
        for schema in ["main", "it's", "plain"] {
          let size = try value(schema, "cipher_page_size")
          #expect(size == (schema == "plain" ? nil : "4096"), "\(schema)")
          #expect(try value(schema, "journal_mode") == "wal")
        }
        #expect(throws: DatabaseError.self) { try value("missing", "journal_mode") }
        #expect(try !CodecState.isLost(handle))
        // The authorizer still refuses the caller's SQL afterwards.
        #expect(throws: DatabaseError.self) { try db.execute("PRAGMA journal_mode = DELETE") }
      }
      try await database.close()
    }
  }

  enum Work: CaseIterable {
    case backup, backupWithoutKey, export, exportWithoutKey, restore, restoreInMemory, vacuum,
      vacuumInto,
      changeKey, decrypt, salvage
  }

  @Test(
    "operations that need every page report the damage without a wait, and no copy contains it",
    .timeLimit(.minutes(10)), arguments: Work.allCases)
  func works(_ work: Work) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let new = try await Database(path: path, key: Self.key)
      try await new.write { try $0.execute(script: Self.script) }
      let expected = try await new.values(Self.largeRows)
      try await new.close()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      // Damage in page 1 would already fail the key check.
      for page in 2...whole.count / 4096 {
        try whole.write(to: URL(fileURLWithPath: path))
        try damage(path, pages: [page])
        let copy = "\(folder)/\(page).db"
        let error = try await failure {
          switch work {
          case .decrypt:
            try await Database.decrypt(path: path, key: Self.key)
          case .salvage:
            let report = try await Database.salvage(path: path, key: Self.key, to: copy)
            #expect(report.damagedPages == [page])
            throw DatabaseError(.copy, code: .corrupt, "")
          case .restore, .restoreInMemory:
            let database = try await Database(
              path: work == .restore ? copy : ":memory:", key: work == .restore ? Self.key : nil)
            try await database.write { try $0.execute("CREATE TABLE before(a)") }
            let error = try await failure { try await database.restore(from: path, key: Self.key) }
            #expect(
              try await database.values("SELECT name FROM sqlite_schema") == [.text("before")])
            try await database.close()
            throw error
          default:
            var configuration = Configuration()
            configuration.busyTimeout = .seconds(3_600)
            let database = try await Database(
              path: path, key: Self.key, configuration: configuration)
            do {
              switch work {
              case .backup: try await database.backup(to: copy)
              case .backupWithoutKey: try await database.backup(to: copy, key: nil)
              case .export: try await database.export(to: copy, key: Self.key)
              case .exportWithoutKey: try await database.export(to: copy, key: nil)
              case .vacuum: try await database.vacuum()
              case .vacuumInto:
                try await database.withoutTransaction { db throws(DatabaseError) in
                  try db.execute("VACUUM INTO \(copy)")
                }
              default: try await database.changeKey(to: .raw(testKeyBytes.reversed()))
              }
            } catch {
              try await database.close()
              throw error
            }
            try await database.close()
          }
        }
        #expect(
          [.corrupt, .notADatabase, .error, .inputOutput].contains(error.code.primary),
          "page \(page): \(error)")
      }
      // Restoring the undamaged file succeeds.
      try whole.write(to: URL(fileURLWithPath: path))
      let database = try await Database(path: folder + "/new.db", key: Self.key)
      try await database.restore(from: path)
      #expect(try await database.values(Self.largeRows) == expected)
      try await database.close()
    }
  }

  @Test("a damaged page read outside of a transaction does not prevent reading other pages")
  func outsideTransaction() async throws {
    try await Self.forEachDamagedPage { database, _, _ async throws in
      _ = try? await database.withoutTransaction { db throws(DatabaseError) in
        try db.query(Self.largeRows).count
      }
      try await database.withoutTransaction { db throws in
        #expect(
          try db.query("SELECT a FROM small").map(\.values) == [[.integer(1)], [.integer(2)]])
      }
    }
  }

  @Test("a change of another row does not rewrite a damaged page", arguments: [true, false])
  func change(isPrepared: Bool) async throws {
    var errors = 0
    try await Self.forEachDamagedPage { database, page, expected async throws in
      let rows = Table<Large>().where { $0.id > 0 }
      do {
        if isPrepared {
          let change = PreparedChange(Int?.self) { note in
            rows.update { $0.note = note }
          }
          try await change.run(7, in: database)
        } else {
          try await rows.update { $0.note = 7 }.run(in: database)
        }
        #expect(try await database.values(Self.largeRows) == expected, "page \(page)")
      } catch let error as DatabaseError {
        errors += 1
        #expect([.corrupt, .notADatabase, .error].contains(error.code.primary), "\(error)")
      }
    }
    #expect(errors > 10)
  }

  enum Moment: CaseIterable { case opening, attaching, later }

  /// A view truncated inside its comment would lose its condition.
  @Test(
    "damage in the schema is reported", arguments: [4_000, 9_000, 30_000], Moment.allCases)
  func schema(length: Int, moment: Moment) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let text = "x'\(testKeyBytes.hexadecimal)'"
      let table = "CREATE TABLE t(a); INSERT INTO t VALUES (1), (9);"
      let comment = String(repeating: "x", count: length)
      let view = "CREATE VIEW v AS SELECT a FROM t /* \(comment) */ WHERE a > 5"
      try runSQL(table + view, on: path, key: text)
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      var configuration = Configuration()
      configuration.journalMode = .delete
      var errors = 0
      for page in 2...whole.count / 4096 {
        try whole.write(to: URL(fileURLWithPath: path))
        try damage(path, pages: [page])
        var database: Database?
        do {
          switch moment {
          case .opening:
            database = try await Database(path: path, key: Self.key, configuration: configuration)
          case .attaching:
            database = try await Database(path: ":memory:", key: nil)
            _ = try await database?.attach(path, as: "other", key: Self.key)
          case .later:
            try FileManager.default.removeItem(atPath: path)
            try runSQL(table, on: path, key: text)
            database = try await Database(path: path, key: Self.key, configuration: configuration)
            try runSQL(view, on: path, key: text)
            try damage(path, pages: [page])
          }
          for _ in 1...2 {
            #expect(try await database?.values("SELECT a FROM v") == [.integer(9)], "page \(page)")
          }
        } catch let error as DatabaseError {
          errors += 1
          #expect([.corrupt, .notADatabase, .error].contains(error.code.primary), "\(error)")
          if let database, moment == .later {
            await #expect(throws: DatabaseError.self) {
              try await database.values("SELECT a FROM v")
            }
          }
        }
        try await database?.close()
      }
      #expect(errors == whole.count / 4096 - 1)
    }
  }
}

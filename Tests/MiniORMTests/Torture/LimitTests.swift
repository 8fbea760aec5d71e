import Foundation
import Testing

@testable import MiniORM

/// Large inputs, many objects and missing resources. The durability article lists these limits.
/// Some tests use the full size only if MINIORM_LIMITS is set.
@Suite("Limits", .serialized)
struct LimitTests {
  private static let isWhole = ProcessInfo.processInfo.environment["MINIORM_LIMITS"] != nil

  @Test("a table of 2,000 columns is written and read, and a table of 2,001 columns is refused")
  func columns() async throws {
    let names = (0..<2_000).map { "c\($0)" }
    try await withTemporaryDatabase { database throws in
      let list = names.joined(separator: ", ")
      try await database.write { db in
        try db.execute(SQL(raw: "CREATE TABLE wide(\(list))"))
        let values = SQL.joined((0..<2_000).map { number in "\(number)" as SQL }, separator: ", ")
        var insert: SQL = "INSERT INTO wide VALUES ("
        insert.append(values)
        insert.append(")")
        try db.execute(insert)
      }
      let rows = try await database.read { try $0.query("SELECT * FROM wide") }
      #expect(rows.map(\.values) == [(0..<2_000).map { .integer($0) }])
      #expect(rows.first?["c1999"] == .integer(1_999))
      #expect(try await database.integrityReport().isEmpty)
      let error = try await failure {
        try await database.write { try $0.execute(SQL(raw: "CREATE TABLE wider(\(list), c2000)")) }
      }
      #expect(error.message.contains("too many columns"))
    }
  }

  @Test("1,000 tables are created, read, checked, copied and compared with models")
  func tables() async throws {
    let count = 1_000
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await database.migrate(Library.schema(1))
      try await database.write { db in
        for number in 0..<count {
          try db.execute(
            script:
              "CREATE TABLE t\(number)(a, b UNIQUE); INSERT INTO t\(number) VALUES (\(number), 1)")
        }
      }
      try await database.migrate(Library.schema(2))
      #expect(try await database.schemaReport(for: Library.schema(2)).differences.isEmpty)
      #expect(try await database.integrityReport().isEmpty)
      try await database.backup(to: folder + "/b.db")
      try await database.close()
      let copy = try await Database(path: folder + "/b.db", key: .raw(testKeyBytes))
      for number in stride(from: 0, to: count, by: 37) {
        #expect(
          try await copy.values(SQL(raw: "SELECT a FROM t\(number)")) == [.integer(Int64(number))])
      }
      try await copy.close()
    }
  }

  @Test("1,000 tasks read and write at the same time, and none fails")
  func tasks() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a INTEGER PRIMARY KEY)") {
      database throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<1_000 {
          group.addTask { () async throws -> Void in
            guard number % 4 == 0 else {
              return _ = try await database.values("SELECT count(*) FROM t")
            }
            try await database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(250)])
    }
  }

  @Test("a blob of 100 MB round-trips, and a blob beyond SQLite's limit is refused")
  func blob() async throws {
    let count = Self.isWhole ? 100_000_000 : 10_000_000
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database throws in
      let bytes = Data(repeating: 0xA5, count: count)
      try await database.write { try $0.execute("INSERT INTO t VALUES (\(bytes))") }
      let same = try await database.read { db in
        try db.value(Data.self, "SELECT a FROM t").map { $0 == bytes } ?? false
      }
      #expect(same)
      let error = try await failure {
        try await database.values("SELECT length(randomblob(1000000001))")
      }
      #expect(error.code == .tooBig)
    }
  }

  enum Harm: CaseIterable, Sendable { case truncated, emptied, replaced, deleted, overwritten }

  @Test(
    "an open file that is truncated, replaced, deleted or overwritten gives errors, and closes",
    arguments: Harm.allCases, [Configuration.JournalMode.wal, .delete])
  func harmed(_ harm: Harm, _ mode: Configuration.JournalMode) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      var configuration = Configuration()
      configuration.journalMode = mode
      configuration.busyTimeout = .milliseconds(50)
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await database.migrate(Library.schema(2))
      try await Library.authors.insert(
        contentsOf: (0..<500).map { (number: Int) in
          LibraryAuthor.Draft(name: "name \(number)", born: number)
        },
        in: database)
      _ = try await database.checkpoint()
      let other = try await Database(
        path: folder + "/b.db", key: .raw([UInt8](repeating: 9, count: 32)))
      try await other.write { try $0.execute("CREATE TABLE strange(a)") }
      try await other.close()
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      switch harm {
      case .truncated: try file.truncate(atOffset: 8_192)
      case .emptied: try file.truncate(atOffset: 0)
      case .overwritten: try file.write(contentsOf: Data(repeating: 0x5A, count: 20_000))
      case .replaced:
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: folder + "/b.db", toPath: path)
      case .deleted: try FileManager.default.removeItem(atPath: path)
      }
      try file.close()
      // Each call gives a result or a `DatabaseError`, and no invented row.
      var isRefused = 0
      for _ in 0..<2 {
        for body in [
          {
            let rows = try await Library.authors.fetchAll(in: database)
            #expect(rows.allSatisfy { $0.name == $0.born.map { "name \($0)" } ?? "new" })
          },
          {
            try await Library.authors.insert(
              LibraryAuthor.Draft(name: "new", born: nil), in: database)
          },
          { _ = try await database.integrityReport() },
          { try await database.changeKey(to: .raw([UInt8](repeating: 3, count: 32))) },
          { try await database.migrate(Library.schema(3)) },
          { try await database.backup(to: folder + "/\(UUID().uuidString)") },
        ] as [() async throws -> Void] {
          do {
            try await body()
          } catch is DatabaseError {
            isRefused += 1
          }
        }
      }
      #expect(isRefused > 0)
      try await database.close()
    }
  }

  @Test("a file of 100 MB is written, read, checked and copied, and its key is changed")
  func large() async throws {
    let count = Self.isWhole ? 1_000_000 : 20_000
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await database.write { db in
        try db.execute(script: "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
        try db.execute(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO t SELECT i, hex(randomblob(50)) FROM n"
        )
      }
      try await database.changeKey(to: .raw([UInt8](repeating: 3, count: 32)))
      try await database.backup(to: folder + "/b.db")
      #expect(try await database.integrityReport().isEmpty)
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(Int64(count))])
      let size = DatabaseFile.size(folder + "/a.db")
      if Self.isWhole { #expect(size > 100_000_000) }
      try await database.close()
    }
  }
}

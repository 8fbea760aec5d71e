#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("A COMMIT whose log cannot be synced")
  struct FailedCommitTests {
    @Table("t") struct Row: Identifiable, Sendable {
      let id: Int64
    }

    @Table("t") struct Own: Sendable {
      var id: Int
    }

    /// Ways to commit a row.
    private enum Way: String, CaseIterable, Sendable {
      case transaction, statement, returning, first, value, prepared, sql, script, commit, release,
        caught, attached
    }

    @Test(
      "the error says that the state of the transaction is unknown, and the next write removes it"
    )
    func logs() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyDisk.install())
        for way in Way.allCases {
          for isLasting in [false, true] {
            try await withTemporaryPath { try await Self.fail(way, isLasting, $0) }
          }
        }
      }
    }

    /// Ways to commit a row in each of two files.
    enum Several: String, CaseIterable, Sendable {
      case transaction, commit, release, script

      func run(_ number: Int, in database: Database) async throws {
        let rows = "INSERT INTO t VALUES (\(number)); INSERT INTO archive.u VALUES (\(number))"
        switch self {
        case .transaction: try await database.write { try $0.execute(script: rows) }
        case .commit:
          try await database.withoutTransaction { db in
            try db.execute("BEGIN")
            try db.execute(script: rows)
            try db.execute("COMMIT")
          }
        case .release:
          try await database.withoutTransaction { db in
            try db.execute("SAVEPOINT s")
            try db.execute(script: rows)
            try db.execute("RELEASE s")
          }
        case .script:
          try await database.withoutTransaction {
            try $0.execute(script: "BEGIN; \(rows); COMMIT")
          }
        }
      }
    }

    @Test(
      "a commit to several files with logs reports that some files may have it",
      arguments: [Configuration.JournalMode.wal, .delete], Several.allCases)
    func several(mode: Configuration.JournalMode, way: Several) async {
      await #expect(processExitsWith: .success) {
        [mode = mode.rawValue as String, way = way.rawValue as String] in
        try #require(FaultyDisk.install())
        let way = try #require(Several(rawValue: way))
        var configuration = Configuration()
        configuration.journalMode =
          try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
        try await withTemporaryPath { path throws in
          let database = try await Database(
            path: path, key: .raw(testKeyBytes), configuration: configuration)
          try await database.attach(path + "-archive", as: "archive", key: .raw(testKeyBytes))
          try await database.write {
            try $0.execute(script: "CREATE TABLE t(id); CREATE TABLE archive.u(id)")
          }
          // An observer of a file is notified of its commits.
          let counts = try database.values { try Table<Own>().count(in: $0) }
          var observed = try counts.makeAsyncIterator()
          #expect(try await observed.next() == 0)
          var (failures, halves) = (0, 0)
          for number in 1..<100 {
            FaultyDisk.arm(.sync, number, lasting: false)
            do {
              try await way.run(number, in: database)
              if FaultyDisk.struck == 0 { break }
            } catch let error as DatabaseError {
              failures += 1
              try #require(error.code.primary == .inputOutput, "\(error)")
              let known: DatabaseError.Operation = way == .transaction ? .commit : .step
              #expect(error.operation == (mode == "WAL" ? .commitCheck : known), "\(error)")
            }
            FaultyDisk.disarm()
            let own: SQL = "SELECT count(*) FROM t WHERE id = \(number)"
            let attached: SQL = "SELECT count(*) FROM archive.u WHERE id = \(number)"
            guard try await database.values(own) != database.values(attached) else { continue }
            halves += 1
            #expect(try await observed.next() == halves)
          }
          FaultyDisk.disarm()
          #expect(failures > 1)
          #expect((halves > 0) == (mode == "WAL"))
          try await database.close()
        }
      }
    }

    @Test("a commit to several files that has not begun is in none of them")
    func notBegun() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyDisk.install())
        try await withTemporaryPath { path throws in
          let key = Key.raw(testKeyBytes)
          let first = try await Database(path: path, key: key)
          try await first.write {
            try $0.execute(
              script:
                "CREATE TABLE t(id); CREATE TABLE large(a); INSERT INTO large VALUES (zeroblob(99999))"
            )
          }
          try await first.close()
          let database = try await Database(path: path, key: key)
          try await database.attach(path + "-archive", as: "archive", key: key)
          try await database.write { try $0.execute("CREATE TABLE archive.u(id)") }
          var thrown: DatabaseError?
          do {
            try await database.write { db in
              try db.execute(script: "INSERT INTO t VALUES (1); INSERT INTO archive.u VALUES (1)")
              FaultyDisk.arm(.read, 1, lasting: false)
              try db.execute("INSERT INTO t SELECT a FROM large")
            }
          } catch let error as DatabaseError { thrown = error }
          #expect(FaultyDisk.struck > 0)
          FaultyDisk.disarm()
          #expect(thrown?.operation == .step)
          #expect(thrown?.code.primary == .inputOutput)
          for sql: SQL in ["SELECT count(*) FROM t", "SELECT count(*) FROM archive.u"] {
            #expect(try await database.values(sql) == [.integer(0)])
          }
          try await database.close()
        }
      }
    }

    private static func fail(_ way: Way, _ isLasting: Bool, _ path: String) async throws {
      let what = "\(way), \(isLasting)"
      let key = Key.raw(testKeyBytes)
      let archive = path + "-archive"
      let database = try await Database(path: path, key: key)
      try await database.write { try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY)") }
      if way == .attached {
        try await database.attach(archive, as: "archive", key: key)
        try await database.write { try $0.execute("CREATE TABLE archive.t(id INTEGER)") }
      }
      FaultyDisk.arm(.sync, 1, lasting: isLasting)
      var thrown: DatabaseError?
      do {
        try await Self.commit(way, in: database)
        Issue.record("\(what): it did not fail")
      } catch let error as DatabaseError { thrown = error }
      FaultyDisk.disarm()
      let error = try #require(thrown)
      #expect(error.code.primary == .inputOutput, "\(what)")
      #expect(error.operation == .commitCheck, "\(what): \(error)")
      #expect(error.message.contains("the transaction may be in the file"), "\(what)")
      #expect(error.errorDescription == "It is not known whether the change was made.")
      let written = way == .attached ? archive : path
      // The failed row is absent and stays absent after another write.
      let count: SQL =
        way == .attached ? "SELECT count(*) FROM archive.t" : "SELECT count(*) FROM main.t"
      #expect(try await database.values(count) == [.integer(0)], "\(what)")
      try await Self.commit(way, in: database)
      #expect(try await database.values(count) == [.integer(1)], "\(what)")
      #expect(try await Self.count(inCopyOf: written, key) == 1, "\(what)")
      try await database.close()
    }

    private static func commit(_ way: Way, in database: Database) async throws {
      switch way {
      case .transaction: try await database.write { try Table<Row>().insert(Row(id: 1), in: $0) }
      case .statement: try await Table<Row>().insert(Row(id: 1), in: database)
      case .returning:
        _ = try await Table<Row>().insert(Row(id: 1)).returning { $0.id }.fetchAll(in: database)
      case .first:
        _ = try await Table<Row>().insert(Row(id: 1)).returning { $0.id }.fetchOne(in: database)
      case .value:
        _ = try await database.withoutTransaction {
          try $0.value(Int.self, "INSERT INTO t VALUES (1) RETURNING id")
        }
      case .prepared:
        let insert = PreparedChange(Int64.self) { id in Table<Row>().insert { $0.id = id } }
        try await insert.run(1, in: database)
      case .sql:
        try await database.withoutTransaction { try $0.execute("INSERT INTO t VALUES (1)") }
      case .script:
        try await database.withoutTransaction { try $0.execute(script: "INSERT INTO t VALUES (1)") }
      case .commit:
        try await database.withoutTransaction {
          try $0.execute(script: "BEGIN; INSERT INTO t VALUES (1); COMMIT")
        }
      case .release:
        try await database.withoutTransaction { db in
          try db.execute("SAVEPOINT s")
          try db.execute("INSERT INTO t VALUES (1)")
          try db.execute("/* the outermost */ RELEASE s")
        }
      case .caught:
        let caught = try await database.withoutTransaction { db -> DatabaseError? in
          do throws(DatabaseError) {
            try db.execute("INSERT INTO t VALUES (1)")
            return nil
          } catch { return error }
        }
        if let caught { throw caught }
      case .attached:
        try await database.write { try $0.execute("INSERT INTO archive.t VALUES (1)") }
      }
    }

    /// The number of rows in a copy of a file and its log.
    private static func count(inCopyOf path: String, _ key: Key) async throws -> Int {
      try await withTemporaryPath { copy in
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        let database = try await Database(path: copy, key: key)
        let count = try await Table<Row>().count(in: database)
        try await database.close()
        return count
      }
    }
  }
#endif

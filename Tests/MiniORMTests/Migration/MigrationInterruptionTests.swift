import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("place") private struct Place {
  let id: Int64
  @Column(.check("number >= 0")) var number: Int
  var note: String?
}

/// A file of version 1 with a table whose rowids are far apart, so that it is copied in several
/// parts.
private func withPlaces<Result>(
  rows: Int = 100, journalMode: Configuration.JournalMode = .wal, options: String = "STRICT",
  _ body: (_ database: Database, _ path: String) async throws -> Result
) async throws -> Result {
  var configuration = Configuration()
  configuration.journalMode = journalMode
  // A migration must wait for locks longer than this timeout.
  configuration.busyTimeout = .milliseconds(20)
  return try await withTemporaryPath { path in
    let database = try await Database(
      path: path, key: .raw(testKeyBytes), configuration: configuration)
    try await database.write { db in
      try db.execute(
        script: """
          CREATE TABLE place (id INTEGER PRIMARY KEY NOT NULL, number INTEGER, note TEXT) \(options);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO place SELECT 1000 * i, i, 'note ' || i FROM n WHERE i <= \(rows);
          """)
    }
    try await database.adopt(version: 1)
    let result = try await body(database, path)
    try await database.close()
    return result
  }
}

extension Database {
  /// Expects the writing connection to be in its normal state after a migration.
  fileprivate func expectUsable(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let state = try await writer.state()
    #expect(
      state == [.integer(1), .integer(0), .integer(-8192), .integer(0), .integer(1)],
      "foreign_keys, legacy_alter_table, cache_size, depth, autocommit",
      sourceLocation: sourceLocation)
    // The commit hook does not refuse, and nothing interrupts the statements.
    try await write { db in
      try db.execute(
        script: """
          CREATE TABLE hooks AS WITH RECURSIVE n(i) AS
          (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT max(i) FROM n;
          DROP TABLE hooks
          """)
    }
  }
}

extension Connection {
  fileprivate func state() throws -> [DatabaseValue] {
    let pragmas = ["foreign_keys", "legacy_alter_table", "cache_size"]
    return try pragmas.map { try query("PRAGMA \(raw: $0)")[0].values[0] }
      + [.integer(Int64(depth)), .integer(Int64(sqlite3_get_autocommit(try handle)))]
  }
}

@Suite("Progress, cancellation and waiting")
struct MigrationInterruptionTests {
  typealias Operation = DatabaseSchema.Operation

  /// Long migrations during which the test cancels.
  enum Work: CaseIterable {
    case models, rebuild, backfill

    var schema: DatabaseSchema {
      switch self {
      case .models: DatabaseSchema(version: 2, Place.self)
      case .rebuild:
        DatabaseSchema(
          version: 2,
          steps: [
            DatabaseSchema.Step(
              to: 2, "numbers",
              .rebuildTable(
                "place", .column("id", Int64.self, .primaryKey), .column("number", Int.self),
                .column("note", String?.self)))
          ])
      case .backfill:
        DatabaseSchema(
          version: 2,
          steps: [
            DatabaseSchema.Step(
              to: 2, "notes",
              .backfill("place") { row in
                guard case .integer(let number)? = row["number"] else { return [:] }
                return ["note": "note of \(number)"]
              })
          ])
      }
    }

    var name: String {
      switch self {
      case .models: "rebuild table place"
      case .rebuild: "numbers"
      case .backfill: "notes"
      }
    }
  }

  @Test("progress rises to the number of rows and to 1", arguments: Work.allCases)
  func progress(work: Work) async throws {
    try await withPlaces(rows: 1000) { database, _ in
      let told = Mutex<[MigrationProgress]>([])
      try await database.migrate(work.schema) { progress in told.withLock { $0.append(progress) } }
      let all = told.withLock { $0 }
      // The first part has 20 rows. Each part with few rows doubles the rowid range of the next
      // part.
      let rows = work == .backfill ? [500, 1000] : [20, 60, 140, 300, 620, 1000]
      #expect(all.map(\.rows) == rows)
      let fractions = all.compactMap { progress in progress.fraction.map { Int($0 * 1000) } }
      #expect(fractions == (work == .backfill ? [499, 1000] : [20, 60, 140, 300, 620, 1000]))
      for progress in all {
        #expect(progress.version == 2 && progress.name == work.name && progress.table == "place")
      }
    }
  }

  @Test(
    "without rowids, progress reports the number of rows and no fraction",
    arguments: [Work.models, .backfill])
  func progressWithoutRowID(work: Work) async throws {
    try await withPlaces(rows: 700, options: "STRICT, WITHOUT ROWID") { database, _ in
      let told = Mutex<[MigrationProgress]>([])
      try await database.migrate(work.schema) { progress in told.withLock { $0.append(progress) } }
      #expect(
        told.withLock { $0 }
          == (work == .models ? [700] : [500, 700]).map { rows in
            MigrationProgress(
              version: 2, name: work.name, table: "place", rows: rows, fraction: nil)
          })
      #expect(try await database.values("SELECT count(*) FROM place") == [.integer(700)])
    }
  }

  @Test("a migration of an empty table reports no progress", arguments: Work.allCases)
  func empty(work: Work) async throws {
    try await withPlaces(rows: 0) { database, _ in
      let told = Mutex<[MigrationProgress]>([])
      try await database.migrate(work.schema) { progress in told.withLock { $0.append(progress) } }
      #expect(told.withLock { $0 } == [])
      #expect(try await database.migrationHistory().map(\.version) == [1, 2])
    }
  }

  @Test(
    "cancelling midway leaves the file unchanged and the connection usable",
    arguments: Work.allCases, [Configuration.JournalMode.wal, .delete])
  func cancelled(work: Work, journalMode: Configuration.JournalMode) async throws {
    try await withPlaces(rows: 1000, journalMode: journalMode) { database, _ in
      let before = try await database.contents()
      let told = Mutex(0)
      let task = Task {
        try await database.migrate(work.schema) { _ in
          told.withLock { $0 += 1 }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
      #expect(told.withLock { $0 } == 1)
      #expect(try await database.contents() == before)
      try await database.expectUsable()
      try await database.migrate(work.schema)
      #expect(try await database.migrationHistory().map(\.version) == [1, 2])
    }
  }

  @Test("a long statement is interrupted, and earlier steps remain")
  func interrupted() async throws {
    try await withPlaces { database, _ in
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let schema = DatabaseSchema(
        version: 3,
        steps: [
          DatabaseSchema.Step(to: 2, "first", .sql("UPDATE place SET note = 'done'")),
          DatabaseSchema.Step(
            to: 3, "endless", .run { _ in continuation.finish() },
            .sql(
              """
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
              SELECT count(*) FROM n
              """)),
        ])
      let task = Task { try await database.migrate(schema) }
      for await _ in started {}
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await database.migrationHistory().map(\.name) == ["adopted", "first"])
      #expect(try await database.values("SELECT DISTINCT note FROM place") == [.text("done")])
      try await database.expectUsable()
    }
  }

  @Test("a closure that detects the cancellation cancels the migration")
  func closureCancels() async throws {
    try await withPlaces { database, _ in
      let check: @Sendable () throws -> Void = {
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      }
      for operation: Operation in [
        .run { _ in try check() },
        .backfill("place") { _ in
          try check()
          return [:]
        },
      ] {
        let schema = DatabaseSchema(
          version: 2, steps: [DatabaseSchema.Step(to: 2, "checks", operation)])
        let task = Task { try await database.migrate(schema) }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await database.expectUsable()
      }
    }
  }

  @Test(
    "a migration waits beyond the busy timeout for another transaction",
    arguments: [Configuration.JournalMode.wal, .delete], [TransactionKind.deferred, .exclusive])
  func waits(journalMode: Configuration.JournalMode, kind: TransactionKind) async throws {
    try await withPlaces(journalMode: journalMode) { database, path in
      var configuration = Configuration()
      configuration.journalMode = journalMode
      let other = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let holder = Task {
        try await other.write(kind) { db in
          // A deferred transaction reads, which blocks other commits in rollback-journal mode.
          _ = try db.query("SELECT count(*) FROM place")
          continuation.finish()
          usleep(200_000)
        }
      }
      for await _ in started {}
      try await database.migrate(Work.models.schema)
      try await holder.value
      #expect(try await database.migrationHistory().map(\.version) == [1, 2])
      try await database.expectUsable()
      try await other.close()
    }
  }

  @Test(
    "cancelling ends the wait for another transaction",
    arguments: [Configuration.JournalMode.wal, .delete])
  func cancelledWaiting(journalMode: Configuration.JournalMode) async throws {
    try await withPlaces(journalMode: journalMode) { database, path in
      let before = try await database.contents()
      var configuration = Configuration()
      configuration.journalMode = journalMode
      let other = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let end = DispatchSemaphore(value: 0)
      let holder = Task {
        try await other.write(.exclusive) { _ in
          continuation.finish()
          end.wait()
        }
      }
      for await _ in started {}
      let task = Task { try await database.migrate(Work.models.schema) }
      try await Task.sleep(for: .milliseconds(40))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // The configuration's timeout applies again outside migrations.
      let busy = try await failure { try await database.write { _ in } }
      #expect(
        busy.summary.hasPrefix(
          "begin 5 -.- -: database is locked: another connection or process held the lock"))
      end.signal()
      try await holder.value
      #expect(try await database.contents() == before)
      try await database.expectUsable()
      try await other.close()
    }
  }

  @Test("two databases of a process migrate a file at the same time, and each step runs once")
  func together() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/shared.db"
      for journalMode in ["WAL", "DELETE"] {
        try Database.delete(path: path)
        try await Shop.create(path, journalMode)
        let databases = [
          try await Shop.open(path, journalMode), try await Shop.open(path, journalMode),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for database in databases { group.addTask { try await database.migrate(Shop.schema) } }
          try await group.waitForAll()
        }
        for database in databases {
          #expect(
            try await database.migrationHistory().map { "\($0.version) \($0.name)" } == Shop.history
          )
          #expect(
            try await database.values("SELECT text FROM log")
              == [.text("once, with \(Shop.people)")])
          try await database.close()
        }
      }
    }
  }

  enum Split: String, CaseIterable {
    case commit = "UPDATE place SET note = 'x'; COMMIT; UPDATE place SET note = 'y'"
    case rollback = "UPDATE place SET note = 'x'; ROLLBACK; UPDATE place SET note = 'y'"
    case again = "UPDATE place SET note = 'x'; ROLLBACK; BEGIN; UPDATE place SET note = 'y'"
    case last = "UPDATE place SET note = 'x'; ROLLBACK"
    case commitLast = "UPDATE place SET note = 'x'; COMMIT"
    case begin = "UPDATE place SET note = 'x'; BEGIN; COMMIT"
    case commitAndBegin = "COMMIT; BEGIN IMMEDIATE; UPDATE place SET note = 'y'"

  }

  @Test("BEGIN, COMMIT and ROLLBACK cannot split a step", arguments: Split.allCases)
  func splits(split: Split) async throws {
    try await withPlaces { database, _ in
      let before = try await database.contents()
      let operations: [Operation] = [
        .sql(split.rawValue), .run { db in try db.execute(script: split.rawValue) },
      ]
      for operation in operations {
        let error = try await failure {
          try await database.migrate(
            DatabaseSchema(version: 2, steps: [DatabaseSchema.Step(to: 2, "split", operation)]))
        }
        #expect(error.summary == "migrate 21 -.- -: Step 2 (split): \(controlRefusal)")
        #expect(try await database.contents() == before)
        try await database.expectUsable()
      }
    }
  }

  @Test(
    "a closure that hides the refusal cannot split a step either",
    arguments: [false, true])
  func hidesSplit(isThrowing: Bool) async throws {
    struct Stop: Error {}
    try await withPlaces { database, _ in
      let before = try await database.contents()
      for word in ["COMMIT", "ROLLBACK"] {
        let step = DatabaseSchema.Step(
          to: 2, "split",
          .run { db in
            try db.execute("UPDATE place SET note = 'x'")
            _ = try? db.execute("\(raw: word)")
            _ = try? db.execute("BEGIN")
            _ = try? db.execute(script: "BEGIN")
            try db.transaction { db in try db.execute("UPDATE place SET note = 'y'") }
            if isThrowing { throw Stop() }
          })
        if isThrowing {
          let error = try await failure {
            try await database.migrate(DatabaseSchema(version: 2, steps: [step]))
          }
          #expect(error.operation == .migrate)
          #expect(try await database.contents() == before)
          try await database.expectUsable()
        } else {
          // A failed step leaves no partial change.
          try? await database.migrate(DatabaseSchema(version: 2, steps: [step]))
          let notes = try await database.values("SELECT DISTINCT note FROM place")
          let version = try await database.values("PRAGMA user_version")
          #expect(version == [.integer(notes == [.text("y")] ? 2 : 1)])
        }
      }
    }
  }

  @Test(
    "a rebuild in parts runs no trigger, keeps indexes and triggers, and counts obstacles",
    arguments: [Work.models, .rebuild])
  func parts(work: Work) async throws {
    try await withPlaces(rows: 1000) { database, _ in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE deleted (id INTEGER PRIMARY KEY, number INTEGER);
            CREATE TABLE child (
              id INTEGER PRIMARY KEY, placeID INTEGER REFERENCES place ON DELETE CASCADE);
            INSERT INTO child SELECT id, id FROM place;
            CREATE TRIGGER place_delete AFTER DELETE ON place BEGIN
              INSERT INTO deleted VALUES (OLD.id, OLD.number);
            END;
            UPDATE place SET number = NULL WHERE id IN (30000, 700000, 900000);
            """)
        if work == .rebuild { try db.execute("CREATE INDEX place_note ON place (note)") }
      }
      let before = try await database.contents()
      let error = try await failure { try await database.migrate(work.schema) }
      #expect(error.code == .constraintNotNull && error.column == "number")
      #expect(error.message.contains("3 rows of place hold NULL in column number"))
      #expect(try await database.contents() == before)
      try await database.write { db in
        try db.execute("UPDATE place SET number = id / 1000 WHERE number IS NULL")
      }
      try await database.migrate(work.schema)
      #expect(try await database.values("SELECT count(*) FROM deleted") == [.integer(0)])
      #expect(try await database.values("SELECT count(*) FROM child") == [.integer(1000)])
      #expect(
        try await database.values("SELECT count(*) FROM place WHERE number = id / 1000")
          == [.integer(1000)])
      let kept = try await database.values(
        "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger') ORDER BY name")
      #expect(
        kept
          == (work == .rebuild
            ? [.text("place_delete"), .text("place_note")] : [.text("place_delete")]))
      #expect(try await database.damage() == [])
      try await database.expectUsable()
    }
  }

  @Test("a backfill cannot change keys")
  func backfillsKeys() async throws {
    for options in ["STRICT", "STRICT, WITHOUT ROWID"] {
      try await withPlaces(options: options) { database, _ in
        let error = try await failure {
          try await database.migrate(
            DatabaseSchema(
              version: 2,
              steps: [DatabaseSchema.Step(to: 2, "keys", .backfill("place") { _ in ["ID": 1] })]))
        }
        #expect(
          error.summary
            == "migrate 21 place.ID -: Step 2 (keys): A backfill iterates over the rows by key, "
            + "so it cannot change the key: use .sql")
        try await database.expectUsable()
      }
    }
  }
}

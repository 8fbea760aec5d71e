import Synchronization
import Testing

@testable import MiniORM

@Suite("Connections lent to closures")
struct LentConnectionTests {
  @Table("note") struct Note: Identifiable, Equatable {
    let id: Int64
    var text: String
  }

  private static let notes = Table<Note>()

  /// Calls that pass a connection to a closure.
  enum Source: CaseIterable, Sendable {
    case write, read, withoutTransaction, step, failure

    func connection(of database: Database) async throws -> Connection {
      switch self {
      case .write: return try await database.write { $0 }
      case .read: return try await database.read { $0 }
      case .withoutTransaction: return try await database.withoutTransaction { $0 }
      case .step:
        let kept = Mutex<Connection?>(nil)
        try await database.migrate(
          DatabaseSchema(
            version: 2, Note.self,
            steps: [DatabaseSchema.Step(to: 2, "two", .run { db in kept.withLock { $0 = db } })]))
        return try #require(kept.withLock { $0 })
      case .failure:
        struct Kept: Error { let connection: Connection }
        let kept = await #expect(throws: Kept.self) {
          try await database.write { db in throw Kept(connection: db) }
        }
        return try #require(kept).connection
      }
    }
  }

  /// Uses of a connection after its closure has returned.
  enum Use: CaseIterable, Sendable {
    case execute, begin, script, query, model, value, plan, transaction, insert, fetch, update, sql

    func run(_ db: Connection) async throws {
      switch self {
      case .execute: try await db.execute("INSERT INTO note(text) VALUES ('lost')")
      case .begin: try await db.execute("BEGIN")
      case .script: try await db.execute(script: "INSERT INTO note(text) VALUES ('lost')")
      case .query: _ = try await db.query("SELECT 1")
      case .model: _ = try await db.query(Note.self, "SELECT * FROM note")
      case .value: _ = try await db.value(Int.self, "SELECT 1")
      case .plan: _ = try await db.queryPlan("SELECT 1")
      case .transaction: try await db.transaction { @Sendable _ in }
      case .insert: try await notes.insert(Note.Draft(text: "lost"), in: db)
      case .fetch: _ = try await notes.fetchAll(in: db)
      case .update: try await notes.update { $0.text = "lost" }.run(in: db)
      case .sql: _ = try await notes.select { $0.text }.fetchAll(in: db)
      }
    }
  }

  @Test(
    "a connection used after its closure refuses every call, and the error names the remedy",
    arguments: Source.allCases, TestPlace.allCases)
  func kept(source: Source, place: TestPlace) async throws {
    try await place.withDatabase(script: "") { database in
      try await database.migrate(DatabaseSchema(Note.self))
      let kept = try await source.connection(of: database)
      for use in Use.allCases {
        let error = try await failure { try await use.run(kept) }
        #expect(
          error.facts
            == ErrorFacts(
              .step, .misuse,
              "The connection was used after its closure returned: use it only inside read, write or withoutTransaction. Elsewhere pass the database, as in fetchAll(in: database)",
              path: database.path),
          "\(use)")
      }
      let note = try await Self.notes.insert(Note.Draft(text: "kept"), in: database)
      #expect(try await Self.notes.fetchAll(in: database) == [note])
    }
  }

  @Test("a task started in the closure is refused too, and the next transaction is unaffected")
  func task() async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Note.self))
      let task = try await database.write { db in
        Task { try Self.notes.insert(Note.Draft(text: "late"), in: db) }
      }
      try await database.write { db in
        try Self.notes.insert(Note.Draft(text: "kept"), in: db)
      }
      let error = try await failure { _ = try await task.value }
      #expect(error.code == .misuse)
      #expect(try await Self.notes.fetchAll(in: database).map(\.text) == ["kept"])
    }
  }

  @Test(
    "read() cannot write, even after PRAGMA query_only", arguments: TestPlace.allCases)
  func queryOnly(place: TestPlace) async throws {
    try await place.withDatabase(script: "") { database in
      try await database.migrate(DatabaseSchema(Note.self))
      try await Self.notes.insert(Note.Draft(text: "kept"), in: database)
      // The statement is in the cache of the connection, if both calls use the same connection.
      try await database.write { try $0.execute("DELETE FROM note WHERE id = 7") }
      let writes: [@Sendable (isolated Connection) throws -> Void] = [
        { _ = try $0.execute("DELETE FROM note WHERE id = 7") },
        { try $0.execute(script: "SELECT 1; DELETE FROM note") },
        { _ = try $0.query("DELETE FROM note RETURNING id") },
        { _ = try $0.value(Int.self, "DELETE FROM note RETURNING id") },
        { try $0.transaction { _ = try $0.execute("DELETE FROM note") } },
        { _ = try Self.notes.insert(Note.Draft(text: "lost"), in: $0) },
        { _ = try Self.notes.where { $0.id == 1 }.delete().run(in: $0) },
        { _ = try Self.notes.update { $0.text = "lost" }.run(in: $0) },
        { _ = try $0.execute("CREATE TABLE t(a)") },
        { _ = try $0.execute("PRAGMA user_version = 9") },
      ]
      for (index, write) in writes.enumerated() {
        let error = try await failure {
          try await database.read { db in
            #expect(throws: DatabaseError.self) { try db.execute("PRAGMA query_only = OFF") }
            try write(db)
          }
        }
        #expect(error.operation == .step && error.code == .readOnly, "\(index): \(error)")
        #expect(error.message == "attempt to write a readonly database", "\(index)")
      }
      #expect(try await Self.notes.fetchAll(in: database).map(\.text) == ["kept"])
      let plan = try await database.read { db in try db.queryPlan("DELETE FROM note WHERE id = 7") }
      #expect(plan.searches("note"))
      #expect(try await Self.notes.delete(1, in: database))
    }
  }
}

@Suite("Statements without a transaction")
struct WithoutTransactionTests {
  private static let script = "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
  private struct Stop: Error, Equatable {}

  @Test("statements that SQLite refuses in a transaction run, on a file and in memory")
  func vacuum() async throws {
    for place in TestPlace.allCases {
      try await place.withDatabase(script: Self.script) { database in
        let refusal = try await failure { try await database.write { try $0.execute("VACUUM") } }
        #expect(refusal.message == "cannot VACUUM from within a transaction")
        let count = try await database.withoutTransaction { db in
          try db.execute("INSERT INTO t(b) VALUES (1)")
          try db.execute("VACUUM")
          try db.transaction { try $0.execute("INSERT INTO t(b) VALUES (2)") }
          return try db.value(Int.self, "SELECT count(*) FROM t")
        }
        #expect(count == 2)
        #expect(try await database.values("SELECT b FROM t") == [.integer(1), .integer(2)])
      }
    }
  }

  @Test("VACUUM INTO makes a copy with the same key; a checkpoint empties the log")
  func copy() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let path = database.path + "-copy"
      try await database.write { try $0.execute("INSERT INTO t(b) VALUES ('one')") }
      try await database.withoutTransaction { db in
        try db.execute("VACUUM INTO \(path)")
        let checkpoint = try db.query("PRAGMA wal_checkpoint(TRUNCATE)").map(\.values)
        #expect(checkpoint == [[.integer(0), .integer(0), .integer(0)]])
      }
      #expect(try !DatabaseFile.isPlain(path))
      let copy = try await Database(path: path, key: .raw(testKeyBytes))
      #expect(try await copy.values("SELECT b FROM t") == [.text("one")])
      try await copy.close()
    }
  }

  @Test(
    "a transaction that SQL leaves open is rolled back, and the call throws",
    arguments: ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s"], TestPlace.allCases)
  func leftOpen(begin: String, place: TestPlace) async throws {
    try await place.withDatabase(script: Self.script) { database in
      let error = try await failure {
        try await database.withoutTransaction { db in
          try db.execute("\(raw: begin)")
          try db.execute("INSERT INTO t(b) VALUES (1)")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .commit, .misuse,
            "The closure's SQL began a transaction and did not end it, so it was rolled back: end it with COMMIT, or call transaction or write",
            path: database.path))
      await #expect(throws: Stop()) {
        try await database.withoutTransaction { db in
          try db.execute("\(raw: begin)")
          try db.execute("INSERT INTO t(b) VALUES (1)")
          throw Stop()
        }
      }
      try await database.withoutTransaction { db in
        try db.execute("BEGIN")
        try db.execute("INSERT INTO t(b) VALUES (2)")
        try db.execute("COMMIT")
      }
      try await database.write { try $0.execute("INSERT INTO t(b) VALUES (3)") }
      #expect(try await database.values("SELECT b FROM t") == [.integer(2), .integer(3)])
    }
  }

  @Test("writes wait until the closure returns")
  func alone() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
          group.addTask {
            guard index % 4 == 0 else {
              return try await database.write { try $0.execute("INSERT INTO t(b) VALUES (0)") }
            }
            try await database.withoutTransaction { db in
              let before = try db.value(Int.self, "SELECT count(*) FROM t")
              try db.execute("INSERT INTO t(b) VALUES (1)")
              #expect(try db.value(Int.self, "SELECT count(*) FROM t") == (before ?? 0) + 1)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(40)])
    }
  }
}

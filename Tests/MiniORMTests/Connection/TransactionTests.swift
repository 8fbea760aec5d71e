import CSQLCipher
import Synchronization
import Testing

@testable import MiniORM

@Suite("Transactions")
struct TransactionTests {
  private struct Stop: Error, Equatable {}

  private static let script = "CREATE TABLE t(a INTEGER PRIMARY KEY ON CONFLICT ROLLBACK, b UNIQUE)"
  private static let ended =
    "An earlier error rolled back the transaction, so no more statements run in it: "

  private static func rows(_ database: Database) async throws -> [DatabaseValue] {
    try await database.values("SELECT a FROM t ORDER BY a")
  }

  static let allKinds: [TransactionKind] = [.deferred, .immediate, .exclusive]

  @Test(
    "each kind of transaction commits when the body returns and rolls back when it throws",
    arguments: allKinds)
  func kinds(kind: TransactionKind) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let result = try await database.write(kind) { db in
        try db.execute("INSERT INTO t(a) VALUES (1)")
        return "result"
      }
      #expect(result == "result")
      await #expect(throws: Stop()) {
        try await database.write(kind) { db in
          try db.execute("INSERT INTO t(a) VALUES (2)")
          throw Stop()
        }
      }
      #expect(try await Self.rows(database) == [.integer(1)])
    }
  }

  @Test(
    "an immediate transaction takes the lock at once, and a deferred transaction at its first write"
  )
  func locks() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(1)
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { first in
      let second = try await Database(
        path: first.path, key: .raw(testKeyBytes), configuration: configuration)
      try await first.writer.begin(.deferred)
      #expect(try await second.write { try $0.execute("INSERT INTO t(a) VALUES (1)") } == 1)
      await first.writer.rollback()
      for kind in [TransactionKind.immediate, .exclusive] {
        try await first.writer.begin(kind)
        let error = try await failure { try await second.write { _ in } }
        #expect(
          error.operation == .begin && error.code == .busy && error.sql == "BEGIN IMMEDIATE"
            && error.message.hasPrefix("database is locked: another connection or process held"))
        #expect(error.errorDescription == "The database is in use.")
        await first.writer.rollback()
      }
      try await second.close()
    }
  }

  @Test("a nested transaction is a savepoint, at any depth")
  func nested() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.write { db in
        try db.execute("INSERT INTO t(a) VALUES (1)")
        #expect(throws: Stop()) {
          try db.transaction { db in
            try db.execute("INSERT INTO t(a) VALUES (2)")
            try db.transaction { try $0.execute("INSERT INTO t(a) VALUES (3)") }
            throw Stop()
          }
        }
        try db.transaction { db in
          try db.execute("INSERT INTO t(a) VALUES (4)")
          #expect(throws: Stop()) {
            try db.transaction { db in
              try db.execute("INSERT INTO t(a) VALUES (5)")
              throw Stop()
            }
          }
          try db.transaction { db in
            try db.transaction { try $0.execute("INSERT INTO t(a) VALUES (6)") }
          }
        }
      }
      #expect(try await Self.rows(database) == [.integer(1), .integer(4), .integer(6)])
    }
  }

  @Test("an outer rollback also rolls back a released inner transaction")
  func nestedUndone() async throws {
    try await withTemporaryDatabase(script: Self.script) { database async throws in
      await #expect(throws: Stop()) {
        try await database.write { db in
          try db.transaction { try $0.execute("INSERT INTO t(a) VALUES (1)") }
          throw Stop()
        }
      }
      #expect(try await Self.rows(database) == [])
    }
  }

  @Test("SQL cannot end the savepoint of a nested transaction", arguments: TestPlace.allCases)
  func ownSavepoints(place: TestPlace) async throws {
    try await place.withDatabase(script: Self.script) { database async throws in
      try await database.write { db in
        try db.execute("INSERT INTO t(a) VALUES (1)")
        #expect(throws: Stop()) {
          try db.transaction { db in
            try db.execute("INSERT INTO t(a) VALUES (2)")
            for sql in ["RELEASE miniorm_1", "ROLLBACK TO \"Miniorm_1\"", "SAVEPOINT miniorm_2"] {
              for isScript in [false, true] {
                let error = #expect(throws: DatabaseError.self) {
                  if isScript {
                    try db.execute(script: sql)
                  } else {
                    try db.execute(SQL(raw: sql))
                  }
                }
                #expect(
                  error?.facts
                    == ErrorFacts(
                      .step, .misuse,
                      "Savepoint names that begin with miniorm_ are reserved for MiniORM: choose another name",
                      sql: sql))
              }
            }
            throw Stop()
          }
        }
        try db.execute("INSERT INTO t(a) VALUES (3)")
      }
      #expect(try await Self.rows(database) == [.integer(1), .integer(3)])
    }
  }

  #if os(Linux)
    /// Runs in a separate process, because SQLite's allocator must be set before first use.
    @Test("without memory, a nested transaction rolls back or ends the outer transaction")
    func noMemory() async {
      await #expect(processExitsWith: .success) {
        try #require(FaultyMemory.install())
        try await withTemporaryDatabase(script: Self.script) { database async throws in
          let memory = ResultCode(rawValue: SQLITE_NOMEM)
          var (failures, ended, said) = (0, 0, 0)
          for isLasting in [false, true] {
            var number = 0
            repeat {
              number += 1
              let at = number
              try await database.write { db in
                try db.execute("DELETE FROM t")
                try db.execute("INSERT INTO t(a, b) VALUES (1, zeroblob(9000))")
              }
              do {
                try await database.write { db in
                  do {
                    try db.transaction { db in
                      try db.execute("DELETE FROM t")
                      try db.execute("INSERT INTO t(a) VALUES (2)")
                      FaultyMemory.arm(at, lasting: isLasting)
                      throw Stop()
                    }
                  } catch is Stop {}
                  FaultyMemory.disarm()
                  try db.execute("INSERT INTO t(a) VALUES (3)")
                }
                #expect(try await Self.rows(database) == [.integer(1), .integer(3)], "\(at)")
              } catch let error as DatabaseError {
                // SQLite can roll back without returning the original error to the caller.
                #expect(error.code == .misuse || error.code.primary == memory, "\(error)")
                ended += 1
                said += error.code.primary == memory ? 1 : 0
                #expect(try await Self.rows(database) == [.integer(1)], "\(at)")
              }
              failures += FaultyMemory.struck
            } while FaultyMemory.struck > 0
          }
          #expect(failures > 4 && ended > 4 && said > 4, "\(failures), \(ended), \(said)")
        }
      }
    }
  #endif

  @Test("an error that rolled back the transaction is thrown unchanged")
  func rolledBack() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let error = try await failure {
        try await database.write { db in
          try db.execute("INSERT INTO t(a) VALUES (1)")
          try db.execute("INSERT INTO t(a) VALUES (1)")
        }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .step, .constraintPrimaryKey, "UNIQUE constraint failed: t.a",
            sql: "INSERT INTO t(a) VALUES (1)", table: "t", column: "a"))
      #expect(try await Self.rows(database) == [])
      #expect(try await database.write { try $0.execute("INSERT INTO t(a) VALUES (9)") } == 1)
    }
  }

  /// Statements that end a transaction inside its closure.
  static let endings = [
    "INSERT OR ROLLBACK INTO t(a, b) VALUES (2, 'same')", "INSERT INTO t(a, b) VALUES (1, 'other')",
    "UPDATE OR ROLLBACK t SET b = 'same' WHERE a = 0",
  ]

  /// Writes after the transaction has ended. Each would otherwise run in autocommit mode.
  enum Write: CaseIterable, Sendable {
    case execute, script, query, savepoint, nested, value

    func run(_ db: isolated Connection) throws {
      switch self {
      case .execute: try db.execute("INSERT INTO t(a) VALUES (77)")
      case .script: try db.execute(script: "INSERT INTO t(a) VALUES (77)")
      case .query: _ = try db.query("INSERT INTO t(a) VALUES (77) RETURNING a")
      case .savepoint: try db.execute("SAVEPOINT s")
      case .nested: try db.transaction { try $0.execute("INSERT INTO t(a) VALUES (77)") }
      case .value: _ = try db.value(Int.self, "INSERT INTO t(a) VALUES (77) RETURNING a")
      }
    }
  }

  @Test(
    "after an error has ended the transaction in its body, no later statement writes",
    arguments: endings, Write.allCases)
  func ended(ending: String, write: Write) async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let cause = Mutex<DatabaseError?>(nil)
      let error = try await failure {
        try await database.write { db in
          try db.execute("INSERT INTO t(a, b) VALUES (0, 'zero'), (1, 'same')")
          let thrown = #expect(throws: DatabaseError.self) { try db.execute(SQL(raw: ending)) }
          cause.withLock { $0 = thrown }
          let refusal = #expect(throws: DatabaseError.self) { try write.run(db) }
          #expect(
            refusal?.facts
              == thrown.map { ErrorFacts(.step, $0.code, Self.ended + $0.message) })
        }
      }
      let thrown = try #require(cause.withLock { $0 })
      #expect(thrown.code.primary == .constraint)
      #expect(error.facts == ErrorFacts(.commit, thrown.code, Self.ended + thrown.message))
      #expect(try await Self.rows(database) == [])
      #expect(try await database.write { try $0.execute("INSERT INTO t(a) VALUES (8)") } == 1)
    }
  }

  /// A context in which SQL may try to end the transaction.
  enum Place: CaseIterable, Sendable {
    case write, deferred, nested, inWithoutTransaction, read, synchronous, script

    func run(
      in database: Database, _ body: @Sendable (isolated Connection) throws -> Void
    ) async throws {
      switch self {
      case .write, .script: try await database.write { db in try body(db) }
      case .deferred: try await database.write(.deferred) { db in try body(db) }
      case .nested: try await database.write { db in try db.transaction { try body($0) } }
      case .inWithoutTransaction:
        try await database.withoutTransaction { db in try db.transaction { try body($0) } }
      case .read: try await database.read { db in try body(db) }
      case .synchronous: try synchronously(database, body)
      }
    }

    private func synchronously(
      _ database: Database, _ body: @Sendable (isolated Connection) throws -> Void
    ) throws {
      try database.writeSynchronously { db in try body(db) }
    }
  }

  @Test(
    "SQL can neither begin nor end a transaction inside a transaction of MiniORM",
    arguments: [
      "BEGIN", "BEGIN IMMEDIATE TRANSACTION", "COMMIT", "END", "/* x */ end transaction",
      "ROLLBACK", "rollback transaction", "COMMIT; BEGIN", "ROLLBACK; BEGIN IMMEDIATE",
    ], Place.allCases)
  func control(sql: String, place: Place) async throws {
    let isScript = place == .script || sql.utf8.contains(UInt8(ascii: ";"))
    try await withTemporaryDatabase(script: Self.script) { database in
      // Outside a transaction the statement is allowed, and enters the connection's statement
      // cache.
      if !isScript, sql.utf8.first != UInt8(ascii: "/") {
        try await database.withoutTransaction { db in
          _ = try? db.execute(SQL(raw: sql))
          if sql.utf8.starts(with: "BEGIN".utf8) { try db.execute("COMMIT") }
        }
      }
      for isThrowing in [false, true] {
        do {
          try await place.run(in: database) { db in
            if place != .read { try db.execute("INSERT INTO t(a) VALUES (\(isThrowing ? 2 : 1))") }
            let error = #expect(throws: DatabaseError.self) {
              if isScript { try db.execute(script: sql) } else { try db.execute(SQL(raw: sql)) }
            }
            #expect(error?.code == .misuse && error?.operation == .step)
            #expect(error?.message == controlRefusal)
            if place != .read { try db.execute("INSERT INTO t(a) VALUES (\(isThrowing ? 4 : 3))") }
            if isThrowing { throw Stop() }
          }
        } catch is Stop {}
      }
      #expect(try await Self.rows(database) == (place == .read ? [] : [.integer(1), .integer(3)]))
    }
  }

  @Test("beforeCommit cannot end the transaction", arguments: ["COMMIT", "ROLLBACK"])
  func controlInCheck(sql: String) async throws {
    var configuration = Configuration()
    configuration.beforeCommit = { db in
      if try db.value(Int.self, "SELECT count(*) FROM t") == 1 { try db.execute(SQL(raw: sql)) }
    }
    try await withTemporaryDatabase(configuration: configuration, script: Self.script) { database in
      let error = try await failure {
        try await database.write { try $0.execute("INSERT INTO t(a) VALUES (1)") }
      }
      #expect(error.message == controlRefusal)
      #expect(try await Self.rows(database) == [])
    }
  }

  /// Ways to write until the file is full.
  enum Filling: CaseIterable, Sendable {
    case execute, script

    func run(_ db: isolated Connection) throws {
      for _ in 1...100 {
        switch self {
        case .execute: try db.execute("INSERT INTO t(b) VALUES (randomblob(3000))")
        case .script: try db.execute(script: "INSERT INTO t(b) VALUES (randomblob(3000))")
        }
      }
    }
  }

  @Test(
    "after a full disk error that the closure hides, the thrown error is still about the full disk",
    arguments: Filling.allCases, TestPlace.allCases)
  func full(filling: Filling, place: TestPlace) async throws {
    try await place.withDatabase(script: Self.script) { database in
      let error = try await failure {
        try await database.write { db in
          let pages = try db.value(Int.self, "PRAGMA page_count") ?? 0
          _ = try Connection.text("PRAGMA max_page_count = \(pages + 20)", db.handle)
          let cause = #expect(throws: DatabaseError.self) { try filling.run(db) }
          #expect(cause?.code == .full)
          let refusal = #expect(throws: DatabaseError.self) {
            try db.execute("INSERT INTO t(a) VALUES (1)")
          }
          #expect(refusal?.code == .full)
        }
      }
      #expect(error.facts == ErrorFacts(.commit, .full, Self.ended + "database or disk is full"))
      #expect(try await Self.rows(database) == [])
      // Without the limit, the connection continues.
      try await database.write { db in
        _ = try Connection.text("PRAGMA max_page_count = 1000000", db.handle)
        for _ in 1...40 { try db.execute("INSERT INTO t(b) VALUES (randomblob(3000))") }
      }
    }
  }

  @Test(
    "a deferred foreign key that fails at COMMIT rolls back, and the error's operation is commit")
  func deferredForeignKey() async throws {
    let script = """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE t(a REFERENCES p DEFERRABLE INITIALLY DEFERRED);
      """
    try await withTemporaryDatabase(script: script) { database in
      let error = try await failure {
        try await database.write { try $0.execute("INSERT INTO t VALUES (5)") }
      }
      #expect(
        error.facts
          == ErrorFacts(
            .commit, .constraintForeignKey, "FOREIGN KEY constraint failed", sql: "COMMIT"))
      #expect(try await Self.rows(database) == [])
      // The connection has left the failed transaction.
      try await database.write { db in
        try db.execute("INSERT INTO t VALUES (5)")
        try db.execute("INSERT INTO p VALUES (5)")
      }
      #expect(try await Self.rows(database) == [.integer(5)])
    }
  }

  @Test("read() cannot write", arguments: TestPlace.allCases)
  func readOnly(place: TestPlace) async throws {
    try await place.withDatabase(script: Self.script) { database in
      let writes: [SQL] = [
        "INSERT INTO t(a) VALUES (1)", "CREATE TABLE u(a)", "DROP TABLE t",
        "PRAGMA user_version = 3",
      ]
      for sql in writes {
        let error = try await failure { try await database.read { try $0.execute(sql) } }
        #expect(
          error.facts
            == ErrorFacts(
              .step, .readOnly, "attempt to write a readonly database", sql: sql.text))
      }
      #expect(
        try await database.values("SELECT name FROM sqlite_schema WHERE type = 'table'")
          == [.text("t")])
      #expect(try await database.values("PRAGMA user_version") == [.integer(0)])
      #expect(try await database.write { try $0.execute("INSERT INTO t(a) VALUES (2)") } == 1)
    }
  }

  @Test("a read sees a single state of the database")
  func snapshot() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      try await database.reader.begin(.deferred)
      let before = try await database.reader.query("SELECT count(*) FROM t").map(\.values)
      try await database.write { try $0.execute("INSERT INTO t(a) VALUES (1)") }
      let after = try await database.reader.query("SELECT count(*) FROM t").map(\.values)
      try await database.reader.commit()
      #expect(before == [[.integer(0)]])
      #expect(after == [[.integer(0)]])
      #expect(try await Self.rows(database) == [.integer(1)])
    }
  }

  @Test("a transaction that reads an outdated state and then writes gets an error with the remedy")
  func oldState() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let other = try await Database(path: database.path, key: .raw(testKeyBytes))
      func run(_ kind: TransactionKind, _ number: Int) async throws {
        try await database.write(kind) { db in
          _ = try db.query("SELECT a FROM t")
          // The other connection would wait if this connection held the lock from the start.
          if kind == .deferred {
            try other.writeSynchronously { try $0.execute("INSERT INTO t(a) VALUES (1)") }
          }
          try db.execute("INSERT INTO t(a) VALUES (\(number))")
        }
      }
      let error = try await failure { try await run(.deferred, 2) }
      #expect(error.code.rawValue == 517)  // SQLITE_BUSY_SNAPSHOT
      #expect(
        error.message
          == "database is locked: another connection has written since this transaction began to read, so waiting would not help: begin the transaction as .immediate, which is the default"
      )
      try await run(.immediate, 3)
      #expect(try await Self.rows(database) == [.integer(1), .integer(3)])
      try await other.close()
    }
  }
}

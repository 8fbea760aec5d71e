import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("account") private struct Account {
  let id: Int64
  var balance: Int
}

private let accounts = Table<Account>()

/// True if SQLCipher was built with snapshots. Debian 13's own build was not.
private let areThere = miniorm_has_snapshots() != 0

private func withAccounts<Result>(
  _ configuration: Configuration = Configuration(), _ body: (Database) async throws -> Result
) async throws -> Result {
  try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Account.self))
    try await accounts.insert(
      contentsOf: (1...10).map { _ in Account.Draft(balance: 100) }, in: database)
    return try await body(database)
  }
}

extension DatabaseSnapshot {
  fileprivate func sum() async throws -> Int? {
    try await read { db in try accounts.sum(of: { $0.balance }, in: db) }
  }
}

@Suite("Snapshots", .enabled(if: areThere))
struct DatabaseSnapshotTests {
  @Test("many tasks read the same state repeatedly, beside writers")
  func reading() async throws {
    try await withAccounts { database in
      let snapshot = try await database.snapshot()
      let writers = (0..<4).map { number in
        Task {
          for _ in 0..<40 {
            try await accounts.where { $0.id == Int64(number + 1) }
              .update { $0.balance += 1 }.run(in: database)
          }
        }
      }
      let readers = (0..<16).map { _ in
        Task {
          for _ in 0..<10 {
            #expect(try await snapshot.sum() == 1_000)
            let all = try await snapshot.read { db in try accounts.fetchAll(in: db) }
            #expect(all.allSatisfy { $0.balance == 100 })
          }
        }
      }
      for task in writers + readers { try await task.value }
      // A later snapshot includes the write; the first does not.
      let later = try await database.snapshot()
      #expect(try await later.sum() == 1_160)
      #expect(try await snapshot.sum() == 1_000)
      snapshot.close()
      #expect(try await later.sum() == 1_160)
      #expect(try await accounts.sum(of: { $0.balance }, in: database) == 1_160)
    }
  }

  @Test("a snapshot can begin with an empty log, after a checkpoint, and before the first commit")
  func emptyLog() async throws {
    try await withTemporaryPath { path in
      for round in 1...3 {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.migrate(DatabaseSchema(Account.self))
        // In the later rounds, the file was closed before, so no log exists.
        let first = try await database.snapshot()
        try await accounts.insert(Account.Draft(balance: 100), in: database)
        #expect(try await first.sum() ?? 0 == (round - 1) * 100)
        first.close()
        try await database.checkpoint([.restart, .truncate, .passive][round - 1])
        let second = try await database.snapshot()
        try await accounts.insert(Account.Draft(balance: 7), in: database)
        #expect(try await second.sum() == round * 100)
        try await accounts.where { $0.balance == 7 }.delete().run(in: database)
        #expect(try await second.sum() == round * 100)
        second.close()
        try await database.close()
      }
    }
  }

  @Test(
    "during a snapshot, a checkpoint does not overwrite its state, and reports that it is incomplete"
  )
  func checkpoint() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(50)
    try await withAccounts(configuration) { database in
      let snapshot = try await database.snapshot()
      try await accounts.update(set: 5, in: database)
      for mode in CheckpointMode.allCases {
        let result = try #require(try await database.checkpoint(mode))
        #expect(!result.isComplete && result.movedPageCount < result.logPageCount, "\(mode)")
        #expect(try await snapshot.sum() == 1_000)
      }
      snapshot.close()
      let result = try #require(try await database.checkpoint(.truncate))
      #expect(result.isComplete)
    }
  }

  @Test("a snapshot whose state was overwritten reports this, with the remedy")
  func overwritten() async throws {
    try await withAccounts { database in
      let snapshot = try await database.snapshot()
      // Ends the read transaction that protects the snapshot's state.
      for held in database.pool.state.withLock({ $0.held }) {
        try await held.holder.isolated { db in _ = try Connection.text("ROLLBACK", db.handle) }
      }
      try await accounts.update(set: 5, in: database)
      try await database.checkpoint(.truncate)
      try await accounts.update(set: 6, in: database)
      let error = try await failure { try await snapshot.sum() }
      #expect(
        error.facts
          == ErrorFacts(
            .begin, ResultCode(rawValue: 769),
            "The state of the snapshot is gone: a checkpoint replaced it with later changes. Take a new snapshot",
            path: database.path))
      #expect(try await accounts.count(in: database) == 10)
    }
  }

  @Test("a closed snapshot refuses new reads, and running reads finish")
  func closing() async throws {
    try await withAccounts { database in
      let snapshot = try await database.snapshot()
      let door = Door()
      let reader = Task {
        try await snapshot.read { db in
          door.pass()
          return try accounts.sum(of: { $0.balance }, in: db)
        }
      }
      await door.wait(for: 1)
      snapshot.close()
      snapshot.close()
      try await accounts.update(set: 5, in: database)
      door.open()
      #expect(try await reader.value == 1_000)
      let error = try await failure { try await snapshot.sum() }
      #expect(
        error.facts
          == ErrorFacts(
            .begin, .misuse, "The snapshot is closed: take a new one", path: database.path))
      #expect(database.pool.state.withLock { $0.held.isEmpty })
    }
  }

  @Test("a released snapshot holds no connection")
  func dropping() async throws {
    try await withAccounts { database in
      do { _ = try await database.snapshot() }
      #expect(database.pool.state.withLock { $0.held.isEmpty })
      try await accounts.update(set: 5, in: database)
      #expect(try #require(try await database.checkpoint(.truncate)).isComplete)
    }
  }

  @Test("closing or suspending the database ends its snapshots, and closes every file")
  func closingDatabase() async throws {
    try await withAccounts { database in
      let first = try await database.snapshot()
      try await database.suspend()
      database.resume()
      let suspended = try await failure { try await first.sum() }
      #expect(suspended.code == .misuse && suspended.message.contains("suspended"))
      #expect(try await accounts.count(in: database) == 10)

      let second = try await database.snapshot()
      try await database.close()
      #expect(
        try await failure { try await second.sum() }.message
          == "The database is closed: open a new Database")
      try Database.delete(path: database.path)  // refused while the database is open
    }
  }

  @Test("snapshot reads can be cancelled and limited in time, and refuse writes")
  func cancelling() async throws {
    try await withAccounts { database in
      let snapshot = try await database.snapshot()
      let door = Door()
      let task = Task {
        try await snapshot.read { db in
          door.pass()
          return try db.query(endless).count
        }
      }
      await door.wait(for: 1)
      door.open()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      let limited = try await failure {
        try await withTimeLimit(.milliseconds(20)) {
          _ = try await snapshot.read { db in try db.query(endless) }
        }
      }
      #expect(limited.code == .interrupt)
      let write = try await failure {
        try await snapshot.read { db in try accounts.insert(Account.Draft(balance: 1), in: db) }
      }
      #expect(write.code.primary == .readOnly)
      #expect(try await snapshot.sum() == 1_000)
    }
  }

  @Test(
    "a snapshot reads the tables from before a migration, and prevents a key change")
  func schema() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(50)
    try await withAccounts(configuration) { database in
      let snapshot = try await database.snapshot()
      try await database.write { db in
        try db.execute(script: "ALTER TABLE account ADD x TEXT; CREATE TABLE later(a)")
      }
      let names: SQL = "SELECT name FROM pragma_table_info('account')"
      #expect(try await snapshot.read { db in try db.query(names).count } == 2)
      #expect(try await database.read { db in try db.query(names).count } == 3)
      #expect(try await snapshot.sum() == 1_000)
      let error = try await failure {
        try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      }
      #expect(error.code.primary == .busy)
      #expect(try await snapshot.sum() == 1_000)
      snapshot.close()
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      #expect(try await accounts.count(in: database) == 10)
    }
  }
}

@Suite("Databases without snapshots")
struct NoSnapshotTests {
  private static let noLog =
    "A snapshot needs a file with a write-ahead log (Configuration.journalMode) that is open for writing: run the queries in a single read instead"

  @Test("a library built without snapshots throws an error, and other calls continue to work")
  func library() async throws {
    var configuration = Configuration()
    configuration.usesSnapshots = false
    try await withAccounts(configuration) { database in
      let error = try await failure { _ = try await database.snapshot() }
      #expect(
        error.facts
          == ErrorFacts(
            .begin, .misuse,
            "The SQLCipher library was built without snapshots (SQLITE_ENABLE_SNAPSHOT): run the queries in a single read, or build a library with scripts/install-sqlcipher",
            path: database.path))
      try await accounts.update(set: 5, in: database)
      #expect(try await accounts.sum(of: { $0.balance }, in: database) == 50)
      #expect(try #require(try await database.checkpoint(.truncate)).isComplete)
    }
  }

  @Test("the check for snapshots asks the loaded library")
  func ownLibrary() async throws {
    #expect(areThere == (sqlite3_compileoption_used("ENABLE_SNAPSHOT") != 0))
    guard !areThere else { return }
    try await withAccounts { database in
      let error = try await failure { _ = try await database.snapshot() }
      #expect(error.message.contains("SQLITE_ENABLE_SNAPSHOT"))
    }
  }

  @Test(
    "databases in memory, temporary databases and rollback-journal files have no snapshots",
    .enabled(if: areThere), arguments: ["memory", "temporary", "journal", "read only"])
  func place(_ place: String) async throws {
    func expectNone(_ database: Database) async throws {
      let error = try await failure { _ = try await database.snapshot() }
      #expect(error.facts == ErrorFacts(.begin, .misuse, Self.noLog, path: database.path))
      #expect(try await database.values("SELECT 1") == [.integer(1)])
    }
    var configuration = Configuration()
    switch place {
    case "memory": try await expectNone(.inMemory())
    case "temporary": try await expectNone(.temporary(key: nil))
    case "journal":
      configuration.journalMode = .delete
      try await withAccounts(configuration, expectNone)
    default:
      configuration.isReadOnly = true
      try await withAccounts { database in
        let other = try await Database(
          path: database.path, key: .raw(testKeyBytes), configuration: configuration)
        try await expectNone(other)
        try await other.close()
      }
    }
  }
}

extension Table<Account> {
  fileprivate func update(set balance: Int, in database: Database) async throws {
    try await update { $0.balance = balance }.run(in: database)
  }
}

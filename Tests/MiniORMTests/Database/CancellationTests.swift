import CSQLCipher
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("item") private struct Item {
  let id: Int64
  var number: Int
}

private let items = Table<Item>()

private func withItems<Result>(
  _ count: Int = 1_000, configuration: Configuration = Configuration(),
  _ body: (Database) async throws -> Result
) async throws -> Result {
  try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Item.self))
    try await items.insert(contentsOf: (0..<count).map { Item.Draft(number: $0) }, in: database)
    return try await body(database)
  }
}

private let waits = SQLFunction("waits") { (number: Int) in
  usleep(UInt32(number))
  return number
}

extension Database {
  /// Expects every connection to be ready for the next caller.
  fileprivate func expectFit(_ location: SourceLocation = #_sourceLocation) async throws {
    for connection in pool.connections {
      let state = try await connection.isolated { db -> [Int]? in
        guard db.isOpen || db.state.reopening != nil else { return nil }
        return [db.depth, db.cache?.checkedOut ?? 0, Int(sqlite3_get_autocommit(try db.handle))]
      }
      if state == nil {
        // On a slow machine, an idle connection may have been closed, and leaves the pool.
        let deadline = ContinuousClock.now + .seconds(120)
        while pool.connections.contains(where: { $0 === connection }), .now < deadline {
          try await Task.sleep(for: .milliseconds(1))
        }
        #expect(!pool.connections.contains { $0 === connection }, sourceLocation: location)
        continue
      }
      #expect(state == [0, 0, 1], sourceLocation: location)
    }
    try await write { db in try db.execute("CREATE TABLE IF NOT EXISTS fit(a)") }
    #expect(try await values("SELECT count(*) FROM fit") == [.integer(0)], sourceLocation: location)
  }
}

@Suite("Cancellation and time limits")
struct CancellationTests {
  typealias Call = @Sendable (Database, _ started: Door) async throws -> Void

  /// Endless calls, each started after it has passed the door.
  static let calls: [(name: String, run: Call)] = [
    (
      "read",
      { db, door in
        _ = try await db.read { db in
          door.pass()
          return try db.query(endless)
        }
      }
    ),
    (
      "write",
      { db, door in
        try await db.write { db in
          try items.deleteAll(in: db)
          door.pass()
          _ = try db.query(endless)
        }
      }
    ),
    (
      "many short statements",
      { db, door in
        try await db.write { db in
          door.pass()
          while true { try items.insert(Item.Draft(number: 1), in: db) }
        }
      }
    ),
    (
      "a savepoint whose failure is caught",
      { db, door in
        try await db.write { db in
          try items.deleteAll(in: db)
          door.pass()
          do { try db.transaction { db in _ = try db.query(endless) } } catch {}
        }
      }
    ),
    (
      "withoutTransaction",
      { db, door in
        try await db.withoutTransaction { db in
          try db.transaction { db in
            try items.deleteAll(in: db)
            door.pass()
            _ = try db.query(endless)
          }
        }
      }
    ),
    (
      "forEach",
      { db, door in
        try await items.forEach(in: db) { _ in
          door.pass()
          usleep(100_000)
        }
      }
    ),
    (
      "a step of a migration",
      { db, door in
        try await db.migrate(
          DatabaseSchema(
            version: 2, Item.self,
            steps: [
              DatabaseSchema.Step(
                to: 2, "endless",
                .run { db in
                  door.pass()
                  _ = try db.query(endless)
                })
            ]))
      }
    ),
  ]

  @Test(
    "cancelling stops the running call, rolls it back, and throws only CancellationError",
    arguments: 0..<calls.count)
  func running(index: Int) async throws {
    let call = Self.calls[index].run
    try await withItems { database in
      let door = Door()
      door.open()
      let task = Task { try await call(database, door) }
      await door.wait(for: 1)
      try await Task.sleep(for: .milliseconds(5))
      task.cancel()
      // Without the cancellation, no call would throw.
      await #expect(throws: CancellationError.self, "\(Self.calls[index].name)") {
        try await task.value
      }
      #expect(try await items.count(in: database) == 1_000)
      try await database.expectFit()
    }
  }

  @Test("cancelling stops a statement that spends its time in a single instruction")
  func oneInstruction() async throws {
    var configuration = Configuration()
    configuration.functions = [waits]
    try await withItems(200_000, configuration: configuration) { database in
      for milliseconds in [0, 1, 2, 4] {
        let task = Task { while true { _ = try await items.count(in: database) } }
        try await Task.sleep(for: .milliseconds(milliseconds))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      #expect(try await items.count(in: database) == 200_000)
      try await database.expectFit()
    }
  }

  @Test("a cancelled task runs nothing")
  func before() async throws {
    try await withItems(3) { database in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await #expect(throws: CancellationError.self) { try await items.find(1, in: database) }
        await #expect(throws: CancellationError.self) { try await items.deleteAll(in: database) }
        await #expect(throws: CancellationError.self) { try await database.write { _ in } }
        await #expect(throws: CancellationError.self) {
          try await database.migrate(DatabaseSchema())
        }
        await #expect(throws: CancellationError.self) {
          try await database.changeKey(to: .raw(testKeyBytes.reversed()))
        }
      }
      await task.value
      #expect(try await items.count(in: database) == 3)
      try await database.expectFit()
    }
  }

  @Test("a write whose COMMIT has begun commits, and returns its result")
  func committing() async throws {
    try await withItems(3) { database in
      let task = Task {
        try await database.write { db in
          _ = sqlite3_commit_hook(
            try db.handle,
            { _ in
              withUnsafeCurrentTask { $0?.cancel() }
              return 0
            }, nil)
          try items.delete(1, in: db)
          return "done"
        }
      }
      #expect(try await task.value == "done")
      try await database.writer.isolated { db in _ = sqlite3_commit_hook(try db.handle, nil, nil) }
      #expect(try await items.count(in: database) == 2)
      try await database.expectFit()
    }
  }

  @Test(
    "cancelling ends the wait for another connection's lock",
    arguments: [Configuration.JournalMode.wal, .delete])
  func lock(mode: Configuration.JournalMode) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    try await withItems(3, configuration: configuration) { database in
      let other = try await Database(
        path: database.path, key: .raw(testKeyBytes), configuration: configuration)
      let door = Door()
      let holder = Task { try await other.write(.exclusive) { _ in door.pass() } }
      await door.wait(for: 1)
      let calls: [@Sendable () async throws -> Void] = [
        { try await items.insert(Item.Draft(number: 9), in: database) },
        { try await database.write { _ in } },
        { try await items.deleteAll(in: database) },
        { try await database.changeKey(to: .raw(testKeyBytes.reversed())) },
      ]
      for call in calls {
        let task = Task { try await call() }
        try await Task.sleep(for: .milliseconds(30))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      door.open()
      try await holder.value
      try await other.close()
      #expect(try await items.count(in: database) == 3)
      try await database.expectFit()
    }
  }

  @Test(
    "whenever a task is cancelled, a call reports success exactly if it committed")
  func exactness() async throws {
    try await withItems(0) { database in
      var random = SeededRandom(12)
      var expected = 0
      for turn in 0..<300 {
        let told = Mutex(0)
        let task = Task { @Sendable in
          for number in 0..<50 {
            if (turn + number) % 3 == 0 {
              try await database.write { db in try items.insert(Item.Draft(number: number), in: db)
              }
            } else if (turn + number) % 7 == 0 {
              try await items.insert(
                contentsOf: (0..<40).map { Item.Draft(number: $0) }, in: database)
              told.withLock { $0 += 39 }
            } else {
              try await items.insert(Item.Draft(number: number), in: database)
            }
            told.withLock { $0 += 1 }
            _ = try await items.where { $0.number >= 0 }.count(in: database)
          }
        }
        try? await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000, using: &random)))
        task.cancel()
        do { try await task.value } catch { #expect(error is CancellationError, "\(error)") }
        expected += told.withLock { $0 }
        #expect(try await items.count(in: database) == expected)
      }
      try await database.expectFit()
    }
  }

  @Test("a closure that continues after its cancelled statement gets CancellationError")
  func goingOn() async throws {
    let door = Door()
    var configuration = Configuration()
    configuration.functions = [
      SQLFunction("enters") { (number: Int) in
        door.pass()
        return number
      }
    ]
    try await withItems(10, configuration: configuration) { database in
      let task = Task {
        try await database.write { db in
          // Interrupting a writing statement makes SQLite roll back the whole transaction.
          do {
            try db.transaction { db in
              try db.execute("INSERT INTO item(number) SELECT enters(number) FROM item")
            }
          } catch {}
          try items.insert(Item.Draft(number: 1), in: db)
        }
      }
      await door.wait(for: 1)
      task.cancel()
      door.open()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await items.count(in: database) == 10)
      try await database.expectFit()
    }
  }

  @Test("cancelling ends the wait for a lock while a connection opens")
  func opening() async throws {
    var configuration = Configuration()
    configuration.journalMode = .delete
    configuration.maximumReaderCount = 2
    // Long enough for a slow machine.
    configuration.busyTimeout = .seconds(600)
    try await withItems(10, configuration: configuration) { database in
      let (reading, writing) = (Door(), Door())
      // The reader has a connection but no lock.
      let reader = Task { try await database.read { _ in reading.pass() } }
      let writer = Task { try await database.write(.exclusive) { _ in writing.pass() } }
      await reading.wait(for: 1)
      await writing.wait(for: 1)
      let task = Task { try await items.count(in: database) }
      while database.statistics().busyReaderCount < 2 { await Task.yield() }
      try await Task.sleep(for: .milliseconds(300))  // until it waits inside SQLite
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      writing.open()
      reading.open()
      try await reader.value
      try await writer.value
      #expect(try await items.count(in: database) == 10)
      try await database.expectFit()
    }
  }

  @Test("a time limit ends running and waiting calls, with its own error")
  func limit() async throws {
    try await withItems(3) { database in
      for call: @Sendable () async throws -> Void in [
        { _ = try await database.read { db in try db.query(endless) } },
        {
          try await database.write { db in
            try items.deleteAll(in: db)
            _ = try db.query(endless)
          }
        },
      ] {
        let error = try await failure {
          try await withTimeLimit(.milliseconds(30)) { try await call() }
        }
        #expect(
          error.facts
            == ErrorFacts(
              .step, .interrupt,
              "The call exceeded its time limit of 0.030 s and was ended: raise the limit, or divide the work"
            ))
      }
      let door = Door()
      let holder = Task { try await database.write { _ in door.pass() } }
      await door.wait(for: 1)
      let error = try await failure {
        try await withTimeLimit(.seconds(60)) {
          try await withTimeLimit(.milliseconds(30)) {
            try await withTimeLimit(.seconds(60)) { try await items.deleteAll(in: database) }
          }
        }
      }
      #expect(
        error.message
          == "The call exceeded its time limit of 0.030 s and was ended: raise the limit, or divide the work"
      )
      door.open()
      try await holder.value
      #expect(try await withTimeLimit(.seconds(60)) { try await items.count(in: database) } == 3)
      try await database.expectFit()
    }
  }

  @Test("the error of a lock names the lock and the time of the wait")
  func busy() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(40)
    try await withItems(3, configuration: configuration) { database in
      let other = try await Database(
        path: database.path, key: .raw(testKeyBytes), configuration: configuration)
      let door = Door()
      let holder = Task { try await other.write { _ in door.pass() } }
      await door.wait(for: 1)
      for call: @Sendable () async throws -> Void in [
        { try await items.insert(Item.Draft(number: 9), in: database) },
        { try await database.write { _ in } },
        { try writeSynchronously(database) },
      ] {
        let error = try await failure { try await call() }
        #expect(error.code == .busy)
        #expect(
          error.message.hasPrefix(
            "database is locked: another connection or process held the lock, and this call waited "
          ),
          "\(error.message)")
      }
      door.open()
      try await holder.value
      try await other.close()
      try await database.expectFit()
    }
  }
}

private func writeSynchronously(_ database: Database) throws {
  try database.writeSynchronously { _ in }
}

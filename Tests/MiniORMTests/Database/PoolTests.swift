import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("entry") private struct Entry {
  let id: Int64
  var number: Int
}

private let entries = Table<Entry>()

/// A query that runs until interrupted.
let endless: SQL =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

/// A door at which closures wait, each on a separate thread.
final class Door: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let arrived = Mutex(0)

  /// Waits until the door is open.
  func pass() {
    arrived.withLock { $0 += 1 }
    semaphore.wait()
    semaphore.signal()
  }

  func open() { semaphore.signal() }

  /// Waits until a number of closures are at the door.
  func wait(for count: Int) async {
    while arrived.withLock({ $0 }) < count { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// `withTimeLimit` for synchronous code.
private func withTimeLimitSynchronously<Result>(
  _ duration: Duration, _ body: () throws -> Result
) rethrows -> Result {
  try TimeLimit.$current.withValue(TimeLimit(duration)) { try body() }
}

private func withEntries<Result>(
  readers: Int = 4, timeout: Duration = .seconds(60), _ body: (Database) async throws -> Result
) async throws -> Result {
  var configuration = Configuration()
  configuration.maximumReaderCount = readers
  configuration.readerTimeout = timeout
  return try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Entry.self))
    try await entries.insert(contentsOf: (1...3).map { Entry.Draft(number: $0) }, in: database)
    return try await body(database)
  }
}

@Suite("Connection pool")
struct PoolTests {
  @Test("the maximum number of readers run together, beside a writer")
  func together() async throws {
    try await withEntries(readers: 3) { database in
      let (door, writing) = (Door(), Door())
      let writer = Task {
        try await database.write { db in
          try entries.insert(Entry.Draft(number: 4), in: db)
          writing.pass()
        }
      }
      await writing.wait(for: 1)
      let readers = (0..<3).map { _ in
        Task {
          try await database.read { db in
            let before = try entries.count(in: db)
            door.pass()
            return try [before, entries.count(in: db)]
          }
        }
      }
      await door.wait(for: 3)
      #expect(database.pool.readerCount == 3)
      writing.open()
      try await writer.value
      door.open()
      // Later commits are not visible in a transaction that began before.
      for reader in readers { #expect(try await reader.value == [3, 3]) }
      #expect(try await entries.count(in: database) == 4)
    }
  }

  @Test("a caller with a busy thread blocks no other connection")
  func busyCallers() async throws {
    try await withEntries(readers: 1) { database in
      let (door, main) = (Door(), Door())
      // When the main thread stops, a main-actor task has the connection and another task waits for
      // it.
      let first = Task { @MainActor in
        try await database.write { db in
          door.pass()
          try entries.insert(Entry.Draft(number: 4), in: db)
        }
      }
      await door.wait(for: 1)
      let second = Task { @MainActor in
        try await entries.insert(Entry.Draft(number: 5), in: database)
      }
      while database.pool.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      let stopped = Task { @MainActor in main.pass() }
      await main.wait(for: 1)
      door.open()
      defer { main.open() }
      // A generous limit for slow machines.
      let third = try await withTimeLimit(.seconds(300)) {
        try await entries.insert(Entry.Draft(number: 6), in: database)
        return try await entries.order { $0.id }.select { $0.number }.fetchAll(in: database)
      }
      #expect(third == [1, 2, 3, 4, 5, 6])
      main.open()
      _ = try await (first.value, second.value, stopped.value)
    }
  }

  @Test("a waiting task gets its connection while all threads of Swift's tasks are busy")
  func busyTasks() async throws {
    // Runs in a separate process, because the other tests need these threads too.
    await #expect(processExitsWith: .success) {
      try await withEntries(readers: 1) { database in
        let (door, reading, tasks) = (Door(), Door(), Door())
        // A writer and a reader, on separate threads.
        for isWriting in [true, false] {
          Thread.detachNewThread {
            if isWriting {
              _ = try? database.writeSynchronously { _ in door.pass() }
            } else {
              _ = try? database.readSynchronously { _ in reading.pass() }
            }
          }
        }
        await door.wait(for: 1)
        await reading.wait(for: 1)
        let writer = Task { try await entries.insert(Entry.Draft(number: 4), in: database) }
        let reader = Task { try await entries.count(in: database) }
        while database.pool.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
        let numbers: [Int] = try await withUnsafeThrowingContinuation { continuation in
          for _ in 0..<(2 * ProcessInfo.processInfo.processorCount) { Task { tasks.pass() } }
          Thread.detachNewThread {
            // By now, tasks block all threads of the cooperative pool, including the test's own.
            Thread.sleep(forTimeInterval: 0.2)
            door.open()
            reading.open()
            let result = Result {
              try withTimeLimitSynchronously(.seconds(60)) {
                try database.writeSynchronously { db in
                  try entries.insert(Entry.Draft(number: 5), in: db)
                }
                return try database.readSynchronously { db in
                  try entries.order { $0.id }.fetchAll(in: db).map(\.number)
                }
              }
            }
            tasks.open()
            continuation.resume(with: result)
          }
        }
        try #require(numbers == [1, 2, 3, 4, 5])
        _ = try await (writer.value, reader.value)
      }
    }
  }

  @Test("a short read waits neither for a long read nor for a write")
  func lookUpBesideLongRead() async throws {
    try await withEntries(readers: 2) { database in
      let door = Door()
      let long = Task { try await database.read { _ in door.pass() } }
      let write = Task { try await database.write { _ in door.pass() } }
      await door.wait(for: 2)
      #expect(try await entries.find(2, in: database)?.number == 2)
      #expect(try await entries.where { $0.number > 1 }.fetchAll(in: database).count == 2)
      door.open()
      try await long.value
      try await write.value
    }
  }

  @Test("readers are granted in the order of the requests")
  func order() async throws {
    try await withEntries(readers: 1, timeout: .seconds(3_600)) { database in
      let door = Door()
      let first = Task { try await database.read { _ in door.pass() } }
      await door.wait(for: 1)
      let order = Mutex<[Int]>([])
      var tasks: [Task<Void, any Error>] = []
      for number in 0..<10 {
        tasks.append(
          Task { @Sendable in try await database.read { _ in order.withLock { $0.append(number) } }
          })
        // Each request is queued before the next.
        while database.pool.waitingCount < number + 1 { await Task.yield() }
      }
      door.open()
      try await first.value
      for task in tasks { try await task.value }
      #expect(order.withLock { $0 } == Array(0..<10))
      #expect(database.pool.readerCount == 1)
    }
  }

  @Test("writes run in the order of the requests")
  func writeOrder() async throws {
    try await withEntries { database in
      let door = Door()
      let first = Task { try await database.write { _ in door.pass() } }
      await door.wait(for: 1)
      var tasks: [Task<Void, any Error>] = []
      for number in 10..<20 {
        tasks.append(
          Task { try await entries.insert(Entry.Draft(number: number), in: database) })
        while database.pool.waitingCount < number - 9 { await Task.yield() }
      }
      door.open()
      try await first.value
      for task in tasks { try await task.value }
      let numbers = try await database.read { db in
        try db.query(Int.self, "SELECT number FROM entry WHERE number >= 10 ORDER BY id")
      }
      #expect(numbers == Array(10..<20))
    }
  }

  @Test("the wait for a reader has a limit, and the error names the limit")
  func timeout() async throws {
    try await withEntries(readers: 2, timeout: .milliseconds(30)) { database in
      let door = Door()
      let readers = (0..<2).map { _ in Task { try await database.read { _ in door.pass() } } }
      await door.wait(for: 2)
      let error = try await failure { try await entries.find(1, in: database) }
      #expect(error.operation == .begin && error.code == .busy && error.path == database.path)
      #expect(error.message.hasPrefix("A read waited "))
      #expect(error.message.contains("for one of the 2 reading connections"))
      door.open()
      for reader in readers { try await reader.value }
      #expect(try await entries.find(1, in: database)?.number == 1)
    }
  }

  @Test("cancelling the wait for a connection leaves the queue")
  func cancelledWaiting() async throws {
    try await withEntries(readers: 1) { database in
      let door = Door()
      let holders = [
        Task { try await database.read { _ in door.pass() } },
        Task { try await database.write { _ in door.pass() } },
      ]
      await door.wait(for: 2)
      let calls: [@Sendable () async throws -> Void] = [
        { _ = try await entries.find(1, in: database) },
        { try await database.read { _ in } },
        { try await entries.forEach(in: database) { _ in } },
        { try await entries.insert(Entry.Draft(number: 9), in: database) },
        { try await database.write { _ in } },
        { try await database.changeKey(to: .raw(testKeyBytes.reversed())) },
        { try await database.attach(database.path + "-x", as: "x", key: nil) },
      ]
      for call in calls {
        let task = Task { try await call() }
        while database.pool.waitingCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      door.open()
      for holder in holders { try await holder.value }
      #expect(try await entries.count(in: database) == 3)
      try await database.write { try $0.execute("DELETE FROM entry") }
      #expect(try await entries.count(in: database) == 0)
    }
  }

  /// Occupies readers with closures, so that this number of readers is open.
  private func occupy(_ count: Int, of database: Database) async throws {
    let door = Door()
    let readers = (0..<count).map { _ in Task { try await database.read { _ in door.pass() } } }
    await door.wait(for: count)
    door.open()
    for reader in readers { try await reader.value }
  }

  @Test("readers open on demand, and close on request and when idle")
  func lazily() async throws {
    try await withEntries(readers: 4) { database in
      #expect(database.pool.readerCount == 1)
      #expect(try await entries.count(in: database) == 3)
      #expect(database.pool.readerCount == 1)
      try await occupy(4, of: database)
      #expect(database.pool.readerCount == 4)
      database.releaseMemory()
      #expect(database.pool.readerCount == 1)
      #expect(try await entries.count(in: database) == 3)
      try await occupy(3, of: database)
      #expect(database.pool.closeIdle(before: .now - .seconds(3_600)))
      #expect(database.pool.readerCount == 3)
      #expect(!database.pool.closeIdle(before: .now))
      #expect(database.pool.readerCount == 1)
    }
  }

  @Test("an attached file is available on every reader, also on later readers")
  func following() async throws {
    try await withEntries(readers: 3) { database in
      let archive = database.path + "-archive"
      try await occupy(2, of: database)
      try await database.attach(archive, as: "archive", key: .raw(testKeyBytes))
      try await database.write { db in
        try db.execute("CREATE TABLE archive.old(a)")
        try db.execute("INSERT INTO archive.old VALUES (7)")
      }
      func expectAll(_ sql: SQL, _ values: [Int], _ location: SourceLocation = #_sourceLocation)
        async throws
      {
        let door = Door()
        let readers = (0..<3).map { _ in
          Task {
            try await database.read { db in
              door.pass()
              return try db.query(Int.self, sql)
            }
          }
        }
        await door.wait(for: 3)
        door.open()
        for reader in readers {
          #expect(try await reader.value == values, sourceLocation: location)
        }
      }
      try await expectAll("SELECT a FROM archive.old", [7])
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      try await expectAll("SELECT a FROM archive.old", [7])
      try await database.detach("archive")
      try await occupy(3, of: database)
      let error = try await failure {
        try await database.read { db in try db.query("SELECT a FROM archive.old") }
      }
      #expect(error.message.hasPrefix("no such table"))
      try Database.delete(path: archive)
    }
  }

  @Test("the key changes during reads, and every reader gets the new key")
  func changeKey() async throws {
    try await withEntries(readers: 3) { database in
      let reading = (0..<6).map { _ in
        Task {
          for _ in 0..<50 {
            let count = try await entries.count(in: database)
            #expect(count == 3)
          }
        }
      }
      for turn in 1...3 {
        try await database.changeKey(to: .raw(testKeyBytes.map { $0 &+ UInt8(turn) }))
        try await occupy(3, of: database)
      }
      for task in reading { try await task.value }
      #expect(try await entries.count(in: database) == 3)
    }
  }

  @Test(
    "in memory, a single connection reads and writes in turn",
    arguments: [TestPlace.memory, .temporary])
  func single(place: TestPlace) async throws {
    try await place.withDatabase(script: "CREATE TABLE t(a)") { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            try await database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
            let mine = try await database.values("SELECT a FROM t WHERE a = \(number)")
            #expect(mine == [.integer(Int64(number))])
          }
        }
        try await group.waitForAll()
      }
      #expect(database.pool.readerCount == 1)
      let error = try await failure {
        try await database.read { try $0.execute("DELETE FROM t") }
      }
      #expect(error.code == .readOnly)
    }
  }

  @Test("a read that begins after a write sees it", arguments: [1, 4])
  func ownWrites(readers: Int) async throws {
    try await withEntries(readers: readers) { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 1...8 {
          group.addTask {
            for turn in 0..<20 {
              let row = try await entries.insert(
                Entry.Draft(number: task * 1_000 + turn), in: database)
              #expect(try await entries.find(row.id, in: database)?.number == row.number)
              try await database.write { db in try entries.delete(row.id, in: db) }
              // Another task may have reused the id, but not the number.
              #expect(try await entries.find(row.id, in: database)?.number != row.number)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await entries.count(in: database) == 3)
    }
  }

  @Test("long queries block no thread of Swift's tasks")
  func unrelated() async throws {
    try await withEntries(readers: 8) { database in
      let queries = (0..<8).map { _ in
        Task { _ = try await database.read { db in try db.query(endless) } }
      }
      while database.pool.readerCount < 8 { await Task.yield() }
      // If the reads ran on the cooperative pool, these tasks could not run.
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            for _ in 0..<10 { try? await Task.sleep(for: .milliseconds(1)) }
          }
        }
      }
      for query in queries { query.cancel() }
      for query in queries {
        await #expect(throws: CancellationError.self) { try await query.value }
      }
    }
  }

  #if os(Linux)
    @Test("closing many databases closes every file")
    func resources() async throws {
      try await withTemporaryDirectory { folder in
        for _ in 0..<2 {
          var databases: [Database] = []
          for number in 0..<20 {
            databases.append(
              try await Database(path: "\(folder)/\(number).db", key: .raw(testKeyBytes)))
          }
          try await withThrowingTaskGroup(of: Void.self) { group in
            for database in databases {
              for _ in 0..<4 {
                group.addTask {
                  try await database.write { db in
                    try db.execute("CREATE TABLE IF NOT EXISTS t(a)")
                    try db.execute("INSERT INTO t VALUES (1)")
                  }
                  _ = try await database.values("SELECT count(*) FROM t")
                }
              }
            }
            try await group.waitForAll()
          }
          for database in databases { try await database.close() }
          let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap {
              try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
          #expect(files.filter { $0.hasPrefix(folder) } == [])
        }
      }
    }
  #endif
}

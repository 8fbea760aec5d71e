import Foundation
import Testing

@testable import MiniORM

@Table("entry") private struct Entry {
  let id: Int64
  var number: Int
}

private let entries = Table<Entry>()

private func withEntries<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
  try await withTemporaryDatabase { database in
    try await database.migrate(DatabaseSchema(Entry.self))
    try await entries.insert(contentsOf: (1...3).map { Entry.Draft(number: $0) }, in: database)
    return try await body(database)
  }
}

/// True if a task gets the suspension error.
private func isSuspended(_ body: () async throws -> Void) async -> Bool {
  do {
    try await body()
    return false
  } catch {
    guard let error = error as? DatabaseError, error.code == .abort else { return false }
    return error.message.contains("resume()")
  }
}

@Suite("Suspending a database")
struct SuspensionTests {
  @Test("a suspended database refuses every call, and works again after resume")
  func refusal() async throws {
    try await withEntries { database in
      try await database.suspend()
      try await database.suspend()
      #expect(await isSuspended { _ = try await entries.count(in: database) })
      #expect(await isSuspended { try await database.write { _ in } })
      #expect(await isSuspended { try await database.withoutTransaction { _ in } })
      #expect(await isSuspended { try await database.changeKey(to: .raw(testKeyBytes)) })
      database.resume()
      database.resume()
      #expect(try await entries.count(in: database) == 3)
      try await entries.insert(Entry.Draft(number: 4), in: database)
      #expect(try await entries.count(in: database) == 4)
    }
  }

  #if os(Linux)
    @Test("a suspended database has no open file")
    func files() async throws {
      try await withEntries { database in
        func open() throws -> [String] {
          try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
          }.filter { $0.hasPrefix(database.path) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          let door = Door()
          for _ in 0..<2 { group.addTask { try await database.read { _ in door.pass() } } }
          await door.wait(for: 2)
          door.open()
          try await group.waitForAll()
        }
        #expect(try open().isEmpty == false)
        try await database.suspend()
        #expect(try open() == [])
        database.resume()
        #expect(try await entries.count(in: database) == 3)
        #expect(try open().isEmpty == false)
      }
    }
  #endif

  @Test("running and waiting calls throw the suspension error, and write nothing")
  func running() async throws {
    try await withEntries { database in
      let door = Door()
      let reader = Task {
        await isSuspended { _ = try await database.read { db in try db.query(endless) } }
      }
      let writer = Task {
        await isSuspended {
          try await database.write { db in
            try entries.insert(Entry.Draft(number: 4), in: db)
            door.pass()
            _ = try db.query(endless)
          }
        }
      }
      await door.wait(for: 1)
      door.open()
      let waiting = Task {
        await isSuspended { try await entries.insert(Entry.Draft(number: 5), in: database) }
      }
      while database.statistics().waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
      try await database.suspend()
      #expect(await [reader.value, writer.value, waiting.value] == [true, true, true])
      database.resume()
      #expect(try await entries.order { $0.id }.fetchAll(in: database).map(\.number) == [1, 2, 3])
    }
  }

  @Test(
    "resume ends a suspension that still waits for a call", .timeLimit(.minutes(1)),
    arguments: [1, 2])
  func resumedEarly(suspensions: Int) async throws {
    try await withEntries { database in
      var values = entries.values(in: database).makeAsyncIterator()
      #expect(try await values.next()?.count == 3)
      let door = Door()
      let writer = Task {
        try await database.write { db in
          door.pass()
          try entries.insert(Entry.Draft(number: 4), in: db)
        }
      }
      await door.wait(for: 1)
      var suspending: [Task<Void, any Error>] = []
      for _ in 0..<suspensions {
        suspending.append(Task { try await database.suspend() })
        while database.pool.refusal == nil { try await Task.sleep(for: .milliseconds(1)) }
        database.resume()
      }
      #expect(try await entries.count(in: database) == 3)
      let waiting = Task { try await entries.insert(Entry.Draft(number: 5), in: database) }
      door.open()
      try await writer.value
      for task in suspending { try await task.value }
      _ = try await waiting.value
      #expect(try await entries.count(in: database) == 5)
      while try await values.next()?.count != 5 {}
    }
  }

  @Test("a suspension after a resumption that waits for a call suspends", .timeLimit(.minutes(1)))
  func suspendedAgain() async throws {
    try await withEntries { database in
      let door = Door()
      let writer = Task {
        await isSuspended {
          try await database.write { db in
            door.pass()
            try entries.insert(Entry.Draft(number: 4), in: db)
          }
        }
      }
      await door.wait(for: 1)
      let first = Task { try await database.suspend() }
      while database.pool.refusal == nil { try await Task.sleep(for: .milliseconds(1)) }
      database.resume()
      let second = Task { try await database.suspend() }
      while database.pool.refusal == nil { try await Task.sleep(for: .milliseconds(1)) }
      door.open()
      #expect(await writer.value)
      try await first.value
      try await second.value
      #expect(await isSuspended { _ = try await entries.count(in: database) })
      database.resume()
      #expect(try await entries.count(in: database) == 3)
    }
  }

  @Test("observers wait during suspension, and read again after resume", .timeLimit(.minutes(1)))
  func observers() async throws {
    try await withEntries { database in
      let other = try await Database(path: database.path, key: .raw(testKeyBytes))
      var values = entries.values(in: database).makeAsyncIterator()
      #expect(try await values.next()?.count == 3)
      try await database.suspend()
      let waiting = Task {
        var late = entries.values(in: database).makeAsyncIterator()
        return try await late.next()?.count
      }
      while database.observationHub.waitingCount == 0 {
        try await Task.sleep(for: .milliseconds(1))
      }
      try await entries.insert(Entry.Draft(number: 4), in: other)
      try await other.close()
      database.resume()
      #expect(try await values.next()?.count == 4)
      #expect(try await waiting.value == 4)
    }
  }

  @Test("a closed database cannot be suspended, and a suspended database can be closed")
  func closing() async throws {
    try await withEntries { database in
      try await database.suspend()
      try await database.close()
      database.resume()
      await #expect(throws: DatabaseError.self) { try await entries.count(in: database) }
      await #expect(throws: DatabaseError.self) { try await database.suspend() }
      do {
        _ = try await entries.count(in: database)
      } catch let error as DatabaseError {
        #expect(error.code == .misuse)
      }
    }
  }

  @Test("a suspended database in memory keeps its contents")
  func memory() async throws {
    let database = try await Database.inMemory()
    try await database.write { try $0.execute("CREATE TABLE t(a)") }
    try await database.suspend()
    #expect(await isSuspended { try await database.write { _ in } })
    database.resume()
    #expect(try await database.read { try $0.query(Int.self, "SELECT count(*) FROM t") } == [0])
    try await database.close()
  }
}

import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("entry") private struct Entry: Equatable {
  let id: Int64
  var number: Int
}

private let entries = Table<Entry>()

private struct Overdue: Error {}

/// Runs a closure, and abandons it after a timeout.
private func withWatchdog<Result: Sendable>(
  _ limit: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let (outcomes, continuation) = AsyncStream.makeStream(of: Swift.Result<Result, any Error>.self)
  let work = Task {
    do {
      continuation.yield(.success(try await body()))
    } catch {
      continuation.yield(.failure(error))
    }
  }
  let watchdog = Task {
    try await Task.sleep(for: limit)
    continuation.yield(.failure(Overdue()))
  }
  defer {
    work.cancel()
    watchdog.cancel()
  }
  for await outcome in outcomes { return try outcome.get() }
  throw Overdue()
}

private func withEntries(
  _ change: (inout Configuration) -> Void = { _ in },
  _ body: (Database) async throws -> Void
) async throws {
  var configuration = Configuration()
  change(&configuration)
  try await withTemporaryDatabase(configuration: configuration) { database in
    try await database.migrate(DatabaseSchema(Entry.self))
    try await body(database)
  }
}

@Suite("Waiting observations")
struct ObservationWaitTests {
  @Test("copies of an iterator of values wait independently, and each sees the last value")
  func copiesOfValues() async throws {
    try await withEntries { database in
      try await withWatchdog { @MainActor in
        var first = entries.select { $0.number }.values(in: database).makeAsyncIterator()
        #expect(try await first.next() == [])
        let tasks = (0..<3).map { _ in
          let copy = first
          return Task { @MainActor in
            var copy = copy
            while let numbers = try await copy.next() { if numbers.count == 2 { return true } }
            return false
          }
        }
        try await Task.sleep(for: .milliseconds(20))
        for number in 1...2 {
          try await entries.insert(Entry.Draft(number: number), in: database)
        }
        for task in tasks { #expect(try await task.value) }
        while let numbers = try await first.next(), numbers.count < 2 {}
      }
    }
  }

  @Test("closing the database ends the waits of all copies", arguments: [false, true])
  func closedCopies(observesChanges: Bool) async throws {
    try await withTemporaryPath { path in
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.migrate(DatabaseSchema(Entry.self))
      try await withWatchdog { @MainActor in
        var tasks: [Task<Void, any Error>] = []
        if observesChanges {
          let first = database.changes().makeAsyncIterator()
          for _ in 0..<3 {
            let copy = first
            tasks.append(
              Task { @MainActor in
                var copy = copy
                while await copy.next() != nil {}
              })
          }
        } else {
          var first = entries.values(in: database).makeAsyncIterator()
          _ = try await first.next()
          for _ in 0..<3 {
            let copy = first
            tasks.append(
              Task { @MainActor in
                var copy = copy
                while try await copy.next() != nil {}
              })
          }
        }
        try await Task.sleep(for: .milliseconds(20))
        try await database.close()
        for task in tasks { try await task.value }
      }
    }
  }

  @Test("copies of an iterator of changes see all commits, including commits before the copy")
  func copiesOfChanges() async throws {
    try await withEntries { database in
      try await withWatchdog { @MainActor in
        let first = database.changes().makeAsyncIterator()
        try await entries.insert(Entry.Draft(number: 1), in: database)
        let tasks = (0..<3).map { _ in
          let copy = first
          return Task { @MainActor in
            var copy = copy
            var rows: [Int64] = []
            while rows.count < 3, let changes = await copy.next() {
              rows += changes.tables.flatMap(\.rows).map(\.rowID)
            }
            return rows
          }
        }
        try await Task.sleep(for: .milliseconds(20))
        for number in 2...3 {
          try await entries.insert(Entry.Draft(number: number), in: database)
        }
        for task in tasks { #expect(await task.value == [1, 2, 3]) }
      }
    }
  }

  @Test("a time limit ends the wait for the next value", arguments: [false, true])
  func limitOfValues(isSuspended: Bool) async throws {
    try await withEntries { database in
      try await withWatchdog {
        let error = try await failure {
          try await withTimeLimit(.milliseconds(200)) {
            var values = entries.values(in: database).makeAsyncIterator()
            #expect(try await values.next() == [])
            try await entries.insert(Entry.Draft(number: 1), in: database)
            #expect(try await values.next()?.count == 1)
            if isSuspended {
              try await database.suspend()
              _ = try await values.next()
            } else {
              _ = try await values.next()
            }
          }
        }
        #expect(error.code == .interrupt)
        #expect(
          error.message
            == "The call exceeded its time limit of 0.200 s and was ended: raise the limit, or divide the work"
        )
        database.resume()
        // The observation has ended, and the database still works.
        #expect(try await entries.count(in: database) == 1)
      }
    }
  }

  @Test("a time limit ends the wait for the next commit, after pending commits")
  func limitOfChanges() async throws {
    try await withEntries { database in
      try await withWatchdog {
        try await withTimeLimit(.milliseconds(200)) {
          var changes = database.changes().makeAsyncIterator()
          try await entries.insert(Entry.Draft(number: 1), in: database)
          #expect(await changes.next()?.tables.count == 1)
          let began = ContinuousClock.now
          #expect(await changes.next() == nil)
          #expect(ContinuousClock.now - began > .milliseconds(50))
        }
        // The next observation has no timeout.
        var changes = database.changes().makeAsyncIterator()
        try await entries.insert(Entry.Draft(number: 2), in: database)
        #expect(await changes.next()?.tables.count == 1)
      }
    }
  }

  @Test("an observation of other processes begins beside a write, and can be cancelled")
  func beginsBesideWrite() async throws {
    try await withEntries({ $0.otherChangesInterval = .milliseconds(5) }) { database in
      try await withWatchdog {
        try await withThrowingTaskGroup(of: Void.self) { group in
          let door = Door()
          group.addTask {
            try await database.write { db in
              try entries.insert(Entry.Draft(number: 1), in: db)
              door.pass()
            }
          }
          await door.wait(for: 1)
          // The write is still open.
          var values = entries.select { $0.number }.values(in: database).makeAsyncIterator()
          #expect(try await values.next() == [])
          let cancelled = Task { @Sendable () async throws -> Bool in
            var values = entries.values(in: database).makeAsyncIterator()
            _ = try await values.next()
            _ = try await values.next()
            return true
          }
          try await Task.sleep(for: .milliseconds(20))
          cancelled.cancel()
          #expect(try await cancelled.value)
          door.open()
          try await group.waitForAll()
          // Commits of other processes are detected.
          let path = database.path
          try runSQL(
            "INSERT INTO entry(number) VALUES (2)", on: path,
            key: "x'\(testKeyBytes.hexadecimal)'")
          while let numbers = try await values.next(), numbers != [1, 2] {}
        }
      }
    }
  }

  #if os(Linux)
    @Test("a suspended database has no file open, even while observed")
    func suspended() async throws {
      try await withEntries({ $0.otherChangesInterval = .milliseconds(1) }) { database in
        try await withWatchdog {
          @Sendable func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
              let link = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/" + $0)
              return link?.hasPrefix(database.path) ?? false
            }
          }
          let seen = Mutex<[Int]>([])
          let observation = Task {
            for try await list in entries.values(in: database) {
              seen.withLock { $0.append(list.count) }
            }
          }
          while seen.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
          try await Task.sleep(for: .milliseconds(20))
          #expect(try openFiles() > 0)
          try await database.suspend()
          for _ in 1...50 {
            #expect(try openFiles() == 0)
            try await Task.sleep(for: .milliseconds(2))
          }
          database.resume()
          try runSQL(
            "INSERT INTO entry(number) VALUES (2)", on: database.path,
            key: "x'\(testKeyBytes.hexadecimal)'")
          while seen.withLock({ $0.last }) != 1 { try await Task.sleep(for: .milliseconds(1)) }
          observation.cancel()
          try await observation.value
        }
      }
    }
  #endif
}

@Suite("Calls beside an open snapshot", .enabled(if: miniorm_has_snapshots() != 0))
struct SnapshotWaitTests {
  private enum Call: CaseIterable {
    case changeKey, restore, attach

    func run(_ database: Database) async throws {
      switch self {
      case .changeKey: try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      case .restore:
        try await database.restore(from: database.path + "-backup", key: .raw(testKeyBytes))
      case .attach:
        try await database.attach(
          database.path + "-other", as: "other", key: .raw(testKeyBytes))
      }
    }
  }

  @Test(
    "beside a snapshot, a call succeeds or is refused, and never waits", arguments: Call.allCases)
  private func refused(call: Call) async throws {
    // A call that waited for the lock would exceed the watchdog's limit.
    try await withEntries({ $0.busyTimeout = .seconds(3_600) }) { database in
      let backup = try await Database(path: database.path + "-backup", key: .raw(testKeyBytes))
      try await backup.migrate(DatabaseSchema(Entry.self))
      try await backup.close()
      try await withWatchdog {
        let snapshot = try await database.snapshot()
        try await entries.insert(Entry.Draft(number: 1), in: database)
        do {
          try await call.run(database)
          #expect(call != .changeKey)
        } catch let error as DatabaseError {
          #expect(error.code == .busy && call == .changeKey, "\(error)")
          #expect(error.message.hasPrefix("An open snapshot of the database"))
        }
        // No request is queued.
        try await entries.insert(Entry.Draft(number: 2), in: database)
        // The restored backup has no rows.
        #expect(try await entries.count(in: database) == (call == .restore ? 1 : 2))
        #expect(try await snapshot.read { db in try entries.count(in: db) } == 0)
        snapshot.close()
        if call != .attach { try await call.run(database) }
        _ = try await entries.count(in: database)
      }
    }
  }
}

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MiniORM

private final class Errors: Sendable {
  let all = Mutex<[DatabaseError]>([])
}

private final class Waited: Sendable {
  let time = Mutex<Duration?>(nil)
}

@Suite("Every wait ends", .timeLimit(.minutes(1)))
struct WaitEndTests {
  private static let script = "CREATE TABLE t(a)"
  private static let insertion: SQL = "INSERT INTO t VALUES (1)"

  private static func count(in database: Database) async throws -> DatabaseValue? {
    try await database.values("SELECT count(*) FROM t").first
  }

  // Tests that block Swift's threads, and tests that measure a wait, have processes of their own:
  // other tests would wait too, or make them wait.
  @Test("an awaited wait for a lock ends while synchronous calls block all of Swift's threads")
  func blockedPool() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryPath { path in
        let key = Key.raw(testKeyBytes)
        let (first, second) = (
          try await Database(path: path, key: key), try await Database(path: path, key: key)
        )
        try await first.write { try $0.execute(script: Self.script) }
        let isLocked = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        // A thread outside Swift's pool holds the lock for 1.5 s.
        Thread {
          try? first.writeSynchronously { db in
            try db.execute(Self.insertion)
            isLocked.signal()
            Thread.sleep(forTimeInterval: 1.5)
          }
          ended.signal()
        }.start()
        isLocked.wait()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await second.write { _ = try $0.execute(Self.insertion) } }
          for _ in 0..<16 {
            group.addTask { try Self.insertSynchronously(into: second) }
          }
          try await group.waitForAll()
        }
        ended.wait()
        #expect(try await Self.count(in: first) == .integer(18))
        try await first.close()
        try await second.close()
      }
    }
  }

  private static func insertSynchronously(into database: Database) throws {
    _ = try database.writeSynchronously { try $0.execute(insertion) }
  }

  @Test("a time limit ends the wait for a connection while all of Swift's threads are blocked")
  func limit() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDatabase(script: Self.script) { database in
        let isHeld = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        Thread {
          try? database.writeSynchronously { _ in
            isHeld.signal()
            release.wait()
          }
        }.start()
        isHeld.wait()
        let waited = Waited()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            let began = ContinuousClock.now
            await #expect(throws: DatabaseError.self) {
              try await withTimeLimit(.milliseconds(300)) {
                try await database.write { _ = try $0.execute(Self.insertion) }
              }
            }
            waited.time.withLock { $0 = .now - began }
          }
          // These calls block threads until the timeout ends the first wait, or for 5 s.
          try await Task.sleep(for: .milliseconds(100))
          for _ in 0..<8 {
            group.addTask {
              let end = ContinuousClock.now + .seconds(5)
              while waited.time.withLock({ $0 == nil }), .now < end { usleep(10_000) }
            }
          }
          try await group.waitForAll()
        }
        release.signal()
        // The task needs a thread of the pool to resume, so its time is not checked.
        #expect(try await Self.count(in: database) == .integer(0))
      }
    }
  }

  @Test(
    "70 databases that write to a shared database inside their transactions need no common thread")
  func tenants() async throws {
    try await withTemporaryDirectory { folder in
      let shared = try await Database(path: "\(folder)/shared.db", key: nil)
      try await shared.write { try $0.execute(script: Self.script) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<70 {
          group.addTask {
            var configuration = Configuration()
            configuration.busyTimeout = .seconds(30)
            let tenant = try await Database(
              path: "\(folder)/\(number).db", key: nil, configuration: configuration)
            try await tenant.write { db in
              try db.execute(script: Self.script)
              try Self.insertSynchronously(into: shared)
            }
            try await tenant.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try await Self.count(in: shared) == .integer(70))
      try await shared.close()
    }
  }

  @Test("100 readers block only their own threads")
  func readers() async {
    await #expect(processExitsWith: .success) {
      var configuration = Configuration()
      configuration.maximumReaderCount = 100
      try await withTemporaryDatabase(configuration: configuration, script: Self.script) {
        database in
        let other = try await Database.inMemory()
        let arrived = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        async let reads: Void = withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<100 {
            group.addTask {
              try await database.read { _ in
                arrived.signal()
                release.wait()
              }
            }
          }
          try await group.waitForAll()
        }
        await Task.detached {
          for _ in 0..<100 { arrived.wait() }
        }.value
        // Returns while all readers are blocked.
        #expect(try await other.values("SELECT 1") == [.integer(1)])
        for _ in 0..<100 { release.signal() }
        try await reads
        try await other.close()
      }
    }
  }

  @Test("if two tasks nest two databases in opposite order, one call throws SQLITE_BUSY")
  func opposite() async throws {
    try await withTemporaryDirectory { folder in
      var configuration = Configuration()
      configuration.busyTimeout = .milliseconds(300)
      let databases = [
        try await Database(path: "\(folder)/0.db", key: nil, configuration: configuration),
        try await Database(path: "\(folder)/1.db", key: nil, configuration: configuration),
      ]
      for database in databases { try await database.write { try $0.execute(script: Self.script) } }
      let inside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
      let errors = Errors()
      await withTaskGroup(of: Void.self) { group in
        for index in 0...1 {
          group.addTask {
            do {
              try await databases[index].write { db in
                try db.execute(Self.insertion)
                inside[index].signal()
                inside[1 - index].wait()
                inside[1 - index].signal()
                try Self.insertSynchronously(into: databases[1 - index])
              }
            } catch let error as DatabaseError {
              errors.all.withLock { $0.append(error) }
            } catch {
              Issue.record(error)
            }
          }
        }
      }
      let found = errors.all.withLock(\.self)
      #expect((1...2).contains(found.count))
      #expect(found.allSatisfy { $0.code == .busy && $0.message.contains("inside a closure") })
      for database in databases {
        // A transaction that ended with the error is rolled back.
        #expect(try await Self.count(in: database) == .integer(found.count == 1 ? 1 : 0))
        try await database.close()
      }
    }
  }
}

import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Connection executors and their shared threads")
struct ConnectionExecutorTests {
  @Test(
    "an executor runs on a single thread at a time, for every way to take it",
    arguments: [true, false])
  func lock(isTried: Bool) {
    let executor = ConnectionExecutor(.shared)
    /// True if a second thread can enter.
    func isFree() -> Bool {
      let result = Mutex(false)
      let ended = DispatchSemaphore(value: 0)
      Thread {
        let entered = executor.tryEnter()
        if entered { executor.leave() }
        result.withLock { $0 = entered }
        ended.signal()
      }.start()
      ended.wait()
      return result.withLock { $0 }
    }
    #expect(isFree() && !executor.isHeldByThisThread)
    if isTried {
      #expect(executor.tryEnter() && executor.isHeldByThisThread && !isFree())
      executor.leave()
    } else {
      executor.sync {
        #expect(executor.isHeldByThisThread && !isFree())
        // Reentrant for the thread that holds the executor.
        executor.sync {}
        #expect(!isFree())
      }
    }
    #expect(isFree() && !executor.isHeldByThisThread)
  }

  @Test("the number of threads is limited, and each thread serves many connections")
  func count() async {
    await #expect(processExitsWith: .success) {
      #expect(Workers.shared.count == 0)
      try await withTemporaryDirectory { folder throws in
        for name in 0..<20 {
          let database = try await Database(path: "\(folder)/\(name).db", key: nil)
          try await database.write { try $0.execute("CREATE TABLE t(a)") }
          _ = try await database.values("SELECT count(*) FROM t")
          try await database.close()
        }
      }
      #expect((1...4).contains(Workers.shared.count))
    }
  }
  @Test("1,000 calls on 20 databases need no more threads than connections")
  func bound() async {
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder throws in
        var databases: [Database] = []
        for name in 0..<20 {
          databases.append(try await Database(path: "\(folder)/\(name).db", key: nil))
        }
        for _ in 0..<3 {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for database in databases {
              for _ in 0..<50 {
                group.addTask {
                  try await database.write { try $0.execute("CREATE TABLE IF NOT EXISTS t(a)") }
                  _ = try await database.values("SELECT count(*) FROM t")
                }
              }
            }
            try await group.waitForAll()
          }
        }
        let connections = databases.reduce(0) { $0 + $1.pool.connections.count }
        #expect(Workers.shared.count <= connections + Workers.processors)
        for database in databases { try await database.close() }
      }
    }
  }
}

#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization
  import Testing

  @testable import MiniORM

  @Suite("The first use of the library")
  struct FirstUseTests {
    // SQLite's own functions, which are set once, before any thread asks for a lock.
    nonisolated(unsafe) private static var below = sqlite3_mutex_methods()
    private static let isStarting = Atomic(false)

    /// Has a thread pause when SQLite is started, before it starts SQLCipher: what it does last is to free a lock
    /// while it holds another one.
    private static func slowDown() -> Bool {
      // Swift does not call functions with a variable number of arguments.
      typealias Configure = @convention(c) (Int32, UnsafeMutableRawPointer?) -> Int32
      guard let symbol = dlsym(nil, "sqlite3_config") else { return false }
      let configure = unsafeBitCast(symbol, to: Configure.self)
      // SQLite chooses them when it is started, and takes others only while it is not.
      guard sqlite3_initialize() == SQLITE_OK, sqlite3_shutdown() == SQLITE_OK,
        configure(SQLITE_CONFIG_GETMUTEX, &below) == SQLITE_OK
      else { return false }
      var methods = below
      methods.xMutexFree = { mutex in
        FirstUseTests.below.xMutexFree(mutex)
        FirstUseTests.isStarting.store(true, ordering: .sequentiallyConsistent)
      }
      methods.xMutexLeave = { mutex in
        FirstUseTests.below.xMutexLeave(mutex)
        if FirstUseTests.isStarting.exchange(false, ordering: .sequentiallyConsistent) {
          usleep(300_000)
        }
      }
      return configure(SQLITE_CONFIG_MUTEX, &methods) == SQLITE_OK
    }

    @Test("tasks that use it first, at once")
    func tasks() async throws {
      await #expect(processExitsWith: .success) {
        try #require(Self.slowDown())
        try await withTemporaryDirectory { folder throws in
          try await withThrowingTaskGroup { group in
            for number in 1...8 {
              group.addTask {
                if number % 2 == 0 {
                  _ = try Database.cipherLibrary
                  return
                }
                let key = Key.raw(testKeyBytes)
                let database = try await Database(path: "\(folder)/\(number).db", key: key)
                try await database.close()
              }
            }
            try await group.waitForAll()
          }
        }
      }
    }
  }
#endif

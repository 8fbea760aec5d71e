#if os(Linux)
  import CSQLCipher
  import Foundation
  import Synchronization
  import Testing

  @testable import MiniORM

  @Suite("First use of the library")
  struct FirstUseTests {
    // SQLite's own functions. They are set once, before any thread requests a mutex.
    nonisolated(unsafe) private static var below = sqlite3_mutex_methods()
    private static let isStarting = Atomic(false)

    /// Delays a thread during SQLite's initialization, before it initializes SQLCipher. The last
    /// action before that is releasing a mutex while another is held.
    private static func slowDown() -> Bool {
      // `sqlite3_config` is variadic, and Swift cannot call variadic C functions.
      typealias Configure = @convention(c) (Int32, UnsafeMutableRawPointer?) -> Int32
      guard let symbol = dlsym(nil, "sqlite3_config") else { return false }
      let configure = unsafeBitCast(symbol, to: Configure.self)
      // SQLite sets its mutex functions during initialization, and accepts others only while it is
      // shut down.
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

    @Test("several tasks use the library for the first time at once")
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

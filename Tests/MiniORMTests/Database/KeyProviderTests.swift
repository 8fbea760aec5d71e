import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Key providers")
struct KeyProviderTests {
  private struct Refusal: Error, Equatable { let reason: String }

  /// Counts the requests for a key.
  private final class Provider: Sendable {
    private let asked = Mutex(0)
    var count: Int { asked.withLock { $0 } }

    func key() async throws -> Key {
      asked.withLock { $0 += 1 }
      await Task.yield()
      return .raw(testKeyBytes)
    }
  }

  @Test(
    "the provider runs once per opening, for any number of connections, also after a key change"
  )
  func once() async throws {
    try await withTemporaryPath { path in
      let provider = Provider()
      let database = try await Database(path: path) { try await provider.key() }
      try await database.write {
        try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      }
      try await database.changeKey(to: .raw(testKeyBytes.reversed()))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            let rows = try await database.read { db in
              usleep(300)
              return try db.query("SELECT a FROM t").map(\.values)
            }
            #expect(rows == [[.integer(1)]])
          }
        }
        try await group.waitForAll()
      }
      try await database.changeKey(to: .raw(testKeyBytes))
      #expect(provider.count == 1)
      try await database.close()
      let again = try await Database(path: path, configuration: Configuration()) {
        try await provider.key()
      }
      #expect(try await again.values("SELECT a FROM t") == [.integer(1)])
      #expect(provider.count == 2)
      try await again.close()
    }
  }

  @Test("the provider's error is thrown unchanged, and no file is opened or created")
  func failing() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      for exists in [false, true] {
        if exists { try await Database(path: path, key: .raw(testKeyBytes)).close() }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder)
        await #expect(throws: Refusal(reason: "locked")) {
          try await Database(path: path) { throw Refusal(reason: "locked") }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == before)
      }
      // Throws if the file is open.
      try Database.delete(path: path)
    }
  }

  @Test("cancelling the wait for the key throws CancellationError, and nothing stays open")
  func cancelled() async throws {
    try await withTemporaryPath { path in
      for stubborn in [false, true] {
        let task = Task {
          _ = try await Database(path: path) {
            withUnsafeCurrentTask { $0?.cancel() }
            if !stubborn { try Task.checkCancellation() }
            return .raw(testKeyBytes)
          }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: path))
      }
    }
  }

  @Test("the provider does not run if the file cannot be opened with any key")
  func notAsked() async throws {
    try await withTemporaryDirectory { folder in
      let plain = folder + "/plain.db"
      let made = try await Database(path: plain, key: nil)
      try await made.write { try $0.execute("CREATE TABLE t(a)") }
      try await made.close()
      var configuration = Configuration()
      configuration.createsFile = false
      let provider = Provider()
      for (path, expected) in [
        (folder + "/none.db", .missing), (folder + "/none/a.db", .missing), (folder, .notAFile),
        (plain + "/a.db", .notAFile), (plain, .notEncrypted),
      ] as [(String, DatabaseError.OpeningFailure)] {
        let error = try await failure {
          try await Database(path: path, configuration: configuration) { try await provider.key() }
        }
        #expect(error.openingFailure == expected, "\(path): \(error)")
      }
      #expect(provider.count == 0)
    }
  }

  @Test("a wrong key from the provider gives the same error as a given wrong key")
  func wrong() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      let path = database.path
      let error = try await failure {
        try await Database(path: path) { .raw(testKeyBytes.reversed()) }
      }
      #expect(error.openingFailure == .wrongKey)
      let empty = try await failure { try await Database(path: path) { .passphrase("") } }
      #expect(
        empty.facts
          == ErrorFacts(
            .key, .misuse, "The key is empty: give a passphrase or a raw key", path: path))
    }
  }
}

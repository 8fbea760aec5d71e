import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("The log beside a backup", .timeLimit(.minutes(3)))
struct LogLimitTests {
  @Test(
    "flush returns while readers overlap and keep the log above its maximum",
    arguments: [0.03, 0.6])
  func overlap(seconds: Double) async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(
        of: database, to: place.store, maximumLogSize: 12 << 20
      ) { backup in
        try await backup.flush()
        try await reading(database, for: seconds) {
          for _ in 0..<3 { try await database.addRandom(megabytes: 8) }
          try await within(.seconds(30)) { try await backup.flush() }
        }
        let status = await backup.now
        #expect(status.isRunning && status.lastError == nil)
      }
      let (restored, count) = (try await place.restored().count, try await database.entries().count)
      #expect(restored == count)
      try await database.close()
    }
  }

  @Test("the log of a copied file restarts although readers overlap")
  func readers() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: place.store) { backup in
        try await backup.flush()
        var longest = 0
        try await reading(database, for: 0.03) {
          for _ in 0..<40 {
            try await database.addRandom(megabytes: 1)
            longest = max(longest, try place.logSize())
            // A busy machine reads frames slowly, and they must be read before a restart.
            try await backup.flush()
          }
        }
        #expect(longest < 30 << 20, "\(longest >> 20) MiB")
        try await backup.flush()
      }
      let names = try place.store.list(GenerationName.folder)
      #expect(names.count == 1)
      try await database.close()
    }
  }

  @Test("the log restarts beside commits without a pause")
  func load() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(of: database, to: DelayingStore(place.store, .milliseconds(10))) {
        backup in
        try await database.add((0..<50).map { "\($0)" })
        try await backup.flush()
        var longest = 0
        for number in 0..<1_500 {
          let text = String(repeating: "\(number) ", count: 4_000)
          try await database.write { db in
            try db.execute("UPDATE entry SET text = \(text) WHERE id = \(number % 50 + 1)")
          }
          longest = max(longest, try place.logSize())
        }
        // More than 24 MiB were written.
        #expect(longest < 12 << 20, "\(longest >> 20) MiB")
        try await backup.flush()
      }
      let (restored, entries) = (try await place.restored(), try await database.entries())
      #expect(restored == entries)
      let names = try place.store.list(GenerationName.folder)
      #expect(names.count == 1)
      try await database.close()
    }
  }

  @Test("a base completes while more is written than the log can hold")
  func base() async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await database.addRandom(megabytes: 40)
      let store = DelayingStore(try place.store, .milliseconds(250))
      try await withRunningBackup(of: database, to: store, maximumLogSize: 5 << 20) { backup in
        let writer = Task {
          var count = 0
          while !Task.isCancelled {
            try await database.addRandom(megabytes: 1)
            count += 1
            try? await Task.sleep(for: .seconds(1))
          }
          return count
        }
        try await within(.seconds(90)) { try await backup.flush() }
        writer.cancel()
        let count = try await writer.value
        #expect(count > 5, "\(count) MiB")
        let first = try await place.restored(.position(try #require(await backup.now.position)))
        #expect(!first.isEmpty)
        try await backup.flush()
      }
      let names = try place.store.list(GenerationName.folder)
      #expect(names.count == 1)
      let (restored, entries) = (try await place.restored(), try await database.entries())
      #expect(restored == entries)
      try await database.close()
    }
  }
}

/// Keeps two readers that overlap until the closure ends.
private func reading(
  _ database: Database, for seconds: Double, _ body: () async throws -> Void
) async throws {
  let readers = (0..<2).map { number in
    Task {
      try await Task.sleep(for: .seconds(seconds * Double(number) / 2))
      while !Task.isCancelled {
        try? await database.read { db in
          _ = try db.query(Int.self, "SELECT min(id) FROM entry")
          Thread.sleep(forTimeInterval: seconds)
        }
      }
    }
  }
  defer { for reader in readers { reader.cancel() } }
  try await body()
}

/// Throws if the closure takes longer.
func within<Result: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimeLimitExceeded()
    }
    defer { group.cancelAll() }
    return try #require(try await group.next())
  }
}

private struct TimeLimitExceeded: Error {}

extension Database {
  fileprivate func addRandom(megabytes: Int) async throws {
    try await write { db in
      try db.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(256 * megabytes))
        INSERT INTO entry (text) SELECT hex(randomblob(2000)) FROM n
        """)
    }
  }
}

extension BackupCase {
  fileprivate func logSize() throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
  }
}

/// A distant store: each object takes a time, and several can be stored at once.
struct DelayingStore: BackupStore {
  let store: FolderStore
  let delay: Duration

  init(_ store: FolderStore, _ delay: Duration) { (self.store, self.delay) = (store, delay) }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try await Task.sleep(for: delay)
    try store.put(name, bytes)
  }

  func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
  func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
  func delete(_ name: String) async throws { try store.delete(name) }
}

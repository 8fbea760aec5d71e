import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("The log beside a backup", .timeLimit(.minutes(5)))
struct LogLimitTests {
  @Test(
    "flush returns while readers overlap and keep the log above its maximum",
    arguments: [0.03, 0.6], [8, 3])
  func overlap(seconds: Double, megabytes: Int) async throws {
    try await withBackupCase { place in
      let database = try await place.open()
      try await withRunningBackup(
        of: database, to: place.store, maximumLogSize: 12 << 20
      ) { backup in
        try await backup.flush()
        try await reading(database, for: seconds) {
          for _ in 0..<24 / megabytes {
            try await database.addRandom(megabytes: megabytes)
            if megabytes == 3 { try await within { try await backup.flush() } }
          }
          try await within { try await backup.flush() }
        }
        let status = await backup.now
        #expect(status.isRunning && status.lastError == nil)
      }
      // A log that was read completely is longer than the maximum without a new base.
      let names = try place.store.list(GenerationName.folder)
      #expect(megabytes == 8 || names.count == 1)
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
          // The commits go on while the store has not caught up, also on a busy machine.
          if number % 50 == 0 {
            _ = try await within { await backup.status.first { $0.behind < 2 << 20 } }
          }
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
      let store = WritingStore(try place.store) { try await database.addRandom(megabytes: 1) }
      try await withRunningBackup(of: database, to: store, maximumLogSize: 5 << 20) { backup in
        try await within { try await backup.flush() }
        #expect(store.partCount > 6 * 16)
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

/// Throws if the closure does not end. A busy machine takes less than the limit.
func within<Result: Sendable>(
  _ limit: Duration = .seconds(120), _ body: @escaping @Sendable () async throws -> Result
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

/// A store beside which a program commits after every 16 parts of a base.
private final class WritingStore: BackupStore {
  private let store: FolderStore
  private let commit: @Sendable () async throws -> Void
  private let parts = Atomic(0)
  var partCount: Int { parts.load(ordering: .relaxed) }

  init(_ store: FolderStore, _ commit: @escaping @Sendable () async throws -> Void) {
    (self.store, self.commit) = (store, commit)
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try store.put(name, bytes)
    guard ObjectName(name)?.link == "part" else { return }
    if parts.add(1, ordering: .relaxed).newValue % 16 == 0 { try await commit() }
  }

  func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
  func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
  func delete(_ name: String) async throws { try store.delete(name) }
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

import Foundation
import Synchronization
import Testing

@testable import MiniORM

private func withBlobs<Result>(
  _ body: (Database) async throws -> Result
) async throws -> Result {
  try await withTemporaryDatabase(script: "CREATE TABLE data(value)") { try await body($0) }
}

private func write(_ count: Int, in database: Database) async throws {
  for _ in 0..<count {
    try await database.write { db in
      try db.execute("INSERT INTO data(value) VALUES (randomblob(100000))")
    }
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

@Suite("Checkpoints and the write-ahead log")
struct CheckpointTests {
  @Test("a checkpoint moves the log into the file", arguments: CheckpointMode.allCases)
  func modes(mode: CheckpointMode) async throws {
    try await withBlobs { database in
      try await write(3, in: database)
      #expect(database.statistics().logSize > 300_000)
      let result = try #require(try await database.checkpoint(mode))
      #expect(result.isComplete)
      #expect(result.logPageCount == result.movedPageCount)
      if mode == .truncate {
        #expect(result.logPageCount == 0)
        #expect(database.statistics().logSize == 0)
      } else {
        #expect(result.logPageCount >= 75)
      }
      #expect(database.statistics().fileSize > 300_000)
    }
  }

  @Test("opening a database writes no page")
  func nothingWritten() async throws {
    try await withTemporaryPath { path throws in
      for _ in 0..<2 {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.write { try $0.execute("CREATE TABLE IF NOT EXISTS data(value)") }
        try await database.close()
      }
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      #expect(database.statistics().pagesWritten == 0)
      #expect(try await database.values("SELECT value FROM data").isEmpty)
      #expect(database.statistics().pagesWritten == 0)
      try await database.close()
      #expect(database.statistics().pagesWritten == 0)
    }
  }

  @Test("a checkpoint beside a reader of an earlier state reports that it is incomplete")
  func busy() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(20)
    try await withTemporaryDatabase(
      configuration: configuration, script: "CREATE TABLE data(value)"
    ) { database in
      try await write(1, in: database)
      let door = Door()
      let reader = Task {
        try await database.read { db in
          let before = try db.query(Int.self, "SELECT count(*) FROM data")
          door.pass()
          return try before + db.query(Int.self, "SELECT count(*) FROM data")
        }
      }
      await door.wait(for: 1)
      try await write(2, in: database)
      for mode in CheckpointMode.allCases {
        let result = try #require(try await database.checkpoint(mode))
        #expect(!result.isComplete)
      }
      door.open()
      #expect(try await reader.value == [1, 1])
      #expect(try await database.checkpoint(.truncate)?.isComplete == true)
      #expect(
        try await database.read { try $0.query(Int.self, "SELECT count(*) FROM data") } == [3])
    }
  }

  /// A checkpoint waits for a reader of an older state. After that reader has ended, overlapping
  /// readers of the latest state hold the same lock.
  @Test(
    "continuous readers do not prevent checkpoints",
    arguments: CheckpointMode.allCases.filter { $0 != .passive })
  func followed(mode: CheckpointMode) async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(10)
    configuration.maximumReaderCount = 3
    try await withTemporaryDatabase(
      configuration: configuration, script: "CREATE TABLE data(id INTEGER PRIMARY KEY, value)"
    ) { database in
      try await write(1, in: database)
      let (earlier, isOver) = (Door(), Flag())
      Thread.detachNewThread {
        _ = try? database.readSynchronously { db in
          _ = try db.query(Int.self, "SELECT count(*) FROM data")
          earlier.pass()
        }
        for _ in 0..<3 { Thread.detachNewThread { while !isOver.isSet { read(database) } } }
      }
      await earlier.wait(for: 1)
      try await write(1, in: database)
      async let result = database.checkpoint(mode)
      // The checkpoint is waiting by now, and rechecks every 20 ms.
      try await Task.sleep(for: .milliseconds(60))
      earlier.open()
      #expect(try await result?.isComplete == true)
      isOver.set()
    }
  }

  @Test("without a write-ahead log, a checkpoint has no result")
  func none() async throws {
    var configuration = Configuration()
    configuration.journalMode = .delete
    try await withTemporaryDatabase(configuration: configuration, script: "CREATE TABLE t(a)") {
      database in
      let result = try await database.checkpoint(.truncate)
      #expect(result == nil)
    }
    let memory = try await Database.inMemory()
    let result = try await memory.checkpoint()
    #expect(result == nil)
    try await memory.close()
  }

  @Test("the log restarts although readers are always active")
  func growth() async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 3
    configuration.synchronous = .off
    try await withTemporaryDatabase(
      configuration: configuration, script: "CREATE TABLE data(id INTEGER PRIMARY KEY, value)"
    ) { database in
      try await write(1, in: database)
      let minutes =
        ProcessInfo.processInfo.environment["MINIORM_MINUTES"].flatMap { Double($0) } ?? 0
      // On separate threads, because other tests occupy the cooperative pool.
      let log: Log = try await withUnsafeThrowingContinuation { continuation in
        let isOver = Flag()
        let readers = (0..<3).map { _ in Thread { while !isOver.isSet { read(database) } } }
        for reader in readers { reader.start() }
        Thread.detachNewThread {
          let log = Swift.Result { try replace(7_000, atLeastFor: minutes, in: database) }
          isOver.set()
          continuation.resume(with: log)
        }
      }
      // The log restarts only if the checkpoint waits for readers. It waits when the log reaches 16
      // MB, and after a failure, for example on a busy machine, at twice that size.
      #expect(log.beginnings >= 3)
      if minutes > 0 {
        print("figure: \(minutes) minutes of readers, the log had \(log.longest) bytes at most")
        #expect(log.longest < 80_000_000)
      }
    }
  }

  private struct Log {
    /// The number of times that the log restarted.
    var beginnings = 0
    var longest = 0
  }

  /// Writes until the log has restarted three times or the maximum number of writes is reached, and
  /// at least for some minutes.
  private func replace(
    _ count: Int, atLeastFor minutes: Double, in database: Database
  ) throws -> Log {
    let end = ContinuousClock.now + .seconds(60 * minutes)
    var (log, last) = (Log(), 0)
    for turn in 0... {
      guard log.beginnings < 3 && turn < count || .now < end else { break }
      try database.writeSynchronously { db in
        try db.execute("INSERT OR REPLACE INTO data VALUES (\(turn % 20), randomblob(100000))")
      }
      let size = database.statistics().logSize
      if size < last { log.beginnings += 1 }
      (log.longest, last) = (max(log.longest, size), size)
    }
    return log
  }

  /// Starts reads that overlap.
  private func read(_ database: Database) {
    _ = try? database.readSynchronously { db in
      _ = try db.query(Int.self, "SELECT count(*) FROM data")
      Thread.sleep(forTimeInterval: .random(in: 0.001...0.01))
    }
  }
}

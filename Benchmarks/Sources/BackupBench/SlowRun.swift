import Foundation
import MiniORM
import MiniORMBackup
import Synchronization

/// A busy writer beside a store that accepts a megabyte per second.
///
/// Two thirds of the time the writer runs without pauses. Then it writes less than the store
/// accepts. At the end it stops, and the backup catches up.
struct SlowRun {
  private static let bytesPerSecond = 1_000_000
  private static let tick = Duration.seconds(2)

  private let path: String
  private let store: FolderStore

  init(_ path: String, _ store: FolderStore) { (self.path, self.store) = (path, store) }

  func run(seconds: Int, megabytes: Int) async throws {
    let database = try await Database(path: path, key: key)
    try await change(database, rows: 20, seed: 0)
    let memoryBefore = memory("VmRSS")
    let backup = ContinuousBackup(
      of: database, to: SlowStore(store: store, bytesPerSecond: Self.bytesPerSecond),
      maximumLogSize: megabytes << 20)
    let status = Mutex<BackupStatus?>(nil)
    let watch = Task {
      for await new in backup.status { status.withLock { $0 = new } }
    }
    try await backup.start()
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    let writer = Task {
      var number = 0
      while ContinuousClock.now < end {
        number += 1
        try await change(database, rows: 20, seed: number)
        if ContinuousClock.now > start + .seconds(seconds) * 2 / 3 {
          try await Task.sleep(for: .milliseconds(200))
        }
      }
    }
    var (largestLog, largestBehind, tooSmall, ticks) = (0, 0, 0, 0)
    var generations: Set<String> = []
    var written = database.statistics().pagesWritten
    print("# seconds, log MB, behind MB, memory MB, generations, reason")
    while ContinuousClock.now < end {
      try await Task.sleep(for: Self.tick)
      guard let now = status.withLock({ $0 }) else { continue }
      let statistics = database.statistics()
      let committed = (statistics.pagesWritten - written) * 4_120
      written = statistics.pagesWritten
      if let generation = now.generation { generations.insert(generation) }
      largestLog = max(largestLog, statistics.logSize)
      largestBehind = max(largestBehind, now.behind)
      ticks += 1
      // The store cannot have accepted more than its rate, plus an object in progress.
      let accepted = Int(Double(Self.bytesPerSecond) * (Self.tick / .seconds(1))) + 2_000_000
      if now.behind < committed - accepted { tooSmall += 1 }
      print(
        "#", Int((.now - start) / .seconds(1)), statistics.logSize >> 20, now.behind >> 20,
        Int(memory("VmRSS") - memoryBefore), generations.count, now.reason ?? "-",
        now.lastError.map { "\($0)" } ?? "")
    }
    try await writer.value
    let stopped = ContinuousClock.now
    try await backup.flush()
    let catchUp = ContinuousClock.now - stopped
    let behind = status.withLock { $0?.behind ?? -1 }
    await backup.stop()
    watch.cancel()
    let copy = path + "-restored"
    try await Database.restore(from: store, to: copy, keys: [key])
    let restored = try await Database(path: copy, key: key)
    let sums = (try await sum(database), try await sum(restored))
    report([
      "log": Double(largestLog), "behind": Double(largestBehind),
      "memory": memory("VmHWM") - memoryBefore,
      "generations": Double(generations.count), "catchUp": catchUp / .seconds(1),
      "behindAtEnd": Double(behind), "tooSmall": Double(tooSmall), "ticks": Double(ticks),
      "isEqual": sums.0 == sums.1 ? 1 : 0,
    ])
    try await restored.close()
    try await database.close()
  }

  private func sum(_ database: Database) async throws -> [String] {
    try await database.read { db in
      try db.query(
        String.self, "SELECT count(*) || ' ' || sum(amount) || ' ' || max(note) FROM entry")
    }
  }
}

/// Accepts a number of bytes per second.
private struct SlowStore: BackupStore {
  let store: FolderStore
  let bytesPerSecond: Int

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try await Task.sleep(for: .seconds(Double(bytes.count) / Double(bytesPerSecond)))
    try store.put(name, bytes)
  }

  func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
  func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
  func delete(_ name: String) async throws { try store.delete(name) }
}

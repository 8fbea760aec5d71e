import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

/// Raw keys open fast.
let backupKey = Key.raw([UInt8](0..<32))
let laterKey = Key.raw([UInt8](1..<33))

/// A folder with an encrypted database and a store.
struct BackupCase: Sendable {
  let folder: String
  var path: String { folder + "/a.db" }
  var store: FolderStore { get throws { try FolderStore(folder + "/store") } }

  func open(
    _ key: Key? = backupKey, at path: String? = nil, _ mode: Configuration.JournalMode = .wal
  ) async throws -> Database {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(200)
    configuration.journalMode = mode
    let database = try await Database(
      path: path ?? self.path, key: key, configuration: configuration)
    try await database.write { db in
      try db.execute("CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, text TEXT)")
    }
    return database
  }

  /// Restores a state as a new file, and returns the file's entries.
  func restored(
    _ moment: BackupMoment = .latest, keys: [Key] = [laterKey, backupKey],
    from store: (any BackupStore)? = nil, notBefore position: BackupPosition? = nil
  ) async throws -> [String] {
    let copy = folder + "/restored-\(UUID().uuidString).db"
    try await Database.restore(
      from: try store ?? self.store, at: moment, to: copy, keys: keys, notBefore: position)
    for key in keys {
      guard let database = try? await Database(path: copy, key: key) else { continue }
      let entries = try await database.entries()
      try await database.close()
      try Database.delete(path: copy)
      return entries
    }
    throw StoreFault()
  }
}

func withBackupCase<Result>(_ body: (BackupCase) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "MiniORM-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(BackupCase(folder: folder.path))
}

/// Runs a backup with short pauses until the closure returns.
func withRunningBackup<Result>(
  of database: Database, to store: any BackupStore, takingOver: Bool = false,
  maximumLogSize: Int = 256 << 20, retention: BackupRetention? = nil,
  fenceInterval: Duration = .seconds(10), checkInterval: Duration? = nil,
  callLimit: Duration = .seconds(60),
  comparedSize: Int = Shipper.objectSize * Shipper.width,
  clock: @escaping @Sendable () -> Date = { .now },
  _ body: (ContinuousBackup) async throws -> Result
) async throws -> Result {
  let backup = ContinuousBackup(
    database, store, .milliseconds(1), maximumLogSize, retention, fenceInterval: fenceInterval,
    checkInterval: checkInterval, callLimit: callLimit, comparedSize: comparedSize, clock: clock)
  try await backup.start(takingOver: takingOver)
  let result = try await body(backup)
  await backup.stop()
  return result
}

extension Database {
  func entries() async throws -> [String] {
    try await read { db in
      try db.query(String.self, "SELECT id || ' ' || text FROM entry ORDER BY id")
    }
  }

  func add(_ texts: [String]) async throws {
    try await write { db in
      for text in texts { try db.execute("INSERT INTO entry (text) VALUES (\(text))") }
    }
  }
}

extension ContinuousBackup {
  /// The status at present.
  var now: BackupStatus {
    get async {
      for await status in status { return status }
      return BackupStatus()
    }
  }

  func flushedPosition() async throws -> BackupPosition {
    try await flush()
    return try #require(await now.position)
  }
}

struct StoreFault: Error {}

/// Fails before or after an operation, at random.
struct FaultyStore: BackupStore {
  let store: FolderStore
  let faults: Faults

  final class Faults: Sendable {
    let random: Mutex<SplitMix>
    /// The share with which every call fails before its operation.
    static let all = 200
    /// The share of failing calls, in percent.
    let share: Atomic<Int>
    let counts = Mutex<[String: Int]>([:])

    init(seed: UInt64, share: Int) {
      random = Mutex(SplitMix(state: seed))
      self.share = Atomic(share)
    }

    func next(_ verb: String) throws {
      let number = random.withLock { Int.random(in: 0..<200, using: &$0) }
      guard number < share.load(ordering: .relaxed) else { return }
      counts.withLock { $0[verb, default: 0] += 1 }
      throw StoreFault()
    }
  }

  func put(_ name: String, _ bytes: [UInt8]) async throws {
    try faults.next("put")
    try store.put(name, bytes)
    try faults.next("put")
  }

  func get(_ name: String) async throws -> [UInt8]? {
    try faults.next("get")
    return try store.get(name)
  }

  func list(_ prefix: String) async throws -> [String] {
    try faults.next("list")
    return try store.list(prefix)
  }

  func delete(_ name: String) async throws {
    try faults.next("delete")
    try store.delete(name)
    try faults.next("delete")
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

func failureOfBackup<Result>(_ body: () async throws -> Result) async throws -> DatabaseError {
  let error = await #expect(throws: DatabaseError.self) { _ = try await body() }
  return try #require(error)
}

extension Database {
  /// Makes a change, or lets the log restart.
  /// - Parameter other: A second connection to the file.
  func changeRandomly(
    _ step: Int, beside other: Database, _ random: inout SplitMix
  ) async throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: try await vacuum()
    case 1: try await other.checkpoint(.truncate)
    case 2: try await other.add(["another connection \(step)"])
    case 3:
      let text = String(repeating: "\(step) ", count: 400)
      try await add(Array(repeating: text, count: 700))
    case 4: try await write { db in try db.execute("DELETE FROM entry WHERE id % 3 = 1") }
    case 5:
      // Rewrites pages often, so that the log restarts.
      for _ in 0..<60 {
        try await write { db in
          try db.execute("UPDATE entry SET text = text || 'x' WHERE id % 17 = 0")
        }
      }
    case 6: try await checkpoint(.passive)
    case 7: try await other.checkpoint(.full)
    default: try await add(["step \(step)"])
    }
  }
}

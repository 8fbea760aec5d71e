import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

@Suite("Restarts of a backup", .timeLimit(.minutes(5)))
struct RestartTests {
  @Test("starts without commits send no page that the store has")
  func unchanged() async throws {
    try await withBackupCase { place in
      let store = CountingStore()
      var sizes: [Int] = []
      for start in 0..<4 {
        let database = try await place.open()
        if start == 0 { try await database.addPages(3_000_000) }
        let backup = ContinuousBackup(of: database, to: store, interval: .zero)
        let before = store.sentBytes
        try await backup.start()
        try await backup.flush()
        let status = await backup.now
        await backup.stop()
        sizes.append(store.sentBytes - before)
        let reason = try #require(status.reason)
        #expect(reason.contains("pages differed from the state of") == (start > 0), "\(reason)")
        let isSame = try await place.restored(from: store) == database.entries()
        #expect(isSame)
        try await database.close()
      }
      #expect(sizes[0] > 3_000_000 && sizes[1...].allSatisfy { $0 < 20_000 }, "\(sizes)")
    }
  }

  enum Change: CaseIterable, Sendable {
    case nothing, row, manyRows, deletion, vacuum, shrinking, logRestarts, checkpoint, rekey
    case lostBase, lostState, damagedState, openReader
  }

  @Test(
    "a start sends the pages that changed while no backup ran, and each state can be restored",
    arguments: Change.allCases)
  func changes(_ change: Change) async throws {
    try await withBackupCase { place in
      let store = CountingStore()
      var states: [(position: BackupPosition, entries: [String])] = []
      var database = try await place.open()
      try await database.addPages(400_000)
      for start in 0..<3 {
        let reader = change == .openReader ? try await place.open() : nil
        try await withRunningBackup(of: database, to: store, comparedSize: 0) { backup in
          states.append((try await backup.flushedPosition(), try await database.entries()))
          for step in 0..<2 {
            try await database.add(["\(start) \(step)"])
            states.append((try await backup.flushedPosition(), try await database.entries()))
          }
        }
        try await reader?.close()
        try await make(change, &database, place, store, states.map(\.position))
        if start == 1 {
          try await database.close()
          database = try await place.open(change == .rekey ? laterKey : backupKey)
        }
      }
      let before = store.sentBytes
      try await withRunningBackup(of: database, to: store, comparedSize: 0) { backup in
        states.append((try await backup.flushedPosition(), try await database.entries()))
        let reason = await backup.now.reason
        let isContinued = reason?.contains("pages differed") ?? false
        switch change {
        case .rekey, .manyRows, .lostBase, .damagedState: #expect(!isContinued)
        case .vacuum, .shrinking: break
        default: #expect(isContinued, "\(reason ?? "none")")
        }
      }
      let sent = store.sentBytes - before
      switch change {
      case .nothing, .checkpoint, .openReader: #expect(sent < 20_000)
      case .row: #expect(sent < 30_000)
      default: break
      }
      try await database.close()
      var lost = 0
      for (index, state) in states.enumerated() {
        let restored = try? await place.restored(.position(state.position), from: store)
        if restored == nil { lost += 1 }
        let isSame = restored ?? state.entries == state.entries
        #expect(isSame, "state \(index)")
      }
      let expected =
        switch change {
        case .lostBase: 9
        case .lostState, .damagedState: 3
        default: 0
        }
      #expect(lost == expected)
      let restored = try await place.restored(from: store)
      let isSame = restored == states.last?.entries
      #expect(isSame)
    }
  }

  private func make(
    _ change: Change, _ database: inout Database, _ place: BackupCase, _ store: CountingStore,
    _ positions: [BackupPosition]
  ) async throws {
    switch change {
    case .nothing, .openReader: break
    case .row: try await database.add(["between"])
    case .manyRows:
      try await database.write { db in try db.execute("UPDATE entry SET text = text || '.'") }
      try await database.checkpoint(.truncate)
    case .deletion:
      try await database.write { db in try db.execute("DELETE FROM entry WHERE id % 2 = 0") }
    case .vacuum:
      try await database.write { db in try db.execute("DELETE FROM entry WHERE id % 2 = 1") }
      try await database.vacuum()
      try await database.addPages(200_000)
    case .shrinking:
      // The file gets shorter, and then longer again with other pages.
      try await database.write { db in try db.execute("DELETE FROM entry WHERE id > 5") }
      try await database.vacuum()
      try await database.checkpoint(.truncate)
      try await database.addPages(500_000)
    case .logRestarts:
      for number in 0..<3 {
        try await database.add(["log \(number)"])
        try await database.checkpoint(.truncate)
      }
    case .checkpoint: try await database.checkpoint(.truncate)
    case .rekey:
      try await database.changeKey(to: laterKey)
      try await database.add(["new key"])
    case .lostBase:
      for name in await store.store.objects.keys where name.contains("-base-") {
        await store.store.delete(name)
      }
    case .lostState: await store.store.delete(try #require(positions.last).object.text)
    case .damagedState:
      let name = try #require(positions.last).object.text
      guard var bytes = await store.store.get(name) else { return }
      bytes[bytes.count / 2] ^= 1
      await store.store.put(name, bytes)
    }
  }

  @Test("pruning keeps the earlier generation whose pages a later generation continues")
  func pruning() async throws {
    try await withBackupCase { place in
      let store = try place.store
      let database = try await place.open()
      try await database.addPages(400_000)
      for generation in 0..<4 {
        try await withRunningBackup(of: database, to: store, comparedSize: 0) { backup in
          for step in 0..<3 {
            try await database.add(["\(generation) \(step)"])
            try await backup.flush()
          }
        }
      }
      // A base makes the earlier generations unnecessary.
      let entries = try await database.entries()
      let retention = BackupRetention(all: .zero, hourly: .zero, daily: .zero)
      func prune() async throws -> Int {
        var deletions = 0
        while deletions < 100 {
          let isOver =
            (try? await retention.prune(LimitedStore(store: store), now: .now + 10)) != nil
          for chain in try await BackupCatalog(store).all() {
            for moment in chain.moments {
              #expect(throws: Never.self) { _ = try chain.objects(upTo: moment) }
            }
          }
          if isOver { break }
          deletions += 1
        }
        return deletions
      }
      let before = try store.list("").count
      let deletions = try await prune()
      let restored = try await place.restored()
      let isSame = restored == entries
      #expect(isSame && deletions < 3, "\(deletions) of \(before)")
      try await withRunningBackup(of: database, to: store) { try await $0.flush() }
      let later = try await prune()
      let isRestored = try await place.restored() == entries
      let left = try store.list("").count
      #expect(isRestored && left < 6 && later > 10, "\(later) deletions, \(left) left")
      try await database.close()
    }
  }

  @Test("a loss in the continued generation ends the later one, which then has a base")
  func loss() async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), CountingStore())
      try await database.addPages(400_000)
      for start in 0..<2 {
        try await withRunningBackup(
          of: database, to: store, fenceInterval: .milliseconds(20),
          checkInterval: .milliseconds(20), comparedSize: 0
        ) { backup in
          try await database.add(["\(start)"])
          try await backup.flush()
          guard start == 1 else { return }
          let healthy = try await within {
            await backup.status.first { $0.lastRestorable != nil && $0.lastError == nil }
          }
          let generation = try #require(healthy?.generation)
          #expect(healthy?.lastRestorable?.object.generation.name == generation)
          for name in await store.store.objects.keys where name.contains("-base-") {
            await store.store.delete(name)
          }
          let reported = Task { await backup.status.first { $0.generation != generation } }
          try await database.add(["after the loss"])
          let status = try await within { await reported.value }
          #expect(status?.reason?.contains("copies the file again") ?? false)
          try await backup.flush()
          let isSame = try await place.restored(from: store) == database.entries()
          #expect(isSame)
        }
      }
      try await database.close()
    }
  }

  @Test("a follower continues after a restart of the backup, without the base")
  func follower() async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), CountingStore())
      try await database.addPages(1_000_000)
      try await withRunningBackup(of: database, to: store, comparedSize: 0) { try await $0.flush() }
      let follower = try await Database.follow(
        store, to: place.folder + "/copy.db", keys: [backupKey], interval: .milliseconds(5))
      try await database.add(["between"])
      try await withRunningBackup(of: database, to: store, comparedSize: 0) { backup in
        try await database.add(["later"])
        try await backup.flush()
        let before = store.readBytes
        try await within { try await follower.catchUp() }
        let read = store.readBytes - before
        #expect(read < 200_000, "\(read)")
      }
      let copy = try await place.open(at: place.folder + "/copy.db")
      let isSame = try await copy.entries() == database.entries()
      #expect(isSame)
      try await copy.close()
      await follower.stop()
      try await database.close()
    }
  }

  @Test("a chain of continued generations ends with a base")
  func limit() async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), MemoryStore())
      try await database.addPages(400_000)
      for _ in 0..<35 {
        try await withRunningBackup(of: database, to: store, comparedSize: 0) {
          try await $0.flush()
        }
      }
      let names = await store.objects.keys.compactMap { ObjectName($0) }
      #expect(names.count { $0.link == "base" } == 2 && names.count { $0.origin != nil } == 33)
      let isSame = try await place.restored(from: store) == database.entries()
      #expect(isSame)
      try await database.close()
    }
  }

  @Test("a restore fetches several objects at once, and reports the first that is damaged")
  func parallelRestore() async throws {
    try await withBackupCase { place in
      let (database, store) = (try await place.open(), CountingStore())
      try await database.addPages(6_000_000)
      try await withRunningBackup(of: database, to: store) { try await $0.flush() }
      store.delay = .milliseconds(20)
      let isSame = try await place.restored(from: store) == database.entries()
      #expect(isSame)
      #expect((4...8).contains(store.maximumCalls), "\(store.maximumCalls)")
      let parts = await store.store.objects.keys.filter { $0.contains("-part-") }.sorted()
      #expect(parts.count > 10)
      await store.store.delete(parts[3])
      await store.store.put(parts[1], [1, 2, 3])
      let error = try await failureOfBackup { try await place.restored(from: store) }
      #expect(error.message.contains(parts[1]) || error.message.contains("is missing"), "\(error)")
      await store.store.put(parts[3], [1])
      let changed = try await failureOfBackup { try await place.restored(from: store) }
      #expect(changed.message.contains(parts[1]), "\(changed)")
      try await database.close()
    }
  }

  /// Fails after the first deletion.
  private final class LimitedStore: BackupStore {
    let store: FolderStore
    private let isSpent = Atomic(false)

    init(store: FolderStore) { self.store = store }

    func put(_ name: String, _ bytes: [UInt8]) async throws { try store.put(name, bytes) }
    func get(_ name: String) async throws -> [UInt8]? { try store.get(name) }
    func list(_ prefix: String) async throws -> [String] { try store.list(prefix) }
    func delete(_ name: String) async throws {
      guard !isSpent.exchange(true, ordering: .relaxed) else { throw StoreFault() }
      try store.delete(name)
    }
  }

  /// Counts the bytes that are sent and read, and the calls of `get` at once.
  private final class CountingStore: BackupStore {
    let store = MemoryStore()
    private struct State {
      var (sent, read, calls, maximumCalls) = (0, 0, 0, 0)
      var delay = Duration.zero
    }
    private let state = Mutex(State())

    var sentBytes: Int { state.withLock { $0.sent } }
    var readBytes: Int { state.withLock { $0.read } }
    var maximumCalls: Int { state.withLock { $0.maximumCalls } }
    var delay: Duration {
      get { state.withLock { $0.delay } }
      set { state.withLock { $0.delay = newValue } }
    }

    func put(_ name: String, _ bytes: [UInt8]) async throws {
      await store.put(name, bytes)
      state.withLock { $0.sent += bytes.count }
    }

    func get(_ name: String) async throws -> [UInt8]? {
      let delay = state.withLock { state in
        state.calls += 1
        state.maximumCalls = max(state.maximumCalls, state.calls)
        return state.delay
      }
      if delay > .zero { try await Task.sleep(for: delay) }
      let bytes = await store.get(name)
      state.withLock { state in
        state.calls -= 1
        state.read += bytes?.count ?? 0
      }
      return bytes
    }

    func list(_ prefix: String) async throws -> [String] { await store.list(prefix) }
    func delete(_ name: String) async throws { await store.delete(name) }
  }
}

extension Database {
  /// Adds rows of a page each.
  fileprivate func addPages(_ size: Int) async throws {
    try await write { db in
      try db.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(size / 4_096))
        INSERT INTO entry (text) SELECT hex(randomblob(1900)) FROM n
        """)
    }
  }
}

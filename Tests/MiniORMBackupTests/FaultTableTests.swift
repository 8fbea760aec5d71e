import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

/// Each fault in each phase, with the status and the states that can be restored afterwards.
///
/// A fault happens at a certain call of the store: the first part of the base, a state, the first deletion,
/// the last read of a start that compares pages, or the first read of a restore or of a follower.
@Suite("Faults of a backup in each phase", .timeLimit(.minutes(5)))
struct FaultTableTests {
  enum Phase: Int, CaseIterable, Sendable { case base, frames, pruning, restart, restore, follow }

  /// - `healthy`: all acknowledged states are restored, and the status is without an error and has a
  ///   state that was read back. A restore or a follower returns the newest state.
  /// - `reported`: the same, but the status keeps the error.
  /// - `again`: the status reports the damage, and a new generation has all states.
  /// - `ended`: a second copy writes, so the backup ends, and the acknowledged states stay.
  /// - `moved`: the backup ends, or the follower reports that its file is gone.
  /// - `refused`: the restore throws, and leaves no file of its own.
  private static let table = """
    fault        base     frames   pruning  restart  restore  follow
    before       healthy  healthy  reported healthy  healthy  healthy
    after        healthy  healthy  reported healthy  healthy  healthy
    late         healthy  healthy  reported healthy  healthy  healthy
    hang         healthy  healthy  reported healthy  healthy  healthy
    loss         again    again    again    again    refused  again
    emptied      again    again    again    again    refused  again
    damage       again    again    again    again    refused  again
    clockBack    healthy  healthy  healthy  healthy  healthy  healthy
    clockAhead   healthy  healthy  healthy  healthy  healthy  healthy
    otherCommit  healthy  healthy  healthy  healthy  healthy  healthy
    otherPruning healthy  healthy  healthy  healthy  healthy  healthy
    takeover     ended    ended    ended    ended    healthy  ended
    deletedFile  moved    moved    moved    moved    healthy  moved
    occupiedPath healthy  healthy  healthy  healthy  refused  healthy
    keyChange    healthy  healthy  healthy  healthy  healthy  healthy
    """.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map(String.init) }

  @Test(
    "the table gives the status and the restorable states",
    arguments: table.map { $0[0] }, Phase.allCases)
  func cell(fault: String, phase: Phase) async throws {
    let row = try #require(Self.table.first { $0[0] == fault })
    try await withBackupCase { place in
      let cell = FaultCell(place, try await place.open(), fault, phase, row[1 + phase.rawValue])
      do {
        try await cell.run()
      } catch {
        Issue.record(error)
      }
      for store in [cell.store, cell.reader] { store.release() }
      await cell.backup.stop()
      try? await cell.database.close()
    }
  }
}

private final class FaultCell: @unchecked Sendable {
  // A single task uses the cell, except for the action, which runs while this task waits.
  let store = SimulatedStore()
  /// The same objects, for a restore or a follower.
  let reader: SimulatedStore
  let database: Database
  private(set) var backup: ContinuousBackup
  private let (place, fault, phase, expected): (BackupCase, String, FaultTableTests.Phase, String)
  private let date = Mutex(Date(timeIntervalSince1970: 1_764_000_000))
  /// The acknowledged states before the fault.
  private var states: [(position: BackupPosition, entries: [String])] = []

  init(
    _ place: BackupCase, _ database: Database, _ fault: String, _ phase: FaultTableTests.Phase,
    _ expected: String
  ) {
    (self.place, self.fault, self.phase, self.expected) = (place, fault, phase, expected)
    self.database = database
    backup = ContinuousBackup(of: database, to: store)
    reader = SimulatedStore(store.store)
  }

  func run() async throws {
    try await add("one")
    if phase != .base { try await start() }
    switch phase {
    case .base:
      arm { $0 == .put && $1.contains("-base-") }
      try await start()
    case .frames:
      arm { $0 == .put && ObjectName($1)?.base != nil }
      try await add("two")
    case .pruning:
      try await acknowledge()
      await backup.stop()
      date.withLock { $0 += 60 }
      arm { verb, _ in verb == .delete }
      try await start(retention: BackupRetention(all: .zero, hourly: .zero, daily: .zero))
    case .restart:
      try await acknowledge()
      await backup.stop()
      try await add("two")
      arm { $0 == .get && ObjectName($1)?.base != nil }
      try await start(comparedSize: 0)
    case .restore: return try await restore()
    case .follow: return try await follow()
    }
    try await happen()
    try await finish()
  }

  // MARK: The backup

  private func start(
    retention: BackupRetention? = nil, comparedSize: Int = 1 << 30
  ) async throws {
    backup = ContinuousBackup(
      database, store, .zero, 64 << 20, retention, fenceInterval: .milliseconds(5),
      checkInterval: .milliseconds(5), callLimit: .milliseconds(300), comparedSize: comparedSize,
      clock: { [self] in date.withLock { $0 } })
    try await backup.start()
    if states.isEmpty, phase != .base { try await acknowledge() }
  }

  private func add(_ text: String) async throws {
    date.withLock { $0 += 60 }
    try await database.add([text])
  }

  private func acknowledge() async throws {
    try await within { [backup] in try await backup.flush() }
    let position = try #require(await backup.now.position)
    states.append((position, try await database.entries()))
  }

  private func status(_ isExpected: @escaping @Sendable (BackupStatus) -> Bool) async throws {
    let found = try await within { [backup] in
      // The look at the store follows a commit or a request.
      for await status in backup.status {
        if isExpected(status) { return true }
        try? await backup.flush()
      }
      return false
    }
    #expect(found)
  }

  /// Makes commits, and compares the status and the restored states with the expectation.
  private func finish() async throws {
    switch expected {
    case "healthy":
      try await add("after")
      try await acknowledge()
      try await status { $0.lastError == nil && $0.lastRestorable == $0.position }
    case "reported":
      try await status { $0.lastError != nil }
      try await add("after")
      try await acknowledge()
      let status = await backup.now
      #expect(status.isRunning && status.lastError != nil && status.lastRestorable != nil)
    case "again":
      try await within { [self] in
        while await !(backup.now.reason?.contains("copies the file again") ?? false) {
          try await add("more")
          try await backup.flush()
        }
      }
      try await add("after")
      try await acknowledge()
      try await status { $0.lastError == nil }
      states = states.suffix(1)
    default:
      try? await add("lost")
      let error = try await failureOfBackup {
        try await within { [backup] in try await backup.flush() }
      }
      #expect(error.code == (expected == "ended" ? .misuse : .readOnlyMoved), "\(error)")
      let status = await backup.now
      #expect(!status.isRunning && status.lastError != nil)
    }
    // Pruning takes earlier states.
    let isEnd = ["ended", "moved"].contains(expected)
    if phase == .pruning || fault == "otherPruning" { states = states.suffix(1) }
    for state in states where phase != .pruning || !isEnd {
      let restored = try await place.restored(.position(state.position), from: store.store)
      #expect(restored == state.entries)
    }
    // A state may have been sent before the end.
    guard let last = states.last, !isEnd || phase == .pruning else { return }
    let latest = try await place.restored(from: store.store)
    #expect(latest == last.entries)
  }

  // MARK: Copies

  private func restore() async throws {
    try await add("two")
    try await acknowledge()
    await backup.stop()
    let copy = place.copy
    arm { $0 == .get && ObjectName($1) != nil }
    let timed = TimedStore(reader, limit: .milliseconds(300))
    func restore() async throws {
      try await Database.restore(from: timed, to: copy, keys: [backupKey])
    }
    if expected == "healthy" {
      try await restore()
      let (copied, last) = (try await place.copied(), try #require(states.last).entries)
      #expect(copied == last)
    } else {
      let error = try await failureOfBackup { try await restore() }
      #expect(error.code == (fault == "occupiedPath" ? .inputOutput : .corrupt), "\(error)")
      let files = try FileManager.default.contentsOfDirectory(atPath: place.folder)
      #expect(files.contains("copy.db") == (fault == "occupiedPath"))
      #expect(!files.contains { $0.contains(".miniorm-") }, "\(files)")
    }
    #expect(reader.hasHappened)
    guard fault != "emptied" else { return }
    let first = states[states.count - 2]
    let restored = try await place.restored(.position(first.position), from: store.store)
    #expect(restored == first.entries)
  }

  private func follow() async throws {
    let follower = try await Database.follow(
      TimedStore(reader, limit: .milliseconds(300)), to: place.copy, keys: [laterKey, backupKey],
      interval: .milliseconds(2))
    try await follower.catchUp()
    arm { $0 == .get && ObjectName($1) != nil }
    try await add("two")
    try await happen()
    if expected == "moved" {
      _ = try await within {
        await follower.next { ($0.lastError as? DatabaseError)?.code == .readOnlyMoved }
      }
      return await follower.stop()
    }
    try await finish()
    try await within { try await follower.catchUp() }
    let status = await follower.now
    #expect(status.lastError == nil)
    await follower.stop()
    let copied = try await place.copied(fault == "keyChange" ? laterKey : backupKey)
    let last = try #require(states.last).entries
    #expect(expected == "ended" ? copied.starts(with: last) : copied == last)
  }

  // MARK: Faults

  private func arm(_ isCall: @escaping @Sendable (SimulatedStore.Verb, String) -> Bool) {
    let faults: [String: SimulatedStore.Fault] = [
      "before": .before, "after": .after, "late": .late, "hang": .hang,
    ]
    faulty.once(faults[fault], at: isCall) { [self] in try await act() }
  }

  private var faulty: SimulatedStore { [.restore, .follow].contains(phase) ? reader : store }

  private func happen() async throws {
    try await within { [store = faulty] in
      while !store.hasHappened { try await Task.sleep(for: .milliseconds(2)) }
    }
  }

  private func act() async throws {
    let objects = await store.store.objects
    let newest = objects.keys.compactMap { ObjectName($0) }.max {
      ($0.generation.name, $0.sequence) < ($1.generation.name, $1.sequence)
    }
    switch fault {
    case "loss": await store.store.delete(try #require(newest).text)
    case "emptied": for name in objects.keys { await store.store.delete(name) }
    case "damage":
      guard phase == .restore else { return store.damageNext() }
      let name = try #require(newest).text
      await store.store.put(name, Array(try #require(objects[name]).dropLast()))
    case "clockBack": date.withLock { $0 -= 40 * 86_400 }
    case "clockAhead": date.withLock { $0 += 40 * 86_400 }
    case "otherCommit":
      let other = try await place.open()
      try await other.add(["other"])
      try await other.checkpoint(.full)
      try await other.close()
    case "otherPruning":
      try await BackupRetention(all: .zero, hourly: .zero, daily: .zero)
        .prune(store.store, now: date.withLock { $0 })
    case "takeover":
      let other = try await place.open()
      let record = try #require(try await other.withWriter { try $0.backupRecord() })
      try await other.close()
      let salt = try #require(objects.values.lazy.compactMap { BackupObject.salt(of: $0) }.first)
      let key = try BackupKey(backupKey, salt: salt, settings: .sqlcipher4)
      _ = try await Epoch.claimNext(
        after: record.epoch, in: store.store, key, identity: record.identity, path: "")
    case "deletedFile":
      guard phase != .restore else { return }
      try FileManager.default.removeItem(atPath: phase == .follow ? place.copy : place.path)
    case "occupiedPath":
      guard phase == .restore else { return }
      try Data("mine".utf8).write(to: URL(fileURLWithPath: place.copy))
    case "keyChange": try await database.changeKey(to: laterKey)
    default: Issue.record("the fault \(fault) is unknown")
    }
  }
}

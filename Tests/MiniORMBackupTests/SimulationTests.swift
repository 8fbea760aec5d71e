import BackupTestSupport
import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMBackup

/// Random histories of a backup with a clock and a store of the test: commits, readers, faults of the
/// store, wrong clocks, restarts, a second writer, lost objects and pruning.
///
/// `MINIORM_SIMULATIONS=10000` runs that many. A failure reports the seed and the steps;
/// `MINIORM_SEED=17` runs only that seed. The order of concurrent calls can differ between runs.
@Suite(
  "Simulated backups", .timeLimit(.minutes(60)),
  .enabled(if: ProcessInfo.processInfo.environment["MINIORM_SIMULATIONS"] != nil))
struct SimulationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = environment["MINIORM_SEED"].flatMap { UInt64($0) }
  private static let count = environment["MINIORM_SIMULATIONS"].flatMap { UInt64($0) } ?? 0
  private static let lanes: UInt64 = 8

  @Test(
    "each acknowledged flush can be restored, unless the status said otherwise before",
    arguments: 0..<lanes)
  func promises(_ lane: UInt64) async throws {
    if let seed = Self.seed, lane > 0 || seed >= Self.count { return try await Self.run(seed) }
    for seed in stride(from: lane, to: Self.count, by: Int(Self.lanes)) {
      if let only = Self.seed, only != seed { continue }
      try await Self.run(seed)
    }
  }

  private static func run(_ seed: UInt64) async throws {
    try await withBackupCase { place in
      let simulation = try await Simulation(seed, place)
      do {
        try await simulation.run()
      } catch {
        Issue.record("MINIORM_SEED=\(seed): \(simulation.steps.joined(separator: ", ")): \(error)")
      }
      simulation.store.release()
      await simulation.backup.stop()
      simulation.store.release()
      try? await simulation.database.close()
    }
  }
}

/// A backup and the states that can be restored.
private final class Simulation: @unchecked Sendable {
  // A single task uses the simulation.
  private struct Broken: Error, CustomStringConvertible { let description: String }

  private enum Step: CaseIterable {
    case commit, commits, largeCommit, flush, fault, time, wrongClock, restart, changeAndRestart
    case read, otherCommit, otherCheckpoint, loss, secondWriter, prune, outage, manyCommits, vacuum
  }

  private final class Clock: Sendable {
    let date = Mutex(Date(timeIntervalSince1970: 1_764_000_000))
  }

  private struct State {
    let position: BackupPosition
    let contents: String
    let time: Date
  }

  private static let logSize = 2 << 20
  private let place: BackupCase
  let store = SimulatedStore()
  private let clock = Clock()
  private let retention: BackupRetention?
  private let comparedSize: Int
  private var random: SplitMix
  private(set) var database: Database
  private(set) var backup: ContinuousBackup
  private var other: Database
  private var machines = 0
  private(set) var steps: [String] = []
  /// The acknowledged states since the last lost object.
  private var states: [State] = []
  /// The index of the first state after the clock was set back.
  private var firstOrdered = 0
  private var generation: String?
  private var hasLost = false
  /// True if the next generation may begin.
  private var allowsGeneration = true

  init(_ seed: UInt64, _ place: BackupCase) async throws {
    self.place = place
    random = SplitMix(state: seed)
    retention =
      switch seed % 4 {
      case 1:
        BackupRetention(all: .seconds(3_600), hourly: .seconds(86_400), daily: .seconds(604_800))
      case 3: BackupRetention(all: .seconds(3_600), hourly: .zero, daily: .zero)
      default: nil
      }
    comparedSize = seed / 4 % 4 == 3 ? 1 << 30 : 0
    database = try await place.open()
    other = try await place.open()
    backup = ContinuousBackup(of: database, to: store)
    backup = makeBackup()
    try await backup.start()
  }

  private func makeBackup() -> ContinuousBackup {
    ContinuousBackup(
      database, store, .zero, Self.logSize, retention, fenceInterval: .milliseconds(2),
      checkInterval: .milliseconds(20), callLimit: .milliseconds(300), comparedSize: comparedSize,
      clock: { [clock] in clock.date.withLock { $0 } })
  }

  func run() async throws {
    for _ in 0..<9 {
      let step = Step.allCases[Int.random(in: 0..<Step.allCases.count, using: &random)]
      steps.append("\(step)")
      advance(TimeInterval(Int.random(in: 1...600, using: &random)))
      try await make(step)
    }
    steps.append("end")
    try await add(1)
    try await flush(checks: false)
    try await checkLog()
    try await checkStates()
    try await other.close()
  }

  // MARK: Steps

  private func make(_ step: Step) async throws {
    switch step {
    case .commit: try await add(1)
    case .commits: for _ in 0..<4 { try await add(2) }
    case .largeCommit: try await add(60)
    case .flush: try await flush(checks: Bool.random(using: &random))
    case .fault:
      let count = Int.random(in: 1...2, using: &random)
      store.fail((0..<count).map { _ in SimulatedStore.Fault.allCases[pick(4)] })
    case .time: advance(TimeInterval(Int.random(in: 3_600...200_000, using: &random)))
    case .wrongClock: try await makeClockWrong()
    case .restart: try await restart(changes: false)
    case .changeAndRestart: try await restart(changes: true)
    case .read:
      let duration = Double(Int.random(in: 5...30, using: &random)) / 1_000
      _ = Task { [database] in
        try? await database.read { db in
          _ = try db.query(Int.self, "SELECT count(*) FROM entry")
          Thread.sleep(forTimeInterval: duration)
        }
      }
    case .otherCommit: try await other.add(["other"])
    case .otherCheckpoint:
      try await other.checkpoint(Bool.random(using: &random) ? .passive : .full)
    case .loss: try await loseObject()
    case .secondWriter: try await beginSecondWriter()
    case .prune:
      // As the command-line tool in another process.
      let timed = TimedStore(store, limit: .milliseconds(300))
      _ = try? await (retention ?? BackupRetention()).prune(timed, now: now)
      try await checkStates()
    case .outage: try await outage()
    case .manyCommits:
      for _ in 0..<30 { try await add(4) }
      try await flush(checks: false)
      try await checkLog()
    case .vacuum:
      try await database.write { db in try db.execute("DELETE FROM entry WHERE id % 2 = 1") }
      try? await database.vacuum()
      // A vacuum can write more than the maximum of the log.
      allowsGeneration = true
    }
  }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private var now: Date { clock.date.withLock { $0 } }
  private func advance(_ seconds: TimeInterval) { clock.date.withLock { $0 += seconds } }

  private func add(_ count: Int) async throws {
    let text = String(repeating: "\(pick(1_000)) ", count: 400)
    try await database.add(Array(repeating: text, count: count))
  }

  private func makeClockWrong() async throws {
    let days: TimeInterval = [-40, -1, -0.02, 0.02, 1, 40][pick(6)]
    advance(days * 86_400)
    // The order of the times says nothing about the states before.
    if days < 0 { firstOrdered = states.count }
  }

  private func restart(changes: Bool) async throws {
    if Bool.random(using: &random) { try await flush(checks: false) }
    await backup.stop()
    if changes {
      try await add(pick(20))
      if Bool.random(using: &random) { try await database.checkpoint(.truncate) }
      if Bool.random(using: &random) {
        let path = database.path
        try await database.close()
        try await other.close()
        database = try await place.open(at: path)
        other = try await place.open(at: path)
        try await database.write { db in try db.execute("DELETE FROM entry WHERE id % 5 = 0") }
      }
    }
    backup = makeBackup()
    allowsGeneration = true
    try await backup.start()
  }

  private func loseObject() async throws {
    try await flush(checks: false)
    let catalog = BackupCatalog(store.store)
    let names = try await catalog.names()
    guard let name = names.last(where: { $0.generation.name == generation }) else {
      throw Broken(description: "the generation of the status is not listed")
    }
    let chain = try await catalog.chain(name)
    guard let newest = chain.completeMoments.last else {
      throw Broken(description: "the generation has no state after a flush")
    }
    let objects = try chain.objects(upTo: newest)
    let lost = Bool.random(using: &random) ? objects.randomElement(using: &random)?.text : name.text
    await store.store.delete(lost ?? name.text)
    (states, firstOrdered, allowsGeneration, hasLost) = ([], 0, true, true)
    let old = generation
    try await waits("a lost object is reported") {
      try await self.add(1)
      try await self.backup.flush()
      if await self.backup.now.generation != old { return true }
      // After a further base, later states do not need the object.
      let chain = try await catalog.chain(name)
      guard let lost, let last = chain.completeMoments.last, last.sequence > newest.sequence
      else { return false }
      return try !chain.objects(upTo: last).map(\.text).contains(lost)
    }
    try await flush(checks: true)
  }

  /// A restored file on a second machine takes over, sometimes after the loss of the first file.
  private func beginSecondWriter() async throws {
    // Otherwise the first writer may begin after the second.
    try await flush(checks: false)
    machines += 1
    let path = "\(place.folder)/machine\(machines).db"
    try await Database.restore(from: store.store, to: path, keys: [backupKey])
    let (first, firstBackup) = (database, backup)
    try await other.close()
    if Bool.random(using: &random) {
      try FileManager.default.removeItem(atPath: first.path)
      try await refuses(firstBackup, "a backup of a deleted file")
    }
    database = try await place.open(at: path)
    other = try await place.open(at: path)
    backup = makeBackup()
    allowsGeneration = true
    try await backup.start(takingOver: true)
    try await add(1)
    try await flush(checks: Bool.random(using: &random))
    try? await first.add(["after the takeover"])
    try await refuses(firstBackup, "the former writer")
    await firstBackup.stop()
    try? await first.close()
  }

  private func refuses(_ backup: ContinuousBackup, _ name: String) async throws {
    do {
      try await within { try await backup.flush() }
    } catch is DatabaseError {
      return
    }
    throw Broken(description: "\(name) acknowledged a flush")
  }

  private func outage() async throws {
    store.isAway = true
    allowsGeneration = true
    for _ in 0..<3 { try await add(100) }
    try await waits("the status shows that the store is away") {
      await self.backup.now.lastError != nil
    }
    store.isAway = false
    try await flush(checks: true)
  }

  // MARK: Promises

  private func flush(checks: Bool) async throws {
    let contents = try await database.contents()
    try await within { [backup] in try await backup.flush() }
    var status = await backup.now
    // The status may report an object that the test has deleted at any time.
    let isLossKnown =
      hasLost
      && ((status.lastError as? DatabaseError)?.code == .corrupt
        || status.reason?.contains("The store lost") ?? false)
    if isLossKnown, status.position == nil {
      try await within { [backup] in try await backup.flush() }
      status = await backup.now
    }
    guard let position = status.position, status.isRunning else {
      throw Broken(description: "no position after a flush: \(status)")
    }
    if status.generation != generation, generation != nil, !allowsGeneration, !isLossKnown {
      throw Broken(description: "a generation began: \(status.reason ?? "")")
    }
    (generation, allowsGeneration) = (status.generation, false)
    let state = State(position: position, contents: contents, time: position.date)
    if let last = states.last, last.position > position {
      throw Broken(description: "\(position) is before \(last.position)")
    }
    states.append(state)
    if checks { try await check(state) }
  }

  private func check(_ state: State) async throws {
    let found = try await restored(.position(state.position))
    guard found == state.contents else {
      throw Broken(description: "\(state.position) was restored as \(found): \(state.contents)")
    }
  }

  private func restored(_ moment: BackupMoment) async throws -> String {
    let copy = place.folder + "/restored.db"
    defer { try? Database.delete(path: copy) }
    try await Database.restore(from: store.store, at: moment, to: copy, keys: [backupKey])
    let database = try await Database(path: copy, key: backupKey)
    let contents = try await database.contents()
    try await database.close()
    return contents
  }

  /// Each state that the retention promises is listed, and some states are restored.
  private func checkStates() async throws {
    guard let newest = states.last else { return }
    let listed = try await self.listed()
    // Later commits may be in the store too, and their states replace an old one.
    let isNewest = !listed.contains {
      BackupPosition(file: newest.position.file, object: $0) > newest.position
    }
    let promised = states.indices.filter { index in
      let age = now.timeIntervalSince(states[index].time)
      return retention == nil && age < 80_000 && index >= firstOrdered
        || index == states.count - 1 && isNewest || index >= firstOrdered && age <= 3_600
    }
    for state in promised.map({ states[$0] }) where !listed.contains(state.position.object) {
      throw Broken(description: "\(state.position) of \(state.time) is gone at \(now)")
    }
    let isEnd = steps.last == "end"
    if !isEnd, listed.contains(newest.position.object) { try await check(newest) }
    let kept = states.indices.filter { listed.contains(states[$0].position.object) }
    if let old = kept.randomElement(using: &random) {
      do {
        try await check(states[old])
      } catch let error as DatabaseError {
        // The running backup may have deleted a state that no retention promises.
        let isListed = try await self.listed().contains(states[old].position.object)
        guard !promised.contains(old), !isListed else { throw error }
      }
    }
    guard isEnd else { return }
    let latest = try await restored(.latest)
    guard latest == newest.contents else {
      throw Broken(description: "the latest state is \(latest): \(newest.contents)")
    }
  }

  private func listed() async throws -> Set<ObjectName> {
    Set(try await BackupCatalog(store.store).all().flatMap(\.completeMoments))
  }

  /// Without readers and faults, the log stays below the maximum.
  private func checkLog() async throws {
    try await waits("the log stays below its maximum") {
      try await self.add(1)
      try await self.flush(checks: false)
      let log = try await self.other.checkpoint(.passive)
      return (log?.logPageCount ?? 0) * 4_120 <= Self.logSize
    }
  }

  private func waits(_ what: String, _ isTrue: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while try await !isTrue() {
      guard .now < end else { throw Broken(description: "not true: \(what)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

extension Database {
  /// The number of rows, and a summary.
  fileprivate func contents() async throws -> String {
    try await read { db in
      try db.query(
        String.self,
        "SELECT count(*) || ' ' || total(id * length(text)) || ' ' || coalesce(sum(instr(text, '7')), 0) FROM entry"
      )[0]
    }
  }
}

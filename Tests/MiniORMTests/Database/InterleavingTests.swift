import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("account") private struct Account {
  let id: Int64
  @Column(.check("balance >= 0")) var balance: Int
}

/// A committed transfer. Each commit writes a row, so the rows match the commits.
@Table("entry") private struct Entry {
  @Column(.primaryKey) let id: Int64
  var source: Int64
  var target: Int64
  @Column(.unique) var token: Int64
  var amount: Int
}

private let accounts = Table<Account>()
private let entries = Table<Entry>()

/// The error that a transfer throws deliberately.
private struct Refused: Error {}

/// 16 tasks transfer money and 16 tasks sum the balances, in seeded orders: see `SeededScheduler`.
@Suite("Transfers in random orders")
struct InterleavingTests {
  private static let count: Int64 = 8
  private static let total = 8 * 100

  /// The first seed (`MINIORM_SEED`) and the number of seeds (`MINIORM_SEEDS`).
  private static let seeds: Range<UInt64> = {
    let variables = ProcessInfo.processInfo.environment
    let first = variables["MINIORM_SEED"].flatMap { UInt64($0) }
    let count = variables["MINIORM_SEEDS"].flatMap { UInt64($0) } ?? (first == nil ? 30 : 1)
    return (first ?? 1)..<(first ?? 1) + count
  }()

  /// The tasks and observations of a run.
  private final class Run: Sendable {
    let database: Database
    let tasks = Mutex<[Task<Void, Never>]>([])
    private let found = Mutex<[String]>([])
    private let finished = Atomic(0)
    /// The outcomes reported to the callers of transfers.
    let committed = Mutex<Set<Int64>>([])
    let failed = Mutex<[Int64: String]>([:])

    init(_ database: Database) { self.database = database }

    var mistakes: [String] { found.withLock { $0 } }
    var finishedCount: Int { finished.load(ordering: .relaxed) }
    func note(_ mistake: String) { found.withLock { $0.append(mistake) } }
    func finish() { finished.add(1, ordering: .relaxed) }
  }

  private enum Fault: CaseIterable {
    case none, thrown, check, unique, rolledBack, overTime, nested, nestedCheck, undoneInside
  }

  // MARK: Tasks

  private static func move(
    _ entry: Entry, _ fault: Fault, _ db: isolated Connection
  ) throws {
    let (from, to, amount) = (entry.source, entry.target, entry.amount)
    try accounts.where { $0.id == from }.update { $0.balance -= amount }.run(in: db)
    switch fault {
    case .thrown: throw Refused()
    case .check:
      try accounts.where { $0.id == to }.update { $0.balance -= 10_000 }.run(in: db)
    case .rolledBack:
      // SQLite rolls back the whole transaction, and the closure continues.
      _ = try? db.execute("UPDATE OR ROLLBACK account SET balance = -1 WHERE id = \(to)")
    case .overTime: usleep(3_000)
    default: break
    }
    try accounts.where { $0.id == to }.update { $0.balance += amount }.run(in: db)
    try entries.insert(entry, in: db)
    if fault == .unique { try entries.insert(entry, in: db) }
  }

  private static func transfer(
    _ number: Int64, _ random: inout SeededRandom, isTimed: Bool, in run: Run
  ) async throws {
    let from = Int64.random(in: 1...count, using: &random)
    let to = from % count + 1
    let amount = Int.random(in: 1...30, using: &random)
    var fault =
      Bool.random(using: &random)
      ? Fault.none : Fault.allCases.randomElement(using: &random) ?? .none
    if fault == .overTime, !isTimed { fault = .thrown }
    let entry = Entry(id: number, source: from, target: to, token: number, amount: amount)
    let chosen = fault
    let limit: Duration = fault == .overTime ? .milliseconds(2) : .seconds(3_600)
    do {
      try await withTimeLimit(limit) {
        try await run.database.write { db in
          switch chosen {
          case .nested:
            try db.transaction { db in try db.transaction { db in try move(entry, chosen, db) } }
          case .nestedCheck:
            // Rolling back a savepoint keeps the rest of the transaction.
            _ = try? db.transaction { db in
              try accounts.where { $0.id == from }.update { $0.balance += 7 }.run(in: db)
              try accounts.where { $0.id == to }.update { $0.balance -= 10_000 }.run(in: db)
            }
            try move(entry, chosen, db)
          case .undoneInside:
            try? db.transaction { db in
              try move(entry, chosen, db)
              throw Refused()
            }
            try move(entry, chosen, db)
          default: try move(entry, chosen, db)
          }
        }
      }
      run.committed.withLock { _ = $0.insert(number) }
    } catch {
      run.failed.withLock { $0[number] = "\(chosen): \(error)" }
      switch (error, chosen) {
      case (is CancellationError, _): throw error
      case (is Refused, .thrown): break
      case (let error as DatabaseError, _) where error.code.primary == .constraint: break
      case (let error as DatabaseError, .rolledBack) where error.code == .misuse: break
      case (let error as DatabaseError, .overTime) where error.code == .interrupt: break
      default: run.note("\(chosen) threw \(error)")
      }
      return
    }
    // A task sees its own committed write, on any connection.
    guard try await entries.find(number, in: run.database) != nil else {
      return run.note("the transfer \(number) has returned, and is not there")
    }
  }

  private static func sum(_ random: inout SeededRandom, in run: Run) async throws {
    let database = run.database
    let sum: Int?
    switch Int.random(in: 0..<6, using: &random) {
    case 0: sum = try await accounts.sum(of: { $0.balance }, in: database)
    case 1: sum = try await accounts.fetchAll(in: database).map(\.balance).reduce(0, +)
    case 2:
      sum = try await database.read { db in
        try (1...count).map { try accounts.find($0, in: db)?.balance ?? 0 }.reduce(0, +)
      }
    case 3:
      let counted = Mutex(0)
      try await accounts.forEach(in: database) { account in
        counted.withLock { $0 += account.balance }
      }
      sum = counted.withLock { $0 }
    case 4:
      // The balances match the entries of the same state.
      sum = try await database.read { db in
        let list = try accounts.fetchAll(in: db)
        let moved = try entries.fetchAll(in: db)
        let isEqual = list.allSatisfy { account in
          let received = moved.filter { $0.target == account.id }.map(\.amount).reduce(0, +)
          let sent = moved.filter { $0.source == account.id }.map(\.amount).reduce(0, +)
          return account.balance == 100 + received - sent
        }
        return isEqual ? list.map(\.balance).reduce(0, +) : -1
      }
    default:
      sum = try await database.read { db in
        try db.value(Int.self, "SELECT sum(balance) FROM account")
      }
    }
    if sum != total { run.note("somebody read a sum of \(sum ?? 0)") }
  }

  /// Maintenance during the transfers.
  private static func maintain(_ random: inout SeededRandom, in run: Run) async throws {
    let database = run.database
    switch Int.random(in: 0..<4, using: &random) {
    case 0: database.releaseMemory()
    case 1: try await database.checkpoint(.passive)
    case 2: try await database.checkpoint(.truncate)
    default: _ = database.statistics()
    }
  }

  private static func start(_ run: Run, seed: UInt64, isTimed: Bool, on workers: Workers) {
    for number in 0..<33 {
      let task = Task(executorPreference: workers) {
        var random = SeededRandom(seed << 8 | UInt64(number))
        do {
          for turn in 0..<3 {
            switch number {
            case 0..<16:
              try await transfer(
                Int64(number * 10 + turn + 1), &random, isTimed: isTimed, in: run)
            case 16..<32: try await sum(&random, in: run)
            default: try await maintain(&random, in: run)
            }
          }
        } catch is CancellationError {
        } catch {
          run.note("task \(number) threw \(error)")
        }
        run.finish()
      }
      run.tasks.withLock { $0.append(task) }
    }
  }

  // MARK: A seed

  private static func configuration(_ seed: UInt64) -> Configuration {
    var random = SeededRandom(seed &+ 77)
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.busyTimeout = .seconds(3_600)
    configuration.readerTimeout = .seconds(3_600)
    configuration.maximumReaderCount = Int.random(in: 1...4, using: &random)
    // With a rollback journal, connections wait for locks.
    configuration.journalMode = seed % 8 == 7 ? .delete : .wal
    return configuration
  }

  /// Runs a seed.
  /// - Parameter isTimed: True if some calls have a timeout. The seed does not determine timeouts.
  /// - Returns: A digest of the order of all events.
  private static func run(_ seed: UInt64, isTimed: Bool) async throws -> UInt64 {
    try await withTemporaryPath { path in
      let current = Mutex<Run?>(nil)
      let scheduler = SeededScheduler(seed: seed) { random in
        guard Int.random(in: 0..<60, using: &random) == 0, let run = current.withLock({ $0 })
        else { return }
        run.tasks.withLock { $0.randomElement(using: &random) }?.cancel()
      }
      var configuration = configuration(seed)
      // Creates the file first, outside the scheduler.
      let plain = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await plain.migrate(DatabaseSchema(Account.self, Entry.self))
      try await accounts.insert(
        contentsOf: (1...count).map { _ in Account.Draft(balance: 100) }, in: plain)
      try await plain.close()

      let workers = Workers(scheduler)
      configuration.workers = workers
      let database = try Database.scheduled(path, configuration)
      let run = Run(database)
      current.withLock { $0 = run }
      start(run, seed: seed, isTimed: isTimed, on: workers)
      scheduler.start()
      // No step was taken although a task waits: a wake-up was lost.
      var (steps, since) = (0, ContinuousClock.now)
      while run.finishedCount < 33 {
        try await Task.sleep(for: .milliseconds(1))
        let now = scheduler.history.steps
        if now != steps { (steps, since) = (now, .now) }
        if since < .now - .seconds(20) { break }
      }
      current.withLock { $0 = nil }
      #expect(run.finishedCount == 33, "MINIORM_SEED=\(seed): somebody waits for ever")
      guard run.finishedCount == 33 else { return 0 }
      let digest = scheduler.history.digest

      #expect(run.mistakes.isEmpty, "MINIORM_SEED=\(seed)")
      let there = Set(try await entries.fetchAll(in: database).map(\.id))
      let committed = run.committed.withLock { $0 }
      let failed = run.failed.withLock { $0 }
      #expect(there == committed, "MINIORM_SEED=\(seed): \(failed)")
      #expect(
        try await accounts.sum(of: { $0.balance }, in: database) == total, "MINIORM_SEED=\(seed)")
      let statistics = database.statistics()
      #expect(
        statistics.busyReaderCount == 0 && !statistics.isWriting && statistics.waitingCount == 0,
        "MINIORM_SEED=\(seed): a connection was not given back")
      for connection in database.pool.connections {
        let state = connection.sync { db in [db.depth, db.cache?.checkedOut ?? 0] }
        #expect(state == [0, 0], "MINIORM_SEED=\(seed)")
      }
      #expect(try await database.integrityReport().isEmpty, "MINIORM_SEED=\(seed)")
      try await database.close()
      scheduler.end()
      return digest
    }
  }

  @Test(
    "the sum stays constant with 16 transferring tasks, 16 summing tasks and faults, in any order")
  func transfers() async throws {
    for seed in Self.seeds {
      // Timeouts do not depend on the seed.
      _ = try await Self.run(seed, isTimed: seed % 8 == 5)
    }
  }

  @Test("the same seed reproduces the order of all events")
  func replays() async throws {
    for seed: UInt64 in [2, 3, 4, 7] {
      let first = try await Self.run(seed, isTimed: false)
      #expect(try await Self.run(seed, isTimed: false) == first)
      #expect(try await Self.run(seed + 8, isTimed: false) != first)
    }
  }
}

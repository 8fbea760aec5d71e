import CSQLCipher
import Dispatch
import Foundation
import Synchronization

@testable import MiniORM

/// Runs a single piece of work at a time, and chooses the next by a seed. It can switch when a
/// connection is requested or returned, when a statement begins, returns a row or ends, when a
/// commit begins or ends, and when a task resumes. A seed reproduces the order of all events, and
/// rare orders are as likely as common orders.
final class SeededScheduler: WorkScheduler {
  private enum Turn {
    case work(@Sendable () -> Void)
    /// A thread stopped at a step.
    case thread(DispatchSemaphore)
  }

  private struct State {
    var random: SeededRandom
    var ready: [Turn] = []
    var isRunning = false
    var isStarted = false
    var isOver = false
    /// Idle threads, each with a slot for work.
    var idle: [Helper] = []
    var steps = 0
    var digest: UInt64 = 14_695_981_039_346_656_037

    /// Removes and returns the next turn.
    mutating func choose(_ order: Order) -> Turn? {
      guard !ready.isEmpty else { return nil }
      let index =
        switch order {
        case .any: Int.random(in: 0..<ready.count, using: &random)
        case .newest: Bool.random(using: &random) ? ready.count - 1 : pick()
        case .oldest: Bool.random(using: &random) ? 0 : pick()
        }
      note(UInt64(index) << 32 | UInt64(ready.count))
      return ready.remove(at: index)
    }

    private mutating func pick() -> Int { Int.random(in: 0..<ready.count, using: &random) }

    mutating func note(_ event: UInt64) {
      steps += 1
      digest = (digest ^ event) &* 1_099_511_628_211
    }
  }

  private enum Order: CaseIterable { case any, newest, oldest }

  private final class Helper: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    let work = Mutex<(@Sendable () -> Void)?>(nil)
  }

  private let state = Mutex(State(random: SeededRandom(0)))
  /// The thread that has the turn.
  private let owner = Atomic<UInt>(0)
  private let order: Order
  /// A switch happens at one in this number of steps.
  private let rarity: Int
  /// Called at each step.
  private let atStep: @Sendable (inout SeededRandom) -> Void

  init(seed: UInt64, atStep: @escaping @Sendable (inout SeededRandom) -> Void = { _ in }) {
    var random = SeededRandom(seed)
    order = Order.allCases.randomElement(using: &random) ?? .any
    rarity = [1, 2, 6, 20].randomElement(using: &random) ?? 1
    self.atStep = atStep
    state.withLock { [random] in $0.random = random }
  }

  /// Starts running the queued work.
  func start() {
    let first = state.withLock { state -> Turn? in
      state.isStarted = true
      let first = state.choose(order)
      state.isRunning = first != nil
      return first
    }
    if let first { begin(first) }
  }

  /// Ends the idle threads, after all work is done.
  func end() {
    let idle = state.withLock { state in
      state.isOver = true
      defer { state.idle = [] }
      return state.idle
    }
    for helper in idle { helper.semaphore.signal() }
  }

  /// The number and a digest of the choices.
  var history: (steps: Int, digest: UInt64) { state.withLock { ($0.steps, $0.digest) } }

  // MARK: WorkScheduler

  func run(_ work: @escaping @Sendable () -> Void) {
    let turn = state.withLock { state -> Turn? in
      state.ready.append(.work(work))
      guard state.isStarted, !state.isRunning else { return nil }
      state.isRunning = true
      return state.choose(order)
    }
    if let turn { begin(turn) }
  }

  func step() {
    // Ignores threads outside the scheduler.
    guard owner.load(ordering: .relaxed) == miniorm_thread() else { return }
    var random = state.withLock { state in
      state.note(1)
      return SeededRandom(state.random.next())
    }
    atStep(&random)
    guard Int.random(in: 0..<rarity, using: &random) == 0 else { return }
    let semaphore = DispatchSemaphore(value: 0)
    let turn = state.withLock { state in
      state.ready.append(.thread(semaphore))
      return state.choose(order)
    }
    if case .thread(let chosen) = turn, chosen === semaphore { return }
    owner.store(0, ordering: .relaxed)
    if let turn { begin(turn) }
    semaphore.wait()
    owner.store(miniorm_thread(), ordering: .relaxed)
  }

  /// See [sqlite3_trace_v2](https://www.sqlite.org/c3ref/trace_v2.html).
  func opened(_ database: OpaquePointer) {
    sqlite3_trace_v2(
      database,
      UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE),
      { _, context, _, _ in
        guard let context else { return 0 }
        Unmanaged<SeededScheduler>.fromOpaque(context).takeUnretainedValue().step()
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())  // the configuration retains the scheduler
  }

  // MARK: Threads

  private func begin(_ turn: Turn) {
    switch turn {
    case .thread(let semaphore): semaphore.signal()
    case .work(let work):
      let helper = state.withLock { $0.idle.popLast() }
      if let helper {
        helper.work.withLock { $0 = work }
        helper.semaphore.signal()
      } else {
        let helper = Helper()
        helper.work.withLock { $0 = work }
        let thread = Thread { [self] in serve(helper) }
        thread.stackSize = 4 << 20
        thread.start()
      }
    }
  }

  /// The loop of each thread.
  private func serve(_ helper: Helper) {
    while var work = helper.work.withLock({ $0.take() }) {
      while true {
        owner.store(miniorm_thread(), ordering: .relaxed)
        work()
        owner.store(0, ordering: .relaxed)
        let (turn, ends) = state.withLock { state -> (Turn?, Bool) in
          let turn = state.choose(order)
          state.isRunning = turn != nil
          if case .work = turn { return (turn, false) }
          if !state.isOver { state.idle.append(helper) }
          return (turn, state.isOver)
        }
        if case .work(let next) = turn {
          work = next
          continue
        }
        if let turn { begin(turn) }
        if ends { return }
        break
      }
      helper.semaphore.wait()
    }
  }
}

extension Database {
  /// Opens a file on this thread, before its scheduler starts.
  static func scheduled(_ path: String, _ configuration: Configuration) throws -> Database {
    let database = Database(unopened: path, configuration)
    let opening = try database.writer.assumingHeld { db throws(DatabaseError) in
      try db.openFirst([.raw(testKeyBytes)])
    }
    try database.reader.assumingHeld { db throws(DatabaseError) in
      try db.open(opening.cipher, isReadOnly: true)
    }
    database.pool.set(database.reader.assumingHeld { $0.template })
    return database
  }
}

extension Connection {
  /// Runs a closure on this thread.
  fileprivate nonisolated func assumingHeld<Result, E: Error>(
    _ body: (isolated Connection) throws(E) -> Result
  ) throws(E) -> Result {
    try state.executor.sync { () throws(E) in try assumingIsolated(body) }
  }
}

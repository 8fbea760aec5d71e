import Foundation
import MiniORM
import Synchronization

/// How soon observers are told of a commit, and what they cost it: MiniORM's `values(in:)` beside GRDB's
/// `ValueObservation` with its pool.
struct Observers {
  static let titles = [
    "commit to observer, µs", "one write, 0 observers, µs", "one write, 1,000 of other rows, µs",
    "one write, 1,000 of its row, µs", "… until all are told, ms",
  ]
  static let count = 1_000
  private let rounds: Int
  private let contenders: [any ObserversContender]
  /// The same with files of their own, whose other rows are observed.
  private let watched: [any ObserversContender]

  /// Fills the files.
  init(folder: String, key: [UInt8]?, rounds: Int) async throws {
    let targets = ["observers", "watched"].map { Target(path: "\(folder)/\($0).db", key: key) }
    self.rounds = rounds
    for target in targets {
      let raw = try RawConnection(target)
      try raw.createTables()
      _ = try raw.insert((1...(Self.count + 1)).map { Integers.make(Int64($0)) })
      raw.close()
    }
    contenders = [try await ObserversMiniORM(targets[0]), try ObserversGRDB(targets[0])]
    watched = [try await ObserversMiniORM(targets[1]), try ObserversGRDB(targets[1])]
  }

  /// Prints a row for each piece of work.
  /// - Returns: What missed its target.
  func run(title file: String) async throws -> [String] {
    var (delays, writes) = ([[Double]](), [[[Double]]]())
    for (contender, watched) in zip(contenders, watched) {
      delays.append(try await measureDelays(contender))
      let others = try await measureOthers(contender, watched)
      let own = try await measureOwn(contender)
      writes.append(others + [own.write, own.told])
      for contender in [contender, watched] { try await contender.close() }
    }
    print("\nobservation, \(file), medians of \(200 * rounds) commits; of 20 with 1,000 of its row")
    print(column("work", 44) + contenders.map { column($0.name, 20) }.joined())
    let told = delays.map { String(format: "%.0f, 99 %% %.0f", $0.median, $0.percentile(99)) }
    print(column(Self.titles[0], 44) + told.map { column($0, 20) }.joined())
    for (index, title) in Self.titles.dropFirst().enumerated() {
      let figures = writes.map { String(format: "%.0f", $0[index].median) }
      print(column(title, 44) + figures.map { column($0, 20) }.joined())
    }
    var missed: [String] = []
    if delays[0].median > delays[1].median || delays[0].percentile(99) > delays[1].percentile(99) {
      missed.append("\(Self.titles[0]) (\(file)) above GRDB's")
    }
    if writes[0][1].median > 1.2 * writes[0][0].median {
      missed.append("\(Self.titles[2]) (\(file)) more than 1.2 × without observers")
    }
    if writes[0][2].median > 10_000 {
      missed.append("\(Self.titles[3]) (\(file)) more than 10 ms")
    }
    return missed
  }

  /// The microseconds from the end of each closure that writes, before its COMMIT, to the observer's value.
  private func measureDelays(_ contender: any ObserversContender) async throws -> [Double] {
    let arrivals = Arrivals()
    let moment = Shared(ContinuousClock.now)
    let delays = Shared<[Double]>([])
    let observer = Task {
      try await contender.observe(1) { value in
        let delay = moment.withLock { ContinuousClock.now - $0 } / .microseconds(1)
        if arrivals.arrive(value) { delays.withLock { $0.append(delay) } }
      }
    }
    for number in 1...Int64(200 * rounds + 20) {
      await arrivals.prepare(number, count: 1) {
        try? await contender.write(1, number) { moment.withLock { $0 = .now } }
      }
    }
    observer.cancel()
    _ = await observer.result
    return Array(delays.withLock { $0 }.dropFirst(20))
  }

  /// The microseconds of each write of row 1 where nobody observes, and where a thousand observe other rows: one of the one
  /// and one of the other in turn.
  private func measureOthers(
    _ contender: any ObserversContender, _ watched: any ObserversContender
  ) async throws -> [[Double]] {
    let clock = ContinuousClock()
    var writes: [[Double]] = [[], []]
    for contender in [contender, watched] { try await contender.write(1, -1) {} }
    let observers = await observe(watched, Array(2...Int64(Self.count + 1)), Arrivals())
    for number in 1...Int64(200 * rounds + 20) {
      for (index, contender) in [contender, watched].enumerated() {
        let began = clock.now
        try await contender.write(1, number) {}
        writes[index].append((clock.now - began) / .microseconds(1))
      }
    }
    await end(observers)
    return writes.map { Array($0.dropFirst(20)) }
  }

  /// The microseconds of each write of row 1 while a thousand observe it, and the milliseconds until all of these have been told.
  private func measureOwn(
    _ contender: any ObserversContender
  ) async throws -> (write: [Double], told: [Double]) {
    let arrivals = Arrivals()
    let clock = ContinuousClock()
    var (writes, told): ([Double], [Double]) = ([], [])
    try await contender.write(1, -1) {}
    let observers = await observe(contender, Array(repeating: 1, count: Self.count), arrivals)
    for number in 1...Int64(22) {
      let began = clock.now
      var written = Duration.zero
      await arrivals.prepare(number, count: Self.count) {
        try? await contender.write(1, number) {}
        written = clock.now - began
      }
      writes.append(written / .microseconds(1))
      told.append((clock.now - began) / .milliseconds(1))
    }
    await end(observers)
    return (Array(writes.dropFirst(2)), Array(told.dropFirst(2)))
  }

  /// Observes rows, and waits until each observer has its first value.
  private func observe(
    _ contender: any ObserversContender, _ keys: [Int64], _ arrivals: Arrivals
  ) async -> [Task<Void, any Error>] {
    let first = Arrivals()
    let observers = Shared<[Task<Void, any Error>]>([])
    await first.prepare(nil, count: keys.count) {
      for key in keys {
        let observer = Task {
          try await contender.observe(key) { value in
            first.arrive(nil)
            arrivals.arrive(value)
          }
        }
        observers.withLock { $0.append(observer) }
      }
    }
    return observers.withLock { $0 }
  }

  private func end(_ observers: [Task<Void, any Error>]) async {
    for observer in observers {
      observer.cancel()
      _ = await observer.result
    }
  }
}

extension [Double] {
  fileprivate func percentile(_ percent: Int) -> Double {
    let sorted = sorted()
    return sorted.isEmpty ? .nan : sorted[Swift.min(sorted.count - 1, sorted.count * percent / 100)]
  }
}

/// A value that several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    state.withLock { value in
      var copy = value
      defer { value = copy }
      return body(&copy)
    }
  }
}

/// Waits until a number of observers have a value.
final class Arrivals: Sendable {
  private struct State {
    var value: Int64?
    var missing = 0
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  /// Does something, and waits for as many arrivals of a value.
  func prepare(_ value: Int64?, count: Int, _ body: () async -> Void) async {
    state.withLock { ($0.value, $0.missing) = (value, count) }
    await body()
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.missing > 0 { state.waiter = continuation }
        return state.missing == 0
      }
      if isThere { continuation.resume() }
    }
  }

  /// - Returns: Whether the value is the one that is waited for.
  @discardableResult
  func arrive(_ value: Int64?) -> Bool {
    let (counts, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      guard state.missing > 0, state.value == value else { return (false, nil) }
      state.missing -= 1
      guard state.missing == 0 else { return (true, nil) }
      defer { state.waiter = nil }
      return (true, state.waiter)
    }
    waiter?.resume()
    return counts
  }
}

protocol ObserversContender: Sendable {
  var name: String { get }
  /// Sets `f` of a row in a transaction, and calls a closure at the end of it, before COMMIT.
  func write(_ key: Int64, _ value: Int64, _ end: @escaping @Sendable () -> Void) async throws
  /// Tells `f` of a row, now and after each commit that changes it, until the task is cancelled.
  func observe(_ key: Int64, _ tell: @escaping @Sendable (Int64) -> Void) async throws
  func close() async throws
}

private final class ObserversMiniORM: ObserversContender {
  let name = "MiniORM"
  private let database: Database

  init(_ target: Target) async throws {
    var configuration = Configuration()
    configuration.synchronous = .normal
    database = try await Database(
      path: target.path, key: target.key.map { Key.raw($0) }, configuration: configuration)
  }

  func write(_ key: Int64, _ value: Int64, _ end: @escaping @Sendable () -> Void) async throws {
    try await database.write { db in
      try Table<Integers>().where { $0.id == key }.update { $0.f = value }.run(in: db)
      end()
    }
  }
  func observe(_ key: Int64, _ tell: @escaping @Sendable (Int64) -> Void) async throws {
    for try await rows in Table<Integers>().where({ $0.id == key }).values(in: database) {
      if let row = rows.first { tell(row.f) }
    }
  }
  func close() async throws { try await database.close() }
}

import Foundation
import MiniORM
import Synchronization

/// Work that many tasks do at once, on a file of its own: by hand on as many connections, by MiniORM's pool and by
/// GRDB's.
struct Together {
  static let titles = [
    "two tasks reading 16,000 × 14", "two tasks looking up by key", "writes beside 4 readers",
    "writes beside 4 readers that rest",
  ]
  static let readerCount = 4
  private static let lookUps = 4_000
  private static let writes = 200

  let target: Target
  let rounds: Int
  private let contenders: [any TogetherContender]

  /// Fills the file.
  init(folder: String, key: [UInt8]?, rounds: Int) async throws {
    target = Target(path: folder + "/together.db", key: key)
    self.rounds = rounds
    let raw = try RawConnection(target)
    try raw.createTables()
    _ = try raw.insert((1...Target.fetchedMixed).map { Mixed.make(Int64($0)) })
    _ = try raw.insert((1...Self.lookUps).map { Integers.make(Int64($0)) })
    raw.close()
    contenders = [
      try TogetherByHand(target), try await TogetherMiniORM(target), try TogetherGRDB(target),
    ]
  }

  /// Prints a row for each piece of work.
  /// - Returns: What missed its target.
  func run(only: String?, title file: String) async throws -> [String] {
    var missed: [String] = []
    print(
      "\nmany tasks, \(file), medians of \(rounds) interleaved rounds on \(processorCount) cores; multiples of one task's work in the same time"
    )
    print(
      column("work", 40) + contenders.map { column($0.name, 14) }.joined() + column("target", 8))
    for title in Self.titles where only.map({ title.contains($0) }) ?? true {
      var figures = [[Double]](repeating: [], count: contenders.count)
      for round in 0...rounds {
        for step in contenders.indices {
          let index = (step + round) % contenders.count
          let figure = try await measure(title, contenders[index])
          // Round 0 warms up.
          if round > 0 { figures[index].append(figure) }
        }
      }
      let medians = figures.map(\.median)
      let limit = limit(of: title, byHand: medians[0])
      print(
        column(title, 40) + medians.map { column(String(format: "%.2f", $0), 14) }.joined()
          + column(limit.map { String(format: "%.2f", $0) } ?? "–", 8))
      if let limit, medians[1] < limit {
        missed.append("\(title) (\(file)) \(String(format: "%.2f", medians[1])) < \(limit)")
      }
    }
    for contender in contenders { try await contender.close() }
    return missed
  }

  private func limit(of title: String, byHand: Double) -> Double? {
    switch title {
    case Self.titles[0]: 1.8
    // Each takes locks that all connections of the process have in common: two threads in C, with nothing around
    // SQLite, get 0.95 times as much done as one.
    case Self.titles[1]: nil
    // The threads that never rest share the processors with the one that writes, whoever wrote them.
    case Self.titles[2]: processorCount > Self.readerCount ? 0.9 : min(0.9, byHand)
    default: 0.9
    }
  }

  private func measure(_ title: String, _ contender: any TogetherContender) async throws -> Double {
    let clock = ContinuousClock()
    switch title {
    case Self.titles[0]:
      return try await throughput { task in
        for _ in 0..<8 { try check(await contender.read(task), Target.fetchedMixed) }
      }
    case Self.titles[1]:
      let keys = (1...Self.lookUps).map { Int64($0) }
      return try await throughput { task in
        try check(await contender.lookUp(keys, task), Self.lookUps)
      }
    default:
      func write() async throws -> Duration {
        try await contender.clear()
        return try await clock.measure {
          try await contender.write((1...Self.writes).map { Integers.make(Int64(1_000_000 + $0)) })
        }
      }
      let alone = try await write()
      let rests = title == Self.titles[3]
      let isOver = Flag()
      let readers = (0..<Self.readerCount).map { task in
        Task {
          while !isOver.isSet {
            if rests {
              // Few rows, and then as an application that does something with them, or waits.
              _ = try await contender.lookUp([1, 2, 3, 4, 5, 6, 7, 8], task)
              try await Task.sleep(for: .milliseconds(1))
            } else {
              _ = try await contender.read(task)
            }
          }
        }
      }
      // They have begun by then.
      try await Task.sleep(for: .milliseconds(20))
      let beside = try await write()
      isOver.set()
      for reader in readers { try await reader.value }
      return alone / beside
    }
  }

  private func throughput(_ work: @escaping @Sendable (_ task: Int) async throws -> Void)
    async throws -> Double
  {
    let clock = ContinuousClock()
    let alone = try await clock.measure { try await work(0) }
    let both = try await clock.measure {
      let other = Task { try await work(1) }
      try await work(0)
      try await other.value
    }
    return 2 * (alone / both)
  }
}

private func check(_ found: Int, _ expected: Int) throws {
  guard found == expected else {
    throw BenchError(description: "\(found) rows instead of \(expected)")
  }
}

let processorCount = ProcessInfo.processInfo.activeProcessorCount

final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

protocol TogetherContender: Sendable {
  var name: String { get }
  /// Reads all rows of `mixed`. Tasks that read at once have different numbers.
  func read(_ task: Int) async throws -> Int
  func lookUp(_ keys: [Int64], _ task: Int) async throws -> Int
  /// Inserts each row in a transaction of its own, which waits for the disk.
  func write(_ rows: [Integers]) async throws
  /// Deletes what was inserted.
  func clear() async throws
  func close() async throws
}

private final class TogetherByHand: TogetherContender {
  let name = "by hand"
  private let writer: BareActor
  private let readers: [BareActor]

  init(_ target: Target) throws {
    let raw = try RawConnection(target)
    try raw.execute("PRAGMA synchronous = FULL")
    writer = BareActor(raw)
    readers = try (0..<Together.readerCount).map { _ in BareActor(try RawConnection(target)) }
  }

  func read(_ task: Int) async throws -> Int {
    try await readers[task].run { try $0.fetchMixed().count }
  }
  func lookUp(_ keys: [Int64], _ task: Int) async throws -> Int {
    try await readers[task].run { raw in
      try keys.reduce(0) { try raw.find($1) == nil ? $0 : $0 + 1 }
    }
  }
  func write(_ rows: [Integers]) async throws {
    try await writer.run { raw in for row in rows { try raw.insert(row) } }
  }
  func clear() async throws {
    try await writer.run { try $0.execute("DELETE FROM integers WHERE id > 1000000") }
  }
  func close() async throws {
    for reader in readers { await reader.close() }
    await writer.close()
  }
}

private final class TogetherMiniORM: TogetherContender {
  let name = "MiniORM"
  private let database: Database

  init(_ target: Target) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = Together.readerCount
    database = try await Database(
      path: target.path, key: target.key.map { Key.raw($0) }, configuration: configuration)
  }

  func read(_ task: Int) async throws -> Int {
    try await database.read { db in try Table<Mixed>().fetchAll(in: db).count }
  }
  func lookUp(_ keys: [Int64], _ task: Int) async throws -> Int {
    let table = Table<Integers>()
    var found = 0
    for key in keys where try await table.find(key, in: database) != nil { found += 1 }
    return found
  }
  func write(_ rows: [Integers]) async throws {
    let table = Table<Integers>()
    for row in rows { try await table.insert(row, in: database) }
  }
  func clear() async throws {
    try await Table<Integers>().where { $0.id > 1_000_000 }.delete().run(in: database)
  }
  func close() async throws { try await database.close() }
}

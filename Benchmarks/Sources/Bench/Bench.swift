import Foundation
import MiniORM

/// Prints how MiniORM compares with a hand-written sqlite3 loop, and with GRDB, in one run.
///
/// `bench [--rounds N] [--only WORD|WORD] [--plain | --encrypted]`; `bench --work TITLE FOLDER` and
/// `bench --memory fetch|stream` are what it starts itself, to measure one piece of work, or its memory, in a process of
/// its own, and `bench --fill FOLDER` and `bench --repeat N FOLDER WORK CONTENDER` what scripts/maintainer/bench-instructions does.
@main
struct Bench {
  // Not async: Valgrind does not survive what becomes of the main thread then.
  static func main() {
    let end = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await run()
      } catch {
        print("bench: error: \(error)")
        exit(1)
      }
      end.signal()
    }
    end.wait()
  }

  private static func run() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    var rounds = 15
    var only: String?
    var kinds = [false, true]
    var own: (title: String, folder: String)?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
      case "--only": only = arguments.popFirst()
      case "--plain": kinds = [false]
      case "--encrypted": kinds = [true]
      case "--work": own = (arguments.popFirst() ?? "", arguments.popFirst() ?? "")
      case "--fill": return try await Instructions.fill(folder: arguments.popFirst() ?? "")
      case "--repeat": return try await Instructions.run(Array(arguments))
      case "--memory":
        return try await measureMemory(arguments.popFirst() ?? "", arguments.popFirst() ?? "")
      default: throw BenchError(description: "unknown argument \(argument)")
      }
    }
    if let own {
      return try await OneWork(folder: own.folder, isEncrypted: kinds == [true])
        .printResults(of: own.title, rounds: rounds)
    }
    var missed: [String] = []
    for isEncrypted in kinds {
      missed += try await run(isEncrypted: isEncrypted, rounds: rounds, only: only)
    }
    print(missed.isEmpty ? "\nEvery target holds." : "\nMissed: \(missed.joined(separator: "; "))")
  }

  private static func run(isEncrypted: Bool, rounds: Int, only: String?) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "miniorm-bench-\(UUID())"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let one = OneWork(folder: folder, isEncrypted: isEncrypted)
    let (target, scratch, key) = (one.target, one.scratch, one.target.key)
    try await fill(target)
    for each in [target, scratch] {
      let raw = try RawConnection(each)
      if each.path == scratch.path { try raw.createTables() }
      raw.close()
    }
    let title = isEncrypted ? "encrypted file" : "plain file"
    let (version, names) = try await one.contents()
    print(
      "\n\(title), SQLCipher \(version), medians of \(rounds) interleaved rounds; multiples of sqlite3 by hand"
    )
    let width = 18
    print(
      column("work", 34) + column("by hand, ms", 14)
        + names.dropFirst().map { column($0, width) }.joined() + column("target", 8))
    var missed: [String] = []
    let words = only?.split(separator: "|")
    for work in works where words?.contains(where: { work.title.contains($0) }) ?? true {
      let results = try one.results(of: work, rounds: rounds)
      guard results.count == names.count + 1 else {
        throw BenchError(description: "\(work.title): no result for each contender")
      }
      let base = results[names.count] * 1000
      let ratio = results[1]
      // What waits for a thread or the disk has no bound of its own: MiniORM is faster than GRDB.
      let limit = work.target ?? results[2..<names.count].filter { !$0.isNaN }.min()
      print(
        column(work.title, 34) + column(String(format: "%.2f", base), 14)
          + results[1..<names.count].map { column(formatted($0), width) }.joined()
          + column(limit.map(formatted) ?? "–", 8))
      if let limit, ratio > limit {
        missed.append("\(work.title) (\(title)) \(formatted(ratio)) > \(formatted(limit))")
      }
    }
    if isEncrypted, only.map({ Rebuild.title.contains($0) }) ?? true {
      missed += try await Rebuild(folder: folder, key: key).run(
        rounds: max(1, rounds / 3), title: title)
    }
    missed += try await runTogether(
      folder: folder, key: key, rounds: rounds, only: only, title: title)
    if only == nil {
      print("peak memory, MiB (each in a process of its own)")
      for kind in ["open", "fetch", "stream"] {
        print(
          column("\(kind) \(Target.fetchedIntegers) × 10", 34)
            + column(try memory(of: kind, target.path, key), 14))
      }
    }
    return missed
  }

  /// What many tasks do, and what is no work of the contenders'.
  private static func runTogether(
    folder: String, key: [UInt8]?, rounds: Int, only: String?, title: String
  ) async throws -> [String] {
    func isAsked(_ titles: [String]) -> Bool {
      only.map { only in titles.contains { $0.contains(only) } } ?? true
    }
    var missed: [String] = []
    if isAsked(Together.titles) {
      missed += try await Together(folder: folder, key: key, rounds: rounds)
        .run(only: only, title: title)
    }
    if isAsked(Observers.titles) {
      missed += try await Observers(folder: folder, key: key, rounds: rounds).run(title: title)
    }
    if key != nil, isAsked([Opening.title]) {
      missed += try await Opening(folder: folder).run(rounds: rounds, title: title)
    }
    if isAsked([Streaming.title]) {
      missed += try Streaming.run(folder: folder, key: key, title: title)
    }
    return missed
  }

  static var works: [Work] {
    let keys = (0..<10_000).map { Int64($0 * 7919 % Target.fetchedIntegers + 1) }
    let integers = (1...50_000).map { Integers.make(Int64($0)) }
    let mixed = (1...20_000).map { Mixed.make(Int64($0)) }
    let updates = keys.map { key in
      var row = Integers.make(key)
      row.f += 1
      return row
    }
    let clear: (any Contender) async throws -> Void = { try await $0.clear() }
    return [
      Work(title: "fetch 200,000 × 10 integers", target: 1.25, expected: Target.fetchedIntegers) {
        try await $0.fetchIntegers()
      },
      Work(title: "fetch 16,000 × 14 mixed", target: 1.25, expected: Target.fetchedMixed) {
        try await $0.fetchMixed()
      },
      Work(title: "fetch 16,000 × 10, 80 % NULL", target: 1.25, expected: Target.fetchedNulls) {
        try await $0.fetchNulls()
      },
      Work(
        title: "insert 50,000 × 10 integers", target: 1.25, expected: integers.count, prepare: clear
      ) {
        try await $0.insertIntegers(integers)
      },
      Work(title: "insert 20,000 × 14 mixed", target: 1.25, expected: mixed.count, prepare: clear) {
        try await $0.insertMixed(mixed)
      },
      Work(
        title: "20,000 drafts, a call for each", target: 3.5, expected: mixed.count,
        prepare: clear
      ) {
        try await $0.insertMixedOneByOne(mixed)
      },
      Work(title: "10,000 look-ups, one transaction", target: 1.5, expected: keys.count) {
        try await $0.lookUpInTransaction(keys)
      },
      Work(title: "10,000 look-ups, one await each", target: nil, expected: keys.count) {
        try await $0.lookUpEach(keys)
      },
      Work(title: "2,000 inserts, one await each", target: nil, expected: 2_000, prepare: clear) {
        try await $0.insertEach(Array(integers.prefix(2_000)))
      },
      // By hand one statement, where a transaction of MiniORM runs three. The next reads the row back by hand, which is
      // what was needed to return it as stored before it was known.
      Work(title: "2,000 inserts without await", target: nil, expected: 2_000, prepare: clear) {
        try await $0.insertEachSynchronously(Array(integers.prefix(2_000)))
      },
      Work(title: "2,000 inserts, each row read back", target: nil, expected: 2_000, prepare: clear)
      {
        try await $0.insertAndFetchEach(Array(integers.prefix(2_000)))
      },
      Work(title: "10,000 updates by key", target: 1.5, expected: updates.count) {
        try await $0.update(updates)
      },
      Work(title: "join 4 tables, 20,000 rows", target: 1.25, expected: DeliveryLine.countBelow) {
        try await $0.fetchLines()
      },
      Work(
        title: "10,000 runs of a query", target: 1.5, expected: Article.runs.count * Article.found
      ) {
        try await $0.fetchArticles(of: Article.runs)
      },
    ] + Shapes.works + Everyday.works + News.works + [
      // Several times in a round: one of them takes as long as a thread or two take to wake.
      Work(title: "20 × open, read a row, close", target: nil, expected: 20) { contender in
        var found = 0
        for _ in 0..<20 { found += try await contender.open() }
        return found
      },
      Work(title: "the same with two connections", target: nil, expected: 20) { contender in
        var found = 0
        for _ in 0..<20 { found += try await contender.openBoth() }
        return found
      },
    ]
  }

  static func fill(_ target: Target) async throws {
    let raw = try RawConnection(target)
    try raw.createTables()
    raw.close()
    let database = try await Database(path: target.path, key: target.key.map { Key.raw($0) })
    try await Table<Integers>().insert(
      contentsOf: (1...Target.fetchedIntegers).map { Integers.make(Int64($0)) }, in: database)
    try await Table<Mixed>().insert(
      contentsOf: (1...Target.fetchedMixed).map { Mixed.make(Int64($0)) }, in: database)
    try await Table<Nulls>().insert(
      contentsOf: (1...Target.fetchedNulls).map { Nulls.make(Int64($0)) }, in: database)
    try await Delivery.fill(database)
    try await Shapes.fill(database)
    try await database.close()
    let rows = try RawConnection(target)
    try rows.execute(Everyday.rows)
    try rows.execute(News.rows)
    rows.close()
  }

  /// Runs this program again for one piece of work and reads the peak that it prints.
  static func memory(of kind: String, _ path: String, _ key: [UInt8]?) throws -> String {
    let argument = (key == nil ? "plain:" : "encrypted:") + path
    return try OwnProcess.line(["--memory", kind, argument])
  }

  private static func measureMemory(_ kind: String, _ argument: String) async throws {
    let isEncrypted = argument.hasPrefix("encrypted:")
    let path = String(argument.drop { $0 != ":" }.dropFirst())
    let target = Target(path: path, key: isEncrypted ? [UInt8](0..<32) : nil)
    if kind.hasPrefix("stream:"), let count = Int(kind.dropFirst("stream:".count)) {
      return try await Streaming.measure(target, count: count)
    }
    let contender = try await MiniORMContender(target, scratch: Target(path: ":memory:", key: nil))
    switch kind {
    case "fetch": _ = try await contender.fetchIntegers()
    case "stream": try await contender.stream()
    default: break
    }
    print(String(format: "%.1f", peakMemory()))
  }
}

extension Sequence {
  func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}

import Foundation
import MiniORM

/// A table as it is made.
@Table("reading")
struct Reading: Identifiable {
  let id: Int64
  var sensor: Int64
  var name: String
  var value: Double
  var note: String?

  static func make(_ n: Int64) -> Reading {
    Reading(
      id: n, sensor: n % 1_000, name: "Sensor \(n &* 7919 % 1_000_003)", value: Double(n) * 0.5,
      note: n % 3 == 0 ? "A note about \(n)" : nil)
  }
}

/// The same with an index.
@Table("reading")
struct IndexedReading: Identifiable {
  let id: Int64
  var sensor: Int64
  var name: String
  var value: Double
  var note: String?

  static var indexes: [Index<IndexedReading>] { [Index("reading_name") { $0.name }] }
}

/// The same with a constraint, for which the table is made anew.
@Table("reading")
struct CheckedReading: Identifiable {
  let id: Int64
  var sensor: Int64
  var name: String
  @Column(.check("value >= 0")) var value: Double
  var note: String?

  static var indexes: [Index<CheckedReading>] { [Index("reading_name") { $0.name }] }
}

/// The same work on a small table and on a large one, and what a row costs in each. Where SQLite's own cost grows, as that of
/// pages in no order does, the same is done by hand, and MiniORM's may grow as much.
struct Growth {
  private static let small = 100_000
  private static let limit = 1.3
  /// How many MiB more than for the small table may be used where rows are streamed.
  private static let memoryLimit = 8.0
  private static let batch = 50_000
  private static let touched = 10_000

  let folder: String
  let key: [UInt8]?
  let rows: Int

  private struct Figure {
    let title: String
    /// In microseconds for a row.
    let cost: Double
    /// The same by hand; nil where it is not measured.
    let costByHand: Double?
    /// In MiB above what was used before; nil where it is not looked at.
    let memory: Double?
  }

  /// - Returns: What missed its target.
  func run() async throws -> [String] {
    let (small, large) = (try await figures(Self.small), try await figures(rows))
    print("\nmicroseconds for a row; MiB at the peak above those before")
    print(
      column("work", 36)
        + ["\(Self.small)", "\(rows)", "ratio", "by hand", "ratio", "MiB", "MiB"].map {
          column($0, 12)
        }
        .joined())
    var missed: [String] = []
    for (small, large) in zip(small, large) {
      let ratio = large.cost / small.cost
      let byHand = (small.costByHand ?? .nan, large.costByHand ?? .nan)
      let ratioByHand = byHand.1 / byHand.0
      func memory(_ figure: Figure) -> String {
        figure.memory.map { String(format: "%.1f", $0) } ?? "–"
      }
      print(
        column(small.title, 36)
          + [small.cost, large.cost, ratio, byHand.1, ratioByHand].map { figure in
            column(figure.isNaN ? "–" : String(format: "%.2f", figure), 12)
          }.joined()
          + column(memory(small), 12) + column(memory(large), 12))
      let limit = Self.limit * (ratioByHand.isNaN ? 1 : max(1, ratioByHand))
      if ratio > limit {
        missed.append(String(format: "\(small.title) %.2f > %.2f", ratio, limit))
      }
      if let before = small.memory, let after = large.memory, after - before > Self.memoryLimit {
        missed.append("\(small.title): \(String(format: "%.1f", after - before)) MiB more")
      }
    }
    return missed
  }

  private func figures(_ count: Int) async throws -> [Figure] {
    let path = folder + "/\(count).db"
    let database = try await Database(path: path, key: key.map { .raw($0) })
    try await database.migrate(DatabaseSchema(version: 1, Reading.self))
    var figures: [Figure] = []
    let clock = ContinuousClock()
    let raw = try ByHand(path, key: key)
    defer { raw.close() }
    func measure(
      _ title: String, rows: Int, times: Int = 1, looksAtMemory: Bool = false,
      byHand: ((_ time: Int) throws -> Void)? = nil, undo: String = "",
      _ body: (_ time: Int) async throws -> Void
    ) async throws {
      let before = looksAtMemory ? resetPeak() : 0
      var (costs, costsByHand): ([Double], [Double]) = ([], [])
      func measureByHand(_ time: Int) throws {
        guard let byHand else { return }
        let duration = try clock.measure { try byHand(time) }
        costsByHand.append(duration / .microseconds(1) / Double(rows))
        try raw.run(undo)
      }
      for time in 0..<times {
        // Who comes second finds what the first one has left in the log and in the system's cache.
        if time.isMultiple(of: 2) { try measureByHand(time) }
        let duration = try await clock.measure { try await body(time) }
        costs.append(duration / .microseconds(1) / Double(rows))
        if !time.isMultiple(of: 2) { try measureByHand(time) }
      }
      figures.append(
        Figure(
          title: title, cost: costs.median, costByHand: byHand.map { _ in costsByHand.median },
          memory: looksAtMemory ? memory("VmHWM:") - before : nil))
    }

    let readings = Table<Reading>()
    try await measure("insert, 50,000 a transaction", rows: count, looksAtMemory: true) { _ in
      for start in stride(from: 1, through: count, by: Self.batch) {
        let batch = (start..<min(start + Self.batch, count + 1)).map { Reading.make(Int64($0)) }
        try await readings.insert(contentsOf: batch, in: database)
      }
    }
    try await database.checkpoint(.truncate)
    // Keys in no order, other ones each time.
    func keys(_ time: Int) -> [Int64] {
      (0..<Self.touched).map { Int64(($0 + time * 1_000_003) &* 7_919 % count + 1) }
    }
    func changed(_ time: Int) -> [Reading] {
      keys(time).map { key in
        var row = Reading.make(key)
        row.value += 1
        return row
      }
    }
    func names(_ time: Int) -> [String] { keys(time).map { Reading.make($0).name } }
    try await measure(
      "look up by key", rows: Self.touched, times: 7, byHand: { try raw.find(keys($0 + 100)) }
    ) { time in
      let keys = keys(time)
      let found = try await database.read { db in
        var found = 0
        for key in keys where try readings.find(key, in: db) != nil { found += 1 }
        return found
      }
      try check(found, Self.touched)
    }
    try await measure("read a range", rows: Self.touched, times: 7) { time in
      let start = Int64(count / 2 + time)
      let found = try await readings.where {
        $0.id >= start && $0.id < start + Int64(Self.touched)
      }
      .fetchAll(in: database)
      try check(found.count, Self.touched)
    }
    try await measure(
      "update by key", rows: Self.touched, times: 5, byHand: { try raw.update(changed($0 + 100)) }
    ) { time in
      try check(try await readings.update(contentsOf: changed(time), in: database), Self.touched)
    }
    try await database.checkpoint(.truncate)
    try await measure("stream all", rows: count, looksAtMemory: true) { _ in
      try await readings.forEach(in: database) { _ in }
    }
    try await measure("update all in one statement", rows: count) { _ in
      try check(
        try await readings.update { $0.sensor += 1 }.run(in: database), count)
    }
    try await database.checkpoint(.truncate)
    // As much memory for pages as a migration has.
    try raw.run("PRAGMA cache_size = -65536")
    try await measure(
      "migrate: an index", rows: count,
      byHand: { _ in try raw.run("CREATE INDEX by_hand ON reading(name)") },
      undo: "DROP INDEX by_hand; PRAGMA wal_checkpoint(TRUNCATE)"
    ) { _ in
      try await database.migrate(DatabaseSchema(version: 2, IndexedReading.self))
    }
    try raw.run("PRAGMA cache_size = -2000")
    try await measure(
      "look up by the index", rows: Self.touched, times: 7,
      byHand: { try raw.find(names($0 + 100)) }
    ) { time in
      let names = names(time)
      _ = try await database.read { db in
        for name in names { _ = try readings.where { $0.name == name }.limit(1).fetchAll(in: db) }
      }
    }
    try await database.checkpoint(.truncate)
    try raw.run("PRAGMA cache_size = -65536")
    try await measure(
      "migrate: the table anew", rows: count,
      byHand: { _ in
        try raw.run(
          """
          BEGIN IMMEDIATE;
          CREATE TABLE by_hand (id INTEGER PRIMARY KEY NOT NULL, sensor INTEGER NOT NULL, name TEXT NOT NULL,
            value REAL NOT NULL CHECK (value >= 0), note TEXT) STRICT;
          INSERT INTO by_hand SELECT * FROM reading;
          CREATE INDEX by_hand_name ON by_hand(name);
          DROP TABLE by_hand;
          COMMIT
          """)
      }, undo: "PRAGMA wal_checkpoint(TRUNCATE)"
    ) { _ in
      try await database.migrate(DatabaseSchema(version: 3, CheckedReading.self))
    }
    try check(try await readings.count(in: database), count)
    try await database.close()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    print("\(count) rows: a file of \(size >> 20) MiB")
    try Database.delete(path: path)
    return figures
  }

  private func check(_ found: Int, _ expected: Int) throws {
    guard found == expected else {
      throw LargeBenchError(description: "\(found) rows instead of \(expected)")
    }
  }
}

/// A figure of this process's memory in MiB, as Linux tells it.
private func memory(_ name: String) -> Double {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
    let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first
  else { return .nan }
  return (Double(kibibytes) ?? .nan) / 1024
}

/// Has the peak begin anew.
/// - Returns: What is used just now.
private func resetPeak() -> Double {
  try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  return memory("VmRSS:")
}

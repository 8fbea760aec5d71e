import Foundation
import MiniORM
import Synchronization

/// What reading a million rows one by one takes of memory, each number of rows in a process of its own.
enum Streaming {
  static let title = "stream 1,000,000 rows"
  private static let counts = [100_000, 1_000_000]
  /// How many MiB more ten times as many rows may take.
  private static let target = 1.0

  /// - Returns: What missed its target.
  static func run(folder: String, key: [UInt8]?, title file: String) throws -> [String] {
    let target = Target(path: folder + "/streaming.db", key: key)
    let raw = try RawConnection(target)
    try raw.createTables()
    try raw.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      INSERT INTO item SELECT i, 'Item number ' || i, i * 0.5 + 0.25 FROM n;
      PRAGMA wal_checkpoint(TRUNCATE)
      """)
    raw.close()
    print("\n\(title), \(file): peak memory in MiB after opening, after it, and between")
    var growth: [Double] = []
    for count in counts {
      let figures = try Bench.memory(of: "stream:\(count)", target.path, key)
        .split(separator: " ").compactMap { Double($0) }
      guard figures.count == 2 else { throw BenchError(description: "no figures of memory") }
      growth.append(figures[1] - figures[0])
      print(
        column("\(count) rows", 34)
          + (figures + [figures[1] - figures[0]]).map { column(String(format: "%.1f", $0), 10) }
          .joined())
    }
    let more = growth[1] - growth[0]
    guard more > Self.target else { return [] }
    return ["\(title) (\(file)): \(String(format: "%.1f", more)) MiB more than \(counts[0])"]
  }

  /// What the process of its own does.
  static func measure(_ target: Target, count: Int) async throws {
    // The page cache is full after 100,000 rows: otherwise the figures would differ by its size.
    var configuration = Configuration()
    configuration.cacheSize = 2 << 20
    let database = try await Database(
      path: target.path, key: target.key.map { Key.raw($0) }, configuration: configuration)
    let before = peakMemory()
    let found = Atomic(0)
    try await Table<Item>().where { $0.id <= Int64(count) }.forEach(in: database) { item in
      if item.id > 0 { found.add(1, ordering: .relaxed) }
    }
    guard found.load(ordering: .relaxed) == count else {
      throw BenchError(description: "other rows than \(count)")
    }
    try await database.close()
    print(String(format: "%.1f %.1f", before, peakMemory()))
  }
}

import CSQLCipher
import Foundation
import MiniORM

@Table("shelf") private struct Shelf: Identifiable { let id: Int64 }

@Table("volume")
private struct Volume: Identifiable {
  let id: Int64
  var shelfID: Shelf.ID
  var name: String
  var weight: Double

  static func make(_ n: Int64, of version: Int64 = 0) -> Volume {
    Volume(
      id: n, shelfID: (n &+ version) % 100 + 1,
      name: "Volume \((n &+ version) &* 7919 % 1_000_003)",
      weight: Double(n) / 2)
  }
}

/// The growth of the time of bulk changes with the number of rows, beside a statement per row by
/// hand in a transaction without savepoints.
struct Bulk {
  private static let sizes: [Int] = [10_000, 100_000, 1_000_000]
  /// Ten times the rows take at most this many times the time, or `handLimit` times the growth by
  /// hand.
  private static let limit = 12.0
  private static let handLimit = 1.2

  let folder: String
  let key: [UInt8]?
  let rows: Int

  private enum Shape: String, CaseIterable { case plain, keys, triggers }

  private static let changes = ["insert", "update", "upsert", "delete", "deleteAll", "truncate"]

  /// - Returns: The changes that missed their target.
  func run() async throws -> [String] {
    var missed: [String] = []
    let sizes = Self.sizes.filter { $0 <= rows }
    print("\nseconds for \(sizes.map { "\($0)" }.joined(separator: ", ")) rows, and the growths")
    for shape in Shape.allCases {
      var byHand: [String: [Double]] = [:]
      for mode in ["by hand", "write", "call"] {
        var seconds: [String: [Double]] = [:]
        for size in sizes {
          for (change, time) in try await measure(shape, mode, size) {
            seconds[change, default: []].append(time)
          }
        }
        if mode == "by hand" { byHand = seconds }
        for change in Self.changes {
          guard let times = seconds[change] else { continue }
          let growths = zip(times, times.dropFirst()).map { $1 / $0 }
          let title = "\(shape.rawValue), \(change), \(mode)"
          print(
            column(title, 32)
              + times.map { column(String(format: "%.3f", $0), 10) }.joined()
              + growths.map { column(String(format: "%.1f", $0), 8) }.joined())
          guard mode != "by hand" else { continue }
          let hand = byHand[change].map { times in zip(times, times.dropFirst()).map { $1 / $0 } }
          for (index, growth) in growths.enumerated() {
            let limit = max(Self.limit, (hand?[index] ?? 0) * Self.handLimit)
            if growth > limit {
              missed.append(String(format: "\(title) %.1f > %.1f", growth, limit))
            }
          }
        }
      }
    }
    return missed
  }

  private func measure(
    _ shape: Shape, _ mode: String, _ count: Int
  ) async throws -> [String: Double] {
    let path = folder + "/bulk.db"
    let database = try await Database(path: path, key: key.map { .raw($0) })
    try await database.write { db in try db.execute(script: Self.script(shape)) }
    let volumes = Table<Volume>()
    let new = (1...Int64(count)).map { Volume.make($0) }
    let changed = (1...Int64(count)).map { Volume.make($0, of: 1) }
    let keys = new.map(\.id)
    var times: [String: Double] = [:]
    let hand = mode == "by hand" ? try HandWritten(path, key: key) : nil
    defer { hand?.close() }
    func time(
      _ change: String, _ operation: @Sendable (isolated Connection) throws -> Int,
      _ call: () async throws -> Int, _ byHand: (HandWritten) throws -> Void
    ) async throws {
      let clock = ContinuousClock()
      let duration = try await clock.measure {
        if let hand {
          try byHand(hand)
        } else if mode == "write" {
          try await database.write { db in
            try db.execute("UPDATE shelf SET id = id WHERE id = 1")
            _ = try operation(db)
          }
        } else {
          _ = try await call()
        }
      }
      times[change] = duration / .seconds(1)
      try await database.checkpoint(.truncate)
    }
    try await time(
      "insert", { try volumes.insert(contentsOf: new, in: $0) },
      { try await volumes.insert(contentsOf: new, in: database) }, { try $0.insert(new) })
    try await time(
      "update", { try volumes.update(contentsOf: changed, in: $0) },
      { try await volumes.update(contentsOf: changed, in: database) }, { try $0.update(changed) })
    if mode == "write" {
      try await time(
        "upsert",
        { db in
          for row in new { try volumes.upsert(row, in: db) }
          return new.count
        }, { 0 }, { _ in })
    }
    try await time(
      "delete", { try volumes.delete(keys: keys, in: $0) },
      { try await volumes.delete(keys: keys, in: database) }, { try $0.delete(keys) })
    for change in ["deleteAll", "truncate"] {
      try await volumes.insert(contentsOf: new, in: database)
      try await database.checkpoint(.truncate)
      let isTruncation = change == "truncate"
      try await time(
        change,
        { isTruncation ? try volumes.truncate(in: $0) : try volumes.deleteAll(in: $0) },
        {
          isTruncation
            ? try await volumes.truncate(in: database) : try await volumes.deleteAll(in: database)
        }, { try $0.run("DELETE FROM volume") })
    }
    try await database.close()
    hand?.close()
    try Database.delete(path: path)
    return times
  }

  private static func script(_ shape: Shape) -> String {
    let reference = shape == .plain ? "" : " REFERENCES shelf (id)"
    var script = """
      CREATE TABLE shelf (id INTEGER PRIMARY KEY NOT NULL) STRICT;
      CREATE TABLE volume (id INTEGER PRIMARY KEY NOT NULL, shelfID INTEGER NOT NULL\(reference),
        name TEXT NOT NULL, weight REAL NOT NULL) STRICT;
      CREATE TABLE seen (id INTEGER PRIMARY KEY NOT NULL, count INTEGER NOT NULL) STRICT;
      INSERT INTO seen VALUES (1, 0);
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO shelf SELECT i FROM n;
      """
    if shape != .plain {
      script += """
        CREATE INDEX volume_shelf ON volume (shelfID);
        CREATE INDEX volume_name ON volume (name);
        """
    }
    if shape == .triggers {
      for event in ["INSERT", "UPDATE", "DELETE"] {
        script += """
          CREATE TRIGGER volume_\(event) AFTER \(event) ON volume BEGIN
            UPDATE seen SET count = count + 1 WHERE id = 1;
          END;
          """
      }
    }
    return script
  }
}

/// A statement per row, in a transaction without savepoints.
private final class HandWritten {
  private var database: OpaquePointer?

  init(_ path: String, key: [UInt8]?) throws {
    guard
      sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK
    else { throw LargeBenchError(description: "\(path) cannot be opened by hand") }
    if let key {
      let text =
        "x'" + key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "'"
      miniorm_key(database, text, Int32(text.utf8.count))
    }
    let kibibytes = Configuration().cacheSize >> 10
    try run(
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -\(kibibytes)")
  }

  func close() {
    sqlite3_close(database)
    database = nil
  }

  func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  func insert(_ rows: [Volume]) throws {
    try each(rows, "INSERT INTO volume (shelfID, name, weight, id) VALUES (?, ?, ?, ?)", bind)
  }

  func update(_ rows: [Volume]) throws {
    try each(rows, "UPDATE volume SET shelfID = ?, name = ?, weight = ? WHERE id = ?", bind)
  }

  func delete(_ keys: [Int64]) throws {
    try each(keys, "DELETE FROM volume WHERE id = ?") { sqlite3_bind_int64($0, 1, $1) }
  }

  private func bind(_ statement: OpaquePointer?, _ row: Volume) {
    sqlite3_bind_int64(statement, 1, row.shelfID)
    sqlite3_bind_text(statement, 2, row.name, -1, miniorm_transient())
    sqlite3_bind_double(statement, 3, row.weight)
    sqlite3_bind_int64(statement, 4, row.id)
  }

  private func each<Value>(
    _ values: [Value], _ sql: String, _ bind: (OpaquePointer?, Value) -> Void
  ) throws {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try run("BEGIN IMMEDIATE")
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    for value in values {
      bind(statement, value)
      guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
      sqlite3_reset(statement)
    }
    try run("COMMIT")
  }

  private var failure: LargeBenchError {
    LargeBenchError(description: "by hand: \(String(cString: sqlite3_errmsg(database)))")
  }
}

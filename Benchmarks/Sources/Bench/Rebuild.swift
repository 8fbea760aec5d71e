import Foundation
import MiniORM

/// A table of six columns with an index, made anew because two constraints of a column changed.
@Table("visit")
struct Visit: Identifiable, Equatable {
  let id: Int64
  var name: String
  @Column(.check("age >= 0")) var age = 0
  var score: Double
  var note: String?
  var token: Data

  static var indexes: [Index<Visit>] { [Index("visit_name") { $0.name }] }
}

/// What a migration costs that makes a table of a million rows anew, beside the same statements by
/// hand, and beside the mere copying of the rows into another table.
/// The same table in version 1.
@Table("visit")
struct VisitBefore: Identifiable {
  let id: Int64
  var name: String
  var age: Int?
  var score: Double
  var note: String?
  var token: Data

  static var indexes: [Index<VisitBefore>] { [Index("visit_name") { $0.name }] }
}

struct Rebuild {
  static let title = "rebuild 1,000,000 rows"
  /// Of the time of copying the same rows by hand into such a table, with its index.
  static let target = 1.5
  private static let rows = 1_000_000
  private static let index = #"CREATE INDEX "visit_name" ON "visit" ("name")"#
  private static let create = """
    CREATE TABLE visit_new (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL,
      age INTEGER NOT NULL DEFAULT (0) CHECK (age >= 0), score REAL NOT NULL, note TEXT,
      token BLOB NOT NULL) STRICT
    """
  private static let insert = """
    INSERT INTO visit_new (id, name, age, score, note, token)
    SELECT id, name, age, score, note, token FROM visit
    """

  enum Way: CaseIterable {
    case byHand, migrate, copyAndIndex, copyOnly

    var name: String {
      switch self {
      case .byHand: "CREATE, INSERT … SELECT, DROP, RENAME, CREATE INDEX by hand"
      case .migrate: "MiniORM's migrate"
      case .copyAndIndex: "CREATE, INSERT … SELECT, CREATE INDEX by hand"
      case .copyOnly: "CREATE, INSERT … SELECT by hand"
      }
    }
  }

  let folder: String
  let key: [UInt8]?

  private var original: Target { Target(path: folder + "/original.db", key: key) }
  private var copy: Target { Target(path: folder + "/copy.db", key: key) }

  /// Measures every way in turn, round after round, each on a copy of one file.
  /// - Returns: What missed its target.
  func run(rounds: Int, title file: String) async throws -> [String] {
    try await fill()
    var times: [Way: [Double]] = [:]
    for round in 0..<rounds {
      for step in Way.allCases.indices {
        let way = Way.allCases[(step + round) % Way.allCases.count]
        times[way, default: []].append(try await time(way))
      }
    }
    print("\(Self.title), \(file), medians of \(rounds) interleaved rounds")
    func ratio(_ way: Way, to other: Way) -> Double {
      zip(times[way] ?? [], times[other] ?? []).map { $0 / $1 }.median
    }
    for way in Way.allCases {
      print(
        column(way.name, 66)
          + column(String(format: "%.2f s", (times[way] ?? []).median), 10)
          + (way == .migrate
            ? "" : column(String(format: "MiniORM %.2f", ratio(.migrate, to: way)), 16))
          + (way == .copyAndIndex ? String(format: ", target %.2f", Self.target) : ""))
    }
    let result = ratio(.migrate, to: .copyAndIndex)
    guard result > Self.target else { return [] }
    return ["\(Self.title) (\(file)) \(String(format: "%.2f", result)) > \(Self.target)"]
  }

  private func fill() async throws {
    let raw = try RawConnection(original)
    try raw.execute(
      """
      CREATE TABLE visit (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, age INTEGER,
        score REAL NOT NULL, note TEXT, token BLOB NOT NULL) STRICT;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
      INSERT INTO visit SELECT i, 'Person number ' || (i * 7919 % 1000003), i % 90, i * 1.5 + 0.25,
        CASE WHEN i % 3 THEN 'A note of some length about person ' || i END, randomblob(16) FROM n;
      \(Self.index);
      PRAGMA wal_checkpoint(TRUNCATE)
      """)
    raw.close()
    let database = try await open(original)
    try await database.adopt(version: 1)
    // Reads the rows and records their formats, as in a file that MiniORM created.
    try await database.migrate(DatabaseSchema(version: 1, VisitBefore.self))
    try await database.close()
  }

  private func open(_ target: Target) async throws -> Database {
    try await Database(path: target.path, key: target.key.map { Key.raw($0) })
  }

  private func time(_ way: Way) async throws -> Double {
    try Database.delete(path: copy.path)
    try FileManager.default.copyItem(atPath: original.path, toPath: copy.path)
    let clock = ContinuousClock()
    let duration: Duration
    let check: String
    if way == .migrate {
      let database = try await open(copy)
      duration = try await clock.measure {
        try await database.migrate(DatabaseSchema(version: 2, Visit.self))
      }
      try await database.close()
      check = "SELECT count(*) FROM visit INDEXED BY visit_name WHERE name >= ''"
    } else {
      let raw = try RawConnection(copy)
      var statements = [Self.create, Self.insert]
      switch way {
      case .byHand:
        statements += ["DROP TABLE visit", "ALTER TABLE visit_new RENAME TO visit", Self.index]
      case .copyAndIndex: statements.append("CREATE INDEX visit_new_name ON visit_new (name)")
      case .copyOnly, .migrate: break
      }
      try raw.execute("PRAGMA foreign_keys = OFF")
      duration = try clock.measure {
        try raw.execute("BEGIN IMMEDIATE; \(statements.joined(separator: "; ")); COMMIT")
      }
      raw.close()
      check = way == .byHand ? "SELECT count(*) FROM visit" : "SELECT count(*) FROM visit_new"
    }
    let raw = try RawConnection(copy)
    let found = try raw.text(check)
    raw.close()
    guard found == "\(Self.rows)" else {
      throw BenchError(description: "\(way.name): \(found) rows instead of \(Self.rows)")
    }
    return duration / .seconds(1)
  }
}

import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("Observers of random histories")
struct ObservationPropertyTests {
  /// The number of histories; set MINIORM_HISTORIES for a longer run.
  static let histories =
    ProcessInfo.processInfo.environment["MINIORM_HISTORIES"].flatMap { Int($0) } ?? 200
  private static let lanes = 4

  @Test(
    "each observer sees only committed states, in order, and finally the last state",
    arguments: 0..<lanes)
  func histories(_ lane: Int) async throws {
    var (count, seen) = (0, 0)
    for seed in stride(from: lane, to: Self.histories, by: Self.lanes) {
      seen += try await observe(History(seed: UInt64(seed)))
      count += 1
    }
    print("figure: observers: \(seen) results seen in \(count) histories, lane \(lane)")
  }

  /// - Returns: The number of results that the observers received.
  private func observe(_ history: History) async throws -> Int {
    var history = history
    let seed = history.seed
    let queries = history.queries
    var configuration = Configuration()
    configuration.synchronous = .off
    return try await ObservedTables.withDatabase(configuration: configuration) { database in
      try await history.prepare(database)
      let seen = queries.map { _ in Seen() }
      // The committed states, in order.
      let committed = Seen()
      try await database.write { db in committed.append(try History.state(queries, db)) }
      let failed = Seen()
      let tasks = zip(queries, seen).map { query, seen in
        Task {
          do {
            for try await rows in database.values({ db in try History.rows(query, db) }) {
              seen.append([rows])
            }
          } catch {
            Issue.record("seed \(seed): \(query): \(error)")
            failed.append([])
          }
        }
      }
      if history.waits { await quiet(database, tasks.count, failed) }
      for _ in 0..<history.length {
        await history.step(database) { db in committed.append(try History.state(queries, db)) }
        if history.waits { await quiet(database, tasks.count, failed) }
      }
      await quiet(database, tasks.count, failed)
      let last = try await database.read { db in try History.state(queries, db) }
      let states = committed.all
      #expect(states.last == last, "seed \(seed)")
      for (index, query) in queries.enumerated() {
        let values = seen[index].all.map { $0[0] }
        #expect(values.last == last[index], "seed \(seed): \(query)")
        var place = 0
        for value in values {
          while place < states.count, states[place][index] != value { place += 1 }
        }
        #expect(place < states.count, "seed \(seed): \(query) showed what was never there")
        // A transaction that began before the first observation of rows notifies all observers of
        // its table.
        let first = History.untouchedRows.contains(query) && !history.waits ? 2 : 1
        if History.untouched.contains(query) || History.untouchedRows.contains(query) {
          #expect(values.count <= first + history.schemaChanges, "seed \(seed): \(query)")
        }
      }
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
      #expect(!database.observationHub.isObserved)
      return seen.reduce(0) { $0 + $1.all.count }
    }
  }

  /// Waits until every observer has read the current state.
  private func quiet(_ database: Database, _ count: Int, _ failed: Seen) async {
    // A pause, because yielding would take the processor from the observers.
    while !database.observationHub.isQuiet(count - failed.all.count) {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// The values received so far, in order.
  private final class Seen: Sendable {
    private let values = Mutex<[[[String]]]>([])
    func append(_ value: [[String]]) { values.withLock { $0.append(value) } }
    var all: [[[String]]] { values.withLock { $0 } }
  }
}

/// A random history of writes.
private struct History {
  let seed: UInt64
  let length: Int
  let queries: [String]
  /// True if the test waits for the observers after each step.
  let waits: Bool
  private let changesSchema: Bool
  private(set) var schemaChanges = 0
  private var random: SeededRandom
  private var names = 0

  static let untouched = [
    "SELECT * FROM quiet", "SELECT note FROM steady ORDER BY id", "SELECT count(*) FROM steady",
  ]

  static let untouchedRows = ["calm 2", "calm 7"]

  /// Row observations: a table and its keys.
  private static let rows = [
    "parent 1", "parent 2", "parent 3", "parent 4", "parent 12", "child 1", "child 2", "keyed 3",
    "steady 1", "steady 2", "person 1", "calm 1", "calm 9", "ids 1 4", "sizes 2", "both 1",
  ]

  private static func row(_ query: String, _ db: isolated Connection) throws -> [String]? {
    let words = query.split(separator: " ")
    guard let key = words.dropFirst().first.flatMap({ Int64($0) }) else { return nil }
    func text(_ row: some Any) -> [String] { ["\(row)"] }
    let parents = Table<ParentRow>()
    switch words[0] {
    case "parent": return text(try parents.find(key, in: db) as Any)
    case "child": return text(try Table<ChildRow>().find(key, in: db) as Any)
    case "keyed": return text(try Table<KeyedRow>().find("\(key)", in: db) as Any)
    case "steady", "calm":
      return text(
        try words[0] == "steady"
          ? Table<SteadyRow>().where { $0.id == key }.select { $0.size }.fetchAll(in: db)
          : Table<CalmRow>().where { $0.id == key }.select { $0.size }.fetchAll(in: db))
    case "person": return text(try Table<Person>().find(key, in: db) as Any)
    case "ids": return text(try parents.where { $0.id.isIn([1, 4]) }.fetchAll(in: db))
    case "sizes":
      return text(
        try parents.where { $0.id == 2 || $0.id == 3 }.select { $0.size }.fetchAll(in: db))
    case "both":
      return text(try parents.find(key, in: db) as Any)
        + text(try Table<ChildRow>().count(in: db))
    default: return nil
    }
  }

  private static let touched = [
    "SELECT name, size FROM parent ORDER BY id", "SELECT * FROM parent ORDER BY id",
    "SELECT twice FROM parent ORDER BY id", "SELECT max(size) FROM parent",
    "SELECT count(*) FROM child", "SELECT text FROM child ORDER BY id",
    "SELECT id, child FROM grandchild ORDER BY id", "SELECT code, value FROM keyed ORDER BY code",
    "SELECT extra FROM keyed ORDER BY code", "SELECT text FROM log ORDER BY rowid",
    "SELECT count(*) FROM plain", "SELECT a FROM plain ORDER BY a",
    "SELECT name FROM names ORDER BY 1",
    "SELECT note FROM notes ORDER BY id", "SELECT text FROM words ORDER BY rowid",
    "SELECT rowid FROM words WHERE words MATCH 'w1' ORDER BY rowid",
    "SELECT id FROM boxes WHERE x1 > 4 ORDER BY id", "SELECT code, b FROM strict ORDER BY code",
    "SELECT a, b FROM unique_shelf ORDER BY a", "SELECT a FROM second.plain ORDER BY a",
    "SELECT parent.name, child.text FROM parent JOIN child ON child.parent = parent.id ORDER BY child.id",
    "SELECT value FROM other WHERE value IN (SELECT size FROM parent) ORDER BY 1",
    "SELECT seq FROM sqlite_sequence", "SELECT c0 FROM words_content ORDER BY id",
    "SELECT note FROM shown ORDER BY rowid", "SELECT count(*) FROM boxes_rowid",
    "SELECT size FROM steady ORDER BY id", "SELECT name, age FROM person ORDER BY id",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n, (SELECT max(size) AS m FROM parent) WHERE i < m AND i < 9) SELECT count(*) FROM n",
  ]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededRandom(seed)
    length = Int.random(in: 5...25, using: &random)
    queries =
      Array(Self.touched.shuffled(using: &random).prefix(8)) + Self.untouched
      + Self.rows.shuffled(using: &random).prefix(6) + Self.untouchedRows
    waits = Int.random(in: 0..<3, using: &random) == 0
    changesSchema = Bool.random(using: &random)
    self.random = random
  }

  func prepare(_ database: Database) async throws {
    try await database.attach(database.path + "2", as: "second", key: .raw(testKeyBytes))
    try await database.write { db in
      try db.execute(
        script: """
          CREATE TABLE second.plain(a, b); INSERT INTO second.plain VALUES (1, 1);
          CREATE TABLE quiet(a); INSERT INTO quiet VALUES (1);
          CREATE TABLE steady(id INTEGER PRIMARY KEY, size, note);
          INSERT INTO steady VALUES (1, 1, 'n'), (2, 2, 'm');
          CREATE TABLE calm(id INTEGER PRIMARY KEY, size);
          INSERT INTO calm VALUES (1, 1), (2, 2);
          CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, score REAL,
            nickname TEXT, isActive INTEGER DEFAULT 1, level INTEGER);
          """)
    }
  }

  static func rows(_ query: String, _ db: isolated Connection) throws -> [String] {
    try row(query, db) ?? db.query(SQL(raw: query)).map { "\($0.values)" }
  }

  static func state(_ queries: [String], _ db: isolated Connection) throws -> [[String]] {
    try queries.map { try rows($0, db) }
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// Runs a random step, and reports each committed state.
  mutating func step(
    _ database: Database, _ note: @escaping @Sendable (isolated Connection) throws -> Void
  ) async {
    struct Stop: Error {}
    if changesSchema, pick(6) == 0 { return await change(database, note) }
    let statements = (0...pick(4)).map { _ in statement() }
    switch pick(8) {
    case 0:
      // Each statement commits separately.
      _ = try? await database.withoutTransaction { db in
        for statement in statements {
          _ = try? db.execute(SQL(raw: statement))
          try note(db)
        }
      }
    case 1:
      _ = try? await database.write { db in
        for statement in statements { try db.execute(SQL(raw: statement)) }
        throw Stop()
      }
    case 2:
      let kept = statement()
      _ = try? await database.write { db in
        try? db.transaction { db in
          for statement in statements { try db.execute(SQL(raw: statement)) }
          throw Stop()
        }
        try db.transaction { _ = try? $0.execute(SQL(raw: kept)) }
        try note(db)
      }
    case 3:
      let before = statement()
      _ = try? await database.write { db in
        _ = try? db.execute(SQL(raw: before))
        try db.execute(
          script: "SAVEPOINT a; SAVEPOINT b; \(statements.joined(separator: ";")); ROLLBACK TO a")
        try db.execute(script: "\(before); RELEASE a")
        try note(db)
      }
    case 4:
      let number = pick(9)
      _ = try? await database.write { db in
        let people = Table<Person>()
        try people.where { $0.age == number }.delete().run(in: db)
        let person = try people.insert(Person.Draft(name: "p\(number)", age: number + 1), in: db)
        try people.where { $0.id == person.id }.update { $0.age += 1 }.run(in: db)
        try note(db)
      }
    default:
      _ = try? await database.write { db in
        for statement in statements { _ = try? db.execute(SQL(raw: statement)) }
        try note(db)
      }
    }
  }

  private mutating func change(
    _ database: Database, _ note: @escaping @Sendable (isolated Connection) throws -> Void
  ) async {
    schemaChanges += 1
    names += 1
    let name = "n\(names)"
    let number = pick(4)
    let script = [
      "CREATE TABLE \(name)(a); INSERT INTO \(name) VALUES (1)",
      "CREATE INDEX \(name) ON parent(size, note)",
      "ALTER TABLE parent ADD COLUMN \(name) DEFAULT 5",
      "DROP VIEW names; CREATE VIEW names AS SELECT name FROM parent WHERE size > \(number)",
      "DROP VIEW names; CREATE VIEW names AS SELECT text AS name FROM child",
      "CREATE TRIGGER \(name) AFTER UPDATE OF size ON parent BEGIN INSERT INTO other VALUES (new.size); END",
      "DROP TABLE unique_shelf; CREATE TABLE unique_shelf(a UNIQUE, b)",
      "INSERT INTO plain VALUES (1, 1); ALTER TABLE plain RENAME TO \(name); CREATE TABLE plain(a, b)",
    ][pick(8)]
    if pick(4) == 0 {
      try? await database.changeKey(to: .raw(testKeyBytes.map { $0 &+ UInt8(names) }))
    }
    _ = try? await database.write { db in
      try db.execute(script: script)
      try note(db)
    }
  }

  private mutating func statement() -> String {
    let (a, b) = (pick(6), pick(6))
    return [
      "INSERT INTO parent(name, size) VALUES ('\(a)', \(b))",
      "INSERT OR REPLACE INTO parent(name, size) VALUES ('\(a)', \(b))",
      "INSERT INTO parent(name, size) VALUES ('\(a)', 1) ON CONFLICT DO UPDATE SET size = size + \(b)",
      "UPDATE parent SET size = \(a) WHERE id = \(b)",
      "UPDATE parent SET id = id + 10 WHERE id = \(b)",
      "UPDATE OR REPLACE parent SET name = '\(a)' WHERE id = \(b)",
      "UPDATE notes SET note = 'n\(a)' WHERE id = \(b)",
      "DELETE FROM parent WHERE id = \(a)",
      "INSERT INTO child(parent, text) SELECT id, 'c\(a)' FROM parent LIMIT \(b)",
      "UPDATE child SET text = 't\(a)' WHERE id = \(b)",
      "INSERT INTO grandchild(child, text) SELECT max(id), 'g' FROM child",
      "INSERT INTO keyed VALUES ('\(a)', \(b), 'e') ON CONFLICT DO NOTHING",
      "UPDATE keyed SET value = \(b) WHERE code >= '\(a)'",
      "UPDATE keyed SET extra = 'e\(b)'",
      "UPDATE OR REPLACE keyed SET code = '\(b)' WHERE code = '\(a)'",
      "DELETE FROM keyed WHERE code = '\(a)'", "DELETE FROM keyed",
      "INSERT INTO plain VALUES (\(a), \(b)), (\(b), \(a))", "DELETE FROM plain", "DELETE FROM log",
      "UPDATE plain SET b = b + 1", "INSERT INTO other VALUES (\(a))",
      "DELETE FROM other WHERE value = \(a)",
      "INSERT INTO strict VALUES (\(a), \(b), NULL)",
      "UPDATE strict SET code = \(a) WHERE code = \(b)",
      "UPDATE shelf SET b = \(a)", "INSERT OR IGNORE INTO unique_shelf VALUES (\(a), \(b))",
      "INSERT INTO words VALUES ('w\(a) w\(b)')",
      "UPDATE words SET text = 'w\(a)' WHERE rowid = \(b)",
      "DELETE FROM words WHERE rowid = \(a)", "INSERT OR REPLACE INTO boxes VALUES (\(a), 0, \(b))",
      "UPDATE boxes SET x1 = x1 + 1 WHERE id = \(a)", "DELETE FROM boxes WHERE id = \(a)",
      "INSERT INTO second.plain VALUES (\(a), \(b))", "DELETE FROM second.plain",
      "UPDATE steady SET size = \(a) WHERE id = 1",
      "INSERT INTO parent(name, size) VALUES ('\(a)', 1), ('\(a)', 2)",
      "INSERT OR FAIL INTO parent(name, size) VALUES ('f\(a)', 1), ('f\(a)', 2)",
      "INSERT OR ROLLBACK INTO parent(name) VALUES ('\(a)')",
      "WITH p AS (SELECT size FROM parent) UPDATE steady SET size = (SELECT max(size) FROM p)",
      "UPDATE calm SET size = size + 1 WHERE id = 1",
      "UPDATE calm SET size = 0 WHERE id NOT IN (2, 7)",
      "INSERT OR IGNORE INTO calm VALUES (9, \(a))", "DELETE FROM calm WHERE id = 9",
      "INSERT INTO counted(a) VALUES (\(a))", "DELETE FROM counted",
    ][pick(46)]
  }
}

@Table("steady")
private struct SteadyRow {
  let id: Int64
  var size: Int?
}

@Table("calm")
private struct CalmRow {
  let id: Int64
  var size: Int?
}

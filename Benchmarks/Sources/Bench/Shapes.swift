import Foundation
import MiniORM

// What applications read that is no array of models: tuples, single columns, rows with those that belong
// to them; and what is made for one statement: conditions and upserts.

@Table("item")
struct Item: Identifiable {
  let id: Int64
  var name: String
  var score: Double

  static let count: Int64 = 100_000
  /// The keys of the look-ups by a condition.
  static let keys = (0..<5_000).map { Int64($0 * 7919 % Int(count) + 1) }
}

@Table("parent")
struct Parent: Identifiable {
  let id: Int64
  var name: String

  static let count: Int64 = 2_000
}

@Table("child")
struct Child: Identifiable {
  let id: Int64
  @Column(.references(Parent.self)) var parentID: Parent.ID
  var name: String
  var size: Int

  static let count: Int64 = 40_000
  /// The keys of the joins by a condition.
  static let keys = (0..<5_000).map { Int64($0 * 7919 % Int(count) + 1) }
}

@Table("stock")
struct Stock: Identifiable {
  let id: Int64
  @Column(.unique) var name: String
  var size: Int

  /// Half of them are of names that are there already.
  static let upserts = (0..<20_000).map { Stock.Draft(name: "Stock \($0 * 7 % 10_000)", size: $0) }
}

enum Kind: String, ColumnValue, Codable { case small, middle, large }

/// A model whose values are no plain values of SQLite's.
@Table("record")
struct Record: Identifiable {
  let id: UUID
  var created: Date
  var changed: Date
  var kind: Kind
  @Column(as: .json) var tags: [String]

  static let count: Int64 = 30_000
  static let sql = "SELECT id, created, changed, kind, tags FROM record"

  static func make(_ n: Int64) -> Record {
    Record(
      id: UUID(), created: Date(timeIntervalSinceReferenceDate: Double(n * 86_123) / 1_000),
      changed: Date(
        timeIntervalSinceReferenceDate: Double(700_000_000_000_000 + n * 1_234_567_891) / 1_000_000),
      kind: [.small, .middle, .large][Int(n % 3)], tags: ["red", "green \(n)", "blue"])
  }
}

enum Shapes {
  static let tables = """
    CREATE TABLE item (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, score REAL NOT NULL) STRICT;
    CREATE TABLE parent (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE TABLE child (
      id INTEGER PRIMARY KEY NOT NULL, parentID INTEGER NOT NULL REFERENCES parent, name TEXT NOT NULL,
      size INTEGER NOT NULL) STRICT;
    CREATE TABLE stock (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL) STRICT;
    CREATE TABLE record (
      id TEXT PRIMARY KEY NOT NULL, created TEXT NOT NULL, changed TEXT NOT NULL, kind TEXT NOT NULL,
      tags TEXT NOT NULL) STRICT;
    """

  static func fill(_ database: Database) async throws {
    try await Table<Item>().insert(
      contentsOf: (1...Item.count).map {
        Item(id: $0, name: "Item number \($0)", score: Double($0) * 0.5 + 0.25)
      }, in: database)
    try await Table<Parent>().insert(
      contentsOf: (1...Parent.count).map { Parent(id: $0, name: "Parent \($0)") }, in: database)
    try await Table<Child>().insert(
      contentsOf: (1...Child.count).map {
        Child(
          id: $0, parentID: $0 * 31 % Parent.count + 1, name: "Child number \($0)", size: Int($0))
      }, in: database)
    try await Table<Record>().insert(
      contentsOf: (1...Record.count).map { Record.make($0) }, in: database)
  }

  static var works: [Work] {
    [
      Work(title: "100,000 rows into tuples", target: 1.25, expected: Int(Item.count)) {
        try await $0.fetchTuples()
      },
      Work(title: "100,000 texts of one column", target: 1.25, expected: Int(Item.count)) {
        try await $0.fetchNames()
      },
      Work(title: "40,000 × (Child, Parent?)", target: 1.25, expected: Int(Child.count)) {
        try await $0.fetchPairs()
      },
      Work(title: "2,000 rows with 40,000 children", target: 1.25, expected: Int(Child.count)) {
        try await $0.fetchRelated()
      },
      Work(title: "5,000 look-ups by three terms", target: 2, expected: Item.keys.count) {
        try await $0.lookUpByCondition(Item.keys)
      },
      Work(
        title: "20,000 upserts as values", target: 3, expected: Stock.upserts.count,
        prepare: { try await $0.clear() }
      ) { try await $0.upsert(Stock.upserts, isPrepared: false) },
      Work(
        title: "20,000 upserts, prepared", target: 1.5, expected: Stock.upserts.count,
        prepare: { try await $0.clear() }
      ) { try await $0.upsert(Stock.upserts, isPrepared: true) },
      Work(title: "30,000 × UUID, dates, enum, JSON", target: 1.25, expected: Int(Record.count)) {
        try await $0.fetchRecords()
      },
    ]
  }
}

extension MiniORMContender {
  func fetchTuples() async throws -> Int {
    try await Table<Item>().select { ($0.id, $0.name, $0.score) }.fetchAll(in: database).count
  }
  func fetchNames() async throws -> Int {
    try await Table<Item>().select { $0.name }.fetchAll(in: database).count
  }
  func fetchPairs() async throws -> Int {
    try await Table<Child>().leftJoin(Table<Parent>()).fetchAll(in: database).count
  }
  func fetchRelated() async throws -> Int {
    try await Table<Parent>().order { $0.id }.including(Table<Child>()).fetchAll(in: database)
      .reduce(0) { $0 + $1.1.count }
  }
  func lookUpByCondition(_ keys: [Int64]) async throws -> Int {
    try await database.read { db in
      var found = 0
      for key in keys {
        found += try Table<Item>().where { $0.id == key && $0.score >= 0 && $0.name != "Nobody" }
          .fetchAll(in: db).count
      }
      return found
    }
  }
  private static let add = PreparedChange(String.self, Int.self) { name, size in
    Table<Stock>().insert {
      $0.name = name
      $0.size = size
    }
    .onConflict {
      $0.name
    } update: { row, new in
      row.size = row.size + new.size
    }
  }
  func upsert(_ rows: [Stock.Draft], isPrepared: Bool) async throws -> Int {
    // Looked up before the rows are, as by hand.
    let add = Self.add
    return try await scratch.write { db in
      var count = 0
      for row in rows {
        count +=
          isPrepared
          ? try add.run(row.name, row.size, in: db)
          : try Table<Stock>().insert(row)
            .onConflict {
              $0.name
            } update: { row, new in
              row.size = row.size + new.size
            }
            .run(in: db)
      }
      return count
    }
  }
  func fetchRecords() async throws -> Int { try await Table<Record>().fetchAll(in: database).count }
}

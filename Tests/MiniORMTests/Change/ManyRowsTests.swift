import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("shelf") private struct Shelf: Identifiable { let id: Int64 }

/// A table whose statements need SQLite's statement journal.
@Table("volume") private struct Volume: Identifiable, Equatable {
  let id: Int64
  @Column(.references(Shelf.self)) var shelfID: Shelf.ID
  @Column(.unique) var place: Int
  var title: String
  var weight: Double?
  var cover: Data?
  @Column(.default(sql: "7")) var level: Int?

  init(
    id: Int64, shelfID: Int64 = 1, place: Int, title: String = "", weight: Double? = nil,
    cover: Data? = nil, level: Int? = nil
  ) {
    (self.id, self.shelfID, self.place, self.title) = (id, shelfID, place, title)
    (self.weight, self.cover, self.level) = (weight, cover, level)
  }
}

@Table("loan", primaryKey: ["reader", "volumeID"], options: [.strict, .withoutRowID])
private struct BookLoan: Equatable {
  let reader: String
  @Column(.references(Volume.self, onDelete: .cascade)) let volumeID: Volume.ID
  var days: Int
}

private let schema = DatabaseSchema(Shelf.self, Volume.self, BookLoan.self)
private let volumes = Table<Volume>()
private let loans = Table<BookLoan>()

/// Rows enough for a single statement.
private let count: Int64 = 1_200

private func volume(_ id: Int64, place: Int? = nil, title: String = "new") -> Volume {
  Volume(
    id: id, shelfID: id % 3 + 1, place: place ?? Int(id) * 10, title: "\(title) x\0\(id)é",
    weight: id % 5 == 0 ? nil : Double(id) / 4,
    cover: id % 7 == 0 ? Data([0, UInt8(id % 256)]) : nil,
    level: id % 2 == 0 ? nil : Int(id))
}

/// Bulk changes of many rows inside a transaction, which run as a single statement.
@Suite("Changes of many rows in a transaction")
struct ManyRowsTests {
  private struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var script = ""
    let run: @Sendable (isolated Connection) throws -> Int

    init(
      _ description: String, script: String = "",
      _ run: @escaping @Sendable (isolated Connection) throws -> Int
    ) {
      (testDescription, self.script, self.run) = (description, script, run)
    }
  }

  private static let log = """
    CREATE TABLE log (id INTEGER, what TEXT);
    CREATE TRIGGER inserted AFTER INSERT ON volume BEGIN INSERT INTO log VALUES (new.id, 'i'); END;
    CREATE TRIGGER updated AFTER UPDATE ON volume BEGIN INSERT INTO log VALUES (new.id, new.title); END;
    CREATE TRIGGER deleted AFTER DELETE ON volume BEGIN INSERT INTO log VALUES (old.id, 'd'); END;
    """

  private static func updated(_ ids: some Sequence<Int64>) -> [Volume] {
    ids.map { volume($0, title: "changed") }
  }

  private static let changes: [Change] = [
    Change("insert") { try volumes.insert(contentsOf: (2_001...3_200).map { volume($0) }, in: $0) },
    Change("insert drafts, with a default of the database") {
      try volumes.insert(
        contentsOf: (2_001...3_200).map { id in
          Volume.Draft(shelfID: 1, place: id * 10, title: "draft", level: id % 2 == 0 ? nil : id)
        }, in: $0)
    },
    Change("insert, with triggers", script: log) {
      try volumes.insert(contentsOf: (2_001...3_200).map { volume($0) }, in: $0)
    },
    Change(
      "insert, with rows that a trigger ignores",
      script: """
        CREATE TRIGGER few BEFORE INSERT ON volume WHEN new.id % 2 BEGIN SELECT RAISE(IGNORE); END
        """
    ) { try volumes.insert(contentsOf: (2_001...3_200).map { volume($0) }, in: $0) },
    Change("insert a taken place") {
      try volumes.insert(
        contentsOf: (2_001...3_200).map { volume($0, place: $0 == 2_900 ? 20 : nil) }, in: $0)
    },
    Change("insert with an unknown shelf") {
      try volumes.insert(
        contentsOf: (2_001...3_200).map { (id: Int64) in
          var row = volume(id)
          if id == 2_900 { row.shelfID = 99 }
          return row
        }, in: $0)
    },
    Change(
      "insert, where a constraint keeps the rows before",
      script: """
        CREATE TRIGGER stop BEFORE INSERT ON volume WHEN new.id = 3000
          BEGIN SELECT RAISE(FAIL, 'stop'); END
        """
    ) { try volumes.insert(contentsOf: (2_001...3_200).map { volume($0) }, in: $0) },
    Change("insert not a number") {
      try volumes.insert(
        contentsOf: (2_001...3_200).map { (id: Int64) in
          var row = volume(id)
          if id == 2_900 { row.weight = .nan }
          return row
        }, in: $0)
    },
    Change("insert with a key of two columns") {
      try loans.insert(
        contentsOf: (1...count).map { BookLoan(reader: "b", volumeID: $0, days: 1) }, in: $0)
    },
    Change("update") { try volumes.update(contentsOf: updated(1...count), in: $0) },
    Change("update, with triggers", script: log) {
      try volumes.update(contentsOf: updated(1...count), in: $0)
    },
    Change("update in another order") {
      try volumes.update(contentsOf: updated((1...count).reversed()), in: $0)
    },
    Change("update missing rows") {
      try volumes.update(contentsOf: updated(600...(count + 600)), in: $0)
    },
    Change("update a row twice") {
      try volumes.update(
        contentsOf: updated(1...count) + [volume(5, title: "first"), volume(5, title: "last")],
        in: $0)
    },
    Change("update rows that take the place of the next one") {
      try volumes.update(
        contentsOf: (1...count).reversed().map { volume($0, place: Int($0) * 10 + 10) }, in: $0)
    },
    Change("update rows that take the place of the next one too early") {
      try volumes.update(
        contentsOf: (1...count).map { volume($0, place: Int($0) * 10 + 10) }, in: $0)
    },
    Change("update with an unknown shelf") {
      try volumes.update(
        contentsOf: updated(1...count).map { row in
          var row = row
          if row.id == 900 { row.shelfID = 99 }
          return row
        }, in: $0)
    },
    Change("update not a number") {
      try volumes.update(
        contentsOf: updated(1...count).map { row in
          var row = row
          if row.id == 900 { row.weight = .nan }
          return row
        }, in: $0)
    },
    Change("update selected rows") {
      try volumes.where { $0.place > 500 }.update(contentsOf: updated(1...count), in: $0)
    },
    Change("update with a key of two columns") {
      try loans.update(
        contentsOf: (1...count).map { BookLoan(reader: "a", volumeID: $0, days: 9) }, in: $0)
    },
    Change("delete") { try volumes.delete(keys: 1...count, in: $0) },
    Change("delete, with triggers", script: log) { try volumes.delete(keys: 1...count, in: $0) },
    Change("delete missing rows, and rows twice") {
      try volumes.delete(keys: Array(600...(count + 600)) + [700, 800], in: $0)
    },
    Change("delete selected rows") {
      try volumes.where { $0.place > 500 }.delete(keys: 1...count, in: $0)
    },
    Change(
      "delete rows that others need",
      script: "CREATE TABLE need (id INTEGER REFERENCES volume (id)); INSERT INTO need VALUES (900)"
    ) { try volumes.delete(keys: 1...count, in: $0) },
    Change("delete with a key of two columns") {
      try loans.delete(keys: (1...count).map { ("a", $0) }, in: $0)
    },
  ]

  private static func withVolumes<Result>(
    script: String = "", configuration: Configuration = Configuration(),
    _ body: (Database) async throws -> Result
  ) async throws -> Result {
    try await withTemporaryDatabase(configuration: configuration) { database in
      try await database.migrate(schema)
      try await database.write { db in
        try db.execute("INSERT INTO shelf VALUES (1), (2), (3)")
        try volumes.insert(contentsOf: (1...count).map { volume($0, title: "old") }, in: db)
        try loans.insert(
          contentsOf: (1...count).map { BookLoan(reader: "a", volumeID: $0, days: 1) }, in: db)
        try db.execute(script: script)
      }
      return try await body(database)
    }
  }

  private struct Outcome: Equatable {
    var count: Int?
    var error: String?
    var rows: [Volume] = []
    var loans: [BookLoan] = []
    /// Triggers run in the order of the keys, not of the list.
    var log: Set<String> = []
    var logCount = 0
  }

  /// Runs a change, catches its error, and returns what the transaction then contains.
  private static func outcome(
    of change: Change, in db: isolated Connection
  ) throws -> Outcome {
    var outcome = Outcome()
    do {
      outcome.count = try change.run(db)
    } catch let error as DatabaseError {
      outcome.error = "\(error)"
    }
    outcome.rows = try volumes.order { $0.id }.fetchAll(in: db)
    outcome.loans = try loans.order { ($0.reader, $0.volumeID) }.fetchAll(in: db)
    if change.script.contains("log") {
      let log = try db.query((Int, String).self, "SELECT id, what FROM log").map {
        "\($0.0) \($0.1)"
      }
      (outcome.log, outcome.logCount) = (Set(log), log.count)
    }
    return outcome
  }

  @Test(
    "a change inside a transaction has the result of a statement for each row, and its error",
    arguments: changes)
  private func sameResult(change: Change) async throws {
    let inside = try await Self.withVolumes(script: change.script) { database in
      try await database.write { db in
        try db.execute("INSERT INTO shelf VALUES (4)")
        let outcome = try Self.outcome(of: change, in: db)
        #expect(try db.query(Int.self, "SELECT count(*) FROM shelf") == [4])
        return outcome
      }
    }
    let alone = try await Self.withVolumes(script: change.script) { database in
      try await database.withoutTransaction { db in try Self.outcome(of: change, in: db) }
    }
    #expect(inside == alone)
    #expect((inside.error == nil) == (inside.count != nil))
  }

  @Test("a change of a single row runs a single statement")
  func singleRow() async throws {
    let texts = Mutex<[String]>([])
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { statement in
      texts.withLock { $0.append(String(statement.sql.prefix { $0 != " " })) }
    }
    try await Self.withVolumes(configuration: configuration) { database throws in
      try await database.write { db throws in
        texts.withLock { $0 = [] }
        #expect(try volumes.insert(contentsOf: [volume(5_000)], in: db) == 1)
        #expect(try volumes.update(contentsOf: [volume(5_000, title: "newer")], in: db) == 1)
        #expect(try volumes.delete(keys: [5_000], in: db) == 1)
        #expect(texts.withLock { $0 } == ["INSERT", "UPDATE", "DELETE"])
      }
    }
  }

  @Test("a trigger that fails after the change of a single row keeps nothing of the change")
  func failingTrigger() async throws {
    let script = ["INSERT", "UPDATE", "DELETE"].map {
      "CREATE TRIGGER stop_\($0) AFTER \($0) ON volume BEGIN SELECT RAISE(FAIL, 'stop'); END;"
    }.joined()
    let changes: [@Sendable (isolated Connection) throws -> Int] = [
      { try volumes.insert(contentsOf: [volume(5_000)], in: $0) },
      { try volumes.update(contentsOf: [volume(7, title: "newer")], in: $0) },
      { try volumes.delete(keys: [7], in: $0) },
    ]
    try await Self.withVolumes(script: script) { database in
      try await database.write { db in
        let before = try volumes.order { $0.id }.fetchAll(in: db)
        for change in changes {
          let error = #expect(throws: DatabaseError.self) { try change(db) }
          #expect(error?.message == "stop")
          #expect(try volumes.order { $0.id }.fetchAll(in: db) == before)
        }
      }
    }
  }

  @Test("a change of many rows runs as many statements as a change of twice the rows")
  func statements() async throws {
    let texts = Mutex<[String]>([])
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { statement in
      texts.withLock { $0.append(String(statement.sql.prefix { $0 != " " })) }
    }
    try await Self.withVolumes(configuration: configuration) { database in
      for factor: Int64 in [1, 2] {
        texts.withLock { $0 = [] }
        let new = (5_000..<(5_000 + factor * count))
        try await database.write { db in
          try volumes.insert(contentsOf: new.map { volume($0) }, in: db)
          try volumes.update(contentsOf: new.map { volume($0, title: "again") }, in: db)
          try volumes.delete(keys: new, in: db)
        }
        #expect(
          texts.withLock { $0 } == [
            "BEGIN", "SAVEPOINT", "INSERT", "RELEASE", "SAVEPOINT", "SELECT", "EXPLAIN", "UPDATE",
            "RELEASE",
            "SAVEPOINT", "SELECT", "EXPLAIN", "DELETE", "RELEASE", "COMMIT",
          ])
      }
    }
  }

  @Test("a call on a database opens no savepoint, and an error rolls it back")
  func calls() async throws {
    let texts = Mutex<Set<String>>([])
    var configuration = Configuration()
    configuration.trace = StatementTrace(slowerThan: .zero) { statement in
      texts.withLock { _ = $0.insert(String(statement.sql.prefix { $0 != " " })) }
    }
    let rows = (2_001...2_005).map { volume($0) }
    try await Self.withVolumes(configuration: configuration) { database in
      texts.withLock { $0 = [] }
      try await volumes.insert(contentsOf: rows, in: database)
      try await volumes.update(contentsOf: rows, in: database)
      try await volumes.delete(keys: rows.map(\.id), in: database)
      try await loans.truncate(in: database)
      try await volumes.upsert(volume(1), in: database)
      try await volumes.insert(Volume.Draft(shelfID: 1, place: 5, title: ""), in: database)
      _ = try await volumes.delete().returning { $0.id }.fetchAll(in: database)
      #expect(!texts.withLock { $0 }.contains("SAVEPOINT"))
      await #expect(throws: DatabaseError.self) {
        try await volumes.insert(contentsOf: rows + [volume(9, place: rows[0].place)], in: database)
      }
      #expect(try await volumes.count(in: database) == 0)
      // The next transaction has savepoints again.
      try await database.write { db in
        try volumes.insert(contentsOf: rows, in: db)
        #expect(throws: DatabaseError.self) { try volumes.insert(contentsOf: rows, in: db) }
      }
      #expect(try await volumes.count(in: database) == rows.count)
    }
  }

  @Test("the check before a commit runs its own changes in savepoints")
  func beforeCommit() async throws {
    var configuration = Configuration()
    configuration.beforeCommit = { db in
      guard try db.query(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'loan'") == [1]
      else { return }
      #expect(throws: DatabaseError.self) {
        try volumes.insert(contentsOf: [volume(9_000), volume(9_001), volume(9_000)], in: db)
      }
    }
    try await Self.withVolumes(configuration: configuration) { database in
      try await volumes.delete(keys: [1], in: database)
      #expect(try await volumes.where { $0.id >= 9_000 }.count(in: database) == 0)
    }
  }
}

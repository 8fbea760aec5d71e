import Testing

@testable import MiniORM

@Table("pebble", options: []) private struct Pebble: Equatable {
  let id: Int64
  var name: String
}

/// An integer type that cannot read the value 13.
private struct Weight: ColumnValue, Equatable {
  let number: Int64
  static var columnType: ColumnType { .integer }
  init(_ number: Int64) { self.number = number }
  init(cell: borrowing Cell) throws(DatabaseError) {
    number = try cell.integer()
    guard number != 13 else { throw cell.invalid("No such weight") }
  }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) { try parameter.bind(number) }
}

@Table("stone") private struct Stone: Equatable {
  let id: Int64
  var weight: Weight
}

private let pebbles = Table<Pebble>()
private let stones = Table<Stone>()

@Suite("Rows returned by insertions")
struct StoredRowTests {
  @Test(
    "an insertion returns the stored row, for any kind of table or view of this name",
    arguments: [
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID",
      "CREATE TABLE pebble (id INT PRIMARY KEY, name TEXT)",
      "CREATE TABLE pebble (id INT PRIMARY KEY ON CONFLICT REPLACE, name TEXT)",
      "CREATE TABLE pebble (id INT PRIMARY KEY, name TEXT, rowid INT DEFAULT 1)",
      "CREATE TABLE pebble (id INT PRIMARY KEY, name TEXT, rowid DEFAULT 1, oid, _rowid_)",
      "CREATE TABLE pebble (id INT, name TEXT, rowid INTEGER DEFAULT 1 PRIMARY KEY ON CONFLICT REPLACE) WITHOUT ROWID",
      """
      CREATE TABLE kept (key INTEGER PRIMARY KEY, id INT, name TEXT);
      CREATE VIEW pebble AS SELECT id, name FROM kept;
      CREATE TRIGGER keep INSTEAD OF INSERT ON pebble BEGIN
        INSERT INTO kept (id, name) VALUES (NEW.id, NEW.name);
      END
      """,
    ])
  func kinds(script: String) async throws {
    let rows = [(7, "a"), (3, "b"), (9, "c"), (5, "d")].map { Pebble(id: $0.0, name: $0.1) }
    try await withTemporaryDatabase(
      script: "CREATE TABLE other (id INTEGER PRIMARY KEY); \(script)"
    ) { database in
      for row in rows.prefix(2) {
        #expect(try await pebbles.insert(row, in: database) == row)
        try await database.write { db in
          try db.execute("INSERT INTO other DEFAULT VALUES")
        }
      }
      try await database.write { db in
        for row in rows.dropFirst(2) {
          #expect(try pebbles.insert(row, in: db) == row)
          try db.execute("INSERT INTO other DEFAULT VALUES")
        }
      }
      try await database.write { db in
        try db.execute("DELETE FROM other")
        let again = Pebble(id: 11, name: "e")
        #expect(try pebbles.insert(again, in: db) == again)
      }
    }
  }

  /// The effect of a trigger on the row just inserted.
  enum Effect: CaseIterable, Sendable {
    case change, delete, move, ignore

    var trigger: String {
      switch self {
      case .change:
        """
        CREATE TRIGGER change AFTER INSERT ON pebble BEGIN
          INSERT INTO log VALUES (NEW.id * 10, NEW.name);
          UPDATE pebble SET name = 'changed' WHERE id = NEW.id;
        END
        """
      case .delete:
        """
        CREATE TRIGGER change AFTER INSERT ON pebble BEGIN
          INSERT INTO log VALUES (NEW.id * 10, NEW.name);
          DELETE FROM pebble WHERE id = NEW.id;
        END
        """
      case .move:
        """
        CREATE TRIGGER change AFTER INSERT ON pebble WHEN NEW.id < 100 BEGIN
          INSERT INTO log VALUES (NEW.id * 10, NEW.name);
          UPDATE pebble SET id = NEW.id + 100 WHERE id = NEW.id;
        END
        """
      case .ignore:
        """
        CREATE TRIGGER change BEFORE INSERT ON pebble BEGIN
          INSERT INTO log VALUES (NEW.id * 10, NEW.name);
          SELECT RAISE(IGNORE);
        END
        """
      }
    }
  }

  @Test(
    "an insertion returns the row after all triggers, or throws and stores nothing",
    arguments: Effect.allCases,
    [
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT) WITHOUT ROWID",
    ])
  func triggers(effect: Effect, table: String) async throws {
    let script = "\(table); CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT); \(effect.trigger)"
    try await withTemporaryDatabase(script: script) { database throws in
      for place in 0..<4 {
        let row = Pebble(id: Int64(place) + 1, name: "given")
        var outcome: Result<Pebble, any Error>
        do {
          switch place {
          case 0: outcome = .success(try await pebbles.insert(row, in: database))
          case 1:
            outcome = .success(try await database.write { db in try pebbles.insert(row, in: db) })
          case 2:
            outcome = .success(
              try await database.withoutTransaction { db in try pebbles.insert(row, in: db) })
          default:
            outcome = .success(
              try await pebbles.upsert(row, onConflict: { $0.id }, in: database).row)
          }
        } catch {
          outcome = .failure(error)
        }
        switch outcome {
        case .success(let stored):
          #expect(effect == .change)
          #expect(stored == Pebble(id: row.id, name: "changed"))
          #expect(try await pebbles.find(row.id, in: database) == stored)
        case .failure(let error):
          #expect(effect != .change)
          #expect(
            (error as? DatabaseError)?.summary
              == "step 1 pebble.- -: The row was not stored: a trigger or an ON CONFLICT clause may have ignored it, or a trigger deleted it or changed its key. Check the triggers and constraints of the table"
          )
        }
      }
      let count = effect == .change ? 4 : 0
      #expect(try await pebbles.count(in: database) == count)
      // The trigger's other changes are rolled back too.
      #expect(try await database.values("SELECT count(*) FROM log") == [.integer(Int64(count))])
    }
  }

  @Test("an upsert that updates returns the row after all triggers")
  func updated() async throws {
    let script = """
      CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TRIGGER change AFTER UPDATE OF name ON pebble WHEN NEW.name <> 'changed' BEGIN
        UPDATE pebble SET name = 'changed' WHERE id = NEW.id;
      END
      """
    try await withTemporaryDatabase(script: script) { database in
      try await pebbles.insert(Pebble(id: 1, name: "old"), in: database)
      let outcome = try await pebbles.upsert(
        Pebble(id: 1, name: "new"), onConflict: { $0.id }, updating: { $0.name }, in: database)
      guard case .updated(let row) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(row == Pebble(id: 1, name: "changed"))
    }
  }

  @Test(
    "an insertion follows a trigger that another connection has just created",
    arguments: [false, true])
  func newTrigger(inTransaction: Bool) async throws {
    let script = """
      CREATE TABLE pebble (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE log (name TEXT)
      """
    try await withTemporaryDatabase(script: script) { database in
      func insert(_ row: Pebble) async throws {
        if inTransaction {
          try await database.write { db in try pebbles.insert(row, in: db) }
        } else {
          try await pebbles.insert(row, in: database)
        }
      }
      try await insert(Pebble(id: 1, name: "a"))
      let other = try await Database(path: database.path, key: .raw(testKeyBytes))
      try await other.write { db in
        try db.execute(
          script: """
            CREATE TRIGGER small BEFORE INSERT ON pebble BEGIN
              INSERT INTO log VALUES (NEW.name);
              SELECT RAISE(IGNORE) WHERE NEW.id < 10;
            END
            """)
      }
      try await other.close()
      let error = try await failure { try await insert(Pebble(id: 2, name: "b")) }
      #expect(
        error.summary
          == "step 1 pebble.- -: The row was not stored: a trigger or an ON CONFLICT clause may have ignored it, or a trigger deleted it or changed its key. Check the triggers and constraints of the table"
      )
      try await insert(Pebble(id: 12, name: "c"))
      #expect(try await pebbles.order { $0.id }.fetchAll(in: database).map(\.id) == [1, 12])
      #expect(try await database.values("SELECT name FROM log") == [.text("c")])
    }
  }

  @Test(
    "a row that cannot be read is not stored, and the enclosing transaction continues",
    arguments: [TransactionKind.deferred, .immediate, .exclusive])
  func first(kind: TransactionKind) async throws {
    try await withFile(DatabaseSchema(Stone.self)) { database throws in
      let unread = Stone(id: 1, weight: Weight(13))
      let ids = try await database.write(kind) { db in
        let error = try #require(throws: DatabaseError.self) { try stones.insert(unread, in: db) }
        #expect(error.summary == "read 20 stone.weight Stone: No such weight in column weight")
        #expect(db.depth == 1 && !db.isAutocommitting)
        try stones.insert(Stone(id: 2, weight: Weight(2)), in: db)
        #expect(throws: DatabaseError.self) { try stones.insert(unread, in: db) }
        try db.transaction { db in
          #expect(throws: DatabaseError.self) { try stones.insert(unread, in: db) }
        }
        try stones.insert(Stone(id: 3, weight: Weight(3)), in: db)
        return try stones.order { $0.id }.fetchAll(in: db).map(\.id)
      }
      #expect(ids == [2, 3])
      #expect(try await stones.order { $0.id }.fetchAll(in: database).map(\.id) == [2, 3])
    }
  }

  @Test("a violated constraint in the first statement leaves the transaction usable")
  func violated() async throws {
    try await withFile(DatabaseSchema(Stone.self)) { database throws in
      let stone = Stone(id: 1, weight: Weight(1))
      try await stones.insert(stone, in: database)
      try await database.write { db in
        let error = try #require(throws: DatabaseError.self) { try stones.insert(stone, in: db) }
        #expect(error.code.primary == .constraint)
        try stones.insert(Stone(id: 2, weight: Weight(2)), in: db)
      }
      #expect(try await stones.count(in: database) == 2)
    }
  }
}

import Testing

@testable import MiniORM

@Table("parent")
struct ParentRow: Equatable {
  let id: Int64
  var name: String?
  var size: Int?
  var note: String?
}

@Table("child")
struct ChildRow: Equatable {
  let id: Int64
  var parent: Int64?
  var text: String?
}

@Table("keyed", options: [.withoutRowID])
struct KeyedRow: Equatable {
  @Column(.primaryKey) let code: String
  var value: Int?
}

/// A rowid table with a text key.
@Table("named")
struct NamedRow: Equatable {
  @Column(.primaryKey) let name: String
  var size: Int?
}

/// An integer key that is not a rowid alias, because the file declares it with DESC.
@Table("backwards")
struct BackwardsRow: Equatable {
  let id: Int64
  var size: Int?
}

/// A table to which SQLite applies the truncate optimization.
@Table("bare")
struct BareRow: Equatable {
  let id: Int64
  var size: Int?
}

/// A model with a default scope: rows of size 0 are excluded.
@Table("parent")
struct ScopedParent: Equatable {
  let id: Int64
  var size: Int?
  static let defaultScope = Scope<ScopedParent> { $0.size != 0 }
}

private let parents = Table<ParentRow>()
private let children = Table<ChildRow>()

@Suite("Rows that wake an observer")
struct ObservedRowTests {
  typealias Read = @Sendable (isolated Connection) throws -> String

  /// The observed reads, by name.
  static let reads: [String: Read] = [
    "find 1": { db in "\(try parents.find(1, in: db) as Any)" },
    "find 3": { db in "\(try parents.find(3, in: db) as Any)" },
    "find 9": { db in "\(try parents.find(9, in: db) as Any)" },
    "scoped 1": { db in "\(try Table<ScopedParent>().find(1, in: db) as Any)" },
    "where 1": { db in "\(try parents.where { $0.id == 1 }.fetchAll(in: db))" },
    "where 3": { db in "\(try parents.where { $0.id == 3 }.fetchAll(in: db))" },
    "size of 1": { db in
      "\(try parents.where { $0.id == 1 }.select { $0.size }.fetchAll(in: db))"
    },
    "size of 3": { db in
      "\(try parents.where { $0.id == 3 }.select { $0.size }.fetchAll(in: db))"
    },
    "1 or 3": { db in "\(try parents.where { $0.id == 1 || $0.id == 3 }.fetchAll(in: db))" },
    "in 2 and 3": { db in "\(try parents.where { $0.id.isIn([2, 3]) }.fetchAll(in: db))" },
    "exists 9": { db in "\(try parents.where { $0.id == 9 }.exists(in: db))" },
    "count of 9": { db in "\(try parents.where { $0.id == 9 }.count(in: db))" },
    "all": { db in "\(try parents.fetchAll(in: db))" },
    "first of all": { db in "\(try parents.order { $0.size }.fetchOne(in: db) as Any)" },
    "child 1": { db in "\(try children.find(1, in: db) as Any)" },
    "child 2": { db in "\(try children.find(2, in: db) as Any)" },
    "parent 1 and child 2": { db in
      "\(try parents.find(1, in: db) as Any) \(try children.find(2, in: db) as Any)"
    },
    "keyed k": { db in "\(try Table<KeyedRow>().find("k", in: db) as Any)" },
    "named a": { db in "\(try Table<NamedRow>().find("a", in: db) as Any)" },
    "backwards 1": { db in "\(try Table<BackwardsRow>().find(1, in: db) as Any)" },
    "bare 1": { db in "\(try Table<BareRow>().find(1, in: db) as Any)" },
    "1 beside the largest": { db in
      let largest = parents.select { $0.size.max() }.scalar()
      return "\(try parents.where { $0.id == 1 && $0.size == largest }.fetchAll(in: db))"
    },
    "1 in SQL": { db in
      "\(try parents.where { $0.id == 1 }.where(sql: "size > 0) OR (size < 5").fetchAll(in: db))"
    },
    "prepared 1": { db in "\(try prepared.fetchAll(1, in: db))" },
    "prepared 3": { db in "\(try prepared.fetchAll(3, in: db))" },
  ]

  private static let prepared = PreparedQuery(Int64.self) { id in parents.where { $0.id == id } }

  struct Case: Sendable, CustomTestStringConvertible {
    let write: String
    let woken: [String]
    let asleep: [String]

    init(_ write: String, wakes woken: [String], not asleep: [String]) {
      (self.write, self.woken, self.asleep) = (write, woken, asleep)
    }

    var testDescription: String { write }
  }

  static let ofRow1 = ["find 1", "scoped 1", "where 1", "prepared 1"]
  static let ofRow3 = ["find 3", "where 3", "prepared 3", "in 2 and 3"]
  static let whole = ["all", "first of all", "1 beside the largest", "1 in SQL", "1 or 3"]

  static let cases = [
    Case(
      "UPDATE parent SET size = 7 WHERE id = 1",
      wakes: ofRow1 + whole + ["size of 1", "parent 1 and child 2"],
      not: ofRow3 + ["size of 3", "find 9", "exists 9", "count of 9", "child 1"]),
    Case(
      "UPDATE parent SET note = 'n' WHERE id = 1",
      wakes: ["find 1", "where 1", "all"],
      not: ofRow3 + ["size of 1", "scoped 1", "count of 9"]),
    Case(
      "UPDATE parent SET size = 7 WHERE id > 1",
      wakes: ofRow3 + whole, not: ["find 1", "where 1", "prepared 1", "size of 1"]),
    Case(
      "INSERT INTO parent(id, name) VALUES (9, 'n')",
      wakes: whole + ["find 9", "exists 9", "count of 9"], not: ofRow1 + ofRow3),
    Case("DELETE FROM parent WHERE id = 3", wakes: ofRow3 + whole, not: ["find 1", "find 9"]),
    Case(
      "DELETE FROM parent WHERE id = 1",
      wakes: ofRow1 + ["child 1", "parent 1 and child 2"], not: ofRow3 + ["child 2"]),
    Case("DELETE FROM keyed", wakes: ["keyed k"], not: ofRow1 + ofRow3),
    Case("UPDATE keyed SET value = 8 WHERE code = 'l'", wakes: ["keyed k"], not: ofRow1),
    Case("UPDATE named SET size = 8 WHERE name = 'b'", wakes: ["named a"], not: ofRow1),
    Case("UPDATE backwards SET size = 8 WHERE id = 2", wakes: ["backwards 1"], not: ofRow1),
    // Changes whose rows SQLite does not report.
    Case(
      "INSERT OR REPLACE INTO parent(id, name) VALUES (9, 'a')", wakes: ofRow1 + ["find 9"],
      not: ["child 2"]),
    Case(
      "UPDATE OR REPLACE parent SET name = 'b' WHERE id = 1", wakes: ofRow1 + ["in 2 and 3"],
      not: ["child 1"]),
    Case("UPDATE parent SET id = 9 WHERE id = 3", wakes: ofRow3 + ["find 9"], not: ["child 1"]),
    Case("UPDATE parent SET id = 9 WHERE id = 1", wakes: ofRow1 + ["child 1"], not: []),
    Case("DELETE FROM child", wakes: ["child 1", "child 2"], not: ofRow1 + ofRow3),
    Case(
      "DELETE FROM other; INSERT INTO child(id) VALUES (7)", wakes: [],
      not: ["child 1", "child 2"]),
    Case("DELETE FROM bare", wakes: ["bare 1"], not: ofRow1),
    Case("DELETE FROM emptied", wakes: ["bare 1"], not: ofRow1),
    Case("DELETE FROM bare WHERE id = 2", wakes: [], not: ["bare 1"]),
    // Rolled-back changes.
    Case(
      """
      SAVEPOINT a; UPDATE parent SET size = 9 WHERE id = 1; ROLLBACK TO a; RELEASE a;
      UPDATE parent SET size = 9 WHERE id = 3
      """, wakes: ofRow3, not: ["find 1", "where 1"]),
    Case(
      "SAVEPOINT a; UPDATE parent SET size = 9 WHERE id = 1; RELEASE a", wakes: ofRow1,
      not: ofRow3),
    // Changes through a view.
    Case(
      "UPDATE notes SET note = 'n' WHERE id = 3", wakes: ["find 3", "where 3"], not: ["find 1"]),
    Case("CREATE TABLE fresh(a)", wakes: ofRow1 + ofRow3, not: []),
  ]

  static let more = """
    CREATE TABLE named(name TEXT PRIMARY KEY, size INTEGER);
    INSERT INTO named VALUES ('a', 1), ('b', 2);
    CREATE TABLE backwards(id INTEGER PRIMARY KEY DESC, size INTEGER);
    INSERT INTO backwards VALUES (1, 1), (2, 2);
    CREATE TABLE bare(id INTEGER PRIMARY KEY, size INTEGER);
    INSERT INTO bare VALUES (1, 1), (2, 2);
    CREATE TABLE emptied(a);
    INSERT INTO emptied VALUES (1);
    CREATE TRIGGER empties AFTER DELETE ON emptied BEGIN DELETE FROM bare; END;
    """

  @Test("changes in a transaction", arguments: cases)
  func inTransaction(_ change: Case) async throws {
    try await expect(change) { database in
      try await database.write { try $0.execute(script: change.write) }
    }
  }

  @Test("changes by cached statements in autocommit mode", arguments: cases)
  func alone(_ change: Case) async throws {
    try await expect(change) { database in
      try await database.withoutTransaction { db in
        for statement in change.write.split(separator: ";") where !statement.isEmpty {
          try db.execute(SQL(raw: String(statement)))
        }
      }
    }
  }

  @Test("changes beside an observer of changed rows", arguments: cases)
  func besideChanges(_ change: Case) async throws {
    try await expect(change) { database in
      var changes = database.changes().makeAsyncIterator()
      try await database.write { try $0.execute(script: change.write) }
      if !change.woken.isEmpty { #expect(await changes.next() != nil) }
    }
  }

  @Test("an observer that begins during a transaction is woken by it, for any rows")
  func middle() async throws {
    try await ObservedTables.withDatabase { database in
      let hub = database.observationHub
      let (id, reads) = try await database.write { db in
        try db.execute("UPDATE parent SET size = 8 WHERE id = 1")
        let id = try #require(hub.insert())
        let (_, reads) = try db.recordingReads { try parents.find(1, in: db) }
        hub.didRead(id, reads)
        #expect(hub.isObservedByRow)
        try db.execute("UPDATE parent SET size = 8 WHERE id = 2")
        return (id, reads)
      }
      #expect(hub.isChanged(id))
      hub.willRead(id)
      hub.didRead(id, reads)
      try await database.write { try $0.execute("UPDATE parent SET size = 9 WHERE id = 2") }
      #expect(!hub.isChanged(id))
      hub.remove(id)
      #expect(!hub.isObservedByRow)
      #expect(hub.columnCount == 0)
    }
  }

  @Test("a commit during an observer's first read wakes it if it changed the observer's rows")
  func firstReading() async throws {
    try await ObservedTables.withDatabase { database in
      let hub = database.observationHub
      for (row, isConcerned) in [(2, false), (1, true)] {
        let id = try #require(hub.insert())
        let reads = try await database.read { db in
          try db.recordingReads { try parents.find(1, in: db) }.1
        }
        try await database.write {
          try $0.execute("UPDATE parent SET size = size + 1 WHERE id = \(row)")
        }
        hub.didRead(id, reads)
        #expect(hub.isChanged(id) == isConcerned)
        hub.remove(id)
        #expect(!hub.isObservedByRow)
      }
    }
  }

  @Test("a commit during an observer's read wakes it if it changed the observer's rows")
  func whileReading() async throws {
    try await ObservedTables.withDatabase { database in
      let hub = database.observationHub
      for row in [1, 2] {
        let id = try #require(hub.insert())
        let reads = try await database.read { db in
          try db.recordingReads { try parents.find(1, in: db) }.1
        }
        hub.didRead(id, reads)
        hub.willRead(id)
        for size in 0..<100 {
          try await database.write {
            try $0.execute("UPDATE parent SET size = \(size) WHERE id = \(row)")
          }
        }
        // Missed changes are kept, in bounded space.
        #expect((1...80).contains(hub.columnCount))
        hub.didRead(id, reads)
        #expect(hub.isChanged(id) == (row == 1))
        hub.remove(id)
        #expect(hub.columnCount == 0)
      }
    }
  }

  @Test("rows of an attached file belong to their own table")
  func attached() async throws {
    try await ObservedTables.withDatabase { database in
      try await database.attach(database.path + "2", as: "second", key: .raw(testKeyBytes))
      try await database.write { db in
        for place in ["main", "second"] {
          try db.execute(
            script: """
              CREATE TABLE \(place).bare(id INTEGER PRIMARY KEY, size INTEGER);
              INSERT INTO \(place).bare VALUES (1, 1), (2, 2);
              """)
        }
      }
      let bare = Table<BareRow>(in: "second")
      let one = try await ObservedQuery(in: database) { db in
        "\(try bare.find(1, in: db) as Any)"
      }
      try await database.write { db in
        try db.execute("UPDATE main.bare SET size = 3")
        try db.execute("UPDATE second.bare SET size = 3 WHERE id = 2")
      }
      #expect(!one.isChanged)
      try await bare.where { $0.id == 1 }.update { $0.size = 4 }.run(in: database)
      #expect(one.isChanged)
    }
  }

  @Test(
    "with a thousand observers of different rows, a commit examines only the affected observers")
  func crowd() async throws {
    try await ObservedTables.withDatabase { database in
      try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1009)
          INSERT INTO parent(id, size) SELECT i, 0 FROM n
          """)
      }
      var crowd: [ObservedQuery] = []
      for id in 10..<1_010 {
        crowd.append(
          try await ObservedQuery(in: database) { db in
            "\(try parents.find(Int64(id), in: db) as Any)"
          })
      }
      let hub = database.observationHub
      for rows in [[10], [11, 500, 1_000], []] {
        let before = hub.visits
        try await database.write { db in
          for row in rows { try parents.update(ParentRow(id: Int64(row), size: 5), in: db) }
          try db.execute("UPDATE parent SET size = 9 WHERE id = 1")
        }
        #expect(hub.visits - before == rows.count)
        for (index, one) in crowd.enumerated() where one.isChanged != rows.contains(index + 10) {
          Issue.record("\(index + 10)")
        }
        for row in rows { try await crowd[row - 10].rows() }
      }
      // If the changed rows are unknown, every observation of the column is notified.
      let before = hub.visits
      try await database.write { db in
        try db.execute("INSERT OR REPLACE INTO parent(id, size) VALUES (10, 1)")
      }
      #expect(hub.visits - before == 1_000)
    }
  }

  private func expect(
    _ change: Case, _ write: (Database) async throws -> Void
  ) async throws {
    try await ObservedTables.withDatabase { database in
      try await database.write { try $0.execute(script: Self.more) }
      var observed: [String: ObservedQuery] = [:]
      for name in change.woken + change.asleep {
        let read = try #require(Self.reads[name])
        observed[name] = try await ObservedQuery(in: database, read)
      }
      try await write(database)
      for name in change.woken { #expect(observed[name]?.isChanged == true, "\(name)") }
      for name in change.asleep { #expect(observed[name]?.isChanged == false, "\(name)") }
    }
  }

  @Test(
    "up to a thousand rows are tracked individually, and more rows as the table",
    arguments: [1, 999, 1_000, 1_001])
  func manyRows(count: Int) {
    let table = SchemaTable(schema: "main", table: "t")
    var all = ReadSet()
    all.insert("a", of: table)
    let some = all.limited(to: Set((0..<count).map { Int64($0) }), of: table)
    #expect(some.rows.values.map(\.rowIDs.count) == (count > 1_000 ? [] : [count]))
    #expect(some.keys == (count > 1_000 ? all.keys : []))
  }

  @Test(
    "a reading observer depends on its current read, not on the previous read",
    arguments: [true, false])
  func whileReading(isReadAgain: Bool) throws {
    func reads(_ name: String) -> ReadSet {
      var reads = ReadSet()
      reads.insert("a", of: SchemaTable(schema: "main", table: name))
      return reads
    }
    let hub = ObservationHub()
    let id = try #require(hub.insert())
    hub.didRead(id, reads("t"))
    var changes = WriteSet()
    changes.insert("a", of: SchemaTable(schema: "main", table: "t"))
    hub.publish(changes)
    #expect(hub.isChanged(id))
    hub.willRead(id)
    hub.publish(changes)
    #expect(!hub.isChanged(id))
    hub.didRead(id, reads(isReadAgain ? "t" : "u"))
    #expect(hub.isChanged(id) == isReadAgain)
  }
}

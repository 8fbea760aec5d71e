import Testing

@testable import MiniORM

private let old = DatabaseView("old_makers", as: makers.where { $0.founded < 1930 })
private let counting = Trigger("counting", .after, insertInto: makers) { new in
  ["UPDATE part SET whole_id = whole_id + 1 WHERE name = 'Motor'"]
}

@Suite("Temporary views and triggers")
struct TemporaryObjectTests {
  @Test("a temporary view is on every connection, after a change of key too, and not in the file")
  func view() async throws {
    try await withTrade { database throws in
      try await database.createTemporary(old)
      let acme = [Maker.some[0]]
      #expect(try await old.fetchAll(in: database) == acme)
      #expect(try await database.write { db in try old.from.fetchAll(in: db) } == acme)
      try await database.changeKey(to: .raw([UInt8](repeating: 7, count: 32)))
      #expect(try await old.fetchAll(in: database) == acme)
      #expect(try await database.write { db in try old.from.fetchAll(in: db) } == acme)
      let count = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'old_makers'")
      }
      #expect(count == 0)
      try await database.dropTemporary(old)
      let error = await #expect(throws: DatabaseError.self) { try await old.fetchAll(in: database) }
      #expect(error?.message == "no such table: old_makers")
    }
  }

  @Test("a temporary trigger runs for this program's changes")
  func trigger() async throws {
    try await withTrade { database throws in
      try await database.createTemporary(counting)
      try await makers.insert(Maker.Draft(name: "Dyno", founded: nil), in: database)
      #expect(try await parts.find(2, in: database)?.wholeID == 2)
      try await database.dropTemporary(counting)
      try await makers.insert(Maker.Draft(name: "Egg", founded: nil), in: database)
      #expect(try await parts.find(2, in: database)?.wholeID == 2)
    }
  }

  @Test("one that does not work, or is there already, is refused on every connection")
  func refused() async throws {
    try await withTrade { database throws in
      let broken = DatabaseView("broken", as: makers.where(sql: "nonsense = 1"))
      for _ in 1...2 {
        let error = await #expect(throws: DatabaseError.self) {
          try await database.createTemporary(broken)
        }
        #expect(error?.message == "no such column: nonsense")
      }
      let table = await #expect(throws: DatabaseError.self) {
        try await database.createTemporary(SpatialIndex("m", of: Maker.self) { [.at($0.id)] })
      }
      #expect(table?.message == "Only a view or a trigger can be temporary, and not a table")
      try await database.createTemporary(old)
      let error = await #expect(throws: DatabaseError.self) {
        try await database.createTemporary(old)
      }
      #expect(error?.message == "view \"old_makers\" already exists")
      #expect(try await old.fetchAll(in: database) == [Maker.some[0]])
      try await database.dropTemporary(old)
      let missing = await #expect(throws: DatabaseError.self) {
        try await database.dropTemporary(old)
      }
      #expect(missing?.message == "no such view: temp.old_makers")
    }
  }
}

@Suite("Temporary views and triggers, and what becomes of their tables")
struct TemporaryObjectMigrationTests {
  @Table("item") struct First: Identifiable {
    let id: Int64
    var name: String
    var size: Int?
  }

  /// With a constraint, so that the table is made anew.
  @Table("item") struct Rebuilt: Identifiable {
    let id: Int64
    @Column(.unique) var name: String
    var size: Int?
  }

  @Table("thing", renamedFrom: "item") struct Renamed: Identifiable {
    let id: Int64
    @Column(.unique) var title: String
    var size: Int?
  }

  @Table("log") struct Log: Identifiable {
    let id: Int64
    var text: String
  }

  private static let noted = Trigger("noted", .after, insertInto: Table<First>()) { new in
    ["INSERT INTO log(text) VALUES (\(new.name))"]
  }
  private static let named = DatabaseView("named", as: Table<First>().where { $0.name != "" })
  private static let newKey = Key.raw(testKeyBytes.reversed())

  private static func texts(_ database: Database) async throws -> [DatabaseValue] {
    try await database.values("SELECT text FROM log ORDER BY id")
  }

  /// A database with both, and a row.
  private static func withItems(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(version: 1, First.self, Log.self))
      try await database.createTemporary(noted)
      try await database.createTemporary(named)
      try await Table<First>().insert(First.Draft(name: "one"), in: database)
      try await body(database)
    }
  }

  @Test(
    "a temporary trigger is there again when its table was made anew, and so on each connection"
  )
  func rebuilt() async throws {
    try await Self.withItems { database in
      try await database.migrate(DatabaseSchema(version: 2, Rebuilt.self, Log.self))
      try await Table<Rebuilt>().insert(Rebuilt.Draft(name: "two"), in: database)
      #expect(try await Self.texts(database) == [.text("one"), .text("two")])
      for _ in 1...2 {
        for connection in [database.reader, database.writer] {
          #expect(
            try await connection.temporarySchema().map(\.name).sorted() == ["named", "noted"])
        }
        #expect(try await Self.named.fetchAll(in: database).map(\.name) == ["one", "two"])
        try await database.changeKey(to: Self.newKey)
      }
      try await database.dropTemporary(Self.noted)
      try await database.dropTemporary(Self.named)
    }
  }

  @Test(
    "they follow a table that has another name, by migrate or by SQL", arguments: [true, false])
  func renamed(migrates: Bool) async throws {
    try await Self.withItems { database in
      if migrates {
        let step = DatabaseSchema.Step(to: 2, "two", .renameColumn("name", to: "title", in: "item"))
        try await database.migrate(
          DatabaseSchema(version: 2, Renamed.self, Log.self, steps: [step]))
      } else {
        try await database.write { db in
          try db.execute("ALTER TABLE item RENAME TO thing")
          try db.execute("ALTER TABLE thing RENAME COLUMN name TO title")
        }
      }
      try await database.write { try $0.execute("INSERT INTO thing(title) VALUES ('two')") }
      #expect(try await Self.texts(database) == [.text("one"), .text("two")])
      let rows: [DatabaseValue] = [.text("one"), .text("two")]
      #expect(try await database.values("SELECT name FROM named") == rows)
      try await database.changeKey(to: Self.newKey)
      #expect(try await database.values("SELECT name FROM named") == rows)
      try await database.write { try $0.execute("INSERT INTO thing(title) VALUES ('three')") }
      #expect(try await Self.texts(database).count == 3)
      try await database.dropTemporary(Self.noted)
      try await database.dropTemporary(Self.named)
      #expect(try await database.reader.temporarySchema() == [])
      #expect(try await database.writer.temporarySchema() == [])
    }
  }

  @Test("a step that would leave one behind that does not work is refused, and changes nothing")
  func broken() async throws {
    try await Self.withItems { database in
      let step = DatabaseSchema.Step(to: 2, "two", .sql("DROP TABLE log"))
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, First.self, steps: [step]))
      }
      #expect(error.operation == .migrate)
      #expect(error.message.contains("The insertion into item would no longer work"))
      try await Table<First>().insert(First.Draft(name: "two"), in: database)
      #expect(try await Self.texts(database) == [.text("one"), .text("two")])
    }
  }

  @Test("one whose table is dropped goes with it, and a change of key does not fail for it")
  func dropped() async throws {
    try await Self.withItems { database in
      try await database.dropTemporary(Self.named)
      try await database.write { try $0.execute("DROP TABLE item") }
      try await database.changeKey(to: Self.newKey)
      #expect(try await Self.texts(database) == [.text("one")])
      #expect(try await database.writer.temporarySchema() == [])
      #expect(try await database.reader.temporarySchema() == [])
    }
  }
}

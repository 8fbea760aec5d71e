import Foundation
import Testing

@testable import MiniORM

@Table("item") private struct Item: Equatable {
  let id: Int64
  var a: String
  var b: String
}
@Table("note") private struct Note: Equatable {
  let id: Int64
  var text: String
}
extension Note {
  fileprivate static var indexes: [Index<Note>] { [Index("by_text") { $0.text }] }
}
@Table("word", options: [.strict, .withoutRowID]) private struct Word: Equatable {
  @Column(.primaryKey) let text: String
}
@Table("pair") private struct Pair: Equatable {
  var left: Int
  var middle: Int
  var right: Int
}

enum Later {
  @Table("item") struct Item: Equatable {
    let id: Int64
    var a: String
    var b: String

    static var indexes: [Index<Later.Item>] { [Index("by_text") { $0.a }] }
  }
  @Table("archive", renamedFrom: "note") struct Archive: Equatable {
    let id: Int64
    var text: String
  }
  @Table("note") struct Note: Equatable {
    let id: Int64
    var number: Int
  }
  @Table("note") struct CheckedNote: Equatable {
    let id: Int64
    @Column(.check("text <> ''")) var text: String
  }
  @Table("word") struct Word: Equatable {
    var count = 5
  }
  @Table("pair") struct Pair: Equatable {
    @Column(.check("\"left\" > 0")) var left: Int
    var middle: Int
    var right: Int
  }
}

@Suite("Data kept by migrations")
struct RowKeepingTests {
  @Test("a table with unordered rowids is damaged, and stays unchanged")
  func disorder() async throws {
    try await withTemporaryPath { path in
      var configuration = Configuration()
      configuration.journalMode = .delete
      let made = try await Database(path: path, key: nil, configuration: configuration)
      try await made.migrate(DatabaseSchema(version: 1, Note.self))
      try await Table<Note>().insert(
        contentsOf: [Note(id: 1, text: "a"), Note(id: 2, text: "b")], in: made)
      let root = try #require(
        try await made.read {
          try $0.value(Int.self, "SELECT rootpage FROM sqlite_schema WHERE name = 'note'")
        })
      try await made.close()
      // A leaf page: an 8-byte header, then pointers to the cells. Each cell begins with its size
      // and rowid.
      let page = UInt64(root - 1) * 4096
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seek(toOffset: page + 8)
      let place = try #require(try file.read(upToCount: 2))
      try file.seek(toOffset: page + UInt64(place[0]) << 8 + UInt64(place[1]) + 1)
      try file.write(contentsOf: Data([9]))
      try file.close()
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      let database = try await Database(path: path, key: nil, configuration: configuration)
      let error = try await failure {
        try await database.migrate(
          DatabaseSchema(version: 2, Later.CheckedNote.self), allowingDrops: true)
      }
      #expect(error.code == .corrupt && error.table == "note", "\(error)")
      try await database.close()
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
  }

  @Test("the former name of a table or an index may be the name of a new one")
  func reusedNames() async throws {
    try await withFile(DatabaseSchema(version: 1, Item.self, Note.self)) { database throws in
      try await Table<Item>().insert(Item(id: 1, a: "a", b: "b"), in: database)
      try await Table<Note>().insert(Note(id: 2, text: "old"), in: database)
      // A table's index has the name that another table's index had before.
      let schema = DatabaseSchema(version: 2, Later.Item.self, Later.Note.self, Later.Archive.self)
      for _ in 1...2 {
        try await database.migrate(schema)
        #expect(
          try await Table<Later.Item>().fetchAll(in: database) == [
            Later.Item(id: 1, a: "a", b: "b")
          ])
        #expect(
          try await Table<Later.Archive>().fetchAll(in: database) == [
            Later.Archive(id: 2, text: "old")
          ])
        #expect(try await Table<Later.Note>().count(in: database) == 0)
      }
    }
  }

  @Test("rows without any kept column stay rows")
  func nothingKept() async throws {
    try await withFile(DatabaseSchema(version: 1, Word.self)) { database throws in
      try await Table<Word>().insert(
        contentsOf: ["a", "b", "c"].map { Word(text: $0) }, in: database)
      try await database.migrate(DatabaseSchema(version: 2, Later.Word.self), allowingDrops: true)
      #expect(
        try await Table<Later.Word>().fetchAll(in: database)
          == [Later.Word(), Later.Word(), Later.Word()])
    }
  }

  @Test("rows are copied in parts, with dense and sparse rowids")
  func parts() async throws {
    try await withFile(DatabaseSchema(version: 1, Pair.self)) { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
            INSERT INTO pair (rowid, "left", middle, "right")
            SELECT iif(i < 30000, i, i * i * 1000003), i, i * 2, i * 3 FROM n;
            INSERT INTO pair (rowid, "left", middle, "right") VALUES
              (-9223372036854775808, 1, 2, 3), (9223372036854775807, 4, 5, 6), (0, 7, 8, 9);
            """)
      }
      let query: SQL = """
        SELECT count(*) || ' ' || sum(rowid % 1000003) || ' ' || sum((rowid % 1009) * "left") || ' '
          || sum(middle) || ' ' || sum("right") || ' ' || min(rowid) || ' ' || max(rowid) FROM pair
        """
      let before = try await database.values(query)
      try await database.migrate(DatabaseSchema(version: 2, Later.Pair.self))
      #expect(try await database.values(query) == before)
    }
  }

  @Test("a table of another program keeps its spelling when a step adds and drops columns")
  func foreignSpelling() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.write { db in
      try db.execute(
        script: """
          CREATE TABLE thing (
            [id] INTEGER, "count" INT CHECK (thing."count" > 0), -- the ) count
            'what' "TEXT" NOT NULL DEFAULT 'it''s', kind generated,
            CONSTRAINT k PRIMARY KEY (id AUTOINCREMENT) CHECK ("thing".what <> kind));
          INSERT INTO thing VALUES (1, 2, 'x', 'y'), (900, 3, 'z', NULL);
          DELETE FROM thing WHERE id = 900;
          """)
    }
    try await database.adopt(version: 1)
    try await database.migrate(
      DatabaseSchema(
        version: 2,
        steps: [
          DatabaseSchema.Step(
            to: 2, "other columns", .addColumn("code", Int?.self, .unique, to: "thing"),
            .dropColumn("count", from: "thing"))
        ]))
    #expect(
      try await database.values("SELECT sql FROM sqlite_schema WHERE name = 'thing'") == [
        .text(
          """
          CREATE TABLE "thing" (
            [id] INTEGER, 'what' "TEXT" NOT NULL DEFAULT 'it''s', kind generated, "code" INTEGER UNIQUE,
            CONSTRAINT k PRIMARY KEY (id AUTOINCREMENT) CHECK (what <> kind))
          """)
      ])
    #expect(
      try await database.read { db in try db.query("SELECT * FROM thing").map(\.values) } == [
        [.integer(1), .text("x"), .text("y"), .null]
      ])
    #expect(try await database.values("SELECT seq FROM sqlite_sequence") == [.integer(900)])
    try await database.close()
  }

  @Test("a step drops a table that only older files have")
  func dropsTable() async throws {
    let last = DatabaseSchema(
      version: 3, Item.self, steps: [DatabaseSchema.Step(to: 3, "no notes", .dropTable("note"))])
    for first in [
      DatabaseSchema(version: 1, Item.self, Note.self), DatabaseSchema(version: 2, Item.self),
    ] {
      try await withFile(first) { database throws in
        try await database.migrate(last)
        #expect(
          try await database.values("SELECT count(*) FROM sqlite_schema WHERE name = 'note'")
            == [.integer(0)])
        #expect(try await database.migrationHistory().map(\.name) == ["created", "no notes"])
      }
    }
  }

  @Test("a default that cannot be stored is refused also when a step rebuilds a table")
  func wrongDefault() async throws {
    try await withFile(DatabaseSchema(version: 1, Item.self)) { database throws in
      let error = try await failure {
        try await database.migrate(
          DatabaseSchema(
            version: 2, Item.self,
            steps: [
              DatabaseSchema.Step(
                to: 2, "a ratio",
                .rebuildTable(
                  "item", .column("id", Int64.self, .primaryKey), .column("a", String.self),
                  .column("b", String.self), .column("ratio", Double.self, .default(Double.nan))))
            ]))
      }
      #expect(
        error.summary
          == "migrate 20 .ratio -: Step 2 (a ratio): NaN cannot be stored: SQLite would turn it into "
          + "NULL. Use an Optional for a missing number")
    }
  }
}

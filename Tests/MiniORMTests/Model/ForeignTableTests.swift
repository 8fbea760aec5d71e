import Foundation
import Testing

@testable import MiniORM

/// Tables that other programs created, with their types and constraints.
@Suite("Models of other programs' tables")
struct ForeignTableTests {
  @Table("artist", options: [])
  fileprivate struct Artist {
    @Column(.type("VARCHAR(40)", nullable: true), .primaryKey) let code: String
    @Column(.type("nvarchar (120)")) var name: String?
    @Column(.type("NUMERIC(10,2)")) var price: Double = 0.99
    @Column(.type("")) var anything: DatabaseValue
    @Column(.type("ANY", nullable: false)) var required: DatabaseValue

    static var indexes: [Index<Artist>] {
      [
        Index("artist_name", unique: true) {
          (SQLExpression<DatabaseValue>("name COLLATE NOCASE").descending, $0.price)
        },
        Index("artist_lower", where: { _ in SQLExpression<Bool>("price > 1") }) { _ in
          SQLExpression<DatabaseValue>("lower(name)")
        },
      ]
    }
  }

  private static let script = """
    CREATE TABLE artist (code VARCHAR(40) PRIMARY KEY, name NVARCHAR(120), price NUMERIC(10, 2) NOT NULL DEFAULT 0.99,
      anything, required ANY NOT NULL);
    CREATE UNIQUE INDEX artist_name ON artist (name COLLATE NOCASE DESC, price);
    CREATE INDEX artist_lower ON artist ((lower(name)) ASC) WHERE price > 1;
    INSERT INTO artist VALUES ('a', 'A', 1, x'00', 5), ('b', NULL, 2.5, NULL, 'text');
    """

  @Test("equivalent declared types and indexes of another program are no difference")
  func same() async throws {
    try await withTemporaryDatabase(script: Self.script) { database in
      let schema = DatabaseSchema(Artist.self)
      #expect(try await database.schemaReport(for: schema).description == "")
      try await database.adopt(version: 1)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
      let rows = try await Table<Artist>().order { $0.code }.fetchAll(in: database)
      #expect(rows.map(\.price) == [1, 2.5])
      #expect(rows.map(\.required) == [.integer(5), .text("text")])
      #expect(rows.map(\.anything) == [.blob([0]), .null])
    }
  }

  @Test("a table is created with its declared types, and rebuilt to omit a type")
  func created() async throws {
    let schema = DatabaseSchema(Artist.self)
    try await withFile(schema) { database in
      let types = try await database.read { db in
        try db.query("SELECT type, \"notnull\" FROM pragma_table_info('artist')").map(\.values)
      }
      #expect(
        types == [
          [.text("VARCHAR(40)"), .integer(0)], [.text("nvarchar (120)"), .integer(0)],
          [.text("NUMERIC(10,2)"), .integer(1)], [.text(""), .integer(0)],
          [.text("ANY"), .integer(1)],
        ])
    }
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE artist (code VARCHAR(40) PRIMARY KEY, name TEXT, price REAL, anything INTEGER, required ANY);
        INSERT INTO artist VALUES ('a', 'A', 1.5, 7, 'x');
        """
    ) { database in
      try await database.adopt(version: 1)
      try await database.migrate(schema)
      let artist = try await Table<Artist>().find("a", in: database)
      #expect(artist?.anything == .integer(7))
      #expect(artist?.price == 1.5)
    }
  }

  @Test("an index that differs in more than parentheses is a difference")
  func other() async throws {
    let others = [
      "CREATE INDEX artist_lower ON artist (upper(name)) WHERE price > 1",
      "CREATE INDEX artist_lower ON artist (lower(name) DESC) WHERE price > 1",
      "CREATE INDEX artist_lower ON artist ((lower(name)) || (code)) WHERE price > 1",
      "CREATE INDEX artist_lower ON artist (lower(name), code) WHERE price > 1",
    ]
    for sql in others {
      try await withTemporaryDatabase(script: Self.script) { database in
        try await database.write { db in
          try db.execute("DROP INDEX artist_lower")
          try db.execute(SQL(raw: sql))
        }
        let report = try await database.schemaReport(for: DatabaseSchema(Artist.self))
        #expect(report.differences.count == 1, "\(sql): \(report)")
      }
    }
  }

  @Table("pair", primaryKey: ["country", "code"])
  fileprivate struct Pair {
    let country: String
    let code: Int64
  }

  @Table("member")
  fileprivate struct Member: Identifiable {
    let id: Int64
    var country: String
    var code: Int64

    static var constraints: [TableConstraint<Member>] {
      [
        TableConstraint(
          sql: "FOREIGN KEY (country, code) REFERENCES pair (country, code) ON DELETE CASCADE")
      ]
    }
  }

  @Test("a table constraint in SQL: a foreign key of two columns")
  func foreignKey() async throws {
    try await withFile(DatabaseSchema(Pair.self, Member.self)) { database in
      try await Table<Pair>().insert(Pair(country: "FR", code: 1), in: database)
      try await Table<Member>().insert(Member.Draft(country: "FR", code: 1), in: database)
      let error = try await failure {
        try await Table<Member>().insert(Member.Draft(country: "FR", code: 2), in: database)
      }
      #expect(error.code == .constraintForeignKey)
      try await Table<Pair>().delete(("FR", 1), in: database)
      #expect(try await Table<Member>().count(in: database) == 0)
    }
  }

  @Table("number", options: [])
  fileprivate struct Number: Identifiable {
    @Column(.type("BIGINT")) let id: Int64
    var name: String
  }

  @Test("a key that SQLite does not assign belongs to the draft, and the program assigns it")
  func noRowID() async throws {
    try await withFile(DatabaseSchema(Number.self)) { database in
      let table = Table<Number>()
      let inserted = try await table.insert(Number.Draft(id: 7, name: "seven"), in: database)
      #expect(inserted.id == 7)
      try await table.insert(Number(id: -1, name: "one"), in: database)
      #expect(try await table.find(7, in: database)?.name == "seven")
      try await table.update(Number(id: 7, name: "VII"), in: database)
      try await table.upsert(Number(id: 8, name: "eight"), in: database)
      try await table.upsert(Number(id: 8, name: "VIII"), in: database)
      try await table.delete(-1, in: database)
      let rows = try await table.order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.name) == ["VII", "VIII"])
      let error = try await failure {
        try await table.insert(Number(id: 7, name: "again"), in: database)
      }
      #expect(error.code == .constraintPrimaryKey)
      #expect(try await database.schemaReport(for: DatabaseSchema(Number.self)).isEmpty)
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Table("only_key")
private struct OnlyKey: Equatable { let id: Int64 }

@Suite("INSERT as a value")
struct InsertSelectTests {
  private let columns = #""name", "size", "note", "made", "state""#
  private let marks = "(?, ?, ?, ?, ifnull(?, ('new')))"

  @Test("drafts and models as VALUES")
  func values() async throws {
    try await withStock { database throws in
      let draft = Stock.Draft(name: "Dowel", size: 7, made: Stock.day)
      try await expect(
        stock.insert(draft), #"INSERT INTO "stock" (\#(columns)) VALUES \#(marks)"#,
        [.text("Dowel"), .integer(7), .null, .integer(86_400), .null], changes: 1, in: database)
      let two = [Stock.row(9, "x\0y", 1, state: "old"), Stock.row(8, "z", 2, note: "")]
      try await expect(
        stock.insert(contentsOf: two),
        #"""
        INSERT INTO "stock" ("id", \#(columns))
        VALUES (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)
        """#,
        [
          .integer(9), .text("x\0y"), .integer(1), .null, .null, .text("old"), .integer(8),
          .text("z"), .integer(2), .text(""), .null, .text("new"),
        ], changes: 2, in: database)
      let added = [Stock.row(6, "Dowel", 7, made: Stock.day), two[1], two[0]]
      #expect(try await database.stock() == Stock.some + added)
      let none = stock.insert(contentsOf: [Stock]())
      try await expect(none, "", changes: 0, in: database)
      #expect(try await none.returning().fetchAll(in: database) == [])
      let failing = stock.insert(contentsOf: [
        Stock.Draft(name: "new"), Stock.Draft(name: "Anvil"),
      ])
      let error = try await failure { try await failing.run(in: database) }
      #expect(error.summary == "step 2067 stock.name -: UNIQUE constraint failed: stock.name")
      #expect(try await database.stock().count == 6)
    }
  }

  @Test("a value that cannot be stored throws when the insertion runs")
  func unbindable() async throws {
    try await withPeople([]) { database, table throws in
      let insert = table.insert(contentsOf: [
        Person.Draft(name: "a"), Person.Draft(name: "b", score: .nan),
      ])
      let error = try await failure { try await insert.run(in: database) }
      #expect(error.operation == .bind && error.code == .mismatch && error.rowType == "Draft")
      let returned = try await failure { try await insert.returning().fetchAll(in: database) }
      #expect(returned.summary == error.summary)
      #expect(try await table.count(in: database) == 0)
    }
  }

  @Test("values beyond SQLite's parameter limit take several statements in a transaction")
  func many() async throws {
    try await withPeople([]) { database, table throws in
      let drafts = (1...12_000).map { Person.Draft(name: "\($0)", age: $0) }
      let insert = table.insert(contentsOf: drafts)
      #expect(insert.asStatement.parts.map(\.bindings.count) == [31_998, 31_998, 8_004])
      #expect(try await insert.run(in: database) == 12_000)
      let ids = try await insert.returning { ($0.id, $0.age) }.fetchAll(in: database)
      #expect(
        ids.map(\.0) == (12_001...24_000).map { Int64($0) } && ids.map(\.1) == Array(1...12_000))
      let failing = table.insert(
        contentsOf: (50_001...60_000).map { Person(id: $0 == 60_000 ? 1 : $0, name: "") })
      _ = try await failure { try await failing.run(in: database) }
      #expect(try await table.count(in: database) == 24_000)
      let ignoring = failing.or(.ignore)
      #expect(try await ignoring.run(in: database) == 9_999)
      let keeping = table.insert(
        contentsOf: (70_001...80_000).map { Person(id: $0 == 80_000 ? 1 : $0, name: "") }
      )
      .or(.fail)
      let error = try await failure { try await keeping.run(in: database) }
      #expect(error.summary == "step 1555 person.id -: UNIQUE constraint failed: person.id")
      #expect(try await table.count(in: database) == 24_000 + 9_999 + 9_999)
    }
  }

  @Test("a row that contains only defaults")
  func defaults() async throws {
    try await withFile(DatabaseSchema(OnlyKey.self, Person.self)) { database throws in
      let table = Table<OnlyKey>()
      try await expect(
        table.insertDefaultValues().returning { $0.id },
        #"INSERT INTO "only_key" DEFAULT VALUES RETURNING "only_key"."id""#, rows: [1], in: database
      )
      let drafts = Array(repeating: OnlyKey.Draft(), count: 3)
      let insert = table.insert(contentsOf: drafts).or(.ignore)
      #expect(insert.asStatement.parts.count == 3)
      #expect(try await insert.returning().fetchAll(in: database).map(\.id) == [2, 3, 4])
      #expect(try await table.insert(contentsOf: drafts).run(in: database) == 3)
      let error = try await failure {
        try await Table<Person>().insertDefaultValues().run(in: database)
      }
      #expect(error.summary == "step 1299 person.name -: NOT NULL constraint failed: person.name")
      let conflict = try await failure {
        try await table.insertDefaultValues().onConflictDoNothing().run(in: database)
      }
      #expect(
        conflict.summary
          == "prepare 21 -.- -: SQLite has no ON CONFLICT for DEFAULT VALUES: use or(_:)")
    }
  }

  @Test("all columns of a query of model rows, with generated columns computed again")
  func models() async throws {
    try await withStock { database throws in
      let large = stock.where { $0.size >= 40 }
      let new = stock.insert(from: large.order { $0.id.descending }, assigningRowIDs: true)
        .or(.ignore)
      let list = columns.split(separator: ", ").map { "\"stock\".\($0)" }.joined(separator: ", ")
      try await expect(
        new,
        #"""
        INSERT OR IGNORE INTO "stock" (\#(columns))
        SELECT \#(list)
        FROM "stock"
        WHERE ("stock"."size" >= ?)
        ORDER BY "stock"."id" DESC
        """#,
        [.integer(40)], changes: 0, in: database)
      _ = try await stock.update { $0.name = $0.name.appending("2") }.run(in: database)
      let copy = stock.insert(from: large.distinct(), assigningRowIDs: true).onConflict {
        $0.name
      } update: { row, new in
        row.name = new.name.appending("b")
      }
      let named = ["id", "name", "size", "note", "made", "state", "twice"]
        .map { #""stock"."\#($0)" AS "\#($0)""# }.joined(separator: ", ")
      #expect(
        copy.sql.text
          == #"""
          INSERT INTO "stock" (\#(columns))
          SELECT \#(list)
          FROM (SELECT DISTINCT \#(named)
            FROM "stock"
            WHERE ("stock"."size" >= ?)) AS "stock"
          WHERE TRUE
          ON CONFLICT ("name") DO UPDATE
          SET "name" = ("excluded"."name" || ?)
          """#.onOneLine)
      #expect(try await copy.run(in: database) == 2)
      #expect(
        try await database.stock().map(\.name) == ["Anvil2", "Bolt2b", "Cog2b"])
    }
  }

  @Test("insertion between attached databases keeps keys")
  func attached() async throws {
    try await withStock { database throws in
      try await withTemporaryPath { path in
        try await database.attach(path, as: "archive", key: TemporaryFile.key)
        let archive = Table<Stock>(in: "archive")
        try await database.write { db in
          let sql = try db.value(
            String.self, "SELECT sql FROM sqlite_schema WHERE name = 'stock'")
          let create = (sql ?? "").replacingOccurrences(
            of: #"CREATE TABLE "stock""#, with: #"CREATE TABLE archive."stock""#)
          try db.execute(script: create)
        }
        let all = #""id", \#(columns)"#
        let list = all.split(separator: ", ").map { "\"stock\".\($0)" }.joined(separator: ", ")
        try await expect(
          archive.insert(from: stock.where { $0.size < 100 }),
          #"""
          INSERT INTO "archive"."stock" (\#(all))
          SELECT \#(list)
          FROM "stock"
          WHERE ("stock"."size" < ?)
          """#,
          [.integer(100)], changes: 2, in: database)
        let kept = [Stock.some[0], Stock.some[2]]
        #expect(try await archive.order { $0.id }.fetchAll(in: database) == kept)
        let upsert = archive.insert(from: stock).onConflict {
          $0.name
        } update: { row, new in
          row.size = row.size + new.size
        } where: { row, new in
          row.size < 10 && new.size < 10
        }
        try await expect(
          upsert.returning { ($0.name, $0.size) },
          #"""
          INSERT INTO "archive"."stock" (\#(all))
          SELECT \#(list)
          FROM "stock"
          WHERE TRUE
          ON CONFLICT ("name") DO UPDATE
          SET "size" = ("stock"."size" + "excluded"."size")
          WHERE (("stock"."size" < ?) AND ("excluded"."size" < ?))
          RETURNING "stock"."name", "stock"."size"
          """#,
          [.integer(10), .integer(10)], rows: [("Anvil", 6), ("Bolt", 500)], in: database)
        try await expect(
          archive.where { $0.size > 100 }.update { $0.size = $0.size + 1 }.returning(),
          #"""
          UPDATE "archive"."stock"
          SET "size" = ("stock"."size" + ?)
          WHERE ("stock"."size" > ?)
          RETURNING "stock"."id", \#(list.dropFirst(14)), "stock"."twice"
          """#,
          [.integer(1), .integer(100)], rows: [.row(2, "Bolt", 501, note: "M6")], in: database)
        try await expect(
          archive.delete().returning { $0.name },
          #"DELETE FROM "archive"."stock" RETURNING "stock"."name""#,
          rows: ["Anvil", "Bolt", "Cog"], in: database)
        #expect(try await database.stock() == Stock.some)
        try await database.detach("archive")
      }
    }
  }

  @Test("a subset of columns, single or in tuples; other columns take their defaults")
  func columns() async throws {
    try await withStock { database throws in
      try await expect(
        stock.insert(into: { $0.name }, from: stock.select { $0.name.upper() }),
        #"INSERT INTO "stock" ("name") SELECT upper("stock"."name") FROM "stock""#, changes: 3,
        in: database)
      #expect(
        try await database.stock().dropFirst(3).map { $0 }
          == [.row(6, "ANVIL"), .row(7, "BOLT"), .row(8, "COG")])
      try await expect(
        depot.insert(
          into: { ($0.size, $0.name) },
          from: stock.where { $0.size > 3 }.select { ($0.size.optional, $0.name) }),
        #"""
        INSERT INTO "depot" ("size", "name")
        SELECT "stock"."size", "stock"."name"
        FROM "stock"
        WHERE ("stock"."size" > ?)
        """#, [.integer(3)], changes: 2, in: database)
      #expect(
        try await depot.order { $0.id }.fetchAll(in: database)
          == [Depot(id: 1, name: "Bolt", size: 500), Depot(id: 2, name: "Cog", size: 40)])
    }
  }

  @Test("dates are inserted in their column's format; other formats are refused")
  func forms() async throws {
    try await withStock { database throws in
      try await expect(
        depot.insert(
          into: { ($0.name, $0.made) },
          from: stock.where { $0.id == 1 }.select { ($0.name, $0.made) }),
        #"""
        INSERT INTO "depot" ("name", "made")
        SELECT "stock"."name", miniorm_date("stock"."made", 'seconds', 'text')
        FROM "stock"
        WHERE ("stock"."id" = ?)
        """#, [.integer(1)], changes: 1, in: database)
      #expect(try await depot.fetchAll(in: database).map(\.made) == [Stock.day])
      _ = try await depot.update { $0.made = Date(timeIntervalSince1970: 172_800) }
        .run(in: database)
      let back = stock.insert(
        into: { ($0.name, $0.made) }, from: depot.select { ($0.name.lower(), $0.made) })
      #expect(try await back.run(in: database) == 1)
      #expect(
        try await stock.where { $0.name == "anvil" }.fetchAll(in: database).map(\.made)
          == [Date(timeIntervalSince1970: 172_800)])

      let message =
        "prepare 21 -.- -: depot.token stores values in another format than the assigned "
        + "column: declare both with the same @Column(as:)"
      let token = depot.insert(
        into: { ($0.name, $0.token) }, from: depot.select { ($0.name, $0.label) })
      #expect(try await failure { try await token.run(in: database) }.summary == message)
      let assigned = depot.update { $0.token = $0.label }
      #expect(try await failure { try await assigned.run(in: database) }.summary == message)
      let distinct = depot.insert(
        into: { ($0.name, $0.made) }, from: stock.select { ($0.name, $0.made) }.distinct())
      #expect(
        try await failure { try await distinct.run(in: database) }.summary
          == message.replacingOccurrences(of: "depot.token", with: "depot.made"))
      // Raw SQL names the format.
      let raw = depot.update { $0.token = SQLExpression("randomblob(16)", as: .uuidBytes) }
      #expect(try await raw.run(in: database) == 1)
      #expect(try await depot.fetchAll(in: database).compactMap(\.token).count == 1)
    }
  }

  @Test("columns that cannot be inserted into")
  func refused() async throws {
    try await withStock { database throws in
      let mistakes: [(Insert<Stock>, String)] = [
        (
          stock.insert(into: { $0.twice }, from: stock.select { $0.twice }),
          "stock.twice is a generated column: leave it out of inserts and updates"
        ),
        (
          stock.insert(into: { ($0.name, $0.name) }, from: stock.select { ($0.name, $0.name) }),
          "The insert names stock.name twice: name each column once"
        ),
        (
          stock.insert(into: { $0.name.upper() }, from: stock.select { $0.name }),
          "The insert names an expression: name only columns"
        ),
      ]
      for (insert, message) in mistakes {
        let error = try await failure { try await insert.run(in: database) }
        let place = message.hasPrefix("stock.twice") ? "stock.twice" : "-.-"
        #expect(error.summary == "prepare 21 \(place) -: \(message)")
      }
      #expect(try await database.stock() == Stock.some)
    }
  }

  @Test("100,000 rows are inserted by a statement that never sends rows to Swift")
  func large() async throws {
    try await withStock { database throws in
      let numbers = try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          INSERT INTO stock (id, name, size, state) SELECT 100 + i, 'n' || i, i, 'new' FROM n
          """)
        let copied = try depot.insert(
          into: { ($0.name, $0.size, $0.made) },
          from: stock.where { $0.id > 100 }.order { $0.id.descending }
            .select { ($0.name, $0.size.optional, $0.made) }
        ).run(in: db)
        return (copied, try depot.count(in: db), try depot.sum(of: { $0.size }, in: db))
      }
      #expect(numbers == (100_000, 100_000, 5_000_050_000))
      let last = try await depot.find(100_000, in: database)
      #expect(last == Depot(id: 100_000, name: "n1", size: 1))
    }
  }

  @Test("common table expressions precede INSERT, UPDATE and DELETE")
  func commonTables() async throws {
    try await withStock { database throws in
      func large(_ column: MiniORM.SQLExpression<Int>) -> MiniORM.SQLExpression<Bool> {
        var sql = SQL(raw: "(\(column.sql.text) IN (SELECT n FROM large))")
        sql.add(
          CommonTable(
            "large", definition: "large (n) AS (SELECT size FROM stock WHERE size > \(30))"))
        return MiniORM.SQLExpression(sql, Coding())
      }
      let with = "WITH large (n) AS (SELECT size FROM stock WHERE size > ?) "
      let inLarge = #"("stock"."size" IN (SELECT n FROM large))"#
      try await expect(
        depot.insert(
          into: { $0.name }, from: stock.where { large($0.size) }.select { $0.name }),
        with
          + #"INSERT INTO "depot" ("name") SELECT "stock"."name" FROM "stock" WHERE \#(inLarge)"#,
        [.integer(30)], changes: 2, in: database)
      try await expect(
        stock.where { large($0.size) }.update { $0.note = "n" }.returning { $0.id },
        with + #"UPDATE "stock" SET "note" = ? WHERE \#(inLarge) RETURNING "stock"."id""#,
        [.integer(30), .text("n")], rows: [2, 5], in: database)
      try await expect(
        stock.where { large($0.size) }.delete(), with + #"DELETE FROM "stock" WHERE \#(inLarge)"#,
        [.integer(30)], changes: 2, in: database)
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Suite("Queries within writes")
struct WriteSubqueryTests {
  @Test("common table expressions before INSERT, UPDATE and DELETE")
  func commonTables() async throws {
    try await withStock { database throws in
      let large = CommonTableExpression("large", as: stock.where { $0.size >= 40 })
      let columns = ["id", "name", "size", "note", "made", "state", "twice"]
        .map { #""stock"."\#($0)" AS "\#($0)""# }.joined(separator: ", ")
      let with =
        #"WITH "large" AS (SELECT \#(columns) FROM "stock" WHERE ("stock"."size" >= ?)) "#
      let insert = depot.insert(
        into: { ($0.name, $0.made) }, from: large.order { $0.id }.select { ($0.name, $0.made) })
      try await expect(
        insert,
        with + #"INSERT INTO "depot" ("name", "made") SELECT "large"."name", "#
          + #"miniorm_date("large"."made", 'seconds', 'text') FROM "large" ORDER BY "large"."id""#,
        [.integer(40)], changes: 2, in: database)
      let update = stock.update(from: large, on: { $0.id == $1.id }) { row, other in
        row.size += other.size
        row.note = other.name.optional
      }.returning { ($0.name, $0.size) }
      try await expect(
        update,
        with + #"UPDATE "stock" SET "size" = ("stock"."size" + "large"."size"), "#
          + #""note" = "large"."name" FROM "large" WHERE ("stock"."id" = "large"."id") "#
          + #"RETURNING "stock"."name", "stock"."size""#,
        [.integer(40)], rows: [("Bolt", 1000), ("Cog", 80)], in: database)
      let delete = stock.where { $0.id.isIn(large.select { $0.id }) }.delete()
      try await expect(
        delete,
        with + #"DELETE FROM "stock" WHERE ("stock"."id" IN (SELECT "large"."id" FROM "large"))"#,
        [.integer(40)], changes: 2, in: database)
      let models = stock.insert(from: large, assigningRowIDs: true).onConflictDoNothing()
      #expect(try await models.run(in: database) == 0)
    }
  }

  @Test("rows of compound queries, with all columns or some of them")
  func compounds() async throws {
    try await withStock { database throws in
      let both = stock.where { $0.id == 1 }.union(stock.where { $0.id == 2 })
      _ = try await stock.where { $0.id < 3 }.update { $0.name += "'" }.run(in: database)
      let queries: [Select<Stock>] = [
        both, both.limit(1), stock.limit(1).unionAll(stock.where { $0.id == 2 }),
        stock.except(stock.where { $0.size > 400 }), stock.distinct().limit(2).asSelect,
      ]
      for query in queries {
        let rows = try await query.fetchAll(in: database)
        let copies = try await database.write { db in
          let unnamed = try stock.update { $0.name += "-" }.run(in: db)
          #expect(unnamed == 3)
          let copies = try stock.insert(from: query, assigningRowIDs: true).or(.ignore)
            .onConflict {
              $0.name
            } update: { row, new in
              row.note = "again"
            }
            .returning().fetchAll(in: db)
          try stock.update { $0.name = $0.name.replace("-", with: "") }.run(in: db)
          return copies
        }
        #expect(copies.map(\.note) == Array(repeating: "again", count: rows.count))
      }
      let names = stock.select { $0.name }.union(depot.select { $0.name })
      #expect(try await depot.insert(into: { $0.name }, from: names).run(in: database) == 3)
      let dates = stock.select { $0.made }.union(stock.select { $0.made })
      let error = try await failure {
        try await depot.insert(into: { $0.made }, from: dates).run(in: database)
      }
      #expect(error.message.hasPrefix("depot.made stores values in another format"))
    }
  }

  @Test("subqueries in assigned, inserted and returned values")
  func scalars() async throws {
    try await withStock { database throws in
      let most = stock.select { $0.size.max() }.scalar()
      let insert = depot.insert {
        $0.name = "most"
        $0.size = most
        $0.made = stock.where { $0.id == 1 }.select { $0.made }.scalar()
      }
      try await expect(
        insert.returning { ($0.size, $0.made) },
        #"""
        INSERT INTO "depot" ("name", "size", "made")
        VALUES (?, (SELECT max("stock"."size")
          FROM "stock"), miniorm_date((SELECT "stock"."made"
          FROM "stock"
          WHERE ("stock"."id" = ?)), 'seconds', 'text'))
        RETURNING "depot"."size", "depot"."made"
        """#,
        [.text("most"), .integer(1)], rows: [(500 as Int?, Stock.day as Date?)], in: database)
      let upsert = stock.insert { $0.name = "Cog" }
        .onConflict {
          $0.name
        } update: { row, new in
          row.size = most ?? 0
        }
      try await expect(
        upsert,
        #"""
        INSERT INTO "stock" ("name")
        VALUES (?)
        ON CONFLICT ("name") DO UPDATE
        SET "size" = ifnull((SELECT max("stock"."size")
          FROM "stock"), ?)
        """#,
        [.text("Cog"), .integer(0)], changes: 1, in: database)
      let other = stock.alias("other")
      let update = stock.where { $0.id == 1 }.update { row in
        let name = row.name
        row.size = other.where { $0.name != name }.select { $0.size.sum() }.scalar() ?? 0
      }
      try await expect(
        update,
        #"""
        UPDATE "stock" SET "size" = ifnull((SELECT sum("other"."size")
          FROM "stock" AS "other"
          WHERE ("other"."name" <> "stock"."name")), ?)
        WHERE ("stock"."id" = ?)
        """#,
        [.integer(0), .integer(1)], changes: 1, in: database)
      #expect(try await database.stock().map(\.size) == [1000, 500, 500])
      #expect(depot.insert { _ in }.sql.text == #"INSERT INTO "depot" DEFAULT VALUES"#)
    }
  }

  @Test("a subquery of the same table names the changed row's columns")
  func captured() async throws {
    try await withStock { database throws in
      let update = stock.update { row in
        let id = row.id
        row.size = stock.where { $0.id < id }.select { $0.id.count() }.scalar() ?? -1
      }
      #expect(try await update.run(in: database) == 3)
      #expect(
        try await stock.order { $0.id }.fetchAll(in: database).map(\.size) == [0, 1, 2])
    }
  }

  @Test("writes in a trigger read the columns of its row")
  func triggers() async throws {
    let logged = Trigger("stock_logged", .after, update: stock) { old, new in
      [
        depot.insert {
          $0.name = old.name
          $0.size = (new.size - old.size).optional
          $0.made = new.made
        }.sql,
        depot.where { $0.size == 0 }.delete().sql,
      ]
    }
    try await withFile(DatabaseSchema(Stock.self, Depot.self, objects: [logged])) {
      database throws in
      try await stock.insert(contentsOf: Stock.some, in: database)
      let growth = stock.update { $0.size = $0.size + $0.id.cast(to: Int.self) - 1 }
      #expect(try await growth.run(in: database) == 3)
      #expect(
        try await depot.order { $0.name }.fetchAll(in: database).map {
          "\($0.name) \($0.size ?? -1)"
        }
          == ["Bolt 1", "Cog 4"])
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Selection
private struct Sized: Equatable {
  let name: String
  let double: Int
}

/// An integer type that cannot read the value 13.
private struct Lucky: ColumnValue, Equatable {
  let number: Int64
  static var columnType: ColumnType { .integer }
  init(_ number: Int64) { self.number = number }
  init(cell: borrowing Cell) throws(DatabaseError) {
    number = try cell.integer()
    guard number != 13 else { throw cell.invalid("No such number") }
  }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) { try parameter.bind(number) }
}

@Table("ticket")
private struct Ticket: Equatable {
  let id: Int64
  var number: Lucky
}

@Table("draw")
private struct Draw: Equatable {
  let id: Int64
  var base: Int64
  @Column(.generated("base + 1")) var number: Lucky?
}

@Suite("RETURNING")
struct ReturningTests {
  @Test("INSERT, UPDATE and DELETE return values, tuples, selections and models")
  func kinds() async throws {
    try await withStock { database throws in
      let draft = Stock.Draft(name: "Dowel", size: 4)
      try await expect(
        stock.insert(draft).returning { $0.id },
        #"""
        INSERT INTO "stock" ("name", "size", "note", "made", "state")
        VALUES (?, ?, ?, ?, ifnull(?, ('new')))
        RETURNING "stock"."id"
        """#,
        [.text("Dowel"), .integer(4), .null, .null, .null], rows: [6], in: database)
      try await expect(
        stock.where { $0.size < 10 }.update { $0.size *= 2 }.returning { ($0.name, $0.size + 1) },
        #"""
        UPDATE "stock" SET "size" = ("stock"."size" * ?)
        WHERE ("stock"."size" < ?)
        RETURNING "stock"."name", ("stock"."size" + ?)
        """#,
        [.integer(2), .integer(10), .integer(1)], rows: [("Anvil", 7), ("Dowel", 9)], in: database)
      try await expect(
        stock.order { $0.id.descending }.limit(1).update { $0.note = "last" }.returning {
          Sized.Columns(name: $0.name, double: $0.size + $0.size)
        },
        #"""
        UPDATE "stock" SET "note" = ?
        WHERE ("id") IN (SELECT "id"
          FROM "stock"
          ORDER BY "stock"."id" DESC
          LIMIT ?)
        RETURNING "stock"."name" AS "name", ("stock"."size" + "stock"."size") AS "double"
        """#,
        [.text("last"), .integer(1)], rows: [Sized(name: "Dowel", double: 16)], in: database)
      let all = ["id", "name", "size", "note", "made", "state", "twice"]
        .map { #""stock"."\#($0)""# }.joined(separator: ", ")
      try await expect(
        stock.where { $0.id > 2 }.delete().returning(),
        #"DELETE FROM "stock" WHERE ("stock"."id" > ?) RETURNING \#(all)"#, [.integer(2)],
        rows: [.row(5, "Cog", 40), .row(6, "Dowel", 8, note: "last")], in: database)
      try await expect(
        stock.where { $0.made == Stock.day }.delete().returning { ($0, $0.made) },
        #"DELETE FROM "stock" WHERE ("stock"."made" IS ?) RETURNING \#(all), "stock"."made""#,
        [.integer(86_400)],
        rows: [(Stock.row(1, "Anvil", 6, made: Stock.day), Stock.day as Date?)], in: database)
      #expect(try await database.stock() == [Stock.some[1]])
    }
  }

  @Test("fetchOne returns a single row and writes all rows; without rows it returns nil")
  func one() async throws {
    try await withStock { database throws in
      let growth = stock.update { $0.size += 1 }.returning { $0.name }
      #expect(try await growth.fetchOne(in: database) == "Anvil")
      #expect(try await database.stock().map(\.size) == [4, 501, 41])
      let name = try await database.write { db in
        let name = try growth.fetchOne(in: db)
        #expect(db.cache?.checkedOut == 0)
        return name
      }
      #expect(name == "Anvil")
      #expect(try await database.stock().map(\.size) == [5, 502, 42])
      let none = stock.where { $0.id > 100 }.delete().returning()
      #expect(try await none.fetchOne(in: database) == nil)
    }
  }

  @Test("RETURNING allows subqueries; the error for aggregates and other tables names the reason")
  func limits() async throws {
    try await withStock { database throws in
      let count = MiniORM.SQLExpression<Int>("SELECT count(*) FROM stock")
      let gone = stock.where { $0.id == 1 }.delete().returning { _ in count }
      #expect(try await gone.fetchAll(in: database).count == 1)
      let aggregate = try await failure {
        try await stock.delete().returning { $0.size.sum() }.fetchAll(in: database)
      }
      #expect(
        aggregate.summary
          == "prepare 1 -.- -: misuse of aggregate function sum(): RETURNING reads a single "
          + "changed row, so it cannot use aggregates or window functions: compute them from "
          + "the returned rows")
      let other = try await failure {
        try await stock.delete().returning { _ in Depot.columns.name }.fetchAll(in: database)
      }
      #expect(
        other.summary
          == "prepare 1 -.- -: no such column: depot.name: RETURNING can name only columns of "
          + "stock: read other tables in a query")
      #expect(try await database.stock().count == 2)
    }
  }

  @Test("an unreadable returned value throws, and nothing is changed")
  func unreadable() async throws {
    try await withFile(DatabaseSchema(Ticket.self)) { database throws in
      let tickets = Table<Ticket>()
      let rows = [Ticket(id: 1, number: Lucky(1)), Ticket(id: 2, number: Lucky(12))]
      try await tickets.insert(contentsOf: rows, in: database)
      let update = tickets.update {
        $0.number = SQLExpression("\($0.number) + 1")
      }.returning { $0.number }
      let facts = "read 20 -.number Lucky: No such number in column number"
      for returning in [
        update,
        tickets.insert(
          contentsOf: [12, 13].map { Ticket.Draft(number: Lucky($0)) }
        ).or(.fail).returning { $0.number },
      ] {
        #expect(try await failure { try await returning.fetchAll(in: database) }.summary == facts)
        #expect(try await failure { try await returning.fetchOne(in: database) }.summary == facts)
        #expect(try await tickets.fetchAll(in: database) == rows)
        let inside = try await database.write { db in
          #expect(throws: DatabaseError.self) { try returning.fetchAll(in: db) }
          return try tickets.fetchAll(in: db)
        }
        #expect(inside == rows)
      }
    }
  }

  @Test("an inserted row that cannot be read back is not stored")
  func unreadableInsertion() async throws {
    try await withFile(DatabaseSchema(Ticket.self, Draw.self)) { database throws in
      let (tickets, draws) = (Table<Ticket>(), Table<Draw>())
      let ticket = Ticket.Draft(number: Lucky(13))
      let error = try await failure { try await tickets.insert(ticket, in: database) }
      #expect(error.summary == "read 20 ticket.number Ticket: No such number in column number")
      #expect(try await tickets.count(in: database) == 0)
      let draw = Draw.Draft(base: 12)
      let computed = try await failure { try await draws.insert(draw, in: database) }
      #expect(computed.summary == "read 20 draw.number Draw: No such number in column number")
      #expect(try await draws.count(in: database) == 0)

      // Also inside a transaction that catches the error, with values computed in Swift or by
      // SQLite.
      let counts = try await database.write { db in
        try draws.insert(Draw.Draft(base: 1), in: db)
        #expect(throws: DatabaseError.self) { try draws.insert(draw, in: db) }
        return (try draws.count(in: db), db.depth)
      }
      #expect(counts == (1, 1))
      #expect(try await draws.count(in: database) == 1)
      let kept = try await database.write { db in
        try tickets.insert(Ticket(id: 1, number: Lucky(1)), in: db)
        #expect(throws: DatabaseError.self) { try tickets.insert(ticket, in: db) }
        try db.transaction { db in
          #expect(throws: DatabaseError.self) { try tickets.insert(ticket, in: db) }
          try tickets.insert(Ticket(id: 2, number: Lucky(2)), in: db)
        }
        return (try tickets.fetchAll(in: db).map(\.id), db.depth)
      }
      #expect(kept == ([1, 2], 1))
      #expect(try await tickets.fetchAll(in: database).map(\.id) == [1, 2])
      try await tickets.deleteAll(in: database)
      await #expect(throws: DatabaseError.self) {
        try await database.write { db in try tickets.insert(ticket, in: db) }
      }
      #expect(try await tickets.count(in: database) == 0)
    }
  }

  @Test("RETURNING gives rows as the statement writes them, before later triggers")
  func triggers() async throws {
    try await withStock { database throws in
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TRIGGER grow AFTER INSERT ON stock BEGIN
              UPDATE stock SET size = size + 1000 WHERE id = NEW.id;
            END;
            CREATE TRIGGER keep BEFORE DELETE ON stock WHEN OLD.size > 100 BEGIN
              SELECT RAISE(IGNORE);
            END;
            """)
      }
      let insert = stock.insert(Stock.Draft(name: "Dowel", size: 1)).returning { ($0.id, $0.size) }
      #expect("\(try await insert.fetchAll(in: database))" == "[(6, 1)]")
      #expect(try await stock.find(6, in: database)?.size == 1001)
      #expect(try await stock.insert(Stock.Draft(name: "Elm")).run(in: database) == 1)
      let gone = stock.delete().returning { $0.name }
      #expect(try await gone.fetchAll(in: database) == ["Anvil", "Cog"])
      #expect(try await stock.delete().run(in: database) == 0)
    }
  }

  @Test("a foreign key cascade returns and counts only the statement's own rows")
  func foreignKeys() async throws {
    try await withTrade { database throws in
      let broken = try await failure {
        try await makers.delete().returning().fetchAll(in: database)
      }
      #expect(broken.code == .constraintForeignKey)
      #expect(try await makers.count(in: database) == 3)
      #expect(try await products.where { $0.id == 3 }.delete().run(in: database) == 1)
      let orphan = try await failure {
        try await products.update { $0.makerID = 77 }.or(.ignore).run(in: database)
      }
      #expect(orphan.code == .constraintForeignKey)
    }
  }

  @Test("a value of the wrong type in a STRICT table throws, and nothing is changed")
  func strict() async throws {
    try await withStock { database throws in
      let wrong = stock.update { $0.size = SQLExpression("'many'") }
      let error = try await failure { try await wrong.returning().fetchAll(in: database) }
      #expect(
        error.summary
          == "step 3091 stock.size -: cannot store TEXT value in INTEGER column stock.size")
      let insert = stock.insert(
        into: { ($0.name, $0.size) }, from: stock.select { ($0.name.lower(), SQLExpression("'x'")) }
      )
      #expect(
        try await failure { try await insert.run(in: database) }.code == .constraintDataType)
      #expect(try await database.stock() == Stock.some)
    }
  }
}

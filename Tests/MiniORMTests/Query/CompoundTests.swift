import Foundation
import Testing

@testable import MiniORM

private let maker =
  #""maker"."id" AS "id", "maker"."name" AS "name", "maker"."founded" AS "founded""#
private let plain = #""maker"."id", "maker"."name", "maker"."founded""#

@Suite("Compound queries")
struct CompoundTests {
  private let names = makers.select { $0.name }

  @Test("UNION, UNION ALL, INTERSECT and EXCEPT", arguments: 0..<4)
  func each(_ index: Int) async throws {
    let (left, right) = (makers.select { $0.id }, products.select { $0.makerID })
    let compounds: [(Select<Int64>, String, [Int64])] = [
      (left.union(right), "UNION", [1, 2, 3]),
      (left.unionAll(right), "UNION ALL", [1, 2, 3, 1, 2, 1]),
      (left.intersect(right), "INTERSECT", [1, 2]),
      (left.except(right), "EXCEPT", [3]),
    ]
    try await withTrade { database throws in
      let (query, name, rows) = compounds[index]
      try await expect(
        query,
        #"SELECT "maker"."id" FROM "maker" \#(name) SELECT "product"."maker_id" FROM "product""#,
        rows: rows, in: database)
    }
  }

  @Test("a compound is ordered by columns of the result")
  func ordered() async throws {
    try await withTrade { database throws in
      let union = makers.where { $0.id < 2 }.union(makers.where { $0.id > 2 })
      let arms =
        #"""
        SELECT \#(maker)
        FROM "maker"
        WHERE ("maker"."id" < ?)
        UNION SELECT \#(plain)
        FROM "maker"
        WHERE ("maker"."id" > ?)
        """#.onOneLine
      try await expect(
        union.order { $0.name.descending }, arms + #" ORDER BY "name" DESC"#,
        [.integer(2), .integer(2)], rows: [Maker.some[2], Maker.some[0]], in: database)
      try await expect(
        union.order { ($0.founded, $0.id.descending) }.limit(1),
        arms + #" ORDER BY "founded", "id" DESC LIMIT ?"#,
        [.integer(2), .integer(2), .integer(1)], rows: [Maker.some[0]], in: database)
      // Ordering by an expression needs the compound as a subquery.
      try await expect(
        union.order { $0.founded.descending }.order { $0.name.length() },
        #"SELECT * FROM (\#(arms)) AS "maker" ORDER BY "founded" DESC, length("maker"."name")"#,
        [.integer(2), .integer(2)], rows: [Maker.some[2], Maker.some[0]], in: database)
      try await expect(
        names.union(stores.select { $0.name }).order { $0.descending }.limit(2),
        #"""
        SELECT "maker"."name" AS "column1"
        FROM "maker"
        UNION SELECT "store"."name"
        FROM "store"
        ORDER BY "column1" DESC
        LIMIT ?
        """#,
        [.integer(2)], rows: ["South", "North"], in: database)
      try await expect(
        names.union(stores.select { $0.name }).order { $0.length() }.order { $0 }.limit(1),
        #"""
        SELECT *
        FROM (SELECT "maker"."name" AS "column1"
          FROM "maker"
          UNION SELECT "store"."name"
          FROM "store") AS "result"
        ORDER BY length("result"."column1"), "result"."column1"
        LIMIT ?
        """#,
        [.integer(1)], rows: ["Cog"], in: database)
      let pairs = makers.select { ($0.name, $0.id) }.unionAll(stores.select { ($0.name, $0.id) })
      try await expect(
        pairs.order { $1.descending }.order { name, _ in name }.limit(2),
        #"""
        SELECT "maker"."name" AS "column1", "maker"."id" AS "column2"
        FROM "maker"
        UNION ALL
        SELECT "store"."name", "store"."id"
        FROM "store"
        ORDER BY "column2" DESC, "column1"
        LIMIT ?
        """#,
        [.integer(2)], rows: [("Cog", 3), ("Bolt", 2)], in: database)
      let lines = makers.select {
        Line.Columns(product: $0.name, maker: $0.name.optional, price: SQL.value(1))
      }.unionAll(
        products.select {
          Line.Columns(product: $0.name, maker: SQL.value(nil), price: $0.price)
        })
      try await expect(
        lines.order { ($0.price.descending, $0.product) }.limit(2),
        #"""
        SELECT "maker"."name" AS "product", "maker"."name" AS "maker", ? AS "price"
        FROM "maker"
        UNION ALL
        SELECT "product"."name" AS "product", ? AS "maker", "product"."price" AS "price"
        FROM "product"
        ORDER BY "price" DESC, "product"
        LIMIT ?
        """#,
        [.real(1), .null, .integer(2)],
        rows: [
          Line(product: "Rocket", maker: nil, price: 900),
          Line(product: "Anvil", maker: nil, price: 90),
        ], in: database)
    }
  }

  @Test("an order after select and after limit")
  func afterSelect() async throws {
    try await withTrade { database throws in
      try await expect(
        products.join(makers).select { $1 }.order { $0.name.descending },
        #"""
        SELECT \#(plain)
        FROM "product"
        JOIN "maker" ON ("product"."maker_id" = "maker"."id")
        ORDER BY "maker"."name" DESC
        """#,
        rows: [Maker.some[1], Maker.some[0], Maker.some[0]], in: database)
      try await expect(
        products.select { $0.price * 2 }.order { $0.descending }.limit(1),
        #"""
        SELECT ("product"."price" * ?)
        FROM "product"
        ORDER BY ("product"."price" * ?) DESC
        LIMIT ?
        """#,
        [.real(2), .real(2), .integer(1)], rows: [1800], in: database)
      try await expect(
        products.order { $0.price }.select { $0.name }.limit(2).order { $0 },
        #"""
        SELECT *
        FROM (SELECT "product"."name" AS "column1"
          FROM "product"
          ORDER BY "product"."price"
          LIMIT ?) AS "result"
        ORDER BY "result"."column1"
        """#,
        [.integer(2)], rows: ["Anvil", "Nut"], in: database)
      let twice = products.order { $0.price }.select { $0.name }.order { $0.length() }
      let error = try await failure { try await twice.fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: The query is ordered before and after select: call order only after select"
      )
    }
  }

  @Test("an order or a limit of a part applies to the part; parts combine from left to right")
  func parts() async throws {
    try await withTrade { database throws in
      let latest = makers.order { $0.id.descending }.limit(1).select { $0.name }
      try await expect(
        names.unionAll(latest),
        #"""
        SELECT "maker"."name"
        FROM "maker"
        UNION ALL
        SELECT *
        FROM (SELECT "maker"."name" AS "column1"
          FROM "maker"
          ORDER BY "maker"."id" DESC
          LIMIT ?)
        """#,
        [.integer(1)], rows: ["Acme", "Bolt", "Cog", "Cog"], in: database)
      try await expect(
        latest.unionAll(names).limit(2),
        #"""
        SELECT *
        FROM (SELECT "maker"."name" AS "column1"
          FROM "maker"
          ORDER BY "maker"."id" DESC
          LIMIT ?)
        UNION ALL
        SELECT "maker"."name"
        FROM "maker"
        LIMIT ?
        """#,
        [.integer(1), .integer(2)], rows: ["Cog", "Acme"], in: database)
      let acme = makers.where { $0.id == 1 }.select { $0.name }
      // (names − acme) ∪ acme, and names − (acme ∪ acme).
      #expect(
        try await names.except(acme).unionAll(acme).fetchAll(in: database)
          == ["Bolt", "Cog", "Acme"])
      try await expect(
        names.except(acme.unionAll(acme)),
        #"""
        SELECT "maker"."name"
        FROM "maker"
        EXCEPT
        SELECT *
        FROM (SELECT "maker"."name" AS "column1"
          FROM "maker"
          WHERE ("maker"."id" = ?)
          UNION ALL
          SELECT "maker"."name"
          FROM "maker"
          WHERE ("maker"."id" = ?))
        """#,
        [.integer(1), .integer(1)], rows: ["Bolt", "Cog"], in: database)
      let all = names.unionAll(names)
      #expect(try await all.distinct().count(in: database) == 3)
      #expect(try await all.limit(4).unionAll(acme).count(in: database) == 5)
      #expect(try await all.fetchOne(in: database) == "Acme")
      #expect(try await all.order { $0 }.limit(1, offset: 2).fetchAll(in: database) == ["Bolt"])
      let grouped = products.group { $0.makerID }.having { _ in SQL.count() > 1 }
        .select { $0.makerID }
      #expect(
        try await makers.select { $0.id }.except(grouped).fetchAll(in: database) == [2, 3])
    }
  }

  @Test("a compound in IN, EXISTS and FROM")
  func nested() async throws {
    try await withTrade { database throws in
      let ids = makers.where { $0.id == 3 }.select { $0.id }
        .union(products.where { $0.price > 100 }.select { $0.makerID })
      try await expect(
        makers.where { $0.id.isIn(ids) }.select { $0.name },
        #"""
        SELECT "maker"."name"
        FROM "maker"
        WHERE ("maker"."id" IN (SELECT "maker"."id"
          FROM "maker"
          WHERE ("maker"."id" = ?)
          UNION SELECT "product"."maker_id"
          FROM "product"
          WHERE ("product"."price" > ?)))
        """#,
        [.integer(3), .real(100)], rows: ["Acme", "Cog"], in: database)
      let two = makers.where { $0.id < 2 }.union(makers.where { $0.id > 2 })
      try await expect(
        two.alias("two").leftJoin(products).where { $1.id == nil }.select { maker, _ in maker.name
        },
        #"""
        SELECT "two"."name"
        FROM (SELECT \#(maker)
          FROM "maker"
          WHERE ("maker"."id" < ?)
          UNION SELECT \#(plain)
          FROM "maker"
          WHERE ("maker"."id" > ?)) AS "two"
        LEFT JOIN "product" ON ("product"."maker_id" = "two"."id")
        WHERE ("product"."id" IS ?)
        """#,
        [.integer(2), .integer(2), .null], rows: ["Cog"], in: database)
      #expect(try await two.exists(in: database))
      #expect(
        try await stores.where { _ in two.exists() }.count(in: database) == 2)
    }
  }

  @Test("parts with values in different formats are refused")
  func mismatches() async throws {
    try await withOccasions { database throws in
      let query = occasions.select { ($0.id, $0.at) }
        .unionAll(occasions.select { ($0.id, $0.seconds) })
      let error = try await failure { try await query.fetchAll(in: database) }
      #expect(
        error.summary
          == #"prepare 21 -.- -: "occasion"."at" and "occasion"."seconds" store equal values "#
          + "differently, as Date and UnixSeconds: declare both columns with the same type and the "
          + "same @Column(as:)")
      #expect(error.sql == query.sql.text)
      let bytes = occasions.select { $0.key }.intersect(occasions.select { $0.bytes })
      _ = try await failure { try await bytes.limit(3).fetchAll(in: database) }
      // A @Selection fixes how its values are stored, so both arms agree.
      func moments(_ at: (Occasion.Columns) -> MiniORM.SQLExpression<Date>) -> Select<Moment> {
        occasions.select {
          Moment.Columns(
            id: $0.id, at: at($0), later: $0.milliseconds, seconds: $0.seconds, tags: $0.tags)
        }
      }
      let both = moments { $0.at }.union(moments { $0.seconds }).order { ($0.id, $0.at) }
      #expect(
        try await both.fetchAll(in: database).map(\.at)
          == [1, 2, 3, 2, 3].map { Occasion.day($0) })
      #expect(
        try await occasions.select { $0.milliseconds }
          .union(occasions.select { $0.milliseconds }).order { $0.descending }
          .fetchAll(in: database) == [Occasion.day(9), Occasion.day(3), nil])
    }
  }
}

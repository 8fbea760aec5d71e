import Testing

@testable import MiniORM

@Selection
private struct MakerSum: Equatable {
  let makerID: Maker.ID
  let sum: Double?
}

private let sums = products.group { $0.makerID }.select {
  MakerSum.Columns(makerID: $0.makerID, sum: $0.price.sum())
}
private let sumsSQL =
  #"(SELECT "product"."maker_id" AS "makerID", sum(1.0 * "product"."price") AS "sum" FROM "product" "#
  + #"GROUP BY "product"."maker_id")"#

@Suite("SELECT: clauses after select")
struct SelectSourceTests {
  @Test("a condition on selected values")
  func conditions() async throws {
    try await withTrade { database throws in
      try await expect(
        sums.where { $0.sum > 1 }.order { $0.sum },
        #"""
        SELECT "MakerSum"."makerID" AS "makerID", "MakerSum"."sum" AS "sum"
        FROM \#(sumsSQL) AS "MakerSum"
        WHERE ("MakerSum"."sum" > ?)
        ORDER BY "MakerSum"."sum"
        """#,
        [.real(1)], rows: [MakerSum(makerID: 1, sum: 990)], in: database)
      let firsts = products.order { $0.price }.limit(2).asSelect
      try await expect(
        firsts.where { $0.price > 1 }.select { $0.name },
        #"""
        SELECT "product"."name"
        FROM (SELECT "product"."id" AS "id", "product"."name" AS "name", "product"."price" AS "price",
            "product"."maker_id" AS "maker_id", "product"."tags" AS "tags"
          FROM "product"
          ORDER BY "product"."price"
          LIMIT ?) AS "product"
        WHERE ("product"."price" > ?)
        """#,
        [.integer(2), .real(1)], rows: ["Anvil"], in: database)
      try await expect(
        products.select { $0.price * 2 }.distinct().where { $0 > 1 }.order { $0 },
        #"""
        SELECT *
        FROM (SELECT DISTINCT ("product"."price" * ?) AS "column1"
          FROM "product") AS "result"
        WHERE ("result"."column1" > ?)
        ORDER BY "result"."column1"
        """#,
        [.real(2), .real(1)], rows: [180, 1800], in: database)
      #expect(try await sums.where { $0.sum > 1 }.count(in: database) == 1)
    }
  }

  @Test("a join of selected values, on either side")
  func joins() async throws {
    try await withTrade { database throws in
      try await expect(
        sums.join(makers) { $0.makerID == $1.id }.order { $0.1.id }.select { ($1.name, $0.sum) },
        #"""
        SELECT "maker"."name", "MakerSum"."sum"
        FROM \#(sumsSQL) AS "MakerSum"
        JOIN "maker" ON ("MakerSum"."makerID" = "maker"."id")
        ORDER BY "maker"."id"
        """#,
        rows: [("Acme", 990.0), ("Bolt", 0.5)], in: database)
      try await expect(
        makers.leftJoin(sums) { $0.id == $1.makerID }.order { maker, _ in maker.id }
          .select { ($0.name, $1.sum) },
        #"""
        SELECT "maker"."name", "MakerSum"."sum"
        FROM "maker"
        LEFT JOIN \#(sumsSQL) AS "MakerSum"
          ON ("maker"."id" = "MakerSum"."makerID")
        ORDER BY "maker"."id"
        """#,
        rows: [("Acme", 990.0), ("Bolt", 0.5), ("Cog", nil)], in: database)
      // A selected model keeps its foreign keys.
      let sold = products.join(sales).select { $0.0 }.distinct()
      #expect(
        try await sold.join(makers).select { ($0.name, $1.name) }.order { name, _ in name }
          .fetchAll(in: database).map { "\($0)" }
          == [#"("Anvil", "Acme")"#, #"("Nut", "Bolt")"#])
      #expect(
        try await sums.group { $0.sum }.select { $0.makerID.count() }.fetchAll(in: database)
          == [1, 1])
      let twice = try await failure {
        try await sums.join(sums) { $0.makerID == $1.makerID }.fetchAll(in: database)
      }
      #expect(
        twice.message
          == "MakerSum is joined twice: give it another name with alias(_:) the second time")
      #expect(
        try await sums.join(sums.alias("other")) { $0.makerID == $1.makerID }.count(in: database)
          == 2)
    }
  }

  @Test("an order before where or join, which would be lost, is refused")
  func orders() async throws {
    try await withTrade { database throws in
      let message =
        "order(_:) before where(_:) or join(_:) has no effect, because SQLite keeps no order of a "
        + "subquery: call it after where(_:) or join(_:)"
      let ordered = sums.order { $0.sum }
      let condition = try await failure {
        try await ordered.where { $0.sum > 1 }.fetchAll(in: database)
      }
      #expect(condition.message == message)
      let values = try await failure {
        try await products.select { $0.name }.order { $0 }.where { $0 > "A" }.fetchAll(in: database)
      }
      #expect(values.message == message)
      let join = try await failure {
        try await makers.join(ordered) { $0.id == $1.makerID }.fetchAll(in: database)
      }
      #expect(join.message == message)
      // A limit selects rows by the order.
      #expect(
        try await ordered.limit(1).where { $0.sum > 0 }.fetchAll(in: database)
          == [MakerSum(makerID: 2, sum: 0.5)])
    }
  }

  @Test("SELECT without FROM, constants and NULL in a tuple")
  func constants() async throws {
    try await withTrade { database throws in
      try await expect(
        SQL.select { (SQL.value("a"), SQL.value(3), SQL.value(nil as Int?)) }, "SELECT ?, ?, ?",
        [.text("a"), .integer(3), .null], rows: [("a", 3, nil)], in: database)
      try await expect(
        SQL.select { products.select { $0.id.count() }.scalar() },
        #"SELECT (SELECT count("product"."id") FROM "product")"#, rows: [3], in: database)
      try await expect(
        SQL.select { MakerSum.Columns(makerID: SQL.value(7), sum: SQL.value(nil)) },
        #"SELECT ? AS "makerID", ? AS "sum""#, [.integer(7), .null],
        rows: [MakerSum(makerID: 7, sum: nil)], in: database)
      try await expect(
        makers.where { $0.id == 1 }.select {
          ($0.name, SQL.value(3), SQL.value(nil as Int?), SQL.value(2.5))
        },
        #"SELECT "maker"."name", ?, ?, ? FROM "maker" WHERE ("maker"."id" = ?)"#,
        [.integer(3), .null, .real(2.5), .integer(1)], rows: [("Acme", 3, nil, 2.5)], in: database)
      #expect(
        try await SQL.select { SQL.value(2) }.union(SQL.select { SQL.value(1) }).order { $0 }
          .fetchAll(in: database) == [1, 2])
      #expect(try await SQL.select { SQL.value(2) }.where { $0 > 2 }.fetchAll(in: database) == [])
      #expect(try await SQL.select { SQL.value(2) }.count(in: database) == 1)
      #expect(try await SQL.select { SQL.value(2) }.exists(in: database))
      // Inserts a row unless its key exists. The SELECT has no FROM clause.
      let insertion = makers.insert(
        into: { ($0.id, $0.name) }, from: SQL.select { (SQL.value(Int64(1)), SQL.value("Acme")) }
      ).onConflictDoNothing { $0.id }
      #expect(
        insertion.sql.text
          == #"INSERT INTO "maker" ("id", "name") SELECT ?, ? WHERE TRUE ON CONFLICT ("id") DO NOTHING"#
      )
      #expect(try await insertion.run(in: database) == 0)
    }
  }

  @Test("JSON from a scalar subquery")
  func json() async throws {
    try await withTrade { database throws in
      let tags = products.where { $0.id == 1 }.select { $0.tags }.scalar()
      try await expect(
        makers.where { $0.id == 1 }.select { ($0.name, tags, tags.json("$[1]", as: String.self)) },
        #"""
        SELECT "maker"."name", (SELECT "product"."tags"
          FROM "product"
          WHERE ("product"."id" = ?)), ((SELECT "product"."tags"
          FROM "product"
          WHERE ("product"."id" = ?)) ->> '$[1]')
        FROM "maker"
        WHERE ("maker"."id" = ?)
        """#,
        [.integer(1), .integer(1), .integer(1)],
        rows: [("Acme", Optional(["iron", "heavy"]), Optional("heavy"))], in: database)
      let names = makers.order { $0.id }.select { maker in
        (
          maker.name,
          products.where { $0.makerID == maker.id }.select {
            $0.name.jsonGroupArray(orderBy: $0.id)
          }
          .scalar()
        )
      }
      #expect(
        try await "\(names.fetchAll(in: database))"
          == #"[("Acme", Optional(["Anvil", "Rocket"])), ("Bolt", Optional(["Nut"])), ("Cog", Optional([]))]"#
      )
      let none = products.where { $0.id == 9 }.select { $0.tags }.scalar()
      #expect(try await SQL.select { none }.fetchAll(in: database) == [nil])
    }
  }
}

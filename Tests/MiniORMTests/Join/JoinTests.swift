import Testing

@testable import MiniORM

private let maker = #""maker"."id", "maker"."name", "maker"."founded""#
private let store = #""store"."id", "store"."name", "store"."home_maker_id""#

@Suite("Joins")
struct JoinTests {
  @Test("the rows of an inner join are tuples of models")
  func inner() async throws {
    try await withTrade { database throws in
      let joined = stores.join(makers) { $0.homeMakerID == $1.id }
      try await expect(
        joined,
        #"""
        SELECT \#(store), \#(maker)
        FROM "store"
        JOIN "maker" ON ("store"."home_maker_id" IS "maker"."id")
        """#,
        rows: [(Store.some[0], Maker.some[0])], in: database)
    }
  }

  @Test("a left join gives an optional model and optional columns")
  func left() async throws {
    try await withTrade { database throws in
      let joined = stores.leftJoin(makers) { store, maker in store.homeMakerID == maker.id }
      let from = #"FROM "store" LEFT JOIN "maker" ON ("store"."home_maker_id" IS "maker"."id")"#
      try await expect(
        joined, "SELECT \(store), \(maker) \(from)",
        rows: [(Store.some[0], Maker.some[0]), (Store.some[1], nil)], in: database)
      let columns = joined.select { ($1.id, $1.founded, $0.name) }
      try await expect(
        columns,
        #"SELECT "maker"."id", "maker"."founded", "store"."name" \#(from)"#,
        rows: [(1, 1900, "North"), (nil, nil, "South")],
        in: database)
      let childless = joined.where { $1.id == nil }.select { $0.0.name }
      try await expect(
        childless,
        #"SELECT "store"."name" \#(from) WHERE ("maker"."id" IS ?)"#, [.null], rows: ["South"],
        in: database)
      let sorted = joined.order { ($1.name.descending, $0.id) }.select { ($1, $0.name) }.limit(1)
      try await expect(
        sorted,
        #"""
        SELECT \#(maker), "store"."name"
        \#(from)
        ORDER BY "maker"."name" DESC, "store"."id"
        LIMIT ?
        """#,
        [.integer(1)], rows: [(Maker.some[0], "North")], in: database)
    }
  }

  @Test("right, full and cross joins")
  func others() async throws {
    try await withTrade { database throws in
      let right = stores.rightJoin(makers) { $0.homeMakerID == $1.id }.order { $1.id }.select {
        ($0, $1.name)
      }
      try await expect(
        right,
        #"""
        SELECT \#(store), "maker"."name"
        FROM "store"
        RIGHT JOIN "maker" ON ("store"."home_maker_id" IS "maker"."id")
        ORDER BY "maker"."id"
        """#,
        rows: [(Store.some[0], "Acme"), (nil, "Bolt"), (nil, "Cog")], in: database)
      let full = stores.fullJoin(makers) { $0.homeMakerID == $1.id }.order { ($0.id, $1.id) }
        .select { ($0.name, $1.name) }
      try await expect(
        full,
        #"""
        SELECT "store"."name", "maker"."name"
        FROM "store"
        FULL JOIN "maker" ON ("store"."home_maker_id" IS "maker"."id")
        ORDER BY "store"."id", "maker"."id"
        """#,
        rows: [(nil, "Bolt"), (nil, "Cog"), ("North", "Acme"), ("South", nil)], in: database)
      let cross = stores.crossJoin(makers).where { $1.id < 3 }.select { ($0.id, $1.id) }
      try await expect(
        cross,
        #"""
        SELECT "store"."id", "maker"."id"
        FROM "store"
        CROSS JOIN "maker"
        WHERE ("maker"."id" < ?)
        """#,
        [.integer(3)], rows: [(1, 1), (1, 2), (2, 1), (2, 2)], in: database)
    }
  }

  @Test("four tables, grouped, into a @Selection")
  func four() async throws {
    try await withTrade { database throws in
      let lines = sales.join(products) { $0.productID == $1.id }.join(makers) {
        $1.makerID == $2.id
      }
      .leftJoin(stores) { sale, product, maker, store in sale.storeID == store.id }
      .where { sale, product, maker, store in product.price < 100 && store.name != nil }
      .group { $0.1.id }.order { $0.1.name }
      .select { sale, product, maker, store in
        Line.Columns(
          product: product.name, maker: SQLExpression("max(\(maker.name))"),
          price: SQLExpression("sum(\(product.price * 2))"))
      }
      try await expect(
        lines,
        #"""
        SELECT "product"."name" AS "product", (max("maker"."name")) AS "maker",
          (sum(("product"."price" * ?))) AS "price"
        FROM "sale"
        JOIN "product" ON ("sale"."product_id" = "product"."id")
        JOIN "maker" ON ("product"."maker_id" = "maker"."id")
        LEFT JOIN "store" ON ("sale"."store_id" = "store"."id")
        WHERE (("product"."price" < ?) AND ("store"."name" IS NOT ?))
        GROUP BY "product"."id"
        ORDER BY "product"."name"
        """#,
        [.real(2), .real(100), .null],
        rows: [
          Line(product: "Anvil", maker: "Acme", price: 180),
          Line(product: "Nut", maker: "Bolt", price: 2),
        ], in: database)
    }
  }

  @Test("up to five tables, or three for right, full and cross joins, and more by a subquery")
  func manyTables() async throws {
    try await withTrade { database throws in
      let three = sales.join(products) { $0.productID == $1.id }.join(makers) {
        $1.makerID == $2.id
      }
      let four = three.join(stores) { $0.storeID == $3.id }
      let names = four.join(parts) { $4.id == $1.id }.order { ($4.name, $3.name) }
        .select { ($3.name, $4.name) }
      #expect(
        names.sql.text.hasSuffix(
          #"JOIN "part" ON ("part"."id" = "product"."id") ORDER BY "part"."name", "store"."name""#))
      #expect(
        try await "\(names.fetchAll(in: database))"
          == #"[("North", "Car"), ("North", "Motor"), ("South", "Motor")]"#)
      let left5 = four.leftJoin(parts) { $4.id == $1.id && $4.id < 2 }
      let left = left5.order { ($1.id, $3.id, $4.id) }.select { ($1.id, $4.name) }
      #expect(
        try await "\(left.fetchAll(in: database))"
          == #"[(1, Optional("Car")), (2, nil), (2, nil)]"#)
      let two = sales.join(products) { $0.productID == $1.id }
      let right3 = two.rightJoin(parts) { $2.id == $1.id }
      let right = right3.order { ($2.id, $0.pieces) }
        .select { ($1.name, $2.name) }
      #expect(
        try await "\(right.fetchAll(in: database))"
          == #"[(Optional("Anvil"), "Car"), (Optional("Nut"), "Motor"), (Optional("Nut"), "Motor"), "#
          + #"(nil, "Piston"), (nil, "Wheel")]"#)
      #expect(
        try await two.fullJoin(parts) { $2.id == $1.id }.fetchAll(in: database).count == 5)
      #expect(try await two.crossJoin(parts).fetchAll(in: database).count == 3 * 4)
      let sold = four.select { $0.1.id }.distinct().alias("sold")
      let wholes = parts.leftJoin(sold) { $0.id == $1 }.order { part, _ in part.id }
        .select { ($0.name, $1) }
      #expect(
        try await "\(wholes.fetchAll(in: database))"
          == #"[("Car", Optional(1)), ("Motor", Optional(2)), ("Piston", nil), ("Wheel", nil)]"#)
    }
  }

  @Test("a join without a condition uses the only foreign key")
  func foreignKey() async throws {
    try await withTrade { database throws in
      let inner = products.join(makers).select { ($0.name, $1.name) }
      try await expect(
        inner,
        #"""
        SELECT "product"."name", "maker"."name"
        FROM "product"
        JOIN "maker" ON ("product"."maker_id" = "maker"."id")
        """#,
        rows: [("Anvil", "Acme"), ("Nut", "Bolt"), ("Rocket", "Acme")], in: database)
      let left = makers.leftJoin(products).where { $1.id == nil }.select { maker, _ in maker.name
      }
      try await expect(
        left,
        #"""
        SELECT "maker"."name"
        FROM "maker"
        LEFT JOIN "product" ON ("product"."maker_id" = "maker"."id")
        WHERE ("product"."id" IS ?)
        """#,
        [.null], rows: ["Cog"], in: database)
      let chain = products.alias("p").join(sales).join(stores).where { $2.id == 2 }.select {
        $0.0.name
      }
      try await expect(
        chain,
        #"""
        SELECT "p"."name"
        FROM "product" AS "p"
        JOIN "sale" ON ("sale"."product_id" = "p"."id")
        JOIN "store" ON ("sale"."store_id" = "store"."id")
        WHERE ("store"."id" = ?)
        """#,
        [.integer(2)], rows: ["Nut"], in: database)
    }
  }

  @Test(
    "closures may name each table's columns, also in order and group, with one or several terms")
  func namedTables() async throws {
    try await withTrade { database throws in
      let joined = makers.leftJoin(products)
      let one =
        joined
        .group { maker, product in maker.id }
        .order { maker, product in maker.name.descending }
        .select { maker, product in (maker.name, product.id.count()) }
      #expect(
        one.sql.text
          == #"""
          SELECT "maker"."name", count("product"."id")
          FROM "maker"
          LEFT JOIN "product" ON ("product"."maker_id" = "maker"."id")
          GROUP BY "maker"."id"
          ORDER BY "maker"."name" DESC
          """#.onOneLine)
      #expect(one.sql.bindings.isEmpty)
      let counts = try await one.fetchAll(in: database)
      #expect(counts.map { "\($0.0) \($0.1)" } == ["Cog 0", "Bolt 1", "Acme 2"])
      let two =
        joined
        .group { maker, product in (maker.id, product.name) }
        .order { maker, product in (maker.id, product.name.descending) }
        .select { maker, product in (maker.name, product.name) }
      #expect(
        two.sql.text
          == #"""
          SELECT "maker"."name", "product"."name"
          FROM "maker"
          LEFT JOIN "product" ON ("product"."maker_id" = "maker"."id")
          GROUP BY "maker"."id", "product"."name"
          ORDER BY "maker"."id", "product"."name" DESC
          """#.onOneLine)
      #expect(two.sql.bindings.isEmpty)
      let names = try await two.fetchAll(in: database)
      #expect(
        names.map { "\($0.0) \($0.1 ?? "-")" } == [
          "Acme Rocket", "Acme Anvil", "Bolt Nut", "Cog -",
        ])
    }
  }

  @Test("no foreign key or several foreign keys give an error that says what to write")
  func noForeignKey() async throws {
    try await withTrade { database throws in
      let none = try await failure { try await sales.join(makers).fetchAll(in: database) }
      #expect(
        none.summary == "prepare 21 -.- -: There is no foreign key between sale and maker: give "
          + "the condition, as in join(other) { $0.otherID == $1.id }")
      let several = try await failure {
        try await sales.join(products).join(stores).join(makers).select { $0.0.pieces }
          .fetchOne(in: database)
      }
      #expect(
        several.summary
          == "prepare 21 -.- -: There are 2 foreign keys between sale, product, store and "
          + "maker: give the condition, as in join(other) { $0.otherID == $1.id }")
      let twice = try await failure {
        try await database.read { db in
          try parts.join(parts) { $0.wholeID == $1.id }.forEach(in: db) { _ in }
        }
      }
      #expect(
        twice.summary == "prepare 21 -.- -: part is joined twice: "
          + "give it another name with alias(_:) the second time")
      let late = try await failure {
        try await products.join(makers).limit(1).join(stores) { $1.id == $2.homeMakerID ?? 0 }
          .fetchAll(in: database)
      }
      #expect(
        late.summary == "prepare 21 -.- -: "
          + "Call join before group, having, limit and distinct, and fullJoin also before where")
    }
  }

  @Test("a limit without an offset begins at the first row")
  func limit() async throws {
    try await withTrade { database throws in
      let names = products.join(makers).order { $0.0.id }.select { $0.0.name }
      let all = try await names.fetchAll(in: database)
      let first = try await products.join(makers).order { $0.0.id }.limit(1).fetchAll(in: database)
      #expect(first.map { $0.0.name } == [all[0]])
    }
  }

  @Test("a table joins itself under an alias")
  func alias() async throws {
    try await withTrade { database throws in
      let wholes = parts.alias("whole")
      let inner = parts.join(wholes) { $0.wholeID == $1.id }.order { ($1.name, $0.name) }
        .select { ($0.name, $1.name, $1) }
      try await expect(
        inner,
        #"""
        SELECT "part"."name", "whole"."name", "whole"."id", "whole"."name", "whole"."whole_id"
        FROM "part"
        JOIN "part" AS "whole" ON ("part"."whole_id" IS "whole"."id")
        ORDER BY "whole"."name", "part"."name"
        """#,
        rows: [
          ("Motor", "Car", Part.some[0]), ("Wheel", "Car", Part.some[0]),
          ("Piston", "Motor", Part.some[1]),
        ], in: database)
      let left = parts.leftJoin(wholes.where { $0.id < 2 }) { $0.wholeID == $1.id }.where {
        $1.id != nil
      }
      .select { $1.wholeID }
      try await expect(
        left,
        #"""
        SELECT "whole"."whole_id"
        FROM "part"
        LEFT JOIN "part" AS "whole" ON ("part"."whole_id" IS "whole"."id")
          AND ("whole"."id" < ?)
        WHERE ("whole"."id" IS NOT ?)
        """#,
        [.integer(2), .null], rows: [nil, nil], in: database)
      let filtered = parts.where { $0.id > 3 }.alias("p").order { $0.name }.limit(3)
      try await expect(
        filtered,
        #"""
        SELECT "p"."id", "p"."name", "p"."whole_id"
        FROM (SELECT "part"."id" AS "id", "part"."name" AS "name", "part"."whole_id" AS "whole_id"
          FROM "part"
          WHERE ("part"."id" > ?)) AS "p"
        ORDER BY "p"."name"
        LIMIT ?
        """#,
        [.integer(3), .integer(3)], rows: [Part.some[3]], in: database)
    }
  }

  @Test("conditions of a table before a join apply before the join")
  func conditions() async throws {
    try await withTrade { database throws in
      let acme = makers.where { $0.name == "Acme" }
      let on = #"("product"."maker_id" = "maker"."id")"#
      let inner = products.where { $0.price > 1 }.join(acme).where { $0.0.id > 1 }.select {
        $0.0.id
      }
      try await expect(
        inner,
        #"""
        SELECT "product"."id"
        FROM "product"
        JOIN "maker" ON \#(on) AND ("maker"."name" = ?)
        WHERE ("product"."price" > ?) AND ("product"."id" > ?)
        """#,
        [.text("Acme"), .real(1), .integer(1)], rows: [3], in: database)
      let left = products.leftJoin(acme).select { ($0.id, $1.name) }
      try await expect(
        left,
        #"""
        SELECT "product"."id", "maker"."name"
        FROM "product"
        LEFT JOIN "maker" ON \#(on) AND ("maker"."name" = ?)
        """#,
        [.text("Acme")], rows: [(1, "Acme"), (2, nil), (3, "Acme")],
        in: database)
      let right = products.where { $0.price > 100 }.rightJoin(makers.where { $0.id < 3 })
        .order { $1.id }.select { ($0.id, $1.id) }
      try await expect(
        right,
        #"""
        SELECT "product"."id", "maker"."id"
        FROM "product"
        RIGHT JOIN "maker" ON \#(on) AND ("product"."price" > ?)
        WHERE ("maker"."id" < ?)
        ORDER BY "maker"."id"
        """#,
        [.real(100), .integer(3)], rows: [(3, 1), (nil, 2)], in: database)
      let full = products.where { $0.price > 100 }.fullJoin(makers.where { $0.id < 3 })
        .order { $1.id }.select { ($0.id, $1.id) }
      try await expect(
        full,
        #"""
        SELECT "product"."id", "maker"."id"
        FROM (SELECT "product"."id" AS "id", "product"."name" AS "name", "product"."price" AS "price",
            "product"."maker_id" AS "maker_id", "product"."tags" AS "tags"
          FROM "product"
          WHERE ("product"."price" > ?)) AS "product"
        FULL JOIN (SELECT "maker"."id" AS "id", "maker"."name" AS "name", "maker"."founded" AS "founded"
          FROM "maker"
          WHERE ("maker"."id" < ?)) AS "maker"
          ON \#(on)
        ORDER BY "maker"."id"
        """#,
        [.real(100), .integer(3)], rows: [(3, 1), (nil, 2)], in: database)
      let limited = products.order { $0.price.descending }.limit(1).join(makers).select {
        ($0.name, $1.name)
      }
      try await expect(
        limited,
        #"""
        SELECT "product"."name", "maker"."name"
        FROM (SELECT "product"."id" AS "id", "product"."name" AS "name", "product"."price" AS "price",
            "product"."maker_id" AS "maker_id", "product"."tags" AS "tags"
          FROM "product"
          ORDER BY "product"."price" DESC
          LIMIT ?) AS "product"
        JOIN "maker" ON \#(on)
        ORDER BY "product"."price" DESC
        """#,
        [.integer(1)], rows: [("Rocket", "Acme")], in: database)
    }
  }

  @Test("a right join after a left join makes no optional twice")
  func nested() async throws {
    try await withTrade { database throws in
      let rows: [(Product?, Maker?, Store)] = try await products.leftJoin(makers)
        .rightJoin(stores) { $1.id == $2.homeMakerID }.order { ($2.id, $0.id) }
        .fetchAll(in: database)
      #expect(rows.map(\.0) == [Product.some[0], Product.some[2], nil])
      #expect(rows.map(\.1) == [Maker.some[0], Maker.some[0], nil])
      #expect(rows.map(\.2) == [Store.some[0], Store.some[0], Store.some[1]])
    }
  }
}

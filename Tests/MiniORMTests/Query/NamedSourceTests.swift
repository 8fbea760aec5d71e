import Testing

@testable import MiniORM

private let lines = DatabaseView(
  "line",
  as: products.join(makers).select {
    Line.Columns(product: $0.name, maker: $1.name.optional, price: $0.price)
  })
private let dear = DatabaseView("dear", as: products.where { $0.price > 1 })

private func withViews(_ body: (Database) async throws -> Void) async throws {
  try await withTrade { database throws in
    try await database.migrate(
      DatabaseSchema(
        Maker.self, Store.self, Product.self, Sale.self, Part.self, objects: [lines, dear]))
    try await body(database)
  }
}

@Suite("Composition of views, common table expressions and aliases")
struct NamedSourceTests {
  @Test("a filtered view can join, and be joined")
  func joins() async throws {
    try await withViews { database throws in
      try await expect(
        lines.where { $0.price < 100 }.join(makers) { $0.maker == $1.name }
          .order { $0.0.product }.select { ($0.product, $1.id) },
        #"""
        SELECT "line"."product", "maker"."id"
        FROM "line"
        JOIN "maker" ON ("line"."maker" IS "maker"."name")
        WHERE ("line"."price" < ?)
        ORDER BY "line"."product"
        """#,
        [.real(100)], rows: [("Anvil", Int64(1)), ("Nut", Int64(2))], in: database)
      try await expect(
        makers.leftJoin(lines.where { $0.price > 100 }) { $1.maker == $0.name }
          .order { maker, _ in maker.id }.select { ($0.name, $1.product) },
        #"""
        SELECT "maker"."name", "line"."product"
        FROM "maker"
        LEFT JOIN "line" ON ("line"."maker" IS "maker"."name")
          AND ("line"."price" > ?)
        ORDER BY "maker"."id"
        """#,
        [.real(100)], rows: [("Acme", "Rocket"), ("Bolt", nil), ("Cog", nil)], in: database)
      // A view over a model keeps the model's foreign keys.
      try await expect(
        dear.where { $0.price > 100 }.join(makers).select { ($0.name, $1.name) },
        #"""
        SELECT "dear"."name", "maker"."name"
        FROM "dear"
        JOIN "maker" ON ("dear"."maker_id" = "maker"."id")
        WHERE ("dear"."price" > ?)
        """#,
        [.real(100)], rows: [("Rocket", "Acme")], in: database)
      #expect(
        try await lines.where { $0.price > 1 }.order { $0.price }.limit(1).join(makers) {
          $0.maker == $1.name
        }.select { $1.name }.fetchAll(in: database) == ["Acme"])
      #expect(
        try await lines.where { $0.price > 1 }.group { $0.maker }.select { $0.price.sum() }
          .fetchAll(in: database) == [990])
    }
  }

  @Test("views and filtered views can have an alias")
  func alias() async throws {
    try await withViews { database throws in
      let cheap = lines.where { $0.price < 100 }
      try await expect(
        cheap.alias("a").join(lines.alias("b")) { $0.price < $1.price }
          .order { ($0.0.product, $0.1.product) }.select { ($0.product, $1.product) },
        #"""
        SELECT "a"."product", "b"."product"
        FROM "line" AS "a"
        JOIN "line" AS "b" ON ("a"."price" < "b"."price")
        WHERE ("a"."price" < ?)
        ORDER BY "a"."product", "b"."product"
        """#,
        [.real(100)], rows: [("Anvil", "Rocket"), ("Nut", "Anvil"), ("Nut", "Rocket")],
        in: database)
      // The limit applies before later conditions.
      try await expect(
        lines.order { $0.price.descending }.limit(1).alias("a").where { $0.price < 100 }
          .select { $0.product },
        #"""
        SELECT "a"."product"
        FROM (SELECT "line"."product" AS "product", "line"."maker" AS "maker", "line"."price" AS "price"
          FROM "line"
          ORDER BY "line"."price" DESC
          LIMIT ?) AS "a"
        WHERE ("a"."price" < ?)
        """#,
        [.integer(1), .real(100)], rows: [], in: database)
      #expect(
        try await cheap.alias("a").alias("b").select { $0.product }.order { $0 }
          .fetchAll(in: database) == ["Anvil", "Nut"])
    }
  }

  @Test("a name used by a query inside the condition keeps its meaning")
  func capture() async throws {
    try await withViews { database throws in
      let known = lines.where { line in makers.where { line.maker == $0.name }.exists() }
      let query = known.alias("maker").select { $0.product }.order { $0 }
      #expect(try await query.fetchAll(in: database) == ["Anvil", "Nut", "Rocket"])
      let none = lines.where { line in makers.where { line.product == $0.name }.exists() }
      #expect(try await none.alias("maker").count(in: database) == 0)
    }
  }

  @Test("common table expressions and aliases of subqueries compose too")
  func others() async throws {
    try await withViews { database throws in
      let table = CommonTableExpression("d", as: products.where { $0.price > 1 })
      #expect(
        try await table.where { $0.price < 100 }.alias("x").join(table) { $0.price < $1.price }
          .select { ($0.name, $1.name) }.fetchAll(in: database).map { "\($0)" }
          == [#"("Anvil", "Rocket")"#])
      let sums = products.group { $0.makerID }.select { _ in
        Line.Columns(
          product: SQLExpression("max(name)"), maker: SQL.value(nil as String?),
          price: SQLExpression("sum(price)"))
      }
      #expect(
        try await sums.alias("s").where { $0.price > 1 }.alias("t").select { $0.price }
          .fetchAll(in: database) == [990])
      #expect(
        try await lines.distinct().select { $0.maker }.order { $0 }.fetchAll(in: database)
          == ["Acme", "Bolt"])
    }
  }
}

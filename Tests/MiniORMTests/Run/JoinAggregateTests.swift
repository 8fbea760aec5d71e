import Testing

@testable import MiniORM

@Suite("Aggregates, first rows and counts of joins")
struct JoinAggregateTests {
  private static let joined = products.join(makers)

  @Test("count, exists, min, max, sum and average of a join")
  func aggregates() async throws {
    try await withTrade { database throws in
      let joined = Self.joined
      let acme = joined.where { product, maker in maker.name == "Acme" }
      let count = try await acme.count(in: database)
      #expect(count == 2)
      let exists = try await acme.where { $0.0.price > 1_000 }.exists(in: database)
      #expect(!exists)
      let sum = try await acme.sum(of: { product, _ in product.price }, in: database)
      #expect(sum == 990)
      let least = try await joined.min(of: { product, _ in product.name }, in: database)
      #expect(least == "Anvil")
      // A nullable column gives no nested optional.
      let latest: Int? = try await joined.max(of: { _, maker in maker.founded }, in: database)
      #expect(latest == 1900)
      let average = try await database.read { db in
        try joined.order { $0.0.price }.average(of: { product, _ in product.price }, in: db)
      }
      #expect(average == 330.1666666666667)
      let none = joined.where { $0.0.id == 9 }
      let nothing = try await none.sum(of: { product, _ in product.price }, in: database)
      #expect(nothing == nil)
    }
  }

  @Test("limit, distinct and group apply before the aggregate")
  func subqueries() async throws {
    try await withTrade { database throws in
      let joined = Self.joined
      let cheapest = joined.order { $0.0.price }.limit(2)
      let two = try await cheapest.sum(of: { product, _ in product.price }, in: database)
      #expect(two == 90.5)
      // The rows differ although the makers' names are equal.
      let distinct = try await joined.distinct().max(of: { $1.name }, in: database)
      #expect(distinct == "Bolt")
      let rows = try await sales.join(products).distinct().sum(
        of: { sale, _ in sale.pieces }, in: database)
      #expect(rows == 143)
      let groups = joined.group { $1.id }
      let largest = try await groups.max(of: { product, _ in product.price.sum() }, in: database)
      #expect(largest == 990)
    }
  }

  @Test("the first row for a condition, of a join, a table and a model")
  func first() async throws {
    try await withTrade { database throws in
      let joined = Self.joined.order { $0.0.price.descending }
      let pair = try await joined.where { $1.name == "Acme" }.fetchOne(in: database)
      #expect(pair?.0.name == "Rocket" && pair?.1.name == "Acme")
      let second = try await products.order { $0.id.descending }.where { $0.id < 3 }
        .fetchOne(in: database)
      #expect(second == Product.some[1])
      let (maker, none) = try await database.read { db in
        (
          try Maker.where { $0.name == "Cog" }.fetchOne(in: db),
          try Maker.where { $0.name == "Dot" }.fetchOne(in: db)
        )
      }
      #expect(maker == Maker.some[2] && none == nil)
      let own = try await Maker.where { $0.founded == nil }.fetchOne(in: database)
      #expect(own == Maker.some[1])
    }
  }

  @Test("value(in:) gives the value itself; without a row it throws")
  func value() async throws {
    try await withTrade { database throws in
      let total: Double? = try await Self.joined.select { product, _ in product.price.sum() }
        .value(in: database)
      #expect(total == 990.5)
      let count: Int = try await products.select { _ in SQL.count() }.value(in: database)
      #expect(count == 3)
      let founded: Int? = try await makers.where { $0.id == 2 }.select { $0.founded }
        .value(in: database)
      #expect(founded == nil)
      let error = try await failure {
        _ = try await makers.where { $0.id == 9 }.select { $0.name }.value(in: database)
      }
      #expect(error.message == "The query has no row: call fetchOne(in:), which then returns nil")
    }
  }

  @Test("a count per parent is no optional")
  func counts() async throws {
    try await withTrade { database throws in
      let counts: [(String, Int)] = try await makers.order { $0.id }.select { maker in
        (maker.name, products.where { $0.makerID == maker.id }.count())
      }.fetchAll(in: database)
      #expect(counts.map(\.0) == ["Acme", "Bolt", "Cog"])
      #expect(counts.map(\.1) == [2, 1, 0])
      let limited = try await makers.select { maker in
        products.where { $0.makerID == maker.id }.limit(1).count()
      }.fetchAll(in: database)
      #expect(limited == [1, 1, 0])
      let busy = try await makers.where { maker in
        products.where { $0.makerID == maker.id }.count() > 1
      }.fetchAll(in: database)
      #expect(busy == [Maker.some[0]])
    }
  }

  @Test("including after a join")
  func including() async throws {
    try await withTrade { database throws in
      let rows = try await products.join(makers).order { $0.0.id }
        .including(sales.order { $0.storeID }).fetchAll(in: database)
      let parents: [(Product, Maker)] = rows.map { $0.0 }
      #expect(parents.map(\.0) == Product.some)
      #expect(parents.map(\.1.name) == ["Acme", "Bolt", "Acme"])
      let children: [[Sale]] = rows.map { $0.1 }
      #expect(children == [[Sale.some[0]], [Sale.some[1], Sale.some[2]], []])
      // The parent of the included rows may be missing in a left join.
      let left = try await stores.leftJoin(makers).order { $0.0.id }.including(products)
        .fetchAll(in: database)
      let counts = left.map { $0.1.count }
      #expect(counts == [2, 0])
      // In a subquery of the same tables.
      let nested = try await products.join(makers).where { product, _ in
        product.id.isIn(products.join(makers).where { $1.id == 2 }.select { p, _ in p.id })
      }.including(sales).fetchAll(in: database)
      let nestedCounts = nested.map { $0.1.count }
      #expect(nestedCounts == [2])
      let error = try await failure {
        _ = try await products.join(makers).including(parts).fetchAll(in: database)
      }
      #expect(
        error.message
          == "There is no foreign key from part to product, maker: include the rows in a query of one table"
      )
    }
  }
}

import Testing

@testable import MiniORM

/// A closure with several statements ends with its terms, or returns an array of terms.
@Suite("Closures that return their terms explicitly")
struct ExplicitReturnTests {
  @Selection
  struct Price: Equatable {
    let maker: Int64
    let price: Double
  }

  private let columns = #""id", "name", "price", "maker_id", "tags""#

  @Test("a table, with a single term and a tuple")
  func tables() async throws {
    try await withTrade { database throws in
      let one = products.order { product in
        let price = product.price
        return [price.descending]
      }
      try await expect(
        one, #"SELECT \#(columns) FROM "product" ORDER BY "product"."price" DESC"#,
        rows: [Product.some[2], Product.some[0], Product.some[1]], in: database)
      let two = products.order { product in
        let maker = product.makerID
        return [maker.descending, product.price.ascending]
      }
      try await expect(
        two,
        #"SELECT \#(columns) FROM "product" ORDER BY "product"."maker_id" DESC, "product"."price" ASC"#,
        rows: [Product.some[1], Product.some[0], Product.some[2]], in: database)
    }
  }

  private enum Sort: CaseIterable {
    case cheap, dear, maker

    func terms(_ product: Product.Columns) -> [Ordering] {
      switch self {
      case .cheap: [product.price.ascending]
      case .dear: [product.price.descending]
      case .maker: [product.makerID.descending, product.price.ascending]
      }
    }

    var sql: String {
      switch self {
      case .cheap: #""product"."price" ASC"#
      case .dear: #""product"."price" DESC"#
      case .maker: #""product"."maker_id" DESC, "product"."price" ASC"#
      }
    }

    var order: [Int] {
      switch self {
      case .cheap: [1, 0, 2]
      case .dear: [2, 0, 1]
      case .maker: [1, 0, 2]
      }
    }
  }

  @Test("an order that is chosen at run time", arguments: Sort.allCases)
  private func chosen(sort: Sort) async throws {
    try await withTrade { database throws in
      let branches = products.order { product in
        switch sort {
        case .cheap: product.price.ascending
        case .dear: product.price.descending
        case .maker: (product.makerID.descending, product.price.ascending)
        }
      }
      for query in [products.order { sort.terms($0) }, products.order(sort.terms), branches] {
        try await expect(
          query, #"SELECT \#(columns) FROM "product" ORDER BY \#(sort.sql)"#,
          rows: sort.order.map { Product.some[$0] }, in: database)
      }
      let names = products.select { $0.name }.order {
        if sort == .dear { $0.descending } else { $0 }
      }
      #expect(names.sql.text.hasSuffix(sort == .dear ? #""name" DESC"# : #""name""#))
      let joined = products.join(makers).order { product, _ in sort.terms(product) }
      #expect(joined.sql.text.hasSuffix("ORDER BY \(sort.sql)"))
    }
  }

  @Test("a group, with one expression and several")
  func groups() async throws {
    try await withTrade { database throws in
      let one = products.group { product in
        let maker = product.makerID
        maker
      }
      .order { $0.makerID }.select { ($0.makerID, SQL.count()) }
      try await expect(
        one,
        #"SELECT "product"."maker_id", count(*) FROM "product" GROUP BY "product"."maker_id" "#
          + #"ORDER BY "product"."maker_id""#,
        rows: [(1, 2), (2, 1)], in: database)
      let two = products.group { product in
        let maker = product.makerID
        (maker, product.price > 10)
      }
      .order { $0.makerID }.select { ($0.makerID, SQL.count()) }
      try await expect(
        two,
        #"SELECT "product"."maker_id", count(*) FROM "product" "#
          + #"GROUP BY "product"."maker_id", ("product"."price" > ?) ORDER BY "product"."maker_id""#,
        [.real(10)], rows: [(1, 2), (2, 1)], in: database)
    }
  }

  @Test("a join and an alias")
  func sources() async throws {
    try await withTrade { database throws in
      let joined = products.join(makers) { $0.makerID == $1.id }
      let from = #"FROM "product" JOIN "maker" ON ("product"."maker_id" = "maker"."id")"#
      let one = joined.order { columns in
        let price = columns.0.price
        return [price.descending]
      }
      .select { $0.0.name }
      try await expect(
        one, #"SELECT "product"."name" \#(from) ORDER BY "product"."price" DESC"#,
        rows: ["Rocket", "Anvil", "Nut"], in: database)
      let two = joined.order { columns in
        let maker = columns.1.name
        return [maker.descending, columns.0.price.ascending]
      }
      .select { $0.0.name }
      try await expect(
        two,
        #"SELECT "product"."name" \#(from) ORDER BY "maker"."name" DESC, "product"."price" ASC"#,
        rows: ["Nut", "Anvil", "Rocket"], in: database)
      let grouped = joined.group { columns in
        let name = columns.1.name
        (name, columns.1.id)
      }
      .order { $1.name }.select { ($1.name, SQL.count()) }
      try await expect(
        grouped,
        #"SELECT "maker"."name", count(*) \#(from) GROUP BY "maker"."name", "maker"."id" "#
          + #"ORDER BY "maker"."name""#,
        rows: [("Acme", 2), ("Bolt", 1)], in: database)

      let alias = products.alias("p")
      let third = alias.order { product in
        let price = product.price
        return [price.ascending]
      }
      .select { $0.name }
      try await expect(
        third, #"SELECT "p"."name" FROM "product" AS "p" ORDER BY "p"."price" ASC"#,
        rows: ["Nut", "Anvil", "Rocket"], in: database)
      let fourth = alias.order { product in
        let maker = product.makerID
        return [maker.descending, product.name.ascending]
      }
      .select { $0.name }
      try await expect(
        fourth,
        #"SELECT "p"."name" FROM "product" AS "p" ORDER BY "p"."maker_id" DESC, "p"."name" ASC"#,
        rows: ["Nut", "Anvil", "Rocket"], in: database)
    }
  }

  @Test("whole results: models, selections, values and tuples")
  func results() async throws {
    try await withTrade { database throws in
      let models = products.where { $0.price > 10 }.union(products.where { $0.makerID == 2 })
      let byPrice = models.order { product in
        let price = product.price
        return [price.ascending]
      }
      #expect(
        try await byPrice.fetchAll(in: database).map(\.name) == ["Nut", "Anvil", "Rocket"])
      let byMaker = models.order { product in
        let maker = product.makerID
        return [maker.descending, product.price.descending]
      }
      #expect(
        try await byMaker.fetchAll(in: database).map(\.name) == ["Nut", "Rocket", "Anvil"])

      let lines = products.select { Price.Columns(maker: $0.makerID, price: $0.price) }.limit(10)
      let prices = try await lines.order { line in
        let price = line.price
        return [price.descending]
      }
      .fetchAll(in: database)
      #expect(prices.map(\.price) == [900, 90, 0.5])
      let both = try await lines.order { line in
        let maker = line.maker
        return [maker.descending, line.price.ascending]
      }
      .fetchAll(in: database)
      #expect(both.map(\.price) == [0.5, 90, 900])

      let names = try await products.select { $0.name }.limit(10).order { name in
        let name = name
        return [name.descending]
      }
      .fetchAll(in: database)
      #expect(names == ["Rocket", "Nut", "Anvil"])
      let pairs = try await products.select { ($0.name, $0.price) }.limit(10).order { name, price in
        let price = price
        return [price.descending]
      }
      .fetchAll(in: database)
      #expect(pairs.map(\.0) == ["Rocket", "Anvil", "Nut"])
    }
  }
}

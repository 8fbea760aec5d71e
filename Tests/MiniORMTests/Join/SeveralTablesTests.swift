import Testing

@testable import MiniORM

/// Each number of tables has a separate method.
@Suite("Joins of three and four tables")
struct SeveralTablesTests {
  @Test("a cross join of three tables")
  func cross() async throws {
    try await withTrade { database throws in
      let three = makers.crossJoin(stores).crossJoin(products)
      #expect(try await three.count(in: database) == 3 * 2 * 3)
      let names = try await three.where { $0.0.name == "Bolt" && $0.1.name == "South" }
        .order { $2.id }.select { ($0.name, $1.name, $2.name) }.fetchAll(in: database)
      #expect(
        "\(names)"
          == "\([("Bolt", "South", "Anvil"), ("Bolt", "South", "Nut"), ("Bolt", "South", "Rocket")])"
      )
    }
  }

  @Test("a right join keeps the rows of a third table, and a full join the rows of all three")
  func outer() async throws {
    try await withTrade { database throws in
      let sold = sales.join(products) { $0.productID == $1.id }
      let right = sold.rightJoin(makers) { $1.makerID == $2.id }
        .order { ($2.id, $0.pieces) }
        .select { ($0.pieces, $1.name, $2.name) }
      let kept = try await right.fetchAll(in: database)
      let expected: [(Int?, String?, String)] = [
        (3, "Anvil", "Acme"), (40, "Nut", "Bolt"), (100, "Nut", "Bolt"), (nil, nil, "Cog"),
      ]
      #expect("\(kept)" == "\(expected)")

      let full = sold.fullJoin(makers) { $1.makerID == $2.id && $2.id > 1 }
        .order { ($2.id, $0.pieces) }
        .select { ($0.pieces, $1.name, $2.name) }
      let all = try await full.fetchAll(in: database)
      let either: [(Int?, String?, String?)] = [
        (3, "Anvil", nil), (nil, nil, "Acme"), (40, "Nut", "Bolt"), (100, "Nut", "Bolt"),
        (nil, nil, "Cog"),
      ]
      #expect("\(all)" == "\(either)")
    }
  }

  @Test("a full join of three tables keeps the rows of each")
  func full() async throws {
    try await withTrade { database throws in
      let rows = try await stores.leftJoin(makers) { $0.homeMakerID == $1.id }
        .fullJoin(products) { $1.id == $2.makerID }
        .order { ($0.id, $2.id) }.select { ($0.name, $1.name, $2.name) }.fetchAll(in: database)
      let expected: [(String?, String?, String?)] = [
        (nil, nil, "Nut"), ("North", "Acme", "Anvil"), ("North", "Acme", "Rocket"),
        ("South", nil, nil),
      ]
      #expect("\(rows)" == "\(expected)")
    }
  }

  @Test("elements of JSON join after two and three tables")
  func elements() async throws {
    try await withTrade { database throws in
      let two = sales.join(products) { $0.productID == $1.id }
      let inner = try await two.join { _, product in product.tags.jsonEach() }
        .order { ($1.id, $2.key) }.select { ($1.name, $2.value) }.fetchAll(in: database)
      #expect("\(inner)" == "\([("Anvil", "iron"), ("Anvil", "heavy")])")
      let left = try await two.leftJoin { _, product in product.tags.jsonEach() }
        .order { ($1.id, $0.pieces, $2.key) }.select { ($1.name, $2.value) }.fetchAll(in: database)
      let all: [(String, String?)] = [
        ("Anvil", "iron"), ("Anvil", "heavy"), ("Nut", nil), ("Nut", nil),
      ]
      #expect("\(left)" == "\(all)")
      let three = try await two.join(stores) { $0.storeID == $2.id }
        .join { _, product, _ in product.tags.jsonEach() }
        .order { ($1.id, $3.key) }.select { ($2.name, $3.value) }.fetchAll(in: database)
      #expect("\(three)" == "\([("North", "iron"), ("North", "heavy")])")
    }
  }
}

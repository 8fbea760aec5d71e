import Testing

@testable import MiniORM

@Suite("The order of a joined table")
struct JoinOrderTests {
  private let cheapest = products.order { $0.price }.limit(2)

  @Test("with a limit, the order only chooses the rows")
  func limited() async throws {
    try await withTrade { database throws in
      let left = makers.leftJoin(cheapest)
      try await expect(
        left.order { maker, _ in maker.id }.select { ($0.id, $1.id) },
        #"""
        SELECT "maker"."id", "product"."id"
        FROM "maker"
        LEFT JOIN (SELECT "product"."id" AS "id", "product"."name" AS "name", "product"."price" AS "price",
            "product"."maker_id" AS "maker_id", "product"."tags" AS "tags"
          FROM "product"
          ORDER BY "product"."price"
          LIMIT ?) AS "product" ON ("product"."maker_id" = "maker"."id")
        ORDER BY "maker"."id"
        """#,
        [.integer(2)], rows: [(1, 1), (2, 2), (3, nil)] as [(Int64, Int64?)], in: database)
      func check(_ ids: [Int64?], _ expected: [Int64?]) { #expect(ids == expected) }
      check(
        try await makers.join(cheapest).order { maker, _ in maker.id }.select { $1.id }
          .fetchAll(in: database), [1, 2])
      check(
        try await makers.rightJoin(cheapest).order { maker, _ in maker.id }.select { $1.id }
          .fetchAll(in: database), [1, 2])
      check(
        try await makers.fullJoin(cheapest).order { maker, _ in maker.id }.select { $1.id }
          .fetchAll(in: database), [1, 2, nil])
      check(
        try await stores.crossJoin(cheapest).order { store, product in (store.id, product.id) }
          .select { $1.id }.fetchAll(in: database), [1, 2, 1, 2])
      check(
        try await makers.leftJoin(cheapest).join(stores) { $2.id == 1 }.order { maker, _, _ in
          maker.id
        }
        .select { _, product, _ in product.id }.fetchAll(in: database), [1, 2, nil])
    }
  }

  @Test("without a limit, the order follows the first table's order")
  func unlimited() async throws {
    try await withTrade { database throws in
      let ids = try await makers.order { $0.id.descending }.join(products.order { $0.price })
        .select { $1.id }.fetchAll(in: database)
      #expect(ids == [2, 1, 3])
    }
  }
}

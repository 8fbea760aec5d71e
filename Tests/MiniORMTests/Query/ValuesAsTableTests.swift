import Foundation
import Testing

@testable import MiniORM

@Suite("Values as tables")
struct ValuesAsTableTests {
  @Test("a recursive query of a single value counts")
  func counting() async throws {
    try await withTrade { database throws in
      let numbers = CommonTableExpression("n", startingWith: SQL.select { SQL.value(1) }) { n in
        n.where { $0 < 5 }.select { $0 + 1 }
      }
      let with =
        #"WITH RECURSIVE "n" AS (SELECT ? AS "column1" UNION ALL SELECT ("n"."column1" + ?) "#
        + #"FROM "n" WHERE ("n"."column1" < ?)) "#
      try await expect(
        numbers, with + #"SELECT "n"."column1" FROM "n""#,
        [.integer(1), .integer(1), .integer(5)], rows: [1, 2, 3, 4, 5], in: database)
      try await expect(
        numbers.where { $0 > 3 }.order { $0.descending }.select { ($0, $0 * 2) },
        with + #"SELECT "n"."column1", ("n"."column1" * ?) FROM "n" "#
          + #"WHERE ("n"."column1" > ?) ORDER BY "n"."column1" DESC"#,
        [.integer(1), .integer(1), .integer(5), .integer(2), .integer(3)], rows: [(5, 10), (4, 8)],
        in: database)
      #expect(try await numbers.select { $0.sum() }.fetchOne(in: database) == 15)
      #expect(try await numbers.count(in: database) == 5)
      // Joined with itself under an alias, and with a filtered list.
      #expect(
        try await numbers.join(numbers.alias("other")) { $0 + 3 == $1 }.fetchAll(in: database)
          .map { [$0.0, $0.1] } == [[1, 4], [2, 5]])
      #expect(
        try await numbers.order { $0.descending }.limit(2).alias("last").where { $0 < 5 }
          .fetchAll(in: database) == [4])
      #expect(
        try await products.where {
          $0.id.cast(to: Int.self).isIn(numbers.where { $0 > 2 }.select { $0 })
        }
        .select { $0.name }.fetchAll(in: database) == ["Rocket"])
    }
  }

  @Test("a subquery of values in FROM, on either side of a join")
  func values() async throws {
    try await withTrade { database throws in
      let totals = products.group { $0.makerID }.select { $0.price.total() }.alias("t")
      #expect(try await totals.select { $0.max() }.fetchOne(in: database) == 990)
      let most = products.select { $0.price.max() }.alias("most")
      #expect(
        try await products.join(most) { $0.price == $1 }.select { product, _ in product.name }
          .fetchAll(in: database) == ["Rocket"])
      let ids = sales.select { $0.productID }.distinct().alias("ids")
      let unsold = products.leftJoin(ids) { $0.id == $1 }.where { $1 == nil }
      let sold = try await sales.select { $0.productID }.distinct().fetchAll(in: database)
      #expect(
        try await unsold.select { product, _ in product.id }.fetchAll(in: database)
          == [1, 2, 3].filter { !sold.contains($0) })
      let right = try await ids.rightJoin(products) { $0 == $1.id }.fetchAll(in: database)
      #expect(right.count { $0.0 == nil } == 3 - sold.count)
    }
  }

  @Test("dates keep their column's format")
  func dates() async throws {
    try await withTrade { database throws in
      let day = Date(timeIntervalSince1970: 1_800_000_000)
      let events = Table<StampedEvent>()
      try await database.migrate(
        DatabaseSchema(
          Maker.self, Store.self, Product.self, Sale.self, Part.self, StampedEvent.self))
      _ = try await events.insert(StampedEvent.Draft(day: day, note: nil), in: database)
      let days = events.select { $0.day }.alias("d")
      #expect(try await days.where { $0 == day }.fetchAll(in: database) == [day])
      let named = CommonTableExpression("d", as: events.select { $0.day })
      #expect(try await named.where { $0 == day }.fetchAll(in: database) == [day])
    }
  }
}

@Table
private struct StampedEvent {
  let id: Int64
  @Column(as: .unixSeconds) var day: Date
  var note: String?
}

import Testing

@testable import MiniORM

@Suite("Names of common table expressions")
struct CommonTableNameTests {
  private static let message =
    "The common table expression maker hides a table that the statement reads: rename the expression"

  private var few: CommonTableExpression<Maker.Columns> {
    CommonTableExpression("maker", as: products.where { $0.price > 1 }.join(makers).select { $1 })
  }

  @Test("an expression that would hide a used table is refused, at any place")
  func hidden() async throws {
    try await withTrade { database throws in
      let plain = CommonTableExpression("Maker", as: stores.select { $0 })
      let message = Self.message.replacing("expression maker", with: "expression Maker")
      func refused(_ expected: String, _ body: () async throws -> Void) async throws {
        let error = try await failure(body)
        #expect(error.code == .misuse)
        #expect(error.message == expected)
      }
      // In its own definition, beside it, in a subquery, and in an outer query.
      try await refused(Self.message) { _ = try await few.fetchAll(in: database) }
      try await refused(message) {
        _ = try await plain.crossJoin(makers.alias("m")).select { ($0.name, $1.name) }
          .fetchAll(in: database)
      }
      try await refused(message) {
        _ = try await plain.where { $0.id.isIn(makers.select { $0.id }) }.fetchAll(in: database)
      }
      try await refused(message) {
        _ = try await makers.where { $0.id.isIn(plain.select { $0.id }) }.fetchAll(in: database)
      }
      try await refused(message) {
        _ = try await makers.where { $0.id.isIn(plain.select { $0.id }) }.count(in: database)
      }
      try await refused(message) {
        _ = try await makers.where { $0.id.isIn(plain.select { $0.id }) }
          .max(of: { $0.id }, in: database)
      }
      try await refused(message) {
        _ = try await products.where { $0.makerID.isIn(makers.select { $0.id }) }
          .where { $0.id.isIn(plain.select { $0.id }) }.deleteAll(in: database)
      }
      try await refused(message) {
        _ = try await makers.where { $0.id.isIn(plain.select { $0.id }) }.order { $0.id }.limit(1)
          .delete().run(in: database)
      }
      #expect(try await makers.count(in: database) == 3)
    }
  }

  @Test("the written table and unused tables may share the expression's name")
  func allowed() async throws {
    try await withTrade { database throws in
      let plain = CommonTableExpression("maker", as: stores.where { $0.name == "North" })
      #expect(try await plain.fetchAll(in: database).map(\.name) == ["North"])
      #expect(try await plain.alias("m").select { $0.name }.fetchAll(in: database) == ["North"])
      let update = makers.where { $0.id.isIn(plain.select { $0.id }) }.update { $0.name = "New" }
      #expect(try await update.run(in: database) == 1)
      #expect(
        try await makers.order { $0.id }.select { $0.name }.fetchAll(in: database)
          == ["New", "Bolt", "Cog"])
    }
  }
}

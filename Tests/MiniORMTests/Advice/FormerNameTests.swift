import Testing

@testable import MiniORM

/// A name that a program may still have means what the new one means.
@Suite("Former names")
struct FormerNameTests {
  @available(*, deprecated, message: "calls what is")
  @Test("Configuration, migrations and searches")
  func plain() async throws {
    var configuration = Configuration()
    #expect(configuration.foreignKeys)
    configuration.foreignKeys = false
    #expect(!configuration.foreignKeysEnabled && !configuration.foreignKeys)
    let schema = DatabaseSchema(Maker.self, Store.self, Product.self, Sale.self, Part.self)
    try await withTrade { database throws in
      let (plan, report) = (try await database.plan(schema), try await database.check(schema))
      #expect("\(plan)" == "\(try await database.migrationPlan(for: schema))")
      #expect("\(report)" == "\(try await database.schemaReport(for: schema))")
      let history = try await database.migrations()
      #expect("\(history)" == "\(try await database.migrationHistory())" && !history.isEmpty)
    }
    #expect(
      "\(Match(typed: "red wine", prefix: true))" == "\(Match(words: "red wine", prefix: true))")
    #expect(
      "\(Match.phrase("red wine", prefix: true, first: true))"
        == "\(Match.phrase("red wine", prefix: true, atStart: true))")
  }

  @available(*, deprecated, message: "calls what is")
  @Test("What an upsert does on a conflict")
  func conflicts() {
    let row = Maker.Draft(name: "Acme")
    #expect(
      makers.insert(row).onConflict({ $0.name }, among: { $0.founded > 1900 }, update: { _, _ in })
        .sql.text
        == makers.insert(row)
        .onConflict({ $0.name }, targetWhere: { $0.founded > 1900 }, update: { _, _ in }).sql.text)
    #expect(
      makers.insert(row).onConflictDoNothing({ $0.name }, among: { $0.founded > 1900 }).sql.text
        == makers.insert(row)
        .onConflictDoNothing({ $0.name }, targetWhere: { $0.founded > 1900 }).sql.text)
  }

  @available(*, deprecated, message: "calls what is")
  @Test("Related rows")
  func related() async throws {
    try await withTrade { database throws in
      func expectSame<Columns, each Child>(
        _ former: RelatedRows<Columns, repeat each Child>,
        _ new: RelatedRows<Columns, repeat each Child>,
        sourceLocation: SourceLocation = #_sourceLocation
      ) async throws {
        let rows = "\(try await former.fetchAll(in: database))"
        #expect(rows == "\(try await new.fetchAll(in: database))", sourceLocation: sourceLocation)
        #expect(rows != "[]", sourceLocation: sourceLocation)
      }
      try await expectSame(makers.with(products), makers.including(products))
      try await expectSame(
        makers.with(products, on: { $0.makerID }), makers.including(products, on: { $0.makerID }))
      try await expectSame(
        parts.with(parts, on: { $0.wholeID }), parts.including(parts, on: { $0.wholeID }))
      try await expectSame(
        makers.with(products.with(sales)), makers.including(products.including(sales)))
      try await expectSame(
        stores.with(products, through: sales), stores.including(products, through: sales))
      try await expectSame(
        stores.with(products, through: sales, from: { $0.storeID }, to: { $0.productID }),
        stores.including(products, through: sales, from: { $0.storeID }, to: { $0.productID }))

      try await expectSame(
        makers.with(stores).with(products), makers.including(stores).including(products))
      try await expectSame(
        makers.with(stores).with(products, on: { $0.makerID }),
        makers.including(stores).including(products, on: { $0.makerID }))
      try await expectSame(
        makers.with(products).with(stores, on: { $0.homeMakerID }),
        makers.including(products).including(stores, on: { $0.homeMakerID }))
      try await expectSame(
        makers.with(stores).with(products.with(sales)),
        makers.including(stores).including(products.including(sales)))
      try await expectSame(
        stores.with(sales).with(products, through: sales),
        stores.including(sales).including(products, through: sales))
      try await expectSame(
        stores.with(sales)
          .with(products, through: sales, from: { $0.storeID }, to: { $0.productID }),
        stores.including(sales)
          .including(products, through: sales, from: { $0.storeID }, to: { $0.productID }))
    }
  }
}

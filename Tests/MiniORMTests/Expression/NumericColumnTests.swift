import Testing

@testable import MiniORM

/// A NUMERIC or DECIMAL column stores whole Doubles as integers.
@Table("deal") private struct Deal: Equatable {
  let id: Int64
  var price: Double
  var count: Double
  var weight: Float?
}

@Suite("Doubles in columns whose declared type is NUMERIC or DECIMAL")
struct NumericColumnTests {
  private static let numbers: [Double] = [
    5, 2, -7, 0.5, 3, 1e15, 9e18, 8e18, -9e18, 0.1, 1, -0.25, 4_611_686_018_427_387_904,
  ]
  private let deals = Table<Deal>()

  private func withDeals(_ body: (Database, [Deal]) async throws -> Void) async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE deal (
          id INTEGER PRIMARY KEY, price NUMERIC NOT NULL, count DECIMAL(10, 2) NOT NULL, weight NUMERIC
        )
        """
    ) { database in
      var rows: [Deal] = []
      for (index, price) in Self.numbers.enumerated() {
        for (other, count) in Self.numbers.enumerated() {
          let weight: Float? = (index + other) % 5 == 0 ? nil : Float(other * 7 + 1) / 2
          rows.append(
            Deal(id: Int64(rows.count), price: price, count: count, weight: weight))
        }
      }
      try await deals.insert(contentsOf: rows, in: database)
      #expect(
        try await database.values("SELECT DISTINCT typeof(price) FROM deal ORDER BY 1")
          == [.text("integer"), .text("real")])
      try await body(database, rows)
    }
  }

  @Test("division is the division of Doubles")
  func division() async throws {
    try await withDeals { database, rows in
      func check<Value: ColumnValue & Equatable>(
        _ quotient: (Deal.Columns) -> SQLExpression<Value>, _ expected: (Deal) -> Value,
        sourceLocation: SourceLocation = #_sourceLocation
      ) async throws {
        let found = try await deals.order { $0.id }.select { quotient($0) }.fetchAll(in: database)
        #expect(found == rows.map(expected), sourceLocation: sourceLocation)
      }
      try await check({ $0.price / $0.count }, { $0.price / $0.count })
      try await check({ ($0.price + $0.count) / $0.count }, { ($0.price + $0.count) / $0.count })
      try await check({ $0.price / $0.count / $0.price }, { $0.price / $0.count / $0.price })
      try await check({ $0.price / 2 }, { $0.price / 2 })
      try await check({ 7 / $0.price }, { 7 / $0.price })
      try await check({ -$0.price / $0.count }, { -$0.price / $0.count })
      try await check({ $0.price / $0.count.optional }, { $0.price / $0.count })
      try await check({ $0.price.optional / $0.count }, { $0.price / $0.count })
      try await check(
        { $0.weight / $0.weight }, { deal in deal.weight.map { $0 / $0 } })
      try await check({ SQLExpression<Double>("price") / $0.count }, { $0.price / $0.count })
    }
  }

  @Test("sums of whole numbers do not overflow, and are the sums of Doubles")
  func sums() async throws {
    try await withDeals { database, _ throws in
      let whole = deals.where { $0.price == 9e18 || $0.price == 8e18 }
      let expected = 17e18 * Double(Self.numbers.count)
      #expect(try await whole.sum(of: { $0.price }, in: database) == expected)
      #expect(try await whole.select { $0.price.sum() }.fetchAll(in: database) == [expected])
      #expect(
        try await whole.select { $0.price.sum(distinct: true) }.fetchAll(in: database) == [17e18])
      let sum = deals.select { $0.price.sum(filter: $0.price >= 8e18) }
      #expect(try await sum.fetchAll(in: database) == [expected])
      let running = whole.select { $0.price.sum().over(orderBy: $0.id) }
      #expect(try await running.fetchAll(in: database).compactMap(\.self).max() == expected)
      let joined = whole.join(deals.alias("other")) { $0.id == $1.id }
      #expect(try await joined.sum(of: { deal, _ in deal.price }, in: database) == expected)
      #expect(try await deals.sum(of: { $0.price.pow(2) }, in: database) != nil)
    }
  }

  @Test("an index on another operator is used, because its text is the same")
  func index() async throws {
    try await withDeals { database, _ in
      try await database.write { db in
        try db.execute("CREATE INDEX by_total ON deal ((price * count))")
      }
      let plan = try await deals.where { $0.price * $0.count == 10 }.queryPlan(in: database)
      #expect("\(plan)".contains("by_total"), "\(plan)")
    }
  }
}

import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("event")
private struct Event: Equatable {
  let id: Int64
  var name: String
  @Column(as: .unixSeconds) var began: Date
  @Column(as: .unixMilliseconds) var ended: Date?
  @Column(as: .uuidBytes) var token: UUID
}

private let events = Table<Event>()

private let productsBetween = PreparedQuery(Double.self, Double.self) { least, most in
  products.where { $0.price >= least && $0.price <= most && $0.name != "?" }.order { $0.price }
}

private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

@Suite("Prepared queries")
struct PreparedQueryTests {
  @Test("the text is built once, and each run has its own values")
  func values() async throws {
    try await withTrade { database throws in
      #expect(
        productsBetween.sql(1, 2.5).text == """
          SELECT "product"."id", "product"."name", "product"."price", "product"."maker_id", \
          "product"."tags" FROM "product" WHERE ((("product"."price" >= ?) AND \
          ("product"."price" <= ?)) AND ("product"."name" <> ?)) ORDER BY "product"."price"
          """)
      #expect(try productsBetween.sql(1, 2.5).values == [.real(1), .real(2.5), .text("?")])
      #expect(
        try await productsBetween.fetchAll(0, 100, in: database)
          == [Product.some[1], Product.some[0]])
      #expect(try await productsBetween.fetchAll(800, 1000, in: database) == [Product.some[2]])
      #expect(try await productsBetween.fetchAll(2, 1, in: database) == [])
      #expect(try await productsBetween.fetchOne(1, 1000, in: database) == Product.some[0])
      #expect(try await productsBetween.fetchOne(2, 1, in: database) == nil)
      let names = try await database.read { db in
        var names: [String] = []
        try productsBetween.forEach(0, 1000, in: db) { names.append($0.name) }
        return names
      }
      #expect(names == ["Nut", "Anvil", "Rocket"])
    }
  }

  @Test("rows are read one by one, or only the first, with a database and a connection")
  func selected() async throws {
    try await withTrade { database throws in
      let pairs = PreparedQuery(Double.self) { least in
        products.where { $0.price >= least }.order { $0.price }.select { ($0.name, $0.price) }
      }
      let first = try await pairs.fetchOne(80, in: database)
      #expect(try #require(first) == ("Anvil", 90))
      #expect(try await pairs.fetchOne(1000, in: database) == nil)
      let names = Mutex<[String]>([])
      try await pairs.forEach(1, in: database) { row in names.withLock { $0.append(row.0) } }
      #expect(names.withLock { $0 } == ["Anvil", "Rocket"])
      let (one, none) = try await database.read { db in
        (try pairs.fetchOne(100, in: db), try pairs.fetchOne(1000, in: db))
      }
      #expect(try #require(one) == ("Rocket", 900))
      #expect(none == nil)
    }
  }

  @Test("A limit and an offset are arguments; a negative limit is an error")
  func limit() async throws {
    try await withTrade { database throws in
      let page = PreparedQuery(Int.self, Int.self) { count, offset in
        products.order { $0.id }.limit(count, offset: offset)
      }
      #expect(
        page.sql(2, 1).text.hasSuffix(
          #" ORDER BY "product"."id" LIMIT nullif(max(?, -1), -1) OFFSET ?"#))
      for (count, offset, ids) in [
        (2, 0, [1, 2]), (2, 1, [2, 3]), (0, 0, []), (.max, 2, [3]),
        (5, -1, [1, 2, 3]), (1, .max, []),
      ] as [(Int, Int, [Int64])] {
        #expect(try await page.fetchAll(count, offset, in: database).map(\.id) == ids)
        #expect(try await page.fetchOne(count, offset, in: database)?.id == ids.first)
      }
      for count in [-1, Int.min] {
        let error = try await failure { try await page.fetchOne(count, 0, in: database) }
        #expect(error.code == .mismatch)
      }
      // The limit's parameter follows a selection, join, group, compound or earlier limit.
      let names = PreparedQuery(Int.self) { count in
        products.order { $0.id }.limit(2).join(makers).select { ($0.name, $1.name) }.limit(count)
      }
      #expect(try await names.fetchAll(1, in: database).map(\.0) == ["Anvil"])
      let twice = PreparedQuery(Int.self) { count in
        products.order { $0.id }.select { $0.id }.limit(count).limit(2).limit(count, offset: count)
      }
      #expect(try await twice.fetchAll(1, in: database) == [])
      let compound = PreparedQuery(Int.self) { count in
        products.select { $0.name }.union(makers.select { $0.name }).order { $0 }.limit(count)
      }
      #expect(try await compound.fetchAll(2, in: database) == ["Acme", "Anvil"])
      let within = PreparedQuery(Int.self) { count in
        products.where { $0.id.isIn(products.order { $0.id }.select { $0.id }.limit(count)) }
      }
      #expect(try await within.fetchAll(2, in: database).map(\.id) == [1, 2])
      // Outside prepared queries, an expression as the limit also supports count, order and
      // compounds.
      let two = products.select { $0.id }.limit(SQLExpression<Int>("1 + 1"))
      #expect(try await two.count(in: database) == 2)
      #expect(try await two.order { $0.descending }.fetchOne(in: database) == 2)
      #expect(try await two.union(makers.select { $0.id }).fetchAll(in: database) == [1, 2, 3])
    }
  }

  @Test("a query is prepared once for any number of runs")
  func statement() async throws {
    try await withTrade { database throws in
      let counts = try await database.read { db in
        let before = (db.cache?.misses ?? 0, db.cache?.hits ?? 0)
        for price in 0..<100 { _ = try productsBetween.fetchAll(0, Double(price), in: db) }
        return [(db.cache?.misses ?? 0) - before.0, (db.cache?.hits ?? 0) - before.1]
      }
      #expect(counts == [1, 99])
    }
  }

  @Test("two equal queries have the same text, so that caches do not grow")
  func sharedText() {
    let again = PreparedQuery(Double.self, Double.self) { a, b in
      products.where { $0.price >= a && $0.price <= b && $0.name != "!" }.order { $0.price }
    }
    #expect(again.prepared.text == productsBetween.prepared.text)
  }

  @Test("an argument can occur twice, beside constants, in any clause and any order")
  func places() async throws {
    let query = PreparedQuery(String.self, Int.self) { name, pieces in
      products.join(sales) { $0.id == $1.productID }
        .where { product, sale in sale.pieces > pieces && product.price < 500 }
        .group { $0.0.name }
        .having { product, sale in sale.pieces.sum() > 10 || product.name == name }
        .select { product, sale in (product.name, product.name == name, sale.pieces.sum()) }
    }
    try await withTrade { database throws in
      #expect(
        "\(try await query.fetchAll("Anvil", 0, in: database))"
          == "[(\"Anvil\", true, Optional(3)), (\"Nut\", false, Optional(140))]")
      #expect(
        "\(try await query.fetchAll("Nut", 50, in: database))" == "[(\"Nut\", true, Optional(100))]"
      )
    }
  }

  @Test("an argument is bound in the format of the compared column")
  func representations() async throws {
    let first = UUID()
    let rows = [
      Event(id: 1, name: "a", began: date(100), ended: date(200.25), token: first),
      Event(id: 2, name: "b", began: date(300), ended: nil, token: UUID()),
    ]
    let since = PreparedQuery(Date.self) { date in events.where { $0.began >= date } }
    let ended = PreparedQuery(Date?.self) { date in events.where { $0.ended == date } }
    let begun = PreparedQuery(Date?.self) { date in events.where { $0.began == date } }
    let endedThen = PreparedQuery(Date.self) { date in events.where { date == $0.ended } }
    let token = PreparedQuery(UUID.self) { token in
      events.where { $0.token == token }
    }
    try await withFile(DatabaseSchema(Event.self)) { database throws in
      try await events.insert(contentsOf: rows, in: database)
      #expect(try await since.fetchAll(date(100), in: database) == rows)
      #expect(try await since.fetchAll(date(101), in: database) == [rows[1]])
      #expect(try await ended.fetchAll(nil, in: database) == [rows[1]])
      #expect(try await ended.fetchAll(date(200.25), in: database) == [rows[0]])
      #expect(try await begun.fetchAll(date(300), in: database) == [rows[1]])
      #expect(try await begun.fetchAll(nil, in: database) == [])
      #expect(try await endedThen.fetchAll(date(200.25), in: database) == [rows[0]])
      #expect(try await token.fetchAll(first, in: database) == [rows[0]])
    }
  }

  @Test("a query without arguments, and an invalid query")
  func edges() async throws {
    let whole = PreparedQuery { parts.where { $0.wholeID == nil } }
    let mistaken = PreparedQuery(String.self) { name in
      parts.join(parts) { $0.id == $1.wholeID }.where { $0.0.name == name }
    }
    try await withTrade { database throws in
      #expect(try await whole.fetchAll(in: database) == [Part.some[0]])
      for _ in 1...2 {
        let error = await #expect(throws: DatabaseError.self) {
          try await mistaken.fetchAll("x", in: database)
        }
        #expect(
          error?.message
            == "part is joined twice: give it another name with alias(_:) the second time")
      }
    }
  }

  @Test("an argument of an unprepared query has no value")
  func outside() async throws {
    nonisolated(unsafe) var escaped: Table<Part>?
    let query = PreparedQuery(String.self) { name in
      escaped = parts.where { $0.name == name }
      return parts.where { $0.name == name }
    }
    _ = query
    let stolen = try #require(escaped)
    try await withTrade { database throws in
      let error = await #expect(throws: DatabaseError.self) {
        try await stolen.fetchAll(in: database)
      }
      #expect(error?.operation == .bind)
      #expect(
        error?.message
          == "The argument of a prepared query has a value only when the query runs: write a value here, or run the prepared query with its arguments"
      )
      let stored = #expect(throws: DatabaseError.self) {
        try DatabaseView("stolen", as: stolen).definitions
      }
      #expect(stored?.message == error?.message)
    }
  }

  @Test("an argument of an outer prepared query is not an argument of the inner query")
  func argumentOfAnother() async throws {
    let inner = Mutex<PreparedQuery<Part, Int64>?>(nil)
    let change = Mutex<PreparedChange<Int64>?>(nil)
    let outer = PreparedQuery(Int64.self, Int64.self) { first, second in
      inner.withLock {
        $0 = PreparedQuery(Int64.self) { id in parts.where { $0.id == id || $0.id == second } }
      }
      change.withLock {
        $0 = PreparedChange(Int64.self) { id in
          parts.where { $0.id == id || $0.id == first }.delete()
        }
      }
      return parts.where { $0.id == first || $0.id == second }
    }
    let (query, deletion) = (
      try #require(inner.withLock { $0 }), try #require(change.withLock { $0 })
    )
    try await withTrade { database throws in
      let message =
        "The argument of a prepared query has a value only when the query runs: write a value here, or run the prepared query with its arguments"
      let reading = try await failure { try await query.fetchAll(1, in: database) }
      #expect((reading.operation, reading.message) == (.bind, message))
      let deleting = try await failure { try await deletion.run(1, in: database) }
      #expect((deleting.operation, deleting.message) == (.bind, message))
      #expect(query.sql(1).text == outer.sql(1, 2).text)
      _ = try await outer.fetchAll(1, 2, in: database)
    }
  }

  @Test("the plan shows the index used with the argument")
  func plan() async throws {
    let byKey = PreparedQuery(Int64.self) { id in parts.where { $0.id == id } }
    try await withTrade { database throws in
      let plan = try await database.read { db in try db.queryPlan(byKey.sql(1)) }
      #expect(plan.searches("part"))
    }
  }
}

import Testing

@testable import MiniORM

@Selection
private struct Tagged: Equatable {
  let id: Product.ID
  @Column(as: .json) var tags: [String]
  @Column("costs") var price: Double?
  @Transient var isOpen = false
}

@Suite("SELECT: results")
struct ProjectionTests {
  @Test("a single value of each row")
  func value() async throws {
    try await withTrade { database throws in
      let sorted = makers.order { $0.name.descending }.select { $0.name }
      try await expect(
        sorted,
        #"SELECT "maker"."name" FROM "maker" ORDER BY "maker"."name" DESC"#,
        rows: ["Cog", "Bolt", "Acme"], in: database)
      let filtered = makers.where { $0.id > 1 }.select { $0.founded }
      try await expect(
        filtered,
        #"SELECT "maker"."founded" FROM "maker" WHERE ("maker"."id" > ?)"#, [.integer(1)],
        rows: [nil, 1950], in: database)
      let computed = products.select { $0.price * 2 }.limit(1, offset: 1)
      try await expect(
        computed,
        #"SELECT ("product"."price" * ?) FROM "product" LIMIT ? OFFSET ?"#,
        [.real(2), .integer(1), .integer(1)], rows: [1.0], in: database)
      let distinct = products.select { $0.makerID }.distinct()
      try await expect(
        distinct,
        #"SELECT DISTINCT "product"."maker_id" FROM "product""#, rows: [1, 2], in: database)
      let distinctRows = products.limit(2).distinct().select { $0.tags }
      try await expect(
        distinctRows,
        #"SELECT DISTINCT "product"."tags" FROM "product" LIMIT ?"#, [.integer(2)],
        rows: [["iron", "heavy"], []], in: database)
      let aggregate = products.select { _ in SQLExpression<Int>("count(*) + \(1)") }
      try await expect(
        aggregate,
        #"SELECT (count(*) + ?) FROM "product""#, [.integer(1)], rows: [4], in: database)
    }
  }

  @Test("a tuple of values")
  func tuple() async throws {
    try await withTrade { database throws in
      let values = products.where { $0.price < 100 }.select { ($0.name, $0.price, $0.tags) }
      try await expect(
        values,
        #"""
        SELECT "product"."name", "product"."price", "product"."tags"
        FROM "product"
        WHERE ("product"."price" < ?)
        """#,
        [.real(100)], rows: [("Anvil", 90, ["iron", "heavy"]), ("Nut", 0.5, [])], in: database)
      let valueAndModel = makers.select { ($0.id, $0) }.limit(1)
      try await expect(
        valueAndModel,
        #"""
        SELECT "maker"."id", "maker"."id", "maker"."name", "maker"."founded"
        FROM "maker"
        LIMIT ?
        """#,
        [.integer(1)], rows: [(Int64(1), Maker.some[0])], in: database)
    }
  }

  @Test("a @Selection, whose properties name its columns")
  func selection() async throws {
    try await withTrade { database throws in
      let tagged = products.where { $0.id == 1 }.select {
        Tagged.Columns(id: $0.id, tags: $0.tags, price: SQLExpression("price / \(2.0)"))
      }
      try await expect(
        tagged,
        #"""
        SELECT "product"."id" AS "id", "product"."tags" AS "tags", (price / ?) AS "costs"
        FROM "product"
        WHERE ("product"."id" = ?)
        """#,
        [.real(2), .integer(1)],
        rows: [Tagged(id: 1, tags: ["iron", "heavy"], price: 45)], in: database)
      let whole = makers.select { $0 }.limit(1)
      try await expect(
        whole,
        #"SELECT "maker"."id", "maker"."name", "maker"."founded" FROM "maker" LIMIT ?"#,
        [.integer(1)], rows: [Maker.some[0]], in: database)
    }
  }

  @Test("all rows, the first row and each row, in a database and in a transaction")
  func fetch() async throws {
    try await withTrade { database throws in
      let names = makers.select { $0.name }
      #expect(try await names.fetchOne(in: database) == "Acme")
      #expect(try await names.limit(1, offset: 2).fetchOne(in: database) == "Cog")
      #expect(try await names.limit(0).fetchOne(in: database) == nil)
      #expect(
        try await makers.where { $0.id == 9 }.select { ($0.id, $0.name) }.fetchOne(in: database)
          == nil)
      let found = try await database.read { db in
        var found: [String] = []
        try names.forEach(in: db) { found.append($0) }
        return (found, try names.fetchOne(in: db), try names.fetchAll(in: db))
      }
      #expect(found.0 == ["Acme", "Bolt", "Cog"])
      #expect(found.1 == "Acme")
      #expect(found.2 == ["Acme", "Bolt", "Cog"])
      try await names.forEach(in: database) { #expect(["Acme", "Bolt", "Cog"].contains($0)) }
    }
  }

  @Test("a value of the wrong type throws an error with column and row")
  func mismatch() async throws {
    try await withTrade { database throws in
      let error = try await failure {
        try await products.select {
          Line.Columns(product: $0.name, maker: SQLExpression("NULL"), price: SQLExpression("'x'"))
        }.fetchAll(in: database)
      }
      #expect(
        error.summary
          == "read 20 -.price Line: Expected REAL but found TEXT in column price")
      let tuple = try await failure {
        try await products.select { ($0.name, SQLExpression<Int>("NULL")) }.fetchOne(in: database)
      }
      #expect(
        tuple.summary
          == "read 20 -.(NULL) (String, Int): Expected INTEGER but found NULL in column (NULL)")
    }
  }

  @Test("groups, and conditions on them")
  func groups() async throws {
    try await withTrade { database throws in
      let count = SQLExpression<Int>("count(*)")
      let filteredGroups = products.where { $0.price > 0 }.group { $0.makerID }.having { _ in
        count > 1
      }
      .order { $0.makerID }.select { ($0.makerID, count) }
      try await expect(
        filteredGroups,
        #"""
        SELECT "product"."maker_id", (count(*))
        FROM "product"
        WHERE ("product"."price" > ?)
        GROUP BY "product"."maker_id"
        HAVING ((count(*)) > ?)
        ORDER BY "product"."maker_id"
        """#,
        [.real(0), .integer(1)], rows: [(Int64(1), 2)], in: database)
      let groups = products.group { ($0.makerID, $0.name) }.group { $0.price }.having {
        $0.price > 1
      }
      .having { _ in count == 1 }.select { $0.name }.distinct().limit(9)
      try await expect(
        groups,
        #"""
        SELECT DISTINCT "product"."name"
        FROM "product"
        GROUP BY "product"."maker_id", "product"."name", "product"."price"
        HAVING ("product"."price" > ?) AND ((count(*)) = ?)
        LIMIT ?
        """#,
        [.real(1), .integer(1), .integer(9)], rows: ["Anvil", "Rocket"], in: database)
    }
  }
}

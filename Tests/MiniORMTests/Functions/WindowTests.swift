import Testing

@testable import MiniORM

@Suite("Named windows")
struct WindowTests {
  @Test("several functions share a named window")
  func shared() async throws {
    try await withPeople { database, people throws in
      try await expect(
        people.where { $0.id > 1 }
          .window("by activity") {
            WindowDefinition(partitionBy: $0.isActive, orderBy: $0.age, $0.id)
          }
          .order { $0.id }
          .select {
            ($0.name, SQL.rowNumber().over("by activity"), $0.age.sum().over("by activity"))
          },
        #"""
        SELECT "person"."name", row_number() OVER "by activity", sum("person"."age") OVER "by activity"
        FROM "person"
        WHERE ("person"."id" > ?)
        WINDOW "by activity" AS (PARTITION BY "person"."isActive" ORDER BY "person"."age",
          "person"."id")
        ORDER BY "person"."id"
        """#,
        [.integer(1)],
        rows: [("Bob", 1, 20), ("Cid", 1, 20), ("Dee", 2, 85), ("Eve", 2, 61)], in: database)
    }
  }

  @Test("a window extends another window with an order and a frame")
  func extending() async throws {
    try await withPeople { database, people throws in
      let windows =
        people
        .window("base") { WindowDefinition(partitionBy: $0.isActive) }
        .window("last two") {
          WindowDefinition(
            extending: "base", orderBy: $0.id.descending, frame: .rows(.preceding(1)))
        }
        .order { SQL.rowNumber().over("base") * 0 + $0.id.cast(to: Int.self) }
        .limit(2, offset: 3)
      let query = windows.select {
        ($0.id, $0.age.sum().over("last two"), SQL.count().over("base"))
      }
      try await expect(
        query,
        #"""
        SELECT "person"."id", sum("person"."age") OVER "last two", count(*) OVER "base"
        FROM "person"
        WINDOW "base" AS (PARTITION BY "person"."isActive"), "last two" AS ("base" ORDER BY "person"."id" DESC ROWS BETWEEN ? PRECEDING
          AND CURRENT ROW)
        ORDER BY ((row_number() OVER "base" * ?) + CAST("person"."id" AS INTEGER))
        LIMIT ? OFFSET ?
        """#,
        [.integer(1), .integer(0), .integer(2), .integer(3)], rows: [(4, 65, 2), (5, 41, 3)],
        in: database)
    }
  }

  @Test("windows of joins and of groups; SQLite refuses an undefined window name")
  func joins() async throws {
    try await withTrade { database throws in
      try await expect(
        makers.join(products).window("all") { WindowDefinition(orderBy: $0.0.id) }
          .window("v") { WindowDefinition(orderBy: $1.id.descending) }.order { $1.id }
          .select { ($1.name, SQL.rank().over("v"), SQL.rank().over("all")) },
        #"""
        SELECT "product"."name", rank() OVER "v", rank() OVER "all"
        FROM "maker"
        JOIN "product" ON ("product"."maker_id" = "maker"."id")
        WINDOW "all" AS (ORDER BY "maker"."id"), "v" AS (ORDER BY "product"."id" DESC)
        ORDER BY "product"."id"
        """#,
        rows: [("Anvil", 3, 1), ("Nut", 2, 3), ("Rocket", 1, 1)], in: database)
      let grouped = products.group { $0.makerID }
        .window("w") { WindowDefinition(orderBy: $0.price.sum()) }
        .select { ($0.makerID, $0.price.sum().sum().over("w")) }
      try await expect(
        grouped,
        #"""
        SELECT "product"."maker_id", sum(1.0 * sum(1.0 * "product"."price")) OVER "w"
        FROM "product"
        GROUP BY "product"."maker_id"
        WINDOW "w" AS (ORDER BY sum(1.0 * "product"."price"))
        """#,
        rows: [(2, 0.5), (1, 990.5)], in: database)
      let error = try await failure {
        try await products.select { _ in SQL.rank().over("x") }.fetchAll(in: database)
      }
      #expect(error.summary == "prepare 1 -.- -: no such window: \"x\"")
    }
  }

  @Test("OVER after another function than an aggregate throws an error with the remedy")
  func noAggregate() async throws {
    let message = "is not an aggregate or a window function: call over() as in $0.size.sum().over()"
    try await withPeople { database, people throws in
      let name = try await failure {
        try await people.select { ($0.id, $0.name.over(orderBy: $0.id)) }.fetchAll(in: database)
      }
      #expect(name.summary == "prepare 21 -.- -: \"person\".\"name\" \(message)")
      let lower = try await failure {
        try await people.window("w") { WindowDefinition(orderBy: $0.id) }
          .order { $0.name.lower().over("w") }.fetchAll(in: database)
      }
      #expect(lower.summary == "prepare 21 -.- -: lower(\"person\".\"name\") \(message)")
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Suite("JSON in columns")
struct JSONTests {
  private let c = Shopper.columns
  private let from: SQL = "FROM shopper ORDER BY id"

  @Test("a path into JSON, as a value and as JSON")
  func paths() async throws {
    try await withShoppers { database throws in
      try await database.expect(
        c.address.json("$.city", as: String.self), #"("shopper"."address" ->> '$.city')"#,
        ["Reims", nil, "Oslo"], from: from)
      try await database.expect(
        c.address.json("$.geo.latitude", as: Double.self),
        #"("shopper"."address" ->> '$.geo.latitude')"#, [49.25, nil, nil], from: from)
      // A whole number in JSON is an INTEGER in SQL.
      try await database.expect(
        c.address.json("$.geo.longitude", as: Double.self),
        #"("shopper"."address" ->> '$.geo.longitude')"#, [4, nil, nil], from: from)
      try await database.expect(
        c.address.json("$.isHome", as: Bool.self), #"("shopper"."address" ->> '$.isHome')"#,
        [true, false, nil], from: from)
      try await database.expect(
        c.address.json("$.geo", as: JSON<Shopper.Geo>.self), #"("shopper"."address" -> '$.geo')"#,
        [Shopper.Geo(latitude: 49.25, longitude: 4), nil, nil], from: from)
      try await database.expect(
        c.address.json("$.geo", as: JSON<Shopper.Geo>.self).json("$.latitude", as: Double.self),
        #"(("shopper"."address" -> '$.geo') ->> '$.latitude')"#, [49.25, nil, nil], from: from)
      try await database.expect(
        c.tags.json("$[\(-1)]", as: String.self), #"("shopper"."tags" ->> '$[#-1]')"#,
        ["vip", "vip", nil], from: from)
      try await database.expect(
        c.scores.json("$.\("b.c")", as: Int.self), #"("shopper"."scores" ->> '$."b.c"')"#,
        [5, nil, nil], from: from)
      try await database.expect(
        c.orders.json("$[1].item", as: String.self), #"("shopper"."orders" ->> '$[1].item')"#,
        ["Anvil", nil, nil], from: from)
      try await database.expect(
        c.address.jsonExtract("$.city", "$.isHome", "$.nope", as: JSON<[DatabaseText]>.self),
        #"json_extract("shopper"."address", '$.city', '$.isHome', '$.nope')"#,
        [["Reims", "true", nil], [nil, "false", nil], ["Oslo", nil, nil]], from: from)
      // JSON `null` and SQL NULL both become nil.
      try await database.expect(
        SQL.value("null").json(as: JSON<[Int]>.self), "json(?)", [nil],
        binding: [.text("null")], from: "")
      try await database.expect(
        SQL.value(" [1, 2] ").json(as: JSON<[Int]>.self), "json(?)", [[1, 2]],
        binding: [.text(" [1, 2] ")], from: "")
    }
  }

  @Test("conditions and orders by JSON values")
  func conditions() async throws {
    try await withShoppers { database throws in
      try await expect(
        shoppers.where { $0.address.json("$.city", as: String.self) == "Reims" }.select { $0.id },
        #"SELECT "shopper"."id" FROM "shopper" WHERE (("shopper"."address" ->> '$.city') IS ?)"#,
        [.text("Reims")], rows: [1], in: database)
      try await expect(
        shoppers.where { $0.address.json("$.isHome", as: Bool.self) ?? false }
          .order { $0.address.json("$.city", as: String.self).descending }.select { $0.name },
        #"""
        SELECT "shopper"."name"
        FROM "shopper"
        WHERE ifnull(("shopper"."address" ->> '$.isHome'), ?)
        ORDER BY ("shopper"."address" ->> '$.city') DESC
        """#, [.integer(0)], rows: ["Ada"],
        in: database)
    }
  }

  @Test("the type, the length and the validity of JSON")
  func questions() async throws {
    try await withShoppers { database throws in
      try await database.expect(
        c.tags.jsonType(), #"json_type("shopper"."tags", '$')"#, [.array, .array, .array],
        from: from)
      try await database.expect(
        c.address.jsonType("$.isHome"), #"json_type("shopper"."address", '$.isHome')"#,
        [.true, .false, nil], from: from)
      try await database.expect(
        SQL.value(#"[null,1,1.5,"a",{},[]]"#).jsonType("$[0]"),
        "json_type(?, '$[0]')", [.null], binding: [.text(#"[null,1,1.5,"a",{},[]]"#)], from: "")
      for (index, type) in [JSONType.null, .integer, .real, .text, .object, .array].enumerated() {
        let found = try await database.values(
          of: SQL.value(#"[null,1,1.5,"a",{},[]]"#).jsonType("$[\(index)]"), "")
        #expect(found == [type])
      }
      try await database.expect(
        c.tags.jsonArrayLength(), #"json_array_length("shopper"."tags", '$')"#, [2, 1, 0],
        from: from)
      try await database.expect(
        c.scores.jsonArrayLength("$.a"), #"json_array_length("shopper"."scores", '$.a')"#,
        [0, nil, nil], from: from)
      try await database.expect(
        c.note.jsonValid(), #"json_valid("shopper"."note")"#, [true, false],
        from: "FROM shopper WHERE note IS NOT NULL ORDER BY id")
      let binary = try await database.values(of: c.tags.jsonb().hex(), from)
      #expect(binary == ["8B376E657737766970", "4B37766970", "0B"])
      let error = try await failure {
        try await shoppers.where { $0.id == 3 }.select { $0.note.json("$.x", as: Int.self) }
          .fetchAll(in: database)
      }
      #expect(error.summary == "step 1 -.- -: malformed JSON")
      let path = try await failure {
        try await shoppers.select { $0.tags.json("$[", as: Int.self) }.fetchAll(in: database)
      }
      #expect(path.message == "bad JSON path: '$['")
    }
  }

  @Test(
    "keys of any kind are quoted, for reading and writing",
    arguments: [
      "a", "", " ", "a.b", "a b", "a[0]", "[0]", "#", "$", "\"", "a\"b", "\\", "\\\"", "a\\", "'",
      "'; DROP TABLE shopper --", "日本", "é", "e\u{301}", "😀", "\n\t\r\u{8}\u{c}\u{1}", "\u{7f}",
      "->>", "null", "\\u0041", "?", "?1", ":a", "--", "/*", "\u{2028}",
    ])
  func keys(_ key: String) async throws {
    try await withFile(DatabaseSchema(Shopper.self)) { database throws in
      var shopper = Shopper.some[1]
      shopper.scores = ["A": -1, "a": -2, "other": 2]
      shopper.scores?[key] = 1
      try await shoppers.insert(shopper, in: database)
      let path: JSONPath = "$.\(key)"
      let found = try await shoppers.select { $0.scores.json(path, as: Int.self) }
        .fetchAll(in: database)
      #expect(found == [1])
      try await shoppers.update { $0.scores = $0.scores.settingJSON(path, to: 7) }.run(in: database)
      #expect(try await shoppers.fetchAll(in: database).map { $0.scores?[key] } == [7])
      try await shoppers.update { $0.scores = $0.scores.removingJSON(path) }.run(in: database)
      let rest = try await shoppers.fetchAll(in: database).map(\.scores)
      var expected = shopper.scores
      expected?[key] = nil
      #expect(rest == [expected])
      try await shoppers.update { $0.scores = $0.scores.insertingJSON(8, at: path) }
        .run(in: database)
      #expect(try await shoppers.fetchAll(in: database).map { $0.scores?[key] } == [8])
      let elements = try await shoppers.join { $0.scores.jsonEach() }
        .where { _, score in score.key == key }.select { $1.value }.fetchAll(in: database)
      #expect(elements == [8])
    }
  }

  @Test("removing the root throws for a non-optional column, and stores NULL otherwise")
  func root() async throws {
    try await withFile(DatabaseSchema(Shopper.self)) { database throws in
      try await shoppers.insert(contentsOf: Shopper.some, in: database)
      for update in [
        shoppers.update { $0.tags = $0.tags.removingJSON("$") },
        shoppers.update { $0.tags = $0.tags.removingJSON("$[0]", "$") },
      ] {
        let error = try await failure { try await update.run(in: database) }
        #expect(
          error.message
            == "Removing the root of JSON, $, gives NULL, but the result is not optional: remove a path below the root"
        )
      }
      #expect(try await shoppers.order { $0.id }.fetchAll(in: database) == Shopper.some)
      try await shoppers.update { $0.scores = $0.scores.removingJSON("$") }.run(in: database)
      #expect(try await shoppers.fetchAll(in: database).allSatisfy { $0.scores == nil })
    }
  }

  @Test("a path consists of paths, keys and indexes; a NUL does not end the statement")
  func interpolation() async throws {
    let base: JSONPath = "$.\("a b")[\(2)]"
    let path: JSONPath = "\(base).\("c")[\(-1)]"
    #expect(path.text == #"$."a b"[2]."c"[#-1]"#)
    #expect(JSONPath.root.text == "$")
    #expect(("$.\("\u{0}")" as JSONPath).text == #"$."\u0000""#)
    #expect(("$.it's" as JSONPath).sql.text == "'$.it''s'")
    try await withShoppers { database throws in
      let nul = try await database.values(
        of: c.scores.json("$.a\u{0}b", as: Int.self), from)
      // SQLite ends the path at the NUL.
      #expect(nul == [3, nil, nil])
    }
  }

  @Test("an index on a path is used by a query with the same path")
  func index() async throws {
    try await withShoppers { database throws in
      let city = Index<Shopper>("by_city") { $0.address.json("$.city", as: String.self) }
      #expect(
        try city.createSQL() == #"CREATE INDEX "by_city" ON "shopper" (("address" ->> '$.city'))"#)
      let odd = Index<Shopper>("by_odd") { $0.scores.json("$.\("it's")", as: Int.self).descending }
      let sql = [try city.createSQL(), try odd.createSQL()]
      try await database.write { db in for sql in sql { try db.execute(SQL(raw: sql)) } }
      let plan = try await shoppers.where { $0.address.json("$.city", as: String.self) == "Oslo" }
        .queryPlan(in: database)
      #expect(plan.uses(index: "by_city") && plan.searches("shopper"))
      let range = try await shoppers.where { $0.scores.json("$.\("it's")", as: Int.self) > 3 }
        .queryPlan(in: database)
      #expect(range.uses(index: "by_odd"))
      let other = try await shoppers.where { $0.address.json("$.town", as: String.self) == "Oslo" }
        .queryPlan(in: database)
      #expect(other.scans("shopper"))
    }
  }
}

/// A JSON scalar as text, for arrays of mixed values.
private struct DatabaseText: Codable, Equatable, Sendable, ExpressibleByStringLiteral,
  ExpressibleByNilLiteral
{
  var text: String?
  init(stringLiteral value: String) { text = value }
  init(nilLiteral: ()) { text = nil }
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      text = nil
    } else if let bool = try? container.decode(Bool.self) {
      text = "\(bool)"
    } else {
      text = try container.decode(String.self)
    }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

import Foundation
import Testing

@testable import MiniORM

@Suite("Building and changing JSON in queries")
struct JSONBuildingTests {
  private let c = Shopper.columns

  private struct Summary: Codable, Equatable, Sendable {
    var name: String
    var tags: [String]
    var isActive: Bool
    var isHome: Bool?
    var born: Date?
    var joined: Date
    var note: String?
  }

  @Test("an object decodes as a type: JSON stays JSON, Bool is true or false, dates are dates")
  func object() async throws {
    try await withShoppers { database throws in
      try await expect(
        shoppers.where { $0.id < 3 }.order { $0.id }.select {
          SQL.jsonObject(
            as: Summary.self, ("name", $0.name), ("tags", $0.tags), ("isActive", $0.isActive),
            ("isHome", $0.address.json("$.isHome", as: Bool.self)), ("born", $0.born),
            ("joined", $0.joined), ("note", $0.note))
        },
        #"""
        SELECT json_object(?, "shopper"."name", ?, json("shopper"."tags"), ?, json(CASE "shopper"."is_active" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END),
          ?, json(CASE ("shopper"."address" ->> '$.isHome') WHEN 1 THEN 'true' WHEN 0 THEN 'false' END),
          ?, "shopper"."born", ?, miniorm_date("shopper"."joined", 'seconds', 'text'),
          ?, "shopper"."note")
        FROM "shopper"
        WHERE ("shopper"."id" < ?)
        ORDER BY "shopper"."id"
        """#,
        ["name", "tags", "isActive", "isHome", "born", "joined", "note"].map { .text($0) } + [
          .integer(3)
        ],
        rows: Shopper.some.prefix(2).map {
          Summary(
            name: $0.name, tags: $0.tags, isActive: $0.isActive, isHome: $0.address.isHome,
            born: $0.born, joined: $0.joined, note: $0.note)
        }, in: database)
    }
  }

  @Test("arrays, and aggregated arrays with an order and a filter")
  func arrays() async throws {
    try await withShoppers { database throws in
      try await expect(
        shoppers.order { $0.id }.select { SQL.jsonArray(as: [[String]?].self, $0.tags, $0.tags) },
        #"""
        SELECT json_array(json("shopper"."tags"), json("shopper"."tags"))
        FROM "shopper"
        ORDER BY "shopper"."id"
        """#,
        rows: [[["new", "vip"], ["new", "vip"]], [["vip"], ["vip"]], [[], []]], in: database)
      try await expect(
        shoppers.select {
          (
            $0.name.jsonGroupArray(orderBy: $0.id.descending, filter: $0.isActive),
            $0.tags.jsonGroupArray(orderBy: $0.id),
            $0.isActive.jsonGroupArray(distinct: true, orderBy: $0.isActive),
            $0.joined.jsonGroupArray(orderBy: $0.id),
            $0.born.jsonGroupArray(orderBy: $0.id)
          )
        },
        #"""
        SELECT json_group_array("shopper"."name" ORDER BY "shopper"."id" DESC) FILTER (WHERE ("shopper"."is_active" = 1)),
          json_group_array(json("shopper"."tags") ORDER BY "shopper"."id"), json_group_array(DISTINCT json(CASE "shopper"."is_active" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END) ORDER BY "shopper"."is_active"),
          json_group_array(miniorm_date("shopper"."joined", 'seconds', 'text') ORDER BY "shopper"."id"),
          json_group_array("shopper"."born" ORDER BY "shopper"."id")
        FROM "shopper"
        """#,
        rows: [
          (
            ["Cid", "Ada"], Shopper.some.map(\.tags), [false, true], Shopper.some.map(\.joined),
            Shopper.some.map(\.born)
          )
        ], in: database)
      try await expect(
        shoppers.where { $0.id > 5 }.select { $0.name.jsonGroupArray() },
        #"SELECT json_group_array("shopper"."name") FROM "shopper" WHERE ("shopper"."id" > ?)"#,
        [.integer(5)], rows: [[]], in: database)
      let groups = try await shoppers.select {
        SQL.jsonGroupObject($0.name, $0.tags, orderBy: $0.id, filter: $0.id < 3)
      }.fetchAll(in: database)
      #expect(groups == [["Ada": ["new", "vip"], "Bob": ["vip"]]])
    }
  }

  @Test("JSON is changed in place, by values and by expressions")
  func changes() async throws {
    try await withShoppers { database throws in
      let first = shoppers.where { $0.id == 1 }
      let update = first.update {
        $0.address = $0.address.settingJSON("$.city", to: "Épernay").settingJSON(
          "$.geo", to: Shopper.Geo(latitude: 1, longitude: 2)
        ).settingJSON("$.isHome", to: $0.name == "Bob")
      }
      #expect(
        update.sql.text
          == #"""
          UPDATE "shopper" SET "address" = json_set(json_set(json_set("shopper"."address",
            '$.city', json(?)), '$.geo', json(?)), '$.isHome', json(CASE ("shopper"."name" = ?) WHEN 1 THEN 'true' WHEN 0 THEN 'false' END))
          WHERE ("shopper"."id" = ?)
          """#.onOneLine)
      #expect(
        try update.sql.values == [
          .text("\"Épernay\""), .text(#"{"latitude":1,"longitude":2}"#), .text("Bob"), .integer(1),
        ])
      #expect(try await update.run(in: database) == 1)
      #expect(
        try await first.fetchOne(in: database)?.address
          == Shopper.Address(
            city: "Épernay", geo: Shopper.Geo(latitude: 1, longitude: 2), isHome: false))

      try await first.update {
        $0.address = $0.address.patchingJSON(with: ["geo": Int?.none, "x": 3])
        $0.tags = $0.tags.insertingJSON("last", at: "$[#]").replacingJSON("$[0]", with: "old")
        $0.scores = $0.scores.insertingJSON(9, at: "$.a").insertingJSON($0.id, at: "$.id")
          .removingJSON("$.nope", "$.\("b.c")")
        $0.orders = $0.orders.settingJSON("$[#]", to: Shopper.Order(item: "Saw", count: 2))
          .replacingJSON("$[0].count", with: $0.orders.json("$[0].count", as: Int.self) + 1)
      }.run(in: database)
      let found = try #require(try await first.fetchOne(in: database))
      #expect(found.address == Shopper.Address(city: "Épernay", geo: nil, isHome: false))
      #expect(found.tags == ["old", "vip", "last"])
      #expect(found.scores == ["a": 3, "id": 1])
      #expect(
        found.orders == [
          Shopper.Order(item: "Nut", count: 4), Shopper.Order(item: "Anvil", count: 1),
          Shopper.Order(item: "Saw", count: 2),
        ])
      // Changes to a NULL document give NULL.
      try await shoppers.where { $0.id == 2 }.update {
        $0.scores = $0.scores.settingJSON("$.a", to: 1)
        $0.address = $0.address.patchingJSON(with: $0.address)
      }.run(in: database)
      #expect(try await shoppers.find(2, in: database) == Shopper.some[1])
      // A JSON column is inserted as JSON, not as a string.
      try await first.update { $0.address = $0.address.settingJSON("$.tags", to: $0.tags) }
        .run(in: database)
      let tags = try await first.select { $0.address.json("$.tags", as: JSON<[String]>.self) }
        .fetchAll(in: database)
      #expect(tags == [["old", "vip", "last"]])
    }
  }

  @Test("elements of JSON join as rows, typed by the container")
  func each() async throws {
    try await withShoppers { database throws in
      try await expect(
        shoppers.join { $0.tags.jsonEach() }.where { _, tag in tag.value == "vip" }
          .order { shopper, tag in shopper.id }.select { ($0.name, $1.key, $1.fullKey) },
        #"""
        SELECT "shopper"."name", "each"."key", "each"."fullkey"
        FROM "shopper"
        JOIN json_each("shopper"."tags") AS "each"
        WHERE ("each"."value" = ?)
        ORDER BY "shopper"."id"
        """#, [.text("vip")],
        rows: [("Ada", 1, "$[1]"), ("Bob", 0, "$[0]")], in: database)
      try await expect(
        shoppers.leftJoin { $0.scores.jsonEach(as: "score") }
          .order { shopper, score in (shopper.id, score.key) }
          .select { ($0.name, $1.key, $1.value, $1.type) },
        #"""
        SELECT "shopper"."name", "score"."key", "score"."value", "score"."type"
        FROM "shopper"
        LEFT JOIN json_each("shopper"."scores") AS "score"
        ORDER BY "shopper"."id", "score"."key"
        """#,
        rows: [
          ("Ada", "a", 3, .integer), ("Ada", "b.c", 5, .integer), ("Bob", nil, nil, nil),
          ("Cid", nil, nil, nil),
        ], in: database)
      // Elements that are JSON, and whole elements.
      try await expect(
        shoppers.join { $0.orders.jsonEach(JSON<Shopper.Order>.self, as: "line") }
          .order { $1.key }.select { ($0.name, $1) },
        #"""
        SELECT "shopper"."name", "line"."key", "line"."value", "line"."type", "line"."id",
          "line"."parent", "line"."fullkey", "line"."path"
        FROM "shopper"
        JOIN json_each("shopper"."orders") AS "line"
        ORDER BY "line"."key"
        """#,
        rows: [
          (
            "Ada",
            JSONElement(
              key: 0, value: Shopper.some[0].orders[0], type: .object, id: 2, parent: nil,
              fullKey: "$[0]", path: "$")
          ),
          (
            "Ada",
            JSONElement(
              key: 1, value: Shopper.some[0].orders[1], type: .object, id: 21, parent: nil,
              fullKey: "$[1]", path: "$")
          ),
        ], in: database)
      // With a third table and grouping.
      let pairs = shoppers.join { $0.tags.jsonEach() }
        .join { shopper, _ in shopper.scores.jsonEach(as: "score") }
        .group { _, tag, _ in tag.value }
        .select { ($1.value, SQL.count(), $2.value.sum()) }
      #expect(
        "\(try await pairs.fetchAll(in: database))"
          == #"[("new", 2, Optional(8)), ("vip", 2, Optional(8))]"#)
      // A condition before the join belongs to the join.
      let left = shoppers.leftJoin { $0.tags.jsonEach().where { $0.value == "new" } }
        .order { shopper, _ in shopper.id }.select { ($0.name, $1.value) }
      #expect(
        "\(try await left.fetchAll(in: database))"
          == #"[("Ada", Optional("new")), ("Bob", nil), ("Cid", nil)]"#)
      // Without a table: the elements of a value.
      let values = SQL.value(#"["x","y"]"#).json(as: JSON<[String]>.self)
      let own = try await values.jsonEach().order { $0.key.descending }.select { $0.value }
        .fetchAll(in: database)
      #expect(own == ["y", "x"])
    }
  }

  @Test("a tree contains every value of the JSON, at every depth")
  func tree() async throws {
    try await withShoppers { database throws in
      let rows = try await shoppers.where { $0.id == 1 }.join { $0.note.jsonTree() }
        .where { $1.type != .object }.order { $1.id }.select { ($1.fullKey, $1.atom, $1.type) }
        .fetchAll(in: database)
      let expected: [(String, DatabaseValue, JSONType)] = [
        (#"$."a\"b""#, .integer(1), .integer), ("$.x", .null, .array),
        ("$.x[0]", .integer(1), .true), ("$.x[1]", .null, .null), ("$.x[2]", .real(2.5), .real),
      ]
      #expect("\(rows)" == "\(expected)")
      let limited = try await failure {
        try await shoppers.join { $0.tags.jsonEach().limit(1) }.fetchAll(in: database)
      }
      #expect(
        limited.message
          == "The rows of a table-valued function cannot be grouped or limited inside a join: call group, limit or distinct after the join"
      )
    }
  }
}

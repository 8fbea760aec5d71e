import Foundation
import Testing

@testable import MiniORM

/// Dates in each storage format, and other types.
@Table("occasion")
struct Occasion: Identifiable, Equatable {
  let id: Int64
  var at: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date?
  @Column(as: .json) var tags: [String] = []
  var key: UUID
  @Column(as: .uuidBytes) var bytes: UUID
}

@Selection
struct Moment: Equatable {
  let id: Int64
  let at: Date
  var later: Date?
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .json) var tags: [String]
}

extension Occasion {
  static let keys = (1...3).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) }
  static func day(_ day: Int) -> Date { Date(timeIntervalSince1970: Double(day) * 86_400) }

  static let some = [
    Occasion(
      id: 1, at: day(1), seconds: day(1), milliseconds: day(9), tags: ["a"], key: keys[0],
      bytes: keys[1]),
    Occasion(
      id: 2, at: day(2), seconds: day(3), milliseconds: nil, tags: [], key: keys[1],
      bytes: keys[1]),
    Occasion(
      id: 3, at: day(3), seconds: day(2), milliseconds: day(3), tags: ["b", "c"], key: keys[2],
      bytes: keys[0]),
  ]
}

let occasions = Table<Occasion>()

func withOccasions(_ body: (Database) async throws -> Void) async throws {
  try await withFile(DatabaseSchema(Occasion.self)) { database throws in
    try await occasions.insert(contentsOf: Occasion.some, in: database)
    try await body(database)
  }
}

@Table("bag") private struct Bag: Equatable {
  let id: Int64
  @Column(as: .json) var tags: [String]?
}

@Suite("Subqueries")
struct SubqueryTests {
  @Test("an optional JSON column stays optional as an expression")
  func optionalJSON() async throws {
    try await withFile(DatabaseSchema(Bag.self)) { database throws in
      let bags = Bag.all
      try await bags.insert(
        contentsOf: [Bag(id: 1, tags: ["a", "b"]), Bag(id: 2, tags: nil)], in: database)
      func tags(of id: Int64) -> MiniORM.SQLExpression<[String]?> {
        bags.alias("b").where { $0.id == id }.select { $0.tags }.scalar()
      }
      try await expect(
        bags.where { $0.id == 2 }.select { _ in (tags(of: 1), tags(of: 2), tags(of: 3)) },
        #"SELECT (SELECT "b"."tags" FROM "bag" AS "b" WHERE ("b"."id" = ?)), "#
          + #"(SELECT "b"."tags" FROM "bag" AS "b" WHERE ("b"."id" = ?)), "#
          + #"(SELECT "b"."tags" FROM "bag" AS "b" WHERE ("b"."id" = ?)) "#
          + #"FROM "bag" WHERE ("bag"."id" = ?)"#,
        [.integer(1), .integer(2), .integer(3), .integer(2)], rows: [(["a", "b"], nil, nil)],
        in: database)
    }
  }

  @Test("a query of a single value is an expression")
  func scalar() async throws {
    try await withTrade { database throws in
      let dearest = products.select { $0.price.max() }.scalar()
      try await expect(
        products.where { $0.price == dearest }.select { $0.name },
        #"""
        SELECT "product"."name"
        FROM "product"
        WHERE ("product"."price" IS (SELECT max("product"."price")
          FROM "product"))
        """#,
        rows: ["Rocket"], in: database)
      let first = products.order { $0.name.descending }.select { $0.name }.limit(1).scalar()
      try await expect(
        makers.where { $0.id < 2 }.select { ($0.name, first) },
        #"""
        SELECT "maker"."name", (SELECT "product"."name"
          FROM "product"
          ORDER BY "product"."name" DESC
          LIMIT ?)
        FROM "maker"
        WHERE ("maker"."id" < ?)
        """#,
        [.integer(1), .integer(2)], rows: [("Acme", "Rocket")], in: database)
      // An optional is not wrapped twice. A missing row also gives NULL.
      let founded: MiniORM.SQLExpression<Int?> = makers.where { $0.id == 2 }.select { $0.founded }
        .scalar()
      let nobody = makers.where { $0.id == 9 }.select { $0.name }.scalar()
      try await expect(
        stores.limit(1).select { _ in (founded, nobody) },
        #"""
        SELECT (SELECT "maker"."founded"
          FROM "maker"
          WHERE ("maker"."id" = ?)), (SELECT "maker"."name"
          FROM "maker"
          WHERE ("maker"."id" = ?))
        FROM "store"
        LIMIT ?
        """#,
        [.integer(2), .integer(9), .integer(1)], rows: [(nil, nil)], in: database)
    }
  }

  @Test("correlated subqueries in ORDER BY, HAVING and UPDATE")
  func places() async throws {
    try await withTrade { database throws in
      func count(of maker: Maker.Columns) -> MiniORM.SQLExpression<Int?> {
        products.where { $0.makerID == maker.id }.select { _ in SQL.count() }.scalar()
      }
      let counting =
        #"(SELECT count(*) FROM "product" WHERE ("product"."maker_id" = "maker"."id"))"#
      try await expect(
        makers.order { (count(of: $0).descending, $0.id) }.select { ($0.name, count(of: $0)) },
        #"""
        SELECT "maker"."name", \#(counting)
        FROM "maker"
        ORDER BY \#(counting) DESC, "maker"."id"
        """#,
        rows: [("Acme", 2), ("Bolt", 1), ("Cog", 0)], in: database)
      let average = products.select { $0.price.average() }.scalar()
      try await expect(
        products.group { $0.makerID }.having { $0.price.average() > average }.select { $0.makerID },
        #"""
        SELECT "product"."maker_id"
        FROM "product"
        GROUP BY "product"."maker_id"
        HAVING (avg("product"."price") > (SELECT avg("product"."price")
          FROM "product"))
        """#,
        rows: [1], in: database)
      let update = makers.where { $0.founded == nil }.update {
        $0.founded = makers.select { $0.founded.max() }.scalar()
      }
      #expect(
        update.sql.text
          == #"""
          UPDATE "maker" SET "founded" = (SELECT max("maker_2"."founded")
            FROM "maker" AS "maker_2")
          WHERE ("maker"."founded" IS ?)
          """#.onOneLine)
      #expect(try await update.run(in: database) == 1)
      #expect(try await makers.find(2, in: database)?.founded == 1950)
    }
  }

  @Test("EXISTS and NOT EXISTS of related rows")
  func exists() async throws {
    try await withTrade { database throws in
      let made =
        #"EXISTS (SELECT 1 FROM "product" WHERE ("product"."maker_id" = "maker"."id"))"#
      try await expect(
        makers.where { maker in products.where { $0.makerID == maker.id }.exists() }
          .select { $0.name },
        #"SELECT "maker"."name" FROM "maker" WHERE \#(made)"#, rows: ["Acme", "Bolt"],
        in: database)
      try await expect(
        makers.where { maker in !products.where { $0.makerID == maker.id }.exists() }
          .select { $0.name },
        #"SELECT "maker"."name" FROM "maker" WHERE (NOT \#(made))"#, rows: ["Cog"], in: database)
      let count = try await makers.where { maker in
        products.where { $0.makerID == maker.id }.exists()
      }.count(in: database)
      #expect(count == 2)
      // An aggregate always returns a row.
      try await expect(
        stores.limit(1).select { _ in
          (
            products.where { $0.id > 9 }.exists(),
            products.where { $0.id > 9 }.select { $0.price.max() }.exists()
          )
        },
        #"""
        SELECT EXISTS (SELECT 1
          FROM "product"
          WHERE ("product"."id" > ?)), EXISTS (SELECT max("product"."price")
          FROM "product"
          WHERE ("product"."id" > ?))
        FROM "store"
        LIMIT ?
        """#,
        [.integer(9), .integer(9), .integer(1)], rows: [(false, true)], in: database)
    }
  }

  @Test("IN with a query, of optionals and of row values")
  func membership() async throws {
    try await withTrade { database throws in
      try await expect(
        makers.where { $0.id.isIn(products.where { $0.price > 1 }.select { $0.makerID }) }
          .select { $0.name },
        #"""
        SELECT "maker"."name"
        FROM "maker"
        WHERE ("maker"."id" IN (SELECT "product"."maker_id"
          FROM "product"
          WHERE ("product"."price" > ?)))
        """#,
        [.real(1)], rows: ["Acme"], in: database)
      try await expect(
        stores.where { $0.homeMakerID.isIn(makers.select { $0.id }) }.select { $0.name },
        #"""
        SELECT "store"."name"
        FROM "store"
        WHERE ("store"."home_maker_id" IN (SELECT "maker"."id"
          FROM "maker"))
        """#, rows: ["North"], in: database)
      // `NOT IN` is never true if the list contains NULL.
      for (isOutside, names) in [(false, ["Acme"]), (true, [])] {
        let homes = stores.select { $0.homeMakerID }
        let query = makers.where { isOutside ? !$0.id.isIn(homes) : $0.id.isIn(homes) }
        let inHomes = #"("maker"."id" IN (SELECT "store"."home_maker_id" FROM "store"))"#
        try await expect(
          query.select { $0.name },
          #"SELECT "maker"."name" FROM "maker" WHERE "#
            + (isOutside ? "(NOT \(inHomes))" : inHomes), rows: names, in: database)
      }
      try await expect(
        stores.where { $0.homeMakerID.isIn(stores.select { $0.homeMakerID }) }.select { $0.id },
        #"""
        SELECT "store"."id"
        FROM "store"
        WHERE ("store"."home_maker_id" IN (SELECT "store_2"."home_maker_id"
          FROM "store" AS "store_2"))
        """#, rows: [1],
        in: database)
      let pairs = products.where { $0.price < 1 }.select { ($0.id, $0.makerID) }
      try await expect(
        sales.where { RowValue($0.productID, $0.storeID).isIn(pairs) }.select { $0.pieces },
        #"""
        SELECT "sale"."pieces"
        FROM "sale"
        WHERE (("sale"."product_id", "sale"."store_id") IN (SELECT "product"."id",
            "product"."maker_id"
          FROM "product"
          WHERE ("product"."price" < ?)))
        """#, [.real(1)], rows: [40], in: database)
    }
  }

  @Test("a value from a subquery is stored and read in the column's format")
  func codings() async throws {
    try await withOccasions { database throws in
      let last = occasions.select { $0.seconds.max() }.scalar()
      try await expect(
        occasions.limit(1).select { _ in last },
        #"SELECT (SELECT max("occasion"."seconds") FROM "occasion") FROM "occasion" LIMIT ?"#,
        [.integer(1)], rows: [Occasion.day(3)], in: database)
      // Compared with a column of another storage format, the date is converted.
      try await expect(
        occasions.where { $0.at == last }.select { $0.id },
        #"""
        SELECT "occasion"."id"
        FROM "occasion"
        WHERE (miniorm_date_position("occasion"."at", 'text', 'seconds')
          IS (SELECT max("occasion"."seconds") FROM "occasion"))
        """#,
        rows: [3], in: database)
      try await expect(
        occasions.where { $0.seconds.isIn(occasions.where { $0.id > 1 }.select { $0.seconds }) }
          .select { $0.id },
        #"""
        SELECT "occasion"."id"
        FROM "occasion"
        WHERE ("occasion"."seconds" IN (SELECT "occasion_2"."seconds"
          FROM "occasion" AS "occasion_2"
          WHERE ("occasion_2"."id" > ?)))
        """#,
        [.integer(1)], rows: [2, 3], in: database)
    }
  }

  @Test("values in different formats are refused, not silently unequal")
  func mismatches() async throws {
    try await withOccasions { database throws in
      let queries = [
        occasions.where { $0.at.isIn(occasions.select { $0.seconds }) },
        occasions.where { $0.key.isIn(occasions.select { $0.bytes }) },
        occasions.where { $0.key == $0.bytes },
        occasions.where { $0.key.optional == occasions.select { $0.bytes }.scalar() },
        occasions.where { RowValue($0.id, $0.key).isIn(occasions.select { ($0.id, $0.bytes) }) },
      ]
      let types = ["Date and UnixSeconds"] + ["UUID and UUIDBytes", "UUIDBytes and UUID"]
      for query in queries {
        let error = try await failure { try await query.fetchAll(in: database) }
        #expect(
          types.contains {
            error.summary.contains("store equal values differently, as \($0): declare both columns")
          } || error.message.contains("UnixSeconds and Date"),
          "\(error.summary)")
        #expect(error.sql == query.sql.text)
      }
    }
  }

  @Test("a subquery of the same table can name its outer columns")
  func captured() async throws {
    try await withTrade { database throws in
      func names(_ query: Table<Part>) async throws -> [String] {
        try await query.order { $0.id }.fetchAll(in: database).map(\.name)
      }
      #expect(
        try await names(parts.where { whole in parts.where { $0.wholeID == whole.id }.exists() })
          == ["Car", "Motor"])
      #expect(
        try await names(
          parts.where { whole in
            whole.id > 1 && whole.id.isIn(parts.where { $0.id <= whole.id }.select { $0.id })
          }) == ["Motor", "Piston", "Wheel"])
      #expect(
        try await names(
          parts.where { $0.id > 1 }.where { whole in
            parts.where { part in
              makers.where { maker in maker.id == part.id && maker.id == whole.id }.exists()
            }.exists()
          }) == ["Motor", "Piston"])
      let joined = parts.join(makers) { $0.id == $1.id }
      func ids(_ query: Select<Int64>) async throws -> [Int64] {
        try await query.fetchAll(in: database)
      }
      #expect(
        try await ids(
          joined.where { part, _ in parts.where { $0.id < part.id }.exists() }.select { $0.0.id })
          == [2, 3])
      #expect(
        try await ids(
          joined.group { part, _ in part.id }
            .having { part, _ in parts.where { $0.id < part.id }.exists() }.select { $0.0.id })
          == [2, 3])
      #expect(
        try await ids(
          joined.order { part, _ in
            (parts.where { $0.id < part.id }.exists(), part.id.descending)
          }.select { $0.0.id }) == [1, 3, 2])
      // SQLite's names are case-insensitive.
      #expect(
        try await ids(
          parts.alias("p").where { part in parts.alias("P").where { $0.id < part.id }.exists() }
            .order { $0.id }.select { $0.id }) == [2, 3, 4])

      // An alias removes the ambiguity.
      try await expect(
        parts.where { whole in parts.alias("p").where { $0.wholeID == whole.id }.exists() }
          .select { $0.name },
        #"""
        SELECT "part"."name"
        FROM "part"
        WHERE EXISTS (SELECT 1
          FROM "part" AS "p"
          WHERE ("p"."wholeID" IS "part"."id"))
        """#
        .replacing("wholeID", with: "whole_id"),
        rows: ["Car", "Motor"], in: database)
      try await expect(
        parts.where { $0.id == parts.where { $0.wholeID == 1 }.select { $0.id.max() }.scalar() }
          .select { $0.name },
        #"""
        SELECT "part"."name"
        FROM "part"
        WHERE ("part"."id" IS (SELECT max("part_2"."id")
          FROM "part" AS "part_2"
          WHERE ("part_2"."whole_id" IS ?)))
        """#,
        [.integer(1)], rows: ["Wheel"], in: database)
    }
  }

  @Test("a default scope applies inside a subquery")
  func scoped() async throws {
    try await withFile(DatabaseSchema(ScopedNote.self)) { database throws in
      let notes = Table<ScopedNote>()
      try await notes.insert(contentsOf: ScopedNote.some, in: database)
      try await expect(
        notes.unscoped().where { $0.id.isIn(notes.select { $0.id }) }.select { $0.id },
        #"""
        SELECT "note"."id"
        FROM "note"
        WHERE ("note"."id" IN (SELECT "note_2"."id"
          FROM "note" AS "note_2"
          WHERE (("note_2"."deletedAt" IS ?) AND ("note_2"."owner" < ?))))
        """#,
        [.null, .integer(3)], rows: [1, 3], in: database)
    }
  }
}

@Suite("Subqueries in FROM")
struct DerivedTableTests {
  @Test("a grouped query in FROM is filtered, ordered and joined")
  func grouped() async throws {
    try await withTrade { database throws in
      let lines = products.join(makers).group { $1.id }.select {
        Line.Columns(product: $0.name.min() ?? "", maker: $1.name.optional, price: $0.price.total())
      }
      let line =
        #"""
        SELECT ifnull(min("product"."name"), ?) AS "product", "maker"."name" AS "maker",
          total("product"."price") AS "price"
        FROM "product"
        JOIN "maker" ON ("product"."maker_id" = "maker"."id")
        GROUP BY "maker"."id"
        """#.onOneLine
      let columns =
        #""line"."product" AS "product", "line"."maker" AS "maker", "line"."price" AS "price""#
      try await expect(
        lines.alias("line").where { $0.price > 1 }.order { $0.product },
        #"""
        SELECT \#(columns)
        FROM (\#(line)) AS "line"
        WHERE ("line"."price" > ?)
        ORDER BY "line"."product"
        """#,
        [.text(""), .real(1)], rows: [Line(product: "Anvil", maker: "Acme", price: 990)],
        in: database)
    }
  }

  private let lines = products.join(makers).group { $1.id }.select {
    Line.Columns(product: $0.name.min() ?? "", maker: $1.name.optional, price: $0.price.total())
  }

  @Test("a subquery is joined, on either side, and with itself")
  func joined() async throws {
    let left = makers.leftJoin(lines.alias("line")) { $0.name == $1.maker }.order { $0.0.id }
      .select { ($0.id, $1) }
    #expect(
      left.sql.text
        == #"""
        SELECT "maker"."id", "line"."product" AS "product", "line"."maker" AS "maker",
          "line"."price" AS "price"
        FROM "maker"
        LEFT JOIN (\#(lines.sql.text)) AS "line"
          ON ("maker"."name" IS "line"."maker")
        ORDER BY "maker"."id"
        """#.onOneLine)
    #expect(try left.sql.values == [.text("")])
    let crossed = lines.alias("a").join(lines.alias("b")) { $0.price < $1.price }
      .select { ($0.product, $1.product) }
    let right = lines.alias("a").rightJoin(makers) { $0.maker == $1.name }
      .where { line, _ in line.maker == nil }.select { $1.name }
    let groups = lines.alias("line").group { $0.maker == "Acme" }
      .select { ($0.maker == "Acme", $0.price.total()) }
    try await withTrade { database throws in
      let (lefts, pairs) = try await database.read { db in
        (
          try left.fetchAll(in: db).map { "\($0.0) \($0.1?.price ?? 0)" },
          try crossed.fetchAll(in: db).map { "\($0.0) \($0.1)" }
        )
      }
      #expect(lefts == ["1 990.0", "2 0.5", "3 0.0"])
      #expect(pairs == ["Nut Anvil"])
      #expect(try await right.fetchAll(in: database) == ["Cog"])
      let sums = try await database.read { db in
        try groups.fetchAll(in: db).map { "\($0.0) \($0.1)" }
      }
      #expect(sums == ["false 0.5", "true 990.0"])
    }
  }

  @Test("a query of models is joined like a table, by its foreign keys")
  func models() async throws {
    try await withTrade { database throws in
      let cheap = products.join(makers).where { $1.id < 3 }.select { $0.0 }.limit(2).alias("cheap")
      let product =
        ["id", "name", "price", "maker_id", "tags"].map { #""product"."\#($0)" AS "\#($0)""# }
        .joined(separator: ", ")
      try await expect(
        cheap.join(makers).where { product, _ in product.price < 1 }.select {
          ($0.name, $1.name, $0.tags)
        },
        #"""
        SELECT "cheap"."name", "maker"."name", "cheap"."tags"
        FROM (SELECT \#(product)
          FROM "product"
          JOIN "maker" ON ("product"."maker_id" = "maker"."id")
          WHERE ("maker"."id" < ?)
          LIMIT ?) AS "cheap"
        JOIN "maker" ON ("cheap"."maker_id" = "maker"."id")
        WHERE ("cheap"."price" < ?)
        """#,
        [.integer(3), .integer(2), .real(1)], rows: [("Nut", "Bolt", [])], in: database)
      #expect(
        try await cheap.fetchAll(in: database).map(\.tags) == [["iron", "heavy"], []])
    }
  }

  @Test("formats are kept: dates and JSON are read and compared in their stored form")
  func codings() async throws {
    try await withOccasions { database throws in
      let moments = occasions.select {
        Moment.Columns(
          id: $0.id, at: $0.seconds, later: $0.milliseconds, seconds: $0.at, tags: $0.tags)
      }
      let moment =
        #"""
        SELECT "occasion"."id" AS "id", miniorm_date("occasion"."seconds", 'seconds', 'text') AS "at",
          miniorm_date("occasion"."milliseconds", 'milliseconds', 'text') AS "later",
          miniorm_date("occasion"."at", 'text', 'seconds') AS "seconds",
          "occasion"."tags" AS "tags"
        FROM "occasion"
        """#.onOneLine
      let all = [
        Moment(
          id: 1, at: Occasion.day(1), later: Occasion.day(9), seconds: Occasion.day(1), tags: ["a"]),
        Moment(id: 2, at: Occasion.day(3), later: nil, seconds: Occasion.day(2), tags: []),
        Moment(
          id: 3, at: Occasion.day(2), later: Occasion.day(3), seconds: Occasion.day(3),
          tags: ["b", "c"]),
      ]
      try await expect(moments, moment, rows: all, in: database)
      let columns =
        ["id", "at", "later", "seconds", "tags"].map { #""m"."\#($0)" AS "\#($0)""# }
        .joined(separator: ", ")
      try await expect(
        moments.alias("m").where {
          $0.at > Occasion.day(1) && $0.seconds >= Occasion.day(3) && $0.tags == ["b", "c"]
            && $0.later == $0.seconds
        },
        #"""
        SELECT \#(columns)
        FROM (\#(moment)) AS "m"
        WHERE (((("m"."at" > ?) AND ("m"."seconds" >= ?)) AND ("m"."tags" = ?))
          AND (miniorm_date_position("m"."later", 'text', 'seconds') IS "m"."seconds"))
        """#,
        [
          .text("1970-01-02 00:00:00.000"), .integer(3 * 86_400), .text(#"["b","c"]"#),
        ], rows: [all[2]], in: database)
      let models = occasions.order { $0.id }.limit(2).select { $0 }.alias("e")
      #expect(
        try await models.where { $0.seconds > Occasion.day(1) && $0.tags == [] }
          .fetchAll(in: database) == [Occasion.some[1]])
      let other = occasions.select {
        Moment.Columns(
          id: $0.id, at: $0.at, later: SQL.value(nil), seconds: $0.seconds, tags: $0.tags)
      }
      #expect(try await other.alias("m").count(in: database) == 3)
    }
  }

  @Test("count, exists and the plan of any query")
  func counts() async throws {
    try await withTrade { database throws in
      let joined = products.join(makers).where { $1.id == 1 }
      let grouped = sales.group { $0.productID }
      let none = products.select { $0.price.max() }.limit(0)
      let table = products.distinct().limit(2)
      let union = makers.select { $0.name }.union(stores.select { $0.name })
      let counts = try await database.read { db in
        [
          try joined.count(in: db), try grouped.count(in: db), try none.count(in: db),
          try table.count(in: db), try union.count(in: db),
          try products.select { $0.price.max() }.count(in: db),
          try joined.order { $0.0.id }.limit(1).count(in: db),
        ]
      }
      #expect(counts == [2, 2, 0, 2, 5, 1, 1])
      #expect(try await joined.count(in: database) == 2)
      #expect(try await joined.exists(in: database))
      #expect(try await !none.exists(in: database))
      #expect(try await union.exists(in: database))
      #expect(try await !joined.where { $0.0.id > 9 }.exists(in: database))
      let plan = try await joined.queryPlan(in: database)
      #expect(plan.searches("maker"))
      #expect(plan.scans("product"))
      let mistaken = stores.join(makers).join(parts)
      #expect(try await failure { try await mistaken.count(in: database) }.operation == .prepare)
      #expect(try await failure { try await mistaken.queryPlan(in: database) }.code == .misuse)
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Table("shop", primaryKey: ["country", "number"])
private struct Outlet: Equatable {
  @Column(.collate(.nocase)) let country: String
  let number: Int64
  var name = ""
}

@Table("album")
private struct Disc: Identifiable, Equatable {
  let id: Int64
  @Column(.collate(.nocase)) var country: String?
  var shop: Int64?

  static var constraints: [TableConstraint<Disc>] {
    [
      .unique { ($0.id, $0.shop) },
      TableConstraint(sql: "FOREIGN KEY (country, shop) REFERENCES Shop"),
    ]
  }
}

@Table("stock", primaryKey: ["country", "shop", "tag"])
private struct Supply: Equatable {
  @Column(.collate(.nocase)) let country: String
  let shop: Int64
  @Column(.references(Label.self)) let tag: Label.ID

  static var constraints: [TableConstraint<Supply>] {
    [
      TableConstraint(
        sql: "CONSTRAINT at FOREIGN KEY (shop, country) REFERENCES shop (number, country)")
    ]
  }
}

@Table("tag")
private struct Label: Identifiable, Equatable {
  let id: String
}

@Table("line")
private struct SupplyLine: Identifiable {
  let id: Int64
  @Column(.collate(.nocase)) var country: String?
  var shop: Int64?
  var tag: Label.ID?

  static var constraints: [TableConstraint<SupplyLine>] {
    [TableConstraint(sql: "FOREIGN KEY (country, shop, tag) REFERENCES stock")]
  }
}

@Table("transfer")
private struct Transfer: Identifiable {
  let id: Int64
  @Column(.collate(.nocase)) var country: String
  var source: Int64
  var target: Int64

  static var constraints: [TableConstraint<Transfer>] {
    [
      TableConstraint(sql: "FOREIGN KEY (country, source) REFERENCES shop"),
      TableConstraint(sql: "FOREIGN KEY (country, target) REFERENCES shop"),
    ]
  }
}

@Table("site", primaryKey: ["region", "key"])
private struct Site {
  let region: String
  @Column(as: .uuidBytes) let key: UUID
}

@Table("visit")
private struct Visit: Identifiable {
  let id: Int64
  var region: String
  var key: UUID

  static var constraints: [TableConstraint<Visit>] {
    [TableConstraint(sql: "FOREIGN KEY (region, key) REFERENCES site")]
  }
}

private let shops = Table<Outlet>()
private let albums = Table<Disc>()
private let stocks = Table<Supply>()
private let tags = Table<Label>()

@Suite("Foreign keys of several columns")
struct CompositeKeyTests {
  private static let schema = DatabaseSchema(
    Outlet.self, Disc.self, Supply.self, Label.self, SupplyLine.self, Transfer.self)

  /// Fills the tables with rows whose keys agree in a single column, in both, or differ.
  private func withRows(_ body: (Database) async throws -> Void) async throws {
    try await withFile(Self.schema) { database throws in
      try await database.write { db in
        for country in ["FR", "DE", "IT"] {
          for number in Int64(1)...3 where country != "IT" || number < 2 {
            try shops.insert(Outlet(country: country, number: number), in: db)
          }
        }
        let countries: [String?] = ["FR", "fr", "De", "IT", nil]
        for (index, country) in countries.enumerated() {
          for shop in [nil, Int64(1), 2, 3] where country != "IT" || shop ?? 0 < 2 {
            try albums.insert(
              Disc(id: Int64(index * 10) + (shop ?? 0), country: country, shop: shop), in: db)
          }
        }
      }
      try await body(database)
    }
  }

  @Test("joins use them, with the parent's collation")
  func joins() throws {
    let text =
      #" ON ("album"."country" = "shop"."country") AND ("album"."shop" = "shop"."number")"#
    #expect(albums.join(shops).sql.text.hasSuffix(#"FROM "album" JOIN "shop""# + text))
    #expect(shops.leftJoin(albums).sql.text.hasSuffix(#"FROM "shop" LEFT JOIN "album""# + text))
    #expect(
      stocks.join(shops).sql.text.hasSuffix(
        #" ON ("stock"."shop" = "shop"."number") AND ("stock"."country" = "shop"."country")"#))
    #expect(
      tags.join(stocks).join(shops).sql.text.contains(
        #"ON ("stock"."tag" = "tag"."id") JOIN "shop" ON ("#))
    #expect(
      albums.alias("a").join(shops.alias("s")).sql.text.hasSuffix(
        #" ON ("a"."country" = "s"."country") AND ("a"."shop" = "s"."number")"#))
    let update = albums.update(from: shops.from) { album, shop in album.shop = shop.number.optional
    }
    #expect(
      update.sql.text.contains(
        #"("album"."country" = "shop"."country") AND ("album"."shop" = "shop"."number")"#))
  }

  @Test("related rows are the rows of a join", arguments: [Int?.none, 1, 2])
  func related(limit: Int?) async throws {
    try await withRows { database throws in
      let pairs = try await albums.join(shops).order { album, shop in
        (shop.country, shop.number, album.id)
      }.fetchAll(in: database)
      #expect(pairs.count == 10)
      let ordered = albums.order { $0.id }
      let children = limit.map { ordered.limit($0) } ?? ordered
      let parents = shops.order { ($0.country, $0.number) }
      let byKey = try await parents.including(children).fetchAll(in: database)
      let byColumns = try await parents.including(children, on: { ($0.country, $0.shop) })
        .fetchAll(in: database)
      let filtered = try await parents.where { $0.number > 0 }.including(children)
        .fetchAll(in: database)
      let aliased = try await shops.alias("s").order { ($0.country, $0.number) }
        .including(children).fetchAll(in: database)
      for rows in [byKey, byColumns, filtered, aliased] {
        #expect(rows.count == 7)
        for (shop, found) in rows {
          let all = pairs.filter { $0.1 == shop }.map(\.0)
          #expect(found == Array(all.prefix(limit ?? .max)), "\(shop)")
        }
      }
      let one = try await parents.including(children).fetchOne(in: database)
      #expect(one?.1 == byKey.first?.1)
    }
  }

  @Test("nested and linked rows are found by them")
  func nested() async throws {
    try await withRows { database throws in
      try await database.write { db in
        for tag in ["new", "old"] { try tags.insert(Label(id: tag), in: db) }
        try stocks.insert(Supply(country: "fr", shop: 1, tag: "old"), in: db)
        try stocks.insert(Supply(country: "FR", shop: 1, tag: "new"), in: db)
        try stocks.insert(Supply(country: "De", shop: 2, tag: "new"), in: db)
      }
      let french = try await shops.where { $0.country == "FR" }.order { $0.number }
        .including(tags.order { $0.id }, through: stocks).fetchAll(in: database)
      #expect(french.map { $0.1.map(\.id) } == [["new", "old"], [], []])
      let ofTags = try await tags.order { $0.id }.including(shops, through: stocks)
        .fetchAll(in: database)
      #expect(Set(ofTags[0].1.map(\.country)) == ["FR", "DE"])
      #expect(ofTags[1].1.map(\.number) == [1])
      try await database.write { db in
        for country in ["FR", "fr", nil] {
          try Table<SupplyLine>().insert(
            SupplyLine.Draft(country: country, shop: 1, tag: "new"), in: db)
        }
        try Table<SupplyLine>().insert(SupplyLine.Draft(country: "FR", shop: 1, tag: "old"), in: db)
      }
      let nested = try await shops.order { ($0.country, $0.number) }
        .including(stocks.order { $0.tag }.including(Table<SupplyLine>())).fetchAll(in: database)
      #expect(nested.map { $0.1.map(\.1.count) } == [[], [0], [], [2, 1], [], [], []])
      let all = try await shops.order { ($0.country, $0.number) }
        .including(stocks.order { $0.tag }).including(albums.order { $0.id })
        .fetchAll(in: database)
      #expect(all.map(\.1.count) == [0, 1, 0, 2, 0, 0, 0])
      #expect(all.map(\.2.count) == [1, 1, 1, 2, 2, 2, 1])
    }
  }

  @Test("more keys than a statement has parameters")
  func many() async throws {
    try await withFile(Self.schema) { database throws in
      let numbers = Array(Int64(0)..<16_000)
      try await shops.insert(
        contentsOf: numbers.map { Outlet(country: $0 % 2 == 0 ? "a" : "b", number: $0) },
        in: database)
      try await albums.insert(
        contentsOf: numbers.map { Disc(id: $0, country: $0 % 2 == 0 ? "A" : "B", shop: $0) },
        in: database)
      let found = try await shops.where { $0.number > 0 }.including(albums).fetchAll(in: database)
      #expect(found.count == 15_999)
      #expect(found.allSatisfy { $0.0.number == $0.1.first?.id && $0.1.count == 1 })
    }
  }

  @Test("two of them between two tables are ambiguous")
  func ambiguous() async throws {
    try await withFile(Self.schema) { database throws in
      let transfers = Table<Transfer>()
      let join = try await failure { try await transfers.join(shops).fetchAll(in: database) }
      #expect(join.message.hasPrefix("There are 2 foreign keys between transfer and shop"))
      let rows = try await failure { try await shops.including(transfers).fetchAll(in: database) }
      #expect(rows.message.hasPrefix("There are 2 foreign keys from transfer to shop"))
      let targets = try await shops.including(transfers, on: { ($0.country, $0.target) })
        .fetchAll(in: database)
      #expect(targets.isEmpty)
    }
  }

  @Test("columns in different formats are refused, with the names of both")
  func formats() async throws {
    let (sites, visits) = (Table<Site>(), Table<Visit>())
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE site (region TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (region, key));
        CREATE TABLE visit (id INTEGER PRIMARY KEY, region TEXT NOT NULL, key TEXT NOT NULL);
        """
    ) { database throws in
      let errors = [
        try await failure { try await visits.join(sites).fetchAll(in: database) },
        try await failure { try await sites.leftJoin(visits).fetchAll(in: database) },
        try await failure { try await sites.including(visits).fetchAll(in: database) },
        try await failure {
          try await sites.including(visits, on: { ($0.region, $0.key) }).fetchAll(in: database)
        },
      ]
      for error in errors {
        #expect(
          error.message.hasPrefix(
            #""visit"."key" and "site"."key" store equal values differently, as UUID and UUIDBytes"#
          ))
      }
    }
  }
}

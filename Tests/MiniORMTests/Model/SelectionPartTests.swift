import Testing

@testable import MiniORM

@Selection
private struct Shelf: Equatable {
  let product: Product
  let store: Store?
  var label: String
}

/// A nested selection and an optional selection.
@Selection
private struct Offer: Equatable {
  let maker: Maker
  let shelf: Shelf
  var line: Line?
}

@Selection
private struct Tree: Equatable {
  let part: Part
  let whole: Part?
}

/// A model whose columns can all be NULL.
@Table("memo")
private struct Memo: Equatable {
  var text: String?
  var size: Int?
}

@Selection
private struct Memos: Equatable {
  let first: Memo
  let second: Memo?
}

private enum Grade: Int, ColumnValue { case low, high }

@Selection
private struct Graded: Equatable {
  let maker: Maker
  let grade: Grade
  let other: Grade?
}

private let shelves = products.leftJoin(stores) { $0.makerID == $1.homeMakerID }.select {
  Shelf.Columns(product: $0, store: $1, label: $0.name.upper())
}
private let shelfSQL =
  #""product"."id", "product"."name", "product"."price", "product"."maker_id", "#
  + #""product"."tags", "store"."id", "store"."name", "store"."home_maker_id", "#
  + #"upper("product"."name") AS "label" FROM "product" "#
  + #"LEFT JOIN "store" ON ("product"."maker_id" IS "store"."home_maker_id")"#
private let someShelves = [
  Shelf(product: Product.some[0], store: Store.some[0], label: "ANVIL"),
  Shelf(product: Product.some[1], store: nil, label: "NUT"),
  Shelf(product: Product.some[2], store: Store.some[0], label: "ROCKET"),
]

@Suite("@Selection with models")
struct SelectionPartTests {
  @Test("several models per row, nil where an outer join finds no row")
  func models() async throws {
    try await withTrade { database throws in
      try await expect(shelves, "SELECT \(shelfSQL)", rows: someShelves, in: database)
      let trees = parts.leftJoin(parts.alias("whole")) { $0.wholeID == $1.id }
        .order { part, _ in part.id }.select { Tree.Columns(part: $0, whole: $1) }
      let all = Part.some
      #expect(
        try await trees.fetchAll(in: database) == [
          Tree(part: all[0], whole: nil), Tree(part: all[1], whole: all[0]),
          Tree(part: all[2], whole: all[1]), Tree(part: all[3], whole: all[0]),
        ])
      #expect(try await trees.limit(1, offset: 1).fetchOne(in: database)?.whole == all[0])
      #expect(try await trees.count(in: database) == 4)
    }
  }

  @Test("in a tuple, and beside values whose types the macro cannot see")
  func tuple() async throws {
    try await withTrade { database throws in
      let pairs = parts.leftJoin(parts.alias("whole")) { $0.wholeID == $1.id }
        .where { part, _ in part.id == 2 }
        .select { ($0.name, Tree.Columns(part: $0, whole: $1), $1.name) }
      let pair = try await pairs.fetchOne(in: database)
      #expect(pair?.0 == "Motor")
      #expect(pair?.1 == Tree(part: Part.some[1], whole: Part.some[0]))
      #expect(pair?.2 == "Car")
      let graded = makers.where { $0.id == 2 }.select {
        Graded.Columns(
          maker: $0, grade: SQLExpression("\(Grade.high)"), other: SQLExpression("NULL"))
      }
      #expect(
        try await graded.fetchAll(in: database) == [
          Graded(maker: Maker.some[1], grade: .high, other: nil)
        ])
    }
  }

  @Test("if every column is NULL, an optional property is nil, and other properties are models")
  func nulls() async throws {
    try await withFile(DatabaseSchema(Memo.self)) { database throws in
      let memos = Table<Memo>()
      let some = [Memo(text: nil, size: nil), Memo(text: nil, size: 1)]
      try await memos.insert(contentsOf: some, in: database)
      let pairs = memos.join(memos.alias("other")) { $0.size ?? 0 == $1.size ?? 0 }
        .order { $1.size }
        .select { Memos.Columns(first: $0, second: AliasedColumns<Memo.Columns>.nullable($1)) }
      #expect(
        try await pairs.fetchAll(in: database) == [
          Memos(first: some[0], second: nil), Memos(first: some[1], second: some[1]),
        ])
    }
  }

  @Test("common table expressions, subqueries and their aliases")
  func tables() async throws {
    try await withTrade { database throws in
      let shelf = CommonTableExpression("shelf", as: shelves)
      #expect(try await shelf.fetchAll(in: database) == someShelves)
      let query = shelf.where { $0.product.price > 10 && $0.store.name == "North" }
        .order { $0.product.name.descending }.select { ($0.product, $0.store.id, $0.label) }
      #expect(
        query.sql.text.hasSuffix(
          #" SELECT "shelf"."product.id", "shelf"."product.name", "shelf"."product.price", "#
            + #""shelf"."product.maker_id", "shelf"."product.tags", "shelf"."store.id", "#
            + #""shelf"."label" FROM "shelf" WHERE (("shelf"."product.price" > ?) AND "#
            + #"("shelf"."store.name" IS ?)) ORDER BY "shelf"."product.name" DESC"#))
      let found = try await query.fetchAll(in: database)
      #expect(found.map(\.0) == [Product.some[2], Product.some[0]])
      #expect(found.map(\.1) == [1, 1])
      #expect(found.map(\.2) == ["ROCKET", "ANVIL"])
      // Under an alias, in a self-join, as a whole and in parts.
      let dearer = shelf.leftJoin(shelf.alias("dearer")) { $0.product.price < $1.product.price }
        .where { cheap, _ in cheap.product.id != 2 }.order { cheap, _ in cheap.product.id }
      #expect(
        try await dearer.select { ($0.product.name, $1.product.name) }.fetchAll(in: database)
          .map { "\($0.0) \($0.1 ?? "-")" } == ["Anvil Rocket", "Rocket -"])
      let wholes = try await dearer.fetchAll(in: database)
      #expect(wholes.map(\.0) == [someShelves[0], someShelves[2]])
      #expect(wholes.map(\.1) == [someShelves[2], nil])
      let models = try await dearer.select { ($1.product, $1.store) }.fetchAll(in: database)
      #expect(models.map(\.0) == [Product.some[2], nil])
      #expect(models.map(\.1) == [Store.some[0], nil])
      // In a subquery on itself.
      let cheaper = shelf.where { outer in
        shelf.where { $0.product.price > outer.product.price }.exists()
      }
      #expect(try await cheaper.fetchAll(in: database) == [someShelves[0], someShelves[1]])
      let subquery = shelves.alias("s").where { $0.store.id == nil }
      #expect(try await subquery.fetchAll(in: database) == [someShelves[1]])
    }
  }

  @Test("nested selections, also in other tables")
  func nested() async throws {
    try await withTrade { database throws in
      let shelf = CommonTableExpression("shelf", as: shelves)
      let line = Line.Columns(
        product: SQLExpression("'x'"), maker: SQLExpression("NULL"), price: SQLExpression("1.5"))
      let offers = makers.join(shelf) { $0.id == $1.product.makerID }
        .select {
          Offer.Columns(maker: $0, shelf: $1, line: Line.Columns.nullable(line))
        }
      let expected = [
        Offer(
          maker: Maker.some[0], shelf: someShelves[0],
          line: Line(product: "x", maker: nil, price: 1.5)),
        Offer(
          maker: Maker.some[1], shelf: someShelves[1],
          line: Line(product: "x", maker: nil, price: 1.5)),
        Offer(
          maker: Maker.some[0], shelf: someShelves[2],
          line: Line(product: "x", maker: nil, price: 1.5)),
      ]
      #expect(
        try await offers.order { $0.shelf.product.id }.fetchAll(in: database) == expected)
      let offer = CommonTableExpression("offer", as: offers)
      #expect(
        try await offer.where { $0.shelf.store.id == nil }.fetchAll(in: database) == [expected[1]])
      let parts = offer.where { $0.shelf.product.name == "Rocket" }
        .select { ($0.shelf, $0.maker, $0.shelf.product, $0.line.price) }
      let found = try #require(try await parts.fetchOne(in: database))
      #expect(found.0 == someShelves[2])
      #expect(found.1 == Maker.some[0])
      #expect(found.2 == Product.some[2])
      #expect(found.3 == 1.5)
      // On the nullable side of a join, the parts are optional.
      let missing = makers.leftJoin(offer) { $0.id == $1.shelf.product.makerID }
        .where { maker, _ in maker.id == 3 }.select { ($1.shelf, $1.shelf.product, $1.line) }
      let nothing = try #require(try await missing.fetchOne(in: database))
      #expect(nothing.0 == nil && nothing.1 == nil && nothing.2 == nil)
    }
  }

  @Test("a view, read by raw SQL through its column names")
  func view() async throws {
    let schema = DatabaseSchema(
      Maker.self, Store.self, Product.self,
      objects: [DatabaseView("shelf_view", as: shelves)])
    try await withFile(schema) { database throws in
      try await database.write { db in
        try makers.insert(contentsOf: Maker.some, in: db)
        try stores.insert(contentsOf: Store.some, in: db)
        try products.insert(contentsOf: Product.some, in: db)
      }
      let view = DatabaseView("shelf_view", as: shelves)
      #expect(
        try await view.order { $0.product.id }.fetchAll(in: database) == someShelves)
      #expect(
        try await view.where { $0.store.name == nil }.select { $0.product }.fetchAll(in: database)
          == [Product.some[1]])
      try await database.read { db throws in
        #expect(
          try db.query(Shelf.self, #"SELECT * FROM shelf_view ORDER BY "product.id""#)
            == someShelves)
        #expect(
          try db.query(String.self, #"SELECT "product.name" FROM shelf_view WHERE "store.id" = 1"#)
            .sorted() == ["Anvil", "Rocket"])
      }
    }
  }

  @Test("orders after select and of a compound name the columns of models")
  func order() async throws {
    try await withTrade { database throws in
      let ordered = shelves.order { ($0.product.price.descending, $0.label) }
      #expect(
        ordered.sql.text
          == #"SELECT \#(shelfSQL) ORDER BY "product"."price" DESC, upper("product"."name")"#)
      #expect(
        try await ordered.fetchAll(in: database)
          == [someShelves[2], someShelves[0], someShelves[1]])
      let byStore = shelves.order { ($0.store.name.descending, $0.product.name.descending) }
      #expect(
        try await byStore.fetchAll(in: database)
          == [someShelves[2], someShelves[0], someShelves[1]])
      let both = shelves.union(shelves).order { $0.product.name.descending }
      #expect(both.sql.text.hasSuffix(#" ORDER BY "product.name" DESC"#))
      #expect(try await both.fetchAll(in: database) == someShelves.reversed())
      #expect(
        try await both.limit(2).order { $0.label }.fetchAll(in: database)
          == [someShelves[1], someShelves[2]])
    }
  }

  @Test("selections in RETURNING")
  func returning() async throws {
    try await withTrade { database throws in
      let cog = Maker.some[2]
      let changed = try await makers.where { $0.id == 3 }.update { $0.founded = 1951 }
        .returning {
          Graded.Columns(
            maker: $0, grade: SQLExpression("\(Grade.low)"), other: SQLExpression("\(Grade.high)"))
        }.fetchAll(in: database)
      #expect(
        changed == [
          Graded(
            maker: Maker(id: cog.id, name: cog.name, founded: 1951), grade: .low, other: .high)
        ])
    }
  }

  @Test("a value of the wrong type throws an error with table, column and model")
  func mismatch() async throws {
    let script = """
      CREATE TABLE part(id INTEGER PRIMARY KEY, name, whole_id);
      INSERT INTO part VALUES (1, x'00', NULL), (2, 'Motor', 1);
      """
    try await withTemporaryDatabase(script: script) { database throws in
      let trees = parts.leftJoin(parts.alias("whole")) { $0.wholeID == $1.id }
        .where { part, _ in part.id == 2 }.select { Tree.Columns(part: $0, whole: $1) }
      let error = try await failure { try await trees.fetchAll(in: database) } as DatabaseError
      #expect(
        error.summary == "read 20 part.name Part: Expected TEXT but found BLOB in column name")
      let raw =
        try await failure {
          try await database.read { db in
            try db.query(
              Tree.self,
              """
              SELECT 2 AS "part.id", 'Motor' AS "part.name", NULL AS "part.whole_id",
                id AS "whole.id", name AS "whole.name", NULL AS "whole.whole_id" FROM part
              """)
          }
        } as DatabaseError
      #expect(
        raw.summary
          == "read 20 part.whole.name Part: Expected TEXT but found BLOB in column whole.name")
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Suite("UPDATE … FROM")
struct UpdateFromTests {
  @Test("UPDATE from a table, with a condition or by the foreign key")
  func table() async throws {
    try await withTrade { database throws in
      try await expect(
        products.update(from: makers, on: { $0.makerID == $1.id }) { product, maker in
          product.name = maker.name.appending(" ").appending(product.name)
          product.price = product.price + 1
        },
        #"""
        UPDATE "product" SET "name" = (("maker"."name" || ?) || "product"."name"),
          "price" = ("product"."price" + ?)
        FROM "maker"
        WHERE ("product"."maker_id" = "maker"."id")
        """#,
        [.text(" "), .real(1)], changes: 3, in: database)
      try await expect(
        products.where { $0.price > 50 }
          .update(from: makers.where { $0.founded < 1940 }) { product, maker in
            product.price = 10
            product.tags = ["old"]
            product.name = maker.name
          }.returning { ($0.id, $0.name) },
        #"""
        UPDATE "product" SET "price" = ?, "tags" = ?, "name" = "maker"."name"
        FROM "maker"
        WHERE ("product"."maker_id" = "maker"."id") AND ("maker"."founded" < ?)
          AND ("product"."price" > ?)
        RETURNING "product"."id", "product"."name"
        """#,
        [.real(10), .text(#"["old"]"#), .integer(1940), .real(50)],
        rows: [(Int64(1), "Acme"), (Int64(3), "Acme")], in: database)
      // In the other direction: the other table has the foreign key.
      try await expect(
        makers.update(from: products.where { $0.id == 2 }) { maker, product in
          maker.name = product.name
        },
        #"""
        UPDATE "maker" SET "name" = "product"."name"
        FROM "product"
        WHERE ("product"."maker_id" = "maker"."id") AND ("product"."id" = ?)
        """#,
        [.integer(2)], changes: 1, in: database)
      #expect(try await makers.find(2, in: database)?.name == "Bolt Nut")
    }
  }

  @Test("UPDATE from an alias of the same table, a subquery, and a join")
  func sources() async throws {
    try await withTrade { database throws in
      try await expect(
        parts.update(from: parts.alias("whole"), on: { $0.wholeID == $1.id }) { part, whole in
          part.name = whole.name
        },
        #"""
        UPDATE "part" SET "name" = "whole"."name"
        FROM "part" AS "whole"
        WHERE ("part"."whole_id" IS "whole"."id")
        """#,
        changes: 3, in: database)
      #expect(
        try await parts.order { $0.id }.fetchAll(in: database).map(\.name)
          == ["Car", "Car", "Motor", "Car"])
      try await expect(
        products.update(from: makers.order { $0.id }.limit(1)) { product, maker in
          product.name = maker.name
        },
        #"""
        UPDATE "product" SET "name" = "maker"."name"
        FROM (SELECT "maker"."id" AS "id", "maker"."name" AS "name", "maker"."founded" AS "founded"
          FROM "maker"
          ORDER BY "maker"."id"
          LIMIT ?) AS "maker"
        WHERE ("product"."maker_id" = "maker"."id")
        """#,
        [.integer(1)], changes: 2, in: database)
      try await expect(
        products.order { $0.id.descending }.limit(2).update(
          from: sales.join(stores).where { $0.1.name == "North" }, on: { $0.id == $1.0.productID }
        ) { product, joined in
          product.name = joined.1.name
          product.price = joined.0.pieces.cast(to: Double.self)
        },
        #"""
        UPDATE "product" SET "name" = "store"."name", "price" = CAST("sale"."pieces" AS REAL)
        FROM "sale"
        JOIN "store" ON ("sale"."store_id" = "store"."id")
        WHERE ("product"."id" = "sale"."product_id") AND ("store"."name" = ?)
          AND ("product"."id") IN (SELECT "id"
          FROM "product"
          ORDER BY "product"."id" DESC
          LIMIT ?)
        """#,
        [.text("North"), .integer(2)], changes: 1, in: database)
      #expect(
        try await products.order { $0.id }.fetchAll(in: database).map(\.name)
          == ["Acme", "North", "Acme"])
      #expect(try await products.find(2, in: database)?.price == 100)
    }
  }

  @Test("mistakes that the compiler cannot find")
  func mistakes() async throws {
    try await withTrade { database throws in
      func message(_ update: Update<Product>) async throws -> String {
        try await failure { try await update.run(in: database) }.summary
      }
      let change: (inout Assignments<Product>, Product.Columns) -> Void = { $0.name = $1.name }
      #expect(
        try await message(products.update(from: products, on: { $0.id == $1.id }, change))
          == "prepare 21 -.- -: product is updated from itself: give it another name with "
          + "alias(_:) in from:")
      #expect(
        try await message(products.update(from: stores) { $0.name = $1.name })
          == "prepare 21 -.- -: There is no foreign key between store and product: give the "
          + "condition, as in join(other) { $0.otherID == $1.id }")
      #expect(
        try await message(
          products.update(from: sales.join(stores).distinct(), on: { $0.id == $1.0.productID }) {
            $0.name = $1.1.name
          })
          == "prepare 21 -.- -: An update cannot use a join with group, having, limit or "
          + "distinct: remove these calls")
    }
  }

  private let memos = Table<Memo>()

  private func withMemos(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Memo.self)) { database throws in
      let rows = [
        Memo(id: 1, text: "a"), Memo(id: 2, text: "b", isGone: true), Memo(id: 3, text: "c"),
      ]
      let count = try await memos.insert(contentsOf: rows).run(in: database)
      #expect(count == 3)
      try await body(database)
    }
  }

  private func texts(_ database: Database) async throws -> [String] {
    try await memos.unscoped().order { $0.id }.fetchAll(in: database).map(\.text)
  }

  @Test("a default scope limits updated and deleted rows")
  func scopes() async throws {
    try await withMemos { database throws in
      let update = memos.update { $0.text = $0.text.upper() }.returning { $0.text }
      try await expect(
        update,
        #"""
        UPDATE "memo" SET "text" = upper("memo"."text")
        WHERE ("memo"."isGone" = 0)
        RETURNING "memo"."text"
        """#, rows: ["A", "C"], in: database)
      let delete = memos.where { $0.id < 3 }.delete().returning { $0.id }
      try await expect(
        delete,
        #"""
        DELETE FROM "memo"
        WHERE ("memo"."isGone" = 0) AND ("memo"."id" < ?)
        RETURNING "memo"."id"
        """#, [.integer(3)], rows: [1], in: database)
      #expect(try await texts(database) == ["b", "C"])
      #expect(try await memos.unscoped().delete().run(in: database) == 2)
    }
  }

  @Test("a default scope limits copied and joined rows, and not inserted rows")
  func scopesOfSources() async throws {
    try await withMemos { database throws in
      let copy = memos.insert(from: memos, assigningRowIDs: true)
      try await expect(
        copy,
        #"""
        INSERT INTO "memo" ("text", "isGone")
        SELECT "memo"."text", "memo"."isGone"
        FROM "memo"
        WHERE ("memo"."isGone" = 0)
        """#, changes: 2, in: database)
      let upsert = memos.insert(Memo(id: 2, text: "B"))
        .onConflict {
          $0.id
        } update: { row, new in
          row.text = new.text
        }
      try await expect(
        upsert,
        #"""
        INSERT INTO "memo" ("id", "text", "isGone")
        VALUES (?, ?, ?)
        ON CONFLICT ("id") DO UPDATE
        SET "text" = "excluded"."text"
        """#,
        [.integer(2), .text("B"), .integer(0)], changes: 1, in: database)
      let other = memos.alias("other").where { $0.id < 4 }
      let from = memos.update(from: other, on: { $0.id == $1.id + 1 }) { memo, other in
        memo.text = other.text
      }
      #expect(
        from.sql.text
          == #"""
          UPDATE "memo" SET "text" = "other"."text"
          FROM (SELECT "memo"."id" AS "id", "memo"."text" AS "text", "memo"."isGone" AS "isGone"
            FROM "memo"
            WHERE ("memo"."isGone" = 0)) AS "other"
          WHERE ("memo"."id" = ("other"."id" + ?)) AND ("other"."id" < ?)
            AND ("memo"."isGone" = 0)
          """#.onOneLine)
      // Neither from the deleted row 2, nor to it.
      #expect(try await from.run(in: database) == 1)
      #expect(try await texts(database) == ["a", "B", "c", "c", "c"])
    }
  }
}

@Table("memo")
private struct Memo: Equatable {
  let id: Int64
  var text: String
  var isGone = false

  static var defaultScope: Scope<Memo> { Scope { !$0.isGone } }
}

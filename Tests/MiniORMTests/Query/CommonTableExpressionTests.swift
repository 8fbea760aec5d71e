import Foundation
import Testing

@testable import MiniORM

@Selection
private struct Node: Equatable {
  let id: Int64
  let name: String
  let depth: Int
}

@Selection
private struct Number: Equatable {
  let n: Int
}

private let nodes = parts.where { $0.wholeID == nil }.select {
  Node.Columns(id: $0.id, name: $0.name, depth: SQL.value(0))
}

@Suite("Common table expressions")
struct CommonTableExpressionTests {
  @Test("a named query is used as a table")
  func named() async throws {
    try await withTrade { database throws in
      let dear = CommonTableExpression("dear", as: products.where { $0.price > 1 })
      let product =
        ["id", "name", "price", "maker_id", "tags"].map { #""product"."\#($0)" AS "\#($0)""# }
        .joined(separator: ", ")
      let with =
        #"WITH "dear" AS (SELECT \#(product) FROM "product" WHERE ("product"."price" > ?)) "#
      try await expect(
        dear.where { $0.price < 100 }.select { ($0.name, $0.tags) },
        with + #"SELECT "dear"."name", "dear"."tags" FROM "dear" WHERE ("dear"."price" < ?)"#,
        [.real(1), .real(100)], rows: [("Anvil", ["iron", "heavy"])], in: database)
      try await expect(
        dear.join(makers).order { $0.0.id.descending }.select { ($0.name, $1.name) },
        with + #"SELECT "dear"."name", "maker"."name" FROM "dear" JOIN "maker" "#
          + #"ON ("dear"."maker_id" = "maker"."id") ORDER BY "dear"."id" DESC"#,
        [.real(1)], rows: [("Rocket", "Acme"), ("Anvil", "Acme")], in: database)
      // Used in a self-join and in a subquery, the expression is written once.
      try await expect(
        dear.join(dear.alias("other")) { $0.price < $1.price }
          .where { _, other in other.id.isIn(dear.select { $0.id }) }
          .select { ($0.name, $1.name) },
        with + #"SELECT "dear"."name", "other"."name" FROM "dear" JOIN "dear" AS "other" "#
          + #"ON ("dear"."price" < "other"."price") "#
          + #"WHERE ("other"."id" IN (SELECT "dear_2"."id" FROM "dear" AS "dear_2"))"#,
        [.real(1)], rows: [("Anvil", "Rocket")], in: database)
      try await expect(
        makers.where { $0.id.isIn(dear.select { $0.makerID }) }.select { $0.name },
        with + #"SELECT "maker"."name" FROM "maker" WHERE ("maker"."id" IN "#
          + #"(SELECT "dear"."maker_id" FROM "dear"))"#, [.real(1)], rows: ["Acme"], in: database)
      #expect(try await dear.fetchAll(in: database) == [Product.some[0], Product.some[2]])
      #expect(
        try await dear.order { $0.price.descending }.limit(1).alias("one").select { $0.name }
          .fetchAll(in: database) == ["Rocket"])
      #expect(try await dear.count(in: database) == 2)
      #expect(try await dear.exists(in: database))
    }
  }

  @Test("MATERIALIZED or not", arguments: [nil, true, false])
  func materialized(_ isMaterialized: Bool?) async throws {
    try await withTrade { database throws in
      let ids = CommonTableExpression(
        "n", materialized: isMaterialized,
        as: products.group { $0.makerID }.select { Number.Columns(n: $0.id.count()) })
      let hint =
        switch isMaterialized {
        case true?: "MATERIALIZED "
        case false?: "NOT MATERIALIZED "
        case nil: ""
        }
      try await expect(
        ids.order { $0.n.descending },
        #"""
        WITH "n" AS \#(hint)(SELECT count("product"."id") AS "n"
          FROM "product"
          GROUP BY "product"."maker_id")
        SELECT "n"."n" AS "n"
        FROM "n"
        ORDER BY "n"."n" DESC
        """#,
        rows: [Number(n: 2), Number(n: 1)], in: database)
    }
  }

  @Test("several expressions, also nested, in UPDATE and DELETE too")
  func several() async throws {
    try await withTrade { database throws in
      let cheap = CommonTableExpression("cheap", as: products.where { $0.price < 1 })
      let theirs = CommonTableExpression(
        "theirs", as: makers.where { $0.id.isIn(cheap.select { $0.makerID }) })
      let homes = CommonTableExpression("homes", as: stores.where { $0.homeMakerID != nil })
      let query = theirs.crossJoin(homes).select { ($0.name, $1.name) }
      #expect(
        query.sql.text.components(separatedBy: " AS (").map { $0.suffix(8) }.dropLast()
          == [#" "cheap""#, #""theirs""#, #" "homes""#].map { $0.suffix(8) })
      #expect(try await query.fetchAll(in: database).map { "\($0)" } == [#"("Bolt", "North")"#])
      let update = makers.where { $0.id.isIn(theirs.select { $0.id }) }.update { $0.founded = 7 }
      #expect(update.sql.text.hasPrefix(#"WITH "cheap" AS (SELECT "#))
      #expect(update.sql.text.contains(#") UPDATE "maker" SET "founded" = ? WHERE "#))
      #expect(try await update.run(in: database) == 1)
      #expect(try await makers.find(2, in: database)?.founded == 7)
      let count = try await sales.where { $0.productID.isIn(cheap.select { $0.id }) }
        .deleteAll(in: database)
      #expect(count == 2)
      let compound = cheap.select { $0.name }.union(homes.select { $0.name }).order { $0 }
      #expect(compound.sql.text.hasPrefix(#"WITH "cheap" AS "#))
      #expect(try await compound.fetchAll(in: database) == ["North", "Nut"])
    }
  }

  @Test("before INSERT, and before DELETE with RETURNING; a nested query is inserted whole")
  func writes() async throws {
    try await withTrade { database throws in
      let old = CommonTableExpression("old", as: makers.where { $0.founded != nil })
      let insertion = makers.insert(
        into: { ($0.id, $0.name) }, from: old.select { ($0.id + 10, $0.name) })
      #expect(insertion.sql.text.hasPrefix(#"WITH "old" AS (SELECT "#))
      #expect(insertion.sql.text.contains(#") INSERT INTO "maker" ("id", "name") SELECT "#))
      #expect(try await insertion.run(in: database) == 2)
      let deletion = makers.where { $0.id > 10 && ($0.id - 10).isIn(old.select { $0.id }) }
        .delete().returning { $0.name }
      #expect(deletion.sql.text.hasPrefix(#"WITH "old" AS (SELECT "#))
      #expect(try await deletion.fetchAll(in: database) == ["Acme", "Cog"])
      let last = makers.order { $0.id }.limit(2).select { $0 }.order { $0.name.descending }.limit(1)
      _ = try await makers.insert(from: last, assigningRowIDs: true).run(in: database)
      #expect(
        try await makers.order { $0.id }.select { $0.name }.fetchAll(in: database)
          == ["Acme", "Bolt", "Cog", "Bolt"])
      _ = try await stores.insert(
        into: { $0.name },
        from: makers.limit(1).select { $0.name }.order { $0 }
      ).run(in: database)
      #expect(try await stores.count(in: database) == 3)
    }
  }

  @Test("a recursive query of a tree")
  func tree() async throws {
    try await withTrade { database throws in
      let tree = CommonTableExpression("tree", startingWith: nodes) { tree in
        parts.join(tree) { $0.wholeID == $1.id }.select {
          Node.Columns(id: $0.id, name: $0.name, depth: $1.depth + 1)
        }
      }
      let with = #"""
        WITH RECURSIVE "tree" AS (SELECT "part"."id" AS "id", "part"."name" AS "name", ? AS "depth"
          FROM "part"
          WHERE ("part"."whole_id" IS ?)
          UNION ALL
          SELECT "part"."id" AS "id", "part"."name" AS "name", ("tree"."depth" + ?) AS "depth"
          FROM "part"
          JOIN "tree" ON ("part"."whole_id" IS "tree"."id"))

        """#
      try await expect(
        tree.order { ($0.depth, $0.id) },
        with + #"SELECT "tree"."id" AS "id", "tree"."name" AS "name", "tree"."depth" AS "depth" "#
          + #"FROM "tree" ORDER BY "tree"."depth", "tree"."id""#,
        [.integer(0), .null, .integer(1)],
        rows: [
          Node(id: 1, name: "Car", depth: 0), Node(id: 2, name: "Motor", depth: 1),
          Node(id: 4, name: "Wheel", depth: 1), Node(id: 3, name: "Piston", depth: 2),
        ], in: database)
      // Recursion over a model, from any first row, and inside a subquery.
      let motor = CommonTableExpression("motor", startingWith: parts.where { $0.id == 2 }) {
        motor in parts.join(motor) { $0.wholeID == $1.id }.select { $0.0 }
      }
      #expect(try await motor.select { $0.name }.fetchAll(in: database) == ["Motor", "Piston"])
      #expect(
        try await parts.where { !$0.id.isIn(motor.select { $0.id }) }.select { $0.name }
          .fetchAll(in: database) == ["Car", "Wheel"])
    }
  }

  @Test("recursion over 10,000 levels, and a limit for endless recursion")
  func deep() async throws {
    try await withTrade { database throws in
      let numbers = CommonTableExpression(
        "numbers", startingWith: parts.limit(1).select { _ in Number.Columns(n: SQL.value(1)) }
      ) { numbers in
        numbers.where { $0.n < 10_000 }.select { Number.Columns(n: $0.n + 1) }
      }
      #expect(try await numbers.count(in: database) == 10_000)
      #expect(
        try await numbers.select { $0.n.sum() }.fetchAll(in: database) == [50_005_000])
      let endless = CommonTableExpression(
        "endless", startingWith: parts.limit(1).select { _ in Number.Columns(n: SQL.value(1)) },
        limit: 5
      ) { endless in endless.select { Number.Columns(n: $0.n * 2) } }
      try await expect(
        endless,
        #"""
        WITH RECURSIVE "endless" AS (SELECT *
          FROM (SELECT ? AS "n"
            FROM "part"
            LIMIT ?)
          UNION ALL
          SELECT ("endless"."n" * ?) AS "n"
          FROM "endless"
          LIMIT ?)
        SELECT "endless"."n" AS "n"
        FROM "endless"
        """#,
        [.integer(1), .integer(1), .integer(2), .integer(5)],
        rows: [1, 2, 4, 8, 16].map(Number.init(n:)), in: database)
    }
  }

  @Test("UNION ends a recursion through a cycle")
  func circle() async throws {
    try await withTrade { database throws in
      _ = try await parts.where { $0.id == 1 }.update { $0.wholeID = 3 }.run(in: database)
      let all = CommonTableExpression(
        "all", startingWith: parts.where { $0.id == 2 }, distinct: true
      ) { all in parts.join(all) { $0.wholeID == $1.id }.select { $0.0 } }
      #expect(
        try await all.order { $0.id }.select { $0.name }.fetchAll(in: database)
          == ["Car", "Motor", "Piston", "Wheel"])
      let ids = CommonTableExpression(
        "ids",
        startingWith: parts.where { $0.id == 2 }
          .select { Number.Columns(n: $0.id.cast(to: Int.self)) },
        distinct: true
      ) { ids in
        parts.join(ids) { $0.wholeID.cast(to: Int.self) == $1.n.optional }
          .select { part, _ in Number.Columns(n: part.id.cast(to: Int.self)) }
          .union(
            parts.join(ids) { $0.id.cast(to: Int.self) == $1.n }
              .select { part, _ in Number.Columns(n: part.id.cast(to: Int.self)) })
      }
      #expect(try await ids.count(in: database) == 4)
    }
  }

  @Test("two expressions with one name are refused, equal expressions are merged")
  func names() async throws {
    try await withTrade { database throws in
      let one = CommonTableExpression("x", as: makers.where { $0.id.isIn([1, 2]) })
      let same = CommonTableExpression("x", as: makers.where { $0.id.isIn([1, 2]) })
      let other = CommonTableExpression("X", as: makers.where { $0.id.isIn([1, 3]) })
      let equal = stores.where { _ in one.exists() && same.exists() }
      #expect(equal.sql.text.components(separatedBy: " AS (").count == 2)
      #expect(try await equal.count(in: database) == 2)
      let different = stores.where { _ in one.exists() && other.exists() }
      let error = try await failure { try await different.fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: Two different common table expressions are named x: rename one of them"
      )
      #expect(error.sql == different.sql.text)
    }
  }

  @Test("invalid recursion is refused")
  func mistakes() async throws {
    try await withTrade { database throws in
      let ordered = CommonTableExpression("t", startingWith: parts.where { $0.id == 1 }) { t in
        parts.join(t) { $0.wholeID == $1.id }.order { $0.0.id }.select { $0.0 }
      }
      let error = try await failure { try await ordered.fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: The recursive query of t cannot have order or limit, and can be "
          + "combined only by UNION ALL: order or limit the query that reads it")
      let mistaken = CommonTableExpression("t", as: parts.join(makers).select { $0.0 })
      let second = try await failure {
        try await stores.where { _ in mistaken.exists() }.fetchAll(in: database)
      }
      #expect(second.message.hasPrefix("There is no foreign key between part and maker"))
    }
  }
}

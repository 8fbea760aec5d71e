import Foundation
import Testing

@testable import MiniORM

@Suite("Raw SQL in parts, and the schema as values")
struct SQLPartsTests {
  @Test("SQL, a query and a list of values inside SQL")
  func parts() async throws {
    try await withTrade { database throws in
      let name = "Acme"
      let condition: SQL = "name = \(name)"
      let acme = makers.where { $0.name == "Acme" }.select { $0.id }
      let dear = products.where { $0.price > 100 }
      let ids: [Int64] = [1, 3]
      let (first, second, third, none, many, names) = try await database.read { db in
        (
          try db.query(
            Maker.self, "SELECT * FROM maker WHERE \(condition) OR id = \(3) ORDER BY id"),
          try db.query(
            Product.self, "SELECT * FROM product WHERE maker_id IN \(acme) AND price < \(100)"),
          try db.query(String.self, "SELECT name FROM \(dear) WHERE maker_id = \(1)"),
          try db.query(Int.self, "SELECT id FROM maker WHERE id IN \([Int64]())"),
          try db.query(Int.self, "SELECT count(*) FROM maker WHERE id IN \(0..<40_000)"),
          try db.query(
            String.self, "SELECT name FROM maker WHERE id IN \(ids) AND name IN \(Set(["Cog"]))")
        )
      }
      #expect(first == [Maker.some[0], Maker.some[2]])
      #expect(second == [Product.some[0]])
      #expect(third == ["Rocket"] && none == [] && many == [3] && names == ["Cog"])
      let listed = try await makers.where(sql: "id IN \(ids) AND \(condition)").fetchAll(
        in: database)
      #expect(listed == [Maker.some[0]])
    }
  }

  @Test("bytes stay a single value, and text that looks like SQL is bound")
  func values() async throws {
    try await withTemporaryDatabase { database in
      let (bytes, data): ([UInt8], Data) = ([1, 2], Data([3, 4]))
      let hostile = "'); DROP TABLE t; --"
      let rows = try await database.read { db in
        try db.query("SELECT hex(\(bytes)), hex(\(data)), \(hostile) IN \([hostile])").map(\.values)
      }
      #expect(rows == [[.text("0102"), .text("0304"), .integer(1)]])
    }
  }

  @Test("the rows of raw SQL one at a time")
  func eachRow() async throws {
    struct Enough: Error {}
    try await withTrade { database throws in
      let names = try await database.read { db in
        var names: [String] = []
        try db.forEach("SELECT id, name FROM maker WHERE id < ? ORDER BY id", [3]) { row in
          names.append(try row["name", as: String.self])
        }
        do {
          try db.forEach("SELECT name FROM maker") { row in
            names.append(row.columnNames[0])
            throw Enough()
          }
        } catch is Enough {}
        try db.forEach("SELECT name FROM maker WHERE id = 9") { _ in names.append("none") }
        return names
      }
      #expect(names == ["Acme", "Bolt", "name"])
    }
  }
}

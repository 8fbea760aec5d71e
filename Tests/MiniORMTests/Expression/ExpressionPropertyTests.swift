import Testing

@testable import MiniORM

@Table("entry")
private struct Entry: Equatable {
  let id: Int64
  var a: Int
  var b: Int
  var x: Int?
  var y: Int?
  var s: String
  var t: String?
  var f: Bool
}

extension Entry {
  fileprivate static var leaves: ExpressionGrower.Leaves {
    let c = columns
    return ExpressionGrower.Leaves(
      integers: [TwinExpression(c.a, "a"), TwinExpression(c.b, "b")],
      nullables: [TwinExpression(c.x, "x"), TwinExpression(c.y, "y")],
      texts: [TwinExpression(c.s, "s")], nullableTexts: [TwinExpression(c.t, "t")],
      conditions: [TwinExpression(c.f, "f")])
  }
}

@Suite("Generated expressions")
struct ExpressionPropertyTests {
  @Test(
    "1,600 random expressions have the same values as hand-written SQL",
    arguments: 0..<4)
  func random(seed: Int) async throws {
    var grower = ExpressionGrower(seed: UInt64(seed) + 500, Entry.leaves)
    var expressions: [(SQL, String)] = []
    for index in 0..<80 {
      let depth = 1 + index % 4
      let one = grower.integer(depth)
      let two = grower.nullable(depth)
      let three = grower.text(depth)
      let four = grower.nullableText(depth)
      let five = grower.condition(depth)
      expressions += [
        (one.expression.sql, one.text), (two.expression.sql, two.text),
        (three.expression.sql, three.text), (four.expression.sql, four.text),
        (five.expression.sql, five.text),
      ]
    }
    let entries = (1...24).map { id in
      Entry(
        id: id, a: .random(in: -4...7, using: &grower.random),
        b: .random(in: -4...7, using: &grower.random),
        x: id % 3 == 0 ? nil : .random(in: -4...7, using: &grower.random),
        y: id % 4 == 0 ? nil : .random(in: -4...7, using: &grower.random),
        s: ["", "a", "Ab", "é", "a'b", "%"].randomElement(using: &grower.random) ?? "",
        t: [nil, "a", "", "bA"].randomElement(using: &grower.random) ?? nil,
        f: .random(using: &grower.random))
    }
    let all = expressions
    try await withFile(DatabaseSchema(Entry.self)) { database throws in
      try await Table<Entry>().insert(contentsOf: entries, in: database)
      let different = try await database.read { db in
        var different: [String] = []
        for (sql, text) in all {
          var typed: SQL = "SELECT "
          typed.append(sql)
          typed.append(" FROM entry ORDER BY id")
          let found = try db.query(typed).map(\.values)
          let expected = try db.query(SQL(raw: "SELECT \(text) FROM entry ORDER BY id"))
            .map(\.values)
          if found != expected || found.count != 24 { different.append("\(sql.text)\n\(text)") }
        }
        return different
      }
      #expect(different == [])
    }
  }
}

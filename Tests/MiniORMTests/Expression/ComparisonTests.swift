import Testing

@testable import MiniORM

@Table("pair")
private struct Pair {
  let id: Int64
  var number: Int
  var other: Int?
  var text = ""
  var note: String?
}

@Suite("Comparisons")
struct ComparisonTests {
  private let c = Pair.columns
  private let rows = [
    Pair(id: 1, number: 1, other: 1, text: "a", note: "a"),
    Pair(id: 2, number: 2, other: 3, text: "a", note: "b"),
    Pair(id: 3, number: 3, other: nil, text: "a", note: nil),
  ]

  private func expect(
    _ cases: [(any SQLCondition, String, [DatabaseValue], [Bool?])]
  ) async throws {
    try await withFile(DatabaseSchema(Pair.self)) { database throws in
      try await Table<Pair>().insert(contentsOf: rows, in: database)
      for (expression, sql, bindings, values) in cases {
        try await database.expect(
          expression.condition, sql, values, binding: bindings, from: "FROM pair ORDER BY id")
      }
    }
  }

  @Test("an optional and a non-optional compare as in Swift, in both orders")
  func mixed() async throws {
    try await expect([
      (c.other == c.number, #"("pair"."other" IS "pair"."number")"#, [], [true, false, false]),
      (c.number == c.other, #"("pair"."number" IS "pair"."other")"#, [], [true, false, false]),
      (c.other != c.number, #"("pair"."other" IS NOT "pair"."number")"#, [], [false, true, true]),
      (c.number != c.other, #"("pair"."number" IS NOT "pair"."other")"#, [], [false, true, true]),
      (c.text == c.note, #"("pair"."text" IS "pair"."note")"#, [], [true, false, false]),
      (c.note != c.text, #"("pair"."note" IS NOT "pair"."text")"#, [], [false, true, true]),
      (c.other == c.other, #"("pair"."other" IS "pair"."other")"#, [], [true, true, true]),
      (c.number == c.number, #"("pair"."number" = "pair"."number")"#, [], [true, true, true]),
      (
        !(c.other == c.number), #"(NOT ("pair"."other" IS "pair"."number"))"#, [],
        [false, true, true]
      ),
      (c.other < c.number, #"("pair"."other" < "pair"."number")"#, [], [false, false, nil]),
      (c.number < c.other, #"("pair"."number" < "pair"."other")"#, [], [false, true, nil]),
      (c.other <= c.number, #"("pair"."other" <= "pair"."number")"#, [], [true, false, nil]),
      (c.number <= c.other, #"("pair"."number" <= "pair"."other")"#, [], [true, true, nil]),
      (c.other > c.number, #"("pair"."other" > "pair"."number")"#, [], [false, true, nil]),
      (c.number > c.other, #"("pair"."number" > "pair"."other")"#, [], [false, false, nil]),
      (c.other >= c.number, #"("pair"."other" >= "pair"."number")"#, [], [true, true, nil]),
      (c.number >= c.other, #"("pair"."number" >= "pair"."other")"#, [], [true, false, nil]),
      (
        c.other < c.number.optional, #"("pair"."other" < "pair"."number")"#, [],
        [false, false, nil]
      ),
    ])
  }

  @Test("BETWEEN and IN take expressions")
  func ranges() async throws {
    try await expect([
      (
        c.number.between(c.id.cast(to: Int.self), and: c.number + 1),
        #"("pair"."number" BETWEEN CAST("pair"."id" AS INTEGER) AND ("pair"."number" + ?))"#,
        [.integer(1)], [true, true, true]
      ),
      (
        c.other.between(c.number.optional, and: SQL.value(2)),
        #"("pair"."other" BETWEEN "pair"."number" AND ?)"#, [.integer(2)], [true, false, nil]
      ),
      (
        !c.number.isIn(c.number * 2, c.number - 1, SQL.value(3)),
        #"(NOT ("pair"."number" IN (("pair"."number" * ?), ("pair"."number" - ?), ?)))"#,
        [.integer(2), .integer(1), .integer(3)], [true, true, false]
      ),
    ])
  }

  @Test("row values compare with =, < and >, and in lists")
  func rowValues() async throws {
    let row = RowValue(c.number, c.text)
    let nullable = RowValue(c.other, c.note)
    let columns = #"("pair"."number", "pair"."text")"#
    let others = #"("pair"."other", "pair"."note")"#
    let rows = "(SELECT +c0, +c1 FROM miniorm_rows(?))"
    try await expect([
      (row == (2, "a"), "(\(columns) = (?, ?))", [.integer(2), .text("a")], [false, true, false]),
      (row > (2, "A"), "(\(columns) > (?, ?))", [.integer(2), .text("A")], [false, true, true]),
      (row < (2, "b"), "(\(columns) < (?, ?))", [.integer(2), .text("b")], [true, true, false]),
      (nullable == (nil, nil), "(\(others) IS (?, ?))", [.null, .null], [false, false, true]),
      (
        nullable == RowValue(c.number.optional, c.text.optional),
        #"(\#(others) IS ("pair"."number", "pair"."text"))"#, [], [true, false, false]
      ),
      (
        !(row == RowValue(c.number, c.text.upper())),
        #"(NOT (\#(columns) = ("pair"."number", upper("pair"."text"))))"#, [], [true, true, true]
      ),
      (
        row < RowValue(c.number, c.text.appending("x")),
        #"(\#(columns) < ("pair"."number", ("pair"."text" || ?)))"#, [.text("x")],
        [true, true, true]
      ),
      (
        row > RowValue(c.number - 1, c.text),
        #"(\#(columns) > (("pair"."number" - ?), "pair"."text"))"#,
        [.integer(1)], [true, true, true]
      ),
      (
        row.isIn([(1, "a"), (3, "a"), (2, "x")]), "(\(columns) IN \(rows))", [.text("3 values")],
        [true, false, true]
      ),
      (row.isIn([]), "(\(columns) IN \(rows))", [.text("0 values")], [false, false, false]),
    ])
  }

  @Test("LIKE and GLOB patterns can be expressions; REGEXP without a function throws")
  func patterns() async throws {
    try await expect([
      (
        c.note.like(c.text.appending("%")), #"("pair"."note" LIKE ("pair"."text" || ?))"#,
        [.text("%")], [true, false, nil]
      ),
      (
        c.text.like(c.note, escape: "!"), #"("pair"."text" LIKE "pair"."note" ESCAPE ?)"#,
        [.text("!")], [true, false, nil]
      ),
      (c.text.glob(c.note), #"("pair"."text" GLOB "pair"."note")"#, [], [true, false, nil]),
      (
        c.text.contains(c.note), #"(instr("pair"."text", "pair"."note") > 0)"#, [],
        [true, false, nil]
      ),
      (
        c.note.contains("B", caseInsensitive: true),
        #"(instr(lower("pair"."note"), lower(?)) > 0)"#, [.text("B")], [false, true, nil]
      ),
    ])
    try await withFile(DatabaseSchema(Pair.self)) { database throws in
      let error = try await failure {
        try await Table<Pair>().where { $0.text.regexp("^a") }.fetchAll(in: database)
      }
      #expect(error.message == "no such function: REGEXP")
      #expect(error.sql?.hasSuffix(#"WHERE ("pair"."text" REGEXP ?)"#) == true)
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Table("null_sample")
private struct Sample {
  let id: Int64
  var number = 0
  var real = 0.0
  var text = ""
  var day: Date
  var flag = false
  @Column(as: .json) var list: [Int] = []
  var maybeNumber: Int?
  var maybeReal: Double?
  var maybeText: String?
  var maybeDay: Date?
  var maybeFlag: Bool?
}

private let start = Date(timeIntervalSince1970: 0)

/// An expression with a type-erased value.
struct NullableAnswer: CustomTestStringConvertible, Sendable {
  let sql: SQL
  let type: String
  let isNullable: Bool
  var testDescription: String { sql.text }

  init<Value>(_ expression: MiniORM.SQLExpression<Value>) {
    (sql, type) = (expression.sql, "\(Value.self)")
    isNullable = expression.coding.isNullable
  }
}

private typealias Answer = NullableAnswer

/// Expressions that can be NULL have an optional type.
@Suite("NULL and types")
struct NullTests {
  fileprivate static let c = Sample.columns

  private static let conditions: [NullableAnswer] = [
    Answer(c.maybeNumber < 3), Answer(c.maybeNumber <= 3), Answer(c.maybeNumber > 3),
    Answer(c.maybeNumber >= 3), Answer(c.number < c.maybeNumber), Answer(c.maybeNumber > c.number),
    Answer(c.maybeNumber.between(1, and: 3)), Answer(c.maybeNumber.isIn([1, nil])),
    Answer(c.maybeNumber.isIn(c.maybeNumber, c.maybeNumber)),
    Answer(c.maybeNumber.isIn(Table<Sample>().alias("x").select { $0.number })),
    Answer(c.number.isIn(Table<Sample>().alias("x").select { $0.maybeNumber })),
    Answer(c.maybeText.like("%")), Answer(c.text.like(c.maybeText)), Answer(c.maybeText.glob("*")),
    Answer(c.text.glob(c.maybeText)), Answer(c.maybeText.contains("a")),
    Answer(c.text.contains(c.maybeText)), Answer(c.maybeText.hasPrefix("a")),
    Answer(c.maybeText.hasSuffix("a")), Answer(c.maybeText.hasPrefix("")),
    Answer(RowValue(c.maybeNumber, c.number) < (0, 0)),
    Answer(RowValue(c.maybeNumber, c.text) > RowValue(c.maybeNumber, c.text)),
    Answer(RowValue(c.maybeNumber, c.number).isIn([(0, 0)])),
    Answer(!(c.maybeNumber < 3)), Answer(c.maybeNumber < 3 && c.number == 0),
    Answer(c.number == 0 && c.maybeNumber < 3), Answer(c.maybeNumber < 3 || c.flag),
    Answer(c.flag || c.maybeFlag), Answer(c.maybeFlag || c.maybeFlag), Answer(!c.maybeFlag),
    Answer(c.maybeText.jsonValid()),
  ]

  private static let arithmetic: [NullableAnswer] = [
    Answer(c.number / c.number), Answer(1 / c.number), Answer(c.number % c.number),
    Answer(c.real / c.real), Answer(1 / c.real), Answer(c.real % c.real),
    Answer(c.number + c.maybeNumber), Answer(c.maybeNumber - c.number),
    Answer(c.number * c.maybeNumber), Answer(c.maybeNumber / 2), Answer(c.number / c.maybeNumber),
    Answer(c.maybeNumber % c.number), Answer(1 + c.number / c.number), Answer(-c.maybeNumber),
    Answer(c.maybeNumber / 0), Answer(c.maybeReal % 0.5),
    Answer((c.real - 1).apply(.sqrt)), Answer(c.real.apply(.ln)), Answer(c.real.apply(.log10)),
    Answer(c.real.apply(.log2)), Answer((c.real + 2).apply(.acos)),
    Answer((c.real + 2).apply(.asin)), Answer(c.real.apply(.acosh)),
    Answer((c.real + 2).apply(.atanh)), Answer((c.real - 1).pow(0.5)), Answer(c.real.mod(0)),
    Answer(c.real.log(base: 2)), Answer(c.maybeReal.abs()), Answer(c.maybeReal.floor()),
    Answer(c.maybeReal.round(2)), Answer(c.maybeReal.sign()), Answer(c.number.max(1).nullif(1)),
  ]

  private static let functions: [NullableAnswer] = [
    Answer(c.text.unicode()), Answer((c.text.appending("x")).unhex()), Answer(c.maybeText.length()),
    Answer(c.maybeText.instr("a")), Answer(c.text.instr(c.maybeText)),
    Answer(c.maybeText.substr(1)), Answer(c.text.substr(c.maybeNumber)),
    Answer(c.maybeText.lower()), Answer(c.maybeText.replace("a", with: "b")),
    Answer(c.maybeText.octetLength()), Answer(c.number.nullif(0)), Answer(c.text.nullif("")),
    Answer(c.maybeNumber.cast(to: String.self)), Answer(c.maybeNumber.min(1)),
    Answer(c.maybeNumber.coalesce(c.maybeNumber)),
    Answer(Case.when(c.maybeNumber > 1, then: 1).end()),
    Answer(c.maybeDay.date()), Answer(c.day.date(.years(9000))), Answer(c.day.time(.years(9000))),
    Answer(c.day.datetime(.years(9000))), Answer(c.day.julianDay(.years(9000))),
    Answer(c.day.unixEpoch(.years(9000))), Answer(c.day.strftime("%Y", .years(9000))),
    Answer(c.day.applying(.years(9000))), Answer(c.maybeDay.timediff(c.day)),
    Answer(c.list.json("$[7]", as: Int.self)), Answer(c.list.json("$[7]", as: JSON<Int>.self)),
    Answer(c.list.jsonType("$[7]")), Answer(c.list.jsonArrayLength("$[7]")),
    Answer(Table<Sample>().alias("x").where { $0.id < 0 }.select { $0.number }.scalar()),
  ]

  @Test(
    "expressions that can be NULL in SQLite have an optional type",
    arguments: conditions + arithmetic + functions)
  func optional(_ answer: NullableAnswer) async throws {
    try await withFile(DatabaseSchema(Sample.self)) { database throws in
      try await Table<Sample>().insert(
        Sample(id: 1, day: start), in: database)
      var query: SQL = "SELECT "
      query.append(answer.sql)
      query.append(" FROM null_sample")
      let complete = query
      let value = try await database.read { db in try db.query(complete)[0].values[0] }
      #expect(value == .null, "this is no example of NULL")
      #expect(answer.isNullable, "\(answer.type) hides NULL")
    }
  }

  /// Expressions that are never NULL, although SQLite's function can return NULL.
  private static let values: [NullableAnswer] = [
    Answer(c.number < 3), Answer(c.text.like("%")), Answer(c.number.isIn([1])), Answer(!c.flag),
    Answer(c.maybeNumber == nil), Answer(c.maybeNumber != c.number), Answer(c.maybeNumber.isNil),
    Answer(c.flag && c.number > 3), Answer(c.text.hasPrefix("a")), Answer(c.text.hasSuffix("")),
    Answer(c.number / 2), Answer(c.real % 2), Answer(c.text.substr(1)), Answer(c.text.trim()),
    Answer(c.maybeNumber ?? 1), Answer(SQL.format("")), Answer(SQL.format("%n")),
    Answer(SQL.format("%s", c.maybeText)), Answer(SQL.concat(c.maybeText, c.maybeText)),
    Answer(SQL.concat(c.maybeText, c.maybeNumber, separator: "-")), Answer(c.maybeNumber.char()),
    Answer(c.maybeText.hex()), Answer(c.maybeText.quote()), Answer(c.maybeText.typeof()),
    Answer(c.list.removingJSON("$[0]")),
    Answer(c.list.patchingJSON(with: c.maybeText)), Answer(SQL.now),
    Answer((c.maybeNumber > 1).iif(1, else: 2)), Answer(c.number.cast(to: String.self)),
  ]

  @Test("expressions with a non-optional type are never NULL in SQLite", arguments: values)
  func never(_ answer: NullableAnswer) async throws {
    try await withFile(DatabaseSchema(Sample.self)) { database throws in
      try await Table<Sample>().insert(
        Sample(id: 1, day: start), in: database)
      var query: SQL = "SELECT "
      query.append(answer.sql)
      query.append(" FROM null_sample")
      let complete = query
      let value = try await database.read { db in try db.query(complete)[0].values[0] }
      #expect(value != .null)
      #expect(!answer.isNullable, "\(answer.type) could be none")
    }
  }

  @Test("removing the root of non-optional JSON throws")
  func root() async throws {
    try await withFile(DatabaseSchema(Sample.self)) { database throws in
      try await Table<Sample>().insert(
        Sample(id: 1, day: start), in: database)
      let error = try await failure {
        try await Table<Sample>().update { $0.list = $0.list.removingJSON("$") }.run(in: database)
      }
      #expect(
        error.message
          == "Removing the root of JSON, $, gives NULL, but the result is not optional: remove a path below the root"
      )
    }
  }

  @Test("a condition that can be NULL can be selected, grouped by and stored")
  func selectedConditions() async throws {
    try await withFile(DatabaseSchema(Sample.self)) { database throws in
      let table = Table<Sample>()
      try await table.insert(Sample(id: 1, day: start), in: database)
      try await table.insert(
        Sample(id: 2, day: start, maybeNumber: 1), in: database)
      let selected = try await table.select { ($0.id, $0.maybeNumber < 3) }.fetchAll(in: database)
      #expect(selected.map(\.1) == [nil, true])
      let groups = try await table.group { $0.maybeNumber < 3 }.select { $0.maybeNumber < 3 }
        .fetchAll(in: database)
      #expect(groups == [nil, true])
      try await table.update { $0.maybeFlag = $0.maybeNumber < 3 }.run(in: database)
      #expect(try await table.select { $0.maybeFlag }.fetchAll(in: database) == [nil, true])
      let found = try await table.where { $0.maybeNumber < 3 || $0.maybeFlag }.fetchAll(
        in: database)
      #expect(found.map(\.id) == [2])
    }
  }
}

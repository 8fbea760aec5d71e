import Testing

@testable import MiniORM

/// A value of any storage class, in a column of some affinity.
private protocol Loose: ColumnValue {
  init(_ value: DatabaseValue)
  var value: DatabaseValue { get }
}

extension Loose {
  init(cell: borrowing Cell) throws(DatabaseError) { self.init(try DatabaseValue(cell: cell)) }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.bind(to: parameter)
  }
}

private struct LooseInteger: Loose {
  let value: DatabaseValue
  static var columnType: ColumnType { .integer }
  init(_ value: DatabaseValue) { self.value = value }
}
private struct LooseReal: Loose {
  let value: DatabaseValue
  static var columnType: ColumnType { .real }
  init(_ value: DatabaseValue) { self.value = value }
}
private struct LooseText: Loose {
  let value: DatabaseValue
  static var columnType: ColumnType { .text }
  init(_ value: DatabaseValue) { self.value = value }
}
private struct LooseBlob: Loose {
  let value: DatabaseValue
  static var columnType: ColumnType { .blob }
  init(_ value: DatabaseValue) { self.value = value }
}

@Table("one", options: [])
private struct One {
  let id: Int64
  var integer: LooseInteger?
  var real: LooseReal?
  var text: LooseText?
  @Column(.collate(.nocase)) var nocase: LooseText?
  @Column(.collate(.rtrim)) var rtrim: LooseText?
  var blob: LooseBlob?
  var any: DatabaseValue
}

@Table("other", options: [])
private struct Other {
  let id: Int64
  var integer: LooseInteger?
  var real: LooseReal?
  var text: LooseText?
  @Column(.collate(.nocase)) var nocase: LooseText?
  @Column(.collate(.rtrim)) var rtrim: LooseText?
  var blob: LooseBlob?
  var any: DatabaseValue
}

@Table("exact")
private struct Exact {
  let id: Int64
  var any: DatabaseValue
}

@Table("measure", options: [])
private struct Measure {
  @Column(.primaryKey) var value: Double
}

@Table("reading", options: [])
private struct Reading {
  let id: Int64
  @Column(.references(Measure.self)) var value: LooseInteger
}

/// Values that are equal under some affinities or collations but not under others.
private let values: [DatabaseValue] = [
  .null, .integer(0), .integer(1), .integer(31), .integer(.max), .integer(9_007_199_254_740_993),
  .real(1), .real(0.5), .real(9_007_199_254_740_992), .real(0x1p63),
  .real(1e19), .real(1e300), .text("1"), .text("1.0"), .text("01"), .text(" 1"), .text("1 "),
  .text("1e0"), .text("0.5"), .text(".5"), .text("9007199254740993"), .text("9223372036854775808"),
  .text("0x1F"), .text("1x"), .text(""), .text(" "), .text("abc"), .text("ABC"), .text("abc  "),
  .text("Abc "), .text("é"), .text("É"), .text("e\u{301}"), .text("a\u{0}b"), .text("A\u{0}C"),
  .text("a\u{0}"), .text("a\u{0}bc"), .text("a"), .text("\u{0}"), .text("a \u{0}"),
  .text("a\u{0} "), .text("[\u{0}"), .text("{\u{0}"), .blob([]), .blob([0x31]),
  .blob([0x61, 0x62, 0x63]),
]

@Suite("Related rows with SQLite's comparison rules")
struct RelatedRowsMatchingTests {
  private func withValues(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(One.self, Other.self, Exact.self)) { database throws in
      try await database.write { db in
        for (index, value) in values.enumerated() {
          for table in ["one", "other"] {
            try db.execute(
              """
              INSERT INTO \(raw: table) VALUES (\(index), \(value), \(value), \(value), \(value), \
              \(value), \(value), \(value))
              """)
          }
          try db.execute("INSERT INTO exact VALUES (\(index), \(value))")
        }
      }
      try await body(database)
    }
  }

  /// Expects the same pairs from a join as from `including`, with and without a limit.
  private func expectSame<Row: Model>(
    _ one: ColumnSchema, _ other: ColumnSchema, _ others: Table<Row>, in database: Database,
    id: @Sendable (Row) -> Int64, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let name = "\(one.name) = \(other.table).\(other.name)"
    let join: SQL = """
      SELECT one.id, \(raw: other.table).id FROM one JOIN \(raw: other.table) \
      ON one.\(raw: one.name) = \(raw: other.table).\(raw: other.name) ORDER BY 1, 2
      """
    let pairs = try await database.read { db in
      try db.query(join).map { $0.values }
    }
    for limit in [Int?.none, 1] {
      let children = others.order { _ in SQLExpression<Int64>("id") }
      let from = (limit.map { children.limit($0) } ?? children).from
      let related = RelatedRows<One.Columns>(Table<One>().order { $0.id }.from).adding(
        Children(
          from, from.tables,
          Relation.matching(
            KeyExpression(SQL(column: other.name, of: other.table), other),
            ColumnReference(table: "one", name: one.name), one)))
      let found = try await related.fetchAll(in: database).flatMap { row, others in
        others.map { [DatabaseValue.integer(row.id), .integer(id($0))] }
      }
      var expected = pairs
      if limit != nil {
        var seen: Set<DatabaseValue> = []
        expected = pairs.filter { seen.insert($0[0]).inserted }
      }
      #expect(
        found == expected, "\(name), limit \(String(describing: limit))",
        sourceLocation: sourceLocation)
    }
  }

  @Test("every affinity and collation matches as in a join")
  func affinities() async throws {
    try await withValues { database in
      for one in One.schema.columns where one.name != "id" {
        for other in Other.schema.columns where other.name != "id" {
          try await expectSame(one, other, Table<Other>(), in: database) { $0.id }
        }
        try await expectSame(one, Exact.schema.columns[1], Table<Exact>(), in: database) { $0.id }
      }
    }
  }

  @Test("an INTEGER column that references a REAL key matches as the foreign key does")
  func wholeReal() async throws {
    // migrate refuses a foreign key between columns of different types.
    let script = """
      CREATE TABLE measure (value REAL PRIMARY KEY NOT NULL);
      CREATE TABLE reading (id INTEGER PRIMARY KEY, value INTEGER NOT NULL REFERENCES measure);
      """
    try await withTemporaryDatabase(script: script) { database throws in
      try await database.write { db in
        try db.execute("INSERT INTO measure VALUES (1), (2.5), (-0.0)")
        try db.execute("INSERT INTO reading VALUES (1, 1), (2, 2.5), (3, 0), (4, 1.0)")
      }
      let rows = try await Table<Measure>().order { $0.value }
        .including(Table<Reading>().order { $0.id }).fetchAll(in: database)
      #expect(rows.map(\.0.value) == [0, 1, 2.5])
      #expect(rows.map { $0.1.map(\.id) } == [[3], [1, 4], [2]])
    }
  }

  @Test("columns with the same comparison are compared directly, so that the index is used")
  func plain() throws {
    func child(_ one: String, _ other: String) throws -> String {
      let columns = (One.schema.columns + Other.schema.columns)
      let parent = try #require(columns.first { $0.table == "one" && $0.name == one })
      let child = try #require(columns.first { $0.table == "other" && $0.name == other })
      let relation = try Relation.matching(
        KeyExpression(SQL(column: other, of: "other"), child),
        ColumnReference(table: "one", name: one), parent
      ).get()
      return "\(relation.child.text) \(relation.parent.sql.text)"
    }
    #expect(try child("integer", "real") == #""other"."real" "one"."integer""#)
    #expect(try child("text", "blob") == #""other"."blob" "one"."text""#)
    #expect(try child("nocase", "nocase") == #""other"."nocase" "one"."nocase""#)
    #expect(try child("text", "nocase") == #"("other"."nocase" COLLATE BINARY) "one"."text""#)
    let number =
      #"iif("one"."text" = CAST("one"."text" AS NUMERIC), "#
      + #"CAST("one"."text" AS NUMERIC), "one"."text")"#
    #expect(try child("text", "integer") == #""other"."integer" \#(number)"#)
    #expect(
      try child("integer", "text")
        == number.replacing(#""one""#, with: #""other""#) + #" "one"."integer""#)
  }
}

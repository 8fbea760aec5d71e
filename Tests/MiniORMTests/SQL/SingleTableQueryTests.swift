import Testing

@testable import MiniORM

private let people = Table<Person>()

@Suite("Rows that a query selects, by its structure")
struct SingleTableQueryTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: SQL
    /// The expected values of `id`; nil if any are allowed.
    let rows: Set<Int64>?

    init(_ description: String, _ sql: SQL, _ rows: Set<Int64>?) {
      (testDescription, self.sql, self.rows) = (description, sql, rows)
    }
  }

  static let chosen: [Case] = [
    Case("a key", people.where { $0.id == 7 }.sql, [7]),
    Case("a list", people.where { $0.id.isIn([7, 8, 7]) }.sql, [7, 8]),
    Case("no value of a list", people.where { $0.id.isIn([]) }.sql, []),
    Case("and more", people.where { $0.id == 7 && $0.age > 3 }.sql, [7]),
    Case("and more before", people.where { $0.age.between(1, and: 3) && $0.id == 7 }.sql, [7]),
    Case("the lesser of two", people.where { $0.id.isIn([1, 2]) && $0.id == 7 }.sql, [7]),
    Case("two conditions", people.where { $0.age > 3 }.where { $0.id == 7 }.sql, [7]),
    Case("a value before the key", people.where { SQL.value(7) == $0.id }.sql, [7]),
    Case(
      "the scope of a model as well", people.where { $0.id == 7 }.where { $0.age == 3 }.sql, [7]),
    Case(
      "a text that looks like SQL",
      people.where { $0.id == 7 && $0.name == "') FROM city --" }.sql, [7]),
    Case(
      "a literal that looks like SQL",
      people.where { $0.id == 7 }.select { $0.name.like("(FROM city", escape: "\\") }.sql, [7]),
    Case(
      "a window", people.where { $0.id == 7 }.select { SQL.rowNumber().over(orderBy: $0.age) }.sql,
      [7]),
    Case(
      "an order and a limit",
      people.where { $0.id == 7 }.order { $0.age.descending }.limit(3, offset: 1).sql, [7]),
    Case("distinct", people.where { $0.id == 7 }.distinct().sql, [7]),
    Case("a column", people.where { $0.id == 7 }.select { $0.name }.sql, [7]),
    Case(
      "columns in order",
      people.where { $0.id == 7 }.order { $0.age }.select { ($0.name, $0.age) }.sql, [7]),
    Case("groups", people.where { $0.id == 7 }.group { $0.age }.select { $0.age }.sql, [7]),
    Case(
      "a table in a file that is attached", Table<Person>(in: "b").where { $0.id == 7 }.sql, [7]),
  ]

  static let open: [Case] = [
    Case("all", people.sql, nil),
    Case("another column", people.where { $0.age > 7 }.sql, nil),
    Case("one of two keys", people.where { $0.id == 7 || $0.id == 8 }.sql, nil),
    Case("not a key", people.where { $0.id != 7 }.sql, nil),
    Case("the opposite", people.where { !($0.id == 7) }.sql, nil),
    Case("a key or something else", people.where { $0.id == 7 || $0.age == 3 }.sql, nil),
    Case("a range", people.where { $0.id.between(1, and: 2) }.sql, nil),
    Case("more than a key", people.where { $0.id >= 7 }.sql, nil),
    Case(
      "another column of the row", people.where { $0.id == $0.age.cast(to: Int64.self) }.sql, nil),
    Case(
      "an operand of BETWEEN",
      people.where(sql: "age BETWEEN 0 AND id = \(7)").sql, nil),
    Case(
      "parentheses that do not match",
      people.where { $0.id == 7 }.where(sql: "age = 1) OR (age = 2").sql, nil),
    Case(
      "parentheses that match in another condition only",
      people.where(sql: "(age = 1").where { $0.id == 7 }.where(sql: "1) OR (1").sql, nil),
    // A recursive parser would overflow the stack. SQLite accepts the text.
    Case(
      "very many parentheses",
      people.where(
        sql: SQL(
          raw: String(repeating: "(", count: 10_000) + "id = 7"
            + String(repeating: ")", count: 10_000))
      ).sql, nil),
  ]

  static let others: [Case] = [
    Case(
      "a subquery",
      people.where { $0.id == 7 && $0.age == people.select { $0.age.max() }.scalar() }.sql,
      nil),
    Case(
      "a join", people.where { $0.id == 7 }.join(people.alias("b")) { $0.age == $1.age }.sql, nil),
    Case(
      "a union", people.where { $0.id == 7 }.select { $0.age }.union(people.select { $0.age }).sql,
      nil),
    Case(
      "a comment", people.where { $0.id == 7 }.where(sql: "1) -- ").sql, nil),
    Case("raw SQL beside it", people.where { $0.id == 7 }.where(sql: "age > \(3)").sql, nil),
    Case(
      "raw SQL within it", people.where { SQLExpression("\($0.age) > 3") && $0.id == 7 }.sql, nil),
    Case(
      "raw SQL with parentheses and a list",
      people.where { $0.id == 7 }.where(sql: "(age IN (1, 2)) OR (\"age\" > \(3))").sql, nil),
    Case("a comment of another kind", people.where { $0.id == 7 }.where(sql: "1 /* ").sql, nil),
    Case("a text", people.where { $0.id == 7 }.where(sql: "name = 'a' OR 'b'").sql, nil),
    Case("a quotation mark", people.where { $0.id == 7 }.where(sql: "name = \"a").sql, nil),
    Case(
      "the name of a table after IN", people.where { $0.id == 7 }.where(sql: "age IN person").sql,
      nil),
    Case(
      "a parameter of its own", people.where { $0.id == 7 }.where(sql: "age = ?3").sql, nil),
    Case("text alone", "SELECT * FROM person WHERE id = \(7)", nil),
    Case("a write", "DELETE FROM person WHERE id = \(7)", nil),
    Case("a value that touches text", "SELECT * FROM person WHERE \"id\" = \(7)0", nil),
  ]

  @Test("the rows of a key and of lists of keys", arguments: chosen)
  func ofKeys(_ query: Case) throws {
    let chosen = try #require(SingleTableQuery(query.sql.statement)?.chosen)
    #expect(chosen == ChosenRows(table: "person", column: "id", values: query.rows ?? []))
  }

  @Test("all rows, if the condition does not limit the key", arguments: open + others)
  func leftOpen(_ query: Case) {
    #expect(SingleTableQuery(query.sql.statement)?.chosen == nil)
  }

  @Test("a query that may read another table gives no information", arguments: others)
  func ofOtherTables(_ query: Case) {
    let found = SingleTableQuery(query.sql.statement)
    #expect(found == nil || query.testDescription == "text alone")
  }

  @Test("an EXISTS inside another query limits no rows")
  func exists() async throws {
    try await withPeople { database, people in
      let reads = try await database.read { db in
        try db.recordingReads { try people.where { $0.id == 7 }.exists(in: db) }.1
      }
      #expect(reads.keys.isEmpty)
      #expect(reads.rows.values.map(\.rowIDs) == [[7]])
    }
  }

  @Test("a prepared query's rows are determined by its current values")
  func prepared() async throws {
    let prepared = PreparedQuery(Int64.self, Int.self) { first, second in
      people.where { $0.id == first && $0.age > second }
    }
    try await withPeople { database, people in
      let reads = try await database.read { db in
        try db.recordingReads { try prepared.fetchAll(7, 8, in: db) }.1
      }
      #expect(reads.keys.isEmpty)
      #expect(reads.rows.values.map(\.rowIDs) == [[7]])
    }
  }
}

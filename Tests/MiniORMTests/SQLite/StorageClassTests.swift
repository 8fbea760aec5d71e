import Foundation
import Testing

@testable import MiniORM

/// A table without column types, for values of the wrong type.
@Table("loose", options: [])
private struct Loose: Equatable {
  let id: Int64
  var int: Int
  var small: Int8
  var bool: Bool
  var double: Double
  var string: String
  var data: Data
  var date: Date
  @Column(as: .unixSeconds) var seconds: Date
  var uuid: UUID
  var size: RepresentationTests.Size
  @Column(as: .json) var tags: [String]
  var optional: Int?
}

@Suite("Storage classes")
struct StorageClassTests {
  private static let good: [(String, String)] = [
    ("int", "1"), ("small", "1"), ("bool", "1"), ("double", "1.5"), ("string", "'s'"),
    ("data", "x'00'"), ("date", "'2026-11-21'"), ("seconds", "1"),
    ("uuid", "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'"), ("size", "'small'"), ("tags", "'[]'"),
    ("optional", "NULL"),
  ]

  static let cases: [(column: String, sql: String, message: String)] = [
    ("int", "'abc'", "Expected INTEGER but found TEXT"),
    ("int", "NULL", "Expected INTEGER but found NULL"),
    ("int", "1.5", "Expected INTEGER but found REAL"),
    ("int", "x'01'", "Expected INTEGER but found BLOB"),
    ("small", "128", "The integer is out of the range of Int8"),
    ("bool", "2", "Expected 0 or 1 for a Bool"),
    ("bool", "NULL", "Expected INTEGER but found NULL"),
    ("double", "'abc'", "Expected REAL but found TEXT"),
    ("double", "NULL", "Expected REAL but found NULL"),
    ("string", "NULL", "Expected TEXT but found NULL"),
    ("string", "x'61'", "Expected TEXT but found BLOB"),
    ("string", "CAST(x'ff' AS TEXT)", "The text is not valid UTF-8"),
    ("data", "'text'", "Expected BLOB but found TEXT"),
    ("data", "NULL", "Expected BLOB but found NULL"),
    ("date", "'yesterday'", "The text is not an ISO 8601 date"),
    ("date", "NULL", "Expected TEXT but found NULL"),
    ("seconds", "'2026-11-21'", "Expected INTEGER but found TEXT"),
    ("seconds", "NULL", "Expected INTEGER but found NULL"),
    ("uuid", "'x'", "The text is not a UUID"),
    ("size", "'huge'", "The stored value is not a raw value of Size"),
    ("size", "NULL", "Expected TEXT but found NULL"),
    ("tags", "'{'", "The text is not valid JSON for Array<String>"),
    ("tags", "NULL", "Expected TEXT but found NULL"),
    ("optional", "'abc'", "Expected INTEGER but found TEXT"),
  ]

  @Test(
    "a value of another storage class throws an error with table, column and row type",
    arguments: cases)
  func wrong(column: String, sql: String, message: String) async throws {
    try await withFile { database throws in
      let values = Self.good.map { $0.0 == column ? sql : $0.1 }.joined(separator: ", ")
      try await database.write { db in
        // Without declared types and NOT NULL, every value is stored unchanged.
        let names = Self.good.map { "\"\($0.0)\"" }.joined(separator: ", ")
        try db.execute(script: "CREATE TABLE loose (id INTEGER PRIMARY KEY, \(names))")
        try db.execute(script: "INSERT INTO loose VALUES (1, \(values))")
      }
      let facts = "read 20 loose.\(column) Loose: \(message) in column \(column)"
      let table = Table<Loose>()
      let calls: [(Database) async throws -> Void] = [
        { _ = try await table.fetchAll(in: $0) },
        { _ = try await table.fetchOne(in: $0) },
        { _ = try await table.find(1, in: $0) },
        { _ = try await table.where { $0.id == 1 }.find(1, in: $0) },
        { try await table.forEach(in: $0) { _ in } },
        { database in
          _ = try await database.read { db in try db.query(Loose.self, "SELECT * FROM loose") }
        },
      ]
      for call in calls {
        let error = try await failure { try await call(database) }
        #expect(error.summary == facts)
      }
      // Failures return their statements.
      #expect(try await database.read { db in db.cache?.checkedOut } == 0)
    }
  }

  @Test("a missing column throws an error with table, column and row type")
  func absent() async throws {
    try await withFile(DatabaseSchema(City.self)) { database throws in
      for rows in 0...1 {
        if rows == 1 { try await Table<City>().insert(City.Draft(name: "Reims"), in: database) }
        let error = try await failure {
          _ = try await database.read { db in try db.query(City.self, "SELECT id FROM city") }
        }
        #expect(
          error.summary
            == "read 25 city.name City: The result has no column name: select all columns of the type"
        )
      }
    }
  }

  @Test("columns of raw SQL are found by name, in any order and letter case")
  func byName() async throws {
    try await withFile(DatabaseSchema(City.self)) { database throws in
      let city = try await Table<City>().insert(City.Draft(name: "Reims"), in: database)
      let cities = try await database.read { db in
        try db.query(City.self, "SELECT 5 AS other, NAME, 6, ID FROM city")
      }
      #expect(cities == [city])
    }
  }

  @Test("STRICT refuses a value of another type, and the error names the column")
  func strict() async throws {
    try await withFile(DatabaseSchema(City.self)) { database throws in
      let error = try await failure {
        try await database.write { db in
          try db.execute("INSERT INTO city VALUES (1, x'00')")
        }
      }
      #expect(
        error.summary == "step 3091 city.name -: cannot store BLOB value in TEXT column city.name")
    }
  }
}

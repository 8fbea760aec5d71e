import Foundation
import Testing

@testable import MiniORM

@Table("person")
private struct Human: Equatable {
  let id: Int64
  var name: String
  var age: Int?
}

@Selection
private struct Size: Equatable {
  let name: String
  @Column("size") var length: Int
  @Column(as: .json) var tags: [String]
}

@Selection
private struct Pair: Equatable {
  let person: Human
  let friend: Human?
  var count: Int
}

private enum Level: Int, ColumnValue { case low, high }

/// A type that reads an Int in its own initializer.
private struct Doubled: ColumnValue, Equatable {
  let value: Int
  static var columnType: ColumnType { .integer }
  init(_ value: Int) { self.value = value }
  init(cell: borrowing Cell) throws(DatabaseError) {
    value = try DatabaseValue(cell: cell).value(as: Int.self) * 2
  }
  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.bind(to: parameter)
  }
}

private let script = """
  CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
  INSERT INTO person VALUES (1, 'Ada', 36), (2, 'Bob', NULL);
  """

@Suite("Raw SQL: result types")
struct RawSQLReadingTests {
  @Test("the names of a type's columns are created once")
  func names() {
    func memory<Columns: RowColumns>(_ type: Columns.Type) -> UnsafeRawPointer? {
      type.keys.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    #expect(memory(Human.Columns.self) == memory(Human.Columns.self))
    #expect(memory(Pair.Columns.self) == memory(Pair.Columns.self))
    #expect(Human.Columns.keys.map(\.name) == ["id", "name", "age"])
    #expect(
      Pair.Columns.keys.map(\.name) == [
        "person.id", "person.name", "person.age", "friend.id", "friend.name", "friend.age", "count",
      ])
  }

  @Test(
    "Two columns of the name of a property are an error that names both", arguments: [true, false])
  func repeatedColumns(hasRows: Bool) async throws {
    try await withTemporaryDatabase(script: script) { database in
      let error = try await failure {
        try await database.read { db in
          try db.query(
            Human.self,
            "SELECT p.*, q.ID, q.age AS other FROM person p, person q WHERE p.id > \(hasRows ? 0 : 9)"
          )
        }
      }
      #expect(
        error.summary
          == "read 25 person.id Human: The columns 1 and 4 of the result are both named id: select "
          + "one of them, or rename one with AS")
      // Columns that the model does not have may repeat.
      #expect(
        try await database.read { db in
          try db.query(Human.self, "SELECT *, 1 AS x, 2 AS x FROM person").map(\.id)
        } == [1, 2])
    }
  }

  @Test("a @Selection, its columns found by name, in any order and case")
  func selections() async throws {
    try await withTemporaryDatabase(script: script) { database in
      try await database.read { db throws in
        let minimum = 2
        #expect(
          try db.query(
            Size.self,
            """
            SELECT '["a"]' AS TAGS, length(name) AS size, 0 AS extra, name FROM person
            WHERE length(name) > \(minimum) ORDER BY id
            """) == [
              Size(name: "Ada", length: 3, tags: ["a"]), Size(name: "Bob", length: 3, tags: ["a"]),
            ])
        #expect(
          try db.query(
            Pair.self,
            """
            SELECT p.id AS "person.id", p.name AS "person.name", p.age AS "person.age", 7 AS count,
              f.age AS "friend.age", f.name AS "friend.name", f.id AS "friend.id"
            FROM person p LEFT JOIN person f ON f.id = p.id + 1 ORDER BY p.id
            """) == [
              Pair(
                person: Human(id: 1, name: "Ada", age: 36),
                friend: Human(id: 2, name: "Bob", age: nil), count: 7),
              Pair(person: Human(id: 2, name: "Bob", age: nil), friend: nil, count: 7),
            ])
        #expect(
          try db.query(
            Size.self, "SELECT name, 1 AS size, '' AS tags FROM person WHERE id = ?", [9]) == [])
      }
    }
  }

  @Test(
    "a missing column of the result is named, with or without rows", arguments: [1, 99])
  func missing(id: Int) async throws {
    try await withTemporaryDatabase(script: script) { database in
      try await database.read { db throws in
        let size = #expect(throws: DatabaseError.self) {
          try db.query(Size.self, "SELECT name, 1 AS size FROM person WHERE id = \(id)")
        }
        #expect(
          size?.summary
            == "read 25 -.tags Size: The result has no column tags: select all columns of the type")
        let pair = #expect(throws: DatabaseError.self) {
          try db.query(
            Pair.self,
            """
            SELECT id AS "person.id", name AS "person.name", age AS "person.age", id, name, age, 1 AS count
            FROM person WHERE id = \(id)
            """)
        }
        #expect(
          pair?.summary
            == "read 25 -.friend.id Pair: The result has no column friend.id: select all columns of the type"
        )
      }
    }
  }

  @Test("single values and tuples distinguish NULL from no row")
  func values() async throws {
    try await withTemporaryDatabase(script: script) { database in
      try await database.write { db throws in
        #expect(try db.query(String.self, "SELECT name FROM person ORDER BY id") == ["Ada", "Bob"])
        #expect(try db.query(Int?.self, "SELECT age FROM person ORDER BY id") == [36, nil])
        #expect(try db.query(Int.self, "SELECT age FROM person WHERE id > \(9)") == [])
        #expect(try db.query(Level.self, "SELECT :level", ["level": 1]) == [.high])
        #expect(try db.query(Doubled.self, "SELECT 4 UNION ALL SELECT 5").map(\.value) == [8, 10])
        let two = try db.query((String, Int?).self, "SELECT name, age FROM person ORDER BY id")
        #expect("\(two)" == #"[("Ada", Optional(36)), ("Bob", nil)]"#)
        let four = try db.query(
          (Int64, String, Level, UUID?).self,
          "INSERT INTO person(name) VALUES (\("Cy")) RETURNING id, name, 0, NULL")
        #expect(four.map(\.0) == [3] && four.map(\.1) == ["Cy"])
        #expect(four.map(\.2) == [.low] && four.map(\.3) == [nil])
      }
      #expect(try await database.values("SELECT count(*) FROM person") == [.integer(3)])
    }
  }

  @Test(
    "a different number of columns throws, with or without rows", arguments: [1, 99])
  func count(id: Int) async throws {
    try await withTemporaryDatabase(script: script) { database in
      try await database.read { db throws in
        let one = #expect(throws: DatabaseError.self) {
          try db.query(String.self, "SELECT name, age FROM person WHERE id = \(id)")
        }
        #expect(
          one?.summary
            == "read 25 -.- String: The result has 2 columns, but 1 is read: select the columns that the type reads"
        )
        let two = #expect(throws: DatabaseError.self) {
          try db.query((String, Int?).self, "SELECT name FROM person WHERE id = \(id)")
        }
        #expect(
          two?.summary
            == "read 25 -.- (String, Optional<Int>): The result has 1 column, but 2 are read: select the columns that the type reads"
        )
        #expect(two?.sql == "SELECT name FROM person WHERE id = ?")
      }
    }
  }

  @Test("a value of the wrong type throws an error with the column and the found type")
  func mismatch() async throws {
    try await withTemporaryDatabase(script: script) { database in
      try await database.read { db throws in
        let value = #expect(throws: DatabaseError.self) {
          try db.query(Int.self, "SELECT age FROM person ORDER BY id")
        }
        #expect(
          value?.summary == "read 20 -.age Int: Expected INTEGER but found NULL in column age")
        let tuple = #expect(throws: DatabaseError.self) {
          try db.query((String, Int).self, "SELECT name, name AS size FROM person")
        }
        #expect(
          tuple?.summary
            == "read 20 -.size (String, Int): Expected INTEGER but found TEXT in column size")
        let size = #expect(throws: DatabaseError.self) {
          try db.query(Size.self, "SELECT NULL AS name, 1 AS size, '[]' AS tags")
        }
        #expect(
          size?.summary == "read 20 -.name Size: Expected TEXT but found NULL in column name")
      }
    }
  }
}

@Suite("Untyped rows with typed values")
struct ResultRowTests {
  private func withRow(_ body: (ResultRow) throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      let rows = try await database.read { db in
        try db.query(
          """
          SELECT 'it''s' AS name, 7 AS size, 1.5 AS price, NULL AS founded, x'00FF' AS data, 8 AS size,
            '2024-01-02 03:04:05.678' AS day
          """)
      }
      try body(try #require(rows.first))
    }
  }

  @Test("values are read by name and by index")
  func typed() async throws {
    try await withRow { row throws in
      #expect(try row["name", as: String.self] == "it's")
      #expect(try row["size", as: Int8.self] == 7)
      #expect(try row[5, as: Int.self] == 8)
      #expect(try row["founded", as: Int?.self] == nil)
      #expect(try row["founded", as: DatabaseValue.self] == .null)
      #expect(try row[2, as: Double.self] == 1.5)
      #expect(try row["data", as: Data.self] == Data([0, 255]))
      #expect(try row["day", as: Date.self] == Date(timeIntervalSince1970: 1_704_164_645.678))
      #expect(try row["size", as: Doubled.self].value == 14)
      #expect(row[0] == .text("it's"))
      #expect(row[7] == nil && row[-1] == nil)
    }
  }

  @Test(
    "a missing value or a value of another type throws, and the error names the column without its value"
  )
  func mistakes() async throws {
    try await withRow { row throws in
      func error(_ body: () throws -> Void) throws -> DatabaseError {
        try #require(#expect(throws: DatabaseError.self) { try body() })
      }
      #expect(
        try error { _ = try row["nope", as: Int.self] }.summary
          == "read 25 -.nope -: The result has no column nope: select it, or correct the name")
      #expect(
        try error { _ = try row["name", as: Int.self] }.summary
          == "read 20 -.name -: Expected INTEGER but found TEXT in column name")
      #expect(
        try error { _ = try row[3, as: String.self] }.summary
          == "read 20 -.founded -: Expected TEXT but found NULL in column founded")
      for place in [7, -1, .min, .max] {
        #expect(
          try error { _ = try row[place, as: Int.self] }.summary
            == "read 25 -.- -: The result has no column at index \(place): it has 7 columns, counted from 0"
        )
      }
      let value = try error { _ = try row.values[0].value(as: Int.self) }
      #expect(value.facts == ErrorFacts(.read, .mismatch, "Expected INTEGER but found TEXT"))
    }
  }

  @Test("every value round-trips, also from many tasks at the same time")
  func values() async throws {
    let all: [DatabaseValue] = [
      .null, .integer(.min), .integer(.max), .real(-1.5), .real(.infinity), .text(""),
      .text("x\0y"),
      .text("é"), .text("e\u{301}"), .text(String(repeating: "長", count: 5000)), .blob([]),
      .blob([0, 255]), .blob([UInt8](repeating: 7, count: 100_000)),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for value in all {
            let found = try value.value(as: DatabaseValue.self)
            #expect(found == value)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try DatabaseValue.text("é").value(as: String.self) == "é")
    #expect(try DatabaseValue.integer(1).value() == Level.high)
    #expect(throws: DatabaseError.self) { try DatabaseValue.integer(300).value(as: UInt8.self) }
  }

  @Test("descriptions of rows and values")
  func description() async throws {
    try await withRow { row throws in
      #expect(
        row.description
          == "[name: 'it''s', size: 7, price: 1.5, founded: NULL, data: x'00ff', size: 8, "
          + "day: '2024-01-02 03:04:05.678']")
    }
    let long = [UInt8](repeating: 0xab, count: 33)
    #expect(
      DatabaseValue.blob(long).description
        == "x'\(String(repeating: "ab", count: 32))…' (33 bytes)")
  }

  @Test("no error contains a value")
  func secrecy() async throws {
    try await withTemporaryDatabase(script: script) { database in
      let secret: DatabaseValue = .text("hunter2")
      let error =
        try await failure {
          _ = try await database.write { db in
            try db.query(Human.self, "SELECT \(secret) AS id, 1 AS name, \(secret) AS age")
          }
        } as DatabaseError
      #expect(!error.description.contains("hunter2"))
      let constraint =
        try await failure {
          _ = try await database.write { db in
            try db.execute("INSERT INTO person VALUES (1, \(secret), \(secret))")
          }
        } as DatabaseError
      #expect(!constraint.description.contains("hunter2"))
    }
  }
}

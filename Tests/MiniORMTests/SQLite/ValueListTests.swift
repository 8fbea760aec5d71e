import Foundation
import Testing

@testable import MiniORM

@Suite("Lists of values")
struct ValueListTests {
  @Table fileprivate struct Item: Equatable {
    let id: Int64
    var name: String
    var price: Double
    var data: Data
    var note: String?
  }

  private static let items = [
    Item(id: 1, name: "a", price: 1.5, data: Data([1]), note: "n"),
    Item(id: 2, name: "b'; DROP TABLE Item --", price: 2, data: Data(), note: nil),
    Item(id: 3, name: "x\0y", price: .infinity, data: Data([0, 255]), note: ""),
  ]

  private static func withItems(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      try await database.migrate(DatabaseSchema(Item.self))
      try await Table<Item>().insert(contentsOf: items, in: database)
      try await body(database)
    }
  }

  private static func ids(
    _ database: Database, _ condition: (Item.Columns) -> any SQLCondition
  ) async throws -> [Int64] {
    try await Table<Item>().where(condition).order { $0.id }.fetchAll(in: database).map(\.id)
  }

  @Test(
    "IN binds a parameter per value, up to 1,024 values, rounded up to a power of two",
    arguments: [
      (0, 0), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (513, 1_024), (1_024, 1_024), (1_025, 0),
    ])
  func sql(count: Int, parameters: Int) throws {
    let condition = Item.columns.id.isIn((0..<count).map(Int64.init)).sql
    guard parameters > 0 else {
      #expect(condition.text == #"("Item"."id" IN (SELECT value FROM miniorm_values(?)))"#)
      #expect(condition.bindings.count == 1)
      return
    }
    let marks = Array(repeating: "?", count: parameters).joined(separator: ", ")
    #expect(condition.text == "(\"Item\".\"id\" IN (\(marks)))")
    let bound = try condition.bindings.map { try DatabaseValue(storing: $0) }
    #expect(bound == (0..<parameters).map { .integer(Int64(min($0, count - 1))) })
  }

  @Test("a repeated value changes neither IN nor NOT IN, and NULL stays NULL", arguments: 1...9)
  func rounded(count: Int) async throws {
    try await Self.withItems { database async throws in
      let ids = [2] + (0..<(count - 1)).map { Int64($0 + 100) }
      #expect(try await Self.ids(database) { $0.id.isIn(ids) } == [2])
      #expect(try await Self.ids(database) { !$0.id.isIn(ids) } == [1, 3])
      let notes = [String?.some("n")] + (0..<(count - 1)).map { "\($0)" }
      #expect(try await Self.ids(database) { $0.note.isIn(notes) } == [1])
      #expect(try await Self.ids(database) { $0.note.isIn(notes) == false } == [3])
    }
  }

  @Test("a statement takes more lists than SQLite has parameters")
  func many() async throws {
    try await withTemporaryDatabase { database in
      var sql: SQL = "SELECT 0"
      for list in 0..<40 { sql = "\(sql) + (\(list) IN \(list..<(list + 1_000)))" }
      let found = try await database.read { [sql] db in try db.value(Int.self, sql) }
      #expect(found == 40)
    }
  }

  @Test("a prepared query binds its own short and long lists beside its arguments")
  func prepared() async throws {
    try await Self.withItems { database async throws in
      let query = PreparedQuery(String.self, Double.self) { name, price in
        Table<Item>().where {
          $0.id.isIn([1, 2, 3]) && $0.name == name && $0.id.isIn(Array(-2_000...3))
            && $0.price == price && $0.name.isIn(["a", "q", "r", "s", "t"])
        }
      }
      let found = try await database.read { db in
        try (query.fetchAll("a", 1.5, in: db), query.fetchAll("a", 2, in: db))
      }
      #expect(found.0 == [Self.items[0]])
      #expect(found.1 == [])
      let sql = query.sql("a", 1.5)
      #expect(sql.bindings.count == 15)
      let rows = try await database.read { db in try db.query(Item.self, sql) }
      #expect(rows == found.0)
    }
  }

  @Test("IN works with 100,000 values, and without values gives no rows")
  func longAndEmpty() async throws {
    try await Self.withItems { database async throws in
      #expect(try await Self.ids(database) { $0.id.isIn(2...100_001) } == [2, 3])
      #expect(try await Self.ids(database) { $0.id.isIn([]) } == [])
      #expect(try await Self.ids(database) { !$0.id.isIn([]) } == [1, 2, 3])
      let names = (0..<100_000).map { "name \($0)" } + ["a"]
      #expect(try await Self.ids(database) { $0.name.isIn(names) } == [1])
    }
  }

  @Test("rows in IN are not limited, and are compared as with VALUES")
  func rows() async throws {
    try await Self.withItems { database async throws in
      let pairs = (0..<20_000).map { (Int64($0), "name \($0)") } + [(1, "a"), (3, "x\0y")]
      #expect(try await Self.ids(database) { RowValue($0.id, $0.name).isIn(pairs) } == [1, 3])
      #expect(try await Self.ids(database) { !RowValue($0.id, $0.name).isIn(pairs) } == [2])
      #expect(try await Self.ids(database) { RowValue($0.id, $0.name).isIn([]) } == [])
      #expect(try await Self.ids(database) { !RowValue($0.id, $0.name).isIn([]) } == [1, 2, 3])
      let classes = Self.items.map { ($0.id, $0.name, $0.price, $0.data) }
      #expect(
        try await Self.ids(database) { RowValue($0.id, $0.name, $0.price, $0.data).isIn(classes) }
          == [1, 2, 3])
      // A NULL makes the result NULL, unless another value differs.
      #expect(try await Self.ids(database) { RowValue($0.id, $0.note).isIn([(2, nil)]) } == [])
      #expect(
        try await Self.ids(database) { !RowValue($0.id, $0.note).isIn([(2, nil)]) } == [1, 3])
      // In a schema object, the rows are literals.
      let view = DatabaseView(
        "listed",
        as: Table<Item>().where {
          RowValue($0.id, $0.name).isIn([(1, "a"), (2, "'")]) || RowValue($0.id, $0.name).isIn([])
        })
      try await database.migrate(DatabaseSchema(version: 2, Item.self, objects: [view]))
      #expect(try await database.values("SELECT id FROM listed") == [.integer(1)])
    }
  }

  @Test("IN finds values of every storage class")
  func classes() async throws {
    try await Self.withItems { database async throws in
      #expect(try await Self.ids(database) { $0.id.isIn([3, 1, 3, .max, .min]) } == [1, 3])
      #expect(try await Self.ids(database) { $0.name.isIn(Self.items.map(\.name)) } == [1, 2, 3])
      #expect(try await Self.ids(database) { $0.name.isIn(["x", "y", ""]) } == [])
      #expect(try await Self.ids(database) { $0.price.isIn([2.0, .infinity]) } == [2, 3])
      #expect(try await Self.ids(database) { $0.data.isIn([Data(), Data([0, 255])]) } == [2, 3])
      #expect(try await Self.ids(database) { $0.note.isIn(["", "n"]) } == [1, 3])
    }
  }

  @Test("two lists in a statement are separate, and each run has its own list")
  func several() async throws {
    try await Self.withItems { database in
      let rounds: [(ids: [Int64], names: [String], found: [Int64])] = [
        ([1, 2], ["x\0y", "a"], [1]), ([3], ["x\0y"], [3]), ([], ["a"], []),
      ]
      for round in rounds {
        let found = try await Self.ids(database) {
          $0.id.isIn(round.ids) && $0.name.isIn(round.names)
        }
        #expect(found == round.found)
      }
    }
  }

  @Test("a raw statement returns a list of mixed values unchanged")
  func raw() async throws {
    let values: [DatabaseValue] = [
      .null, .integer(.min), .real(-1.5), .text("té\0x"), .text(""), .blob([]), .blob([9, 0]),
    ]
    try await withTemporaryDatabase { database in
      try await database.read { db in
        let rows = try db.query(
          "SELECT value FROM \(raw: ValueList.moduleName)(\(ValueList(values)))")
        #expect(rows.map(\.values) == values.map { [$0] })
        #expect(try db.query("SELECT value FROM miniorm_values(\(42))") == [])
        #expect(try db.query("SELECT value FROM miniorm_values(NULL)") == [])
        // The argument may be a column of another table, which the plan must read first.
        for source in ["t, miniorm_values(t.a)", "miniorm_values(t.a) JOIN t"] {
          let sql = SQL(raw: "WITH t(a) AS (VALUES (1), (2)) SELECT value FROM \(source)")
          #expect(try db.query(sql) == [])
        }
        let error = #expect(throws: DatabaseError.self) {
          try db.query("SELECT value FROM miniorm_values")
        }
        #expect(
          error?.facts
            == ErrorFacts(
              .prepare, .error, "no query solution", sql: "SELECT value FROM miniorm_values"))
        let cell = #expect(throws: DatabaseError.self) { try db.value(ValueList.self, "SELECT 1") }
        #expect(
          cell?.message == "A list for IN cannot be read from a result in column 1")
      }
    }
  }

  @Test("a list value that cannot be stored throws when it is bound")
  func refused() async throws {
    try await Self.withItems { database in
      let error = try await failure {
        _ = try await Self.ids(database) { $0.price.isIn([1, .nan]) }
      }
      #expect(error.operation == .bind)
      #expect(error.code == .mismatch)
    }
  }
}

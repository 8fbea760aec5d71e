import Testing

@testable import MiniORM

@Suite("RowLayout")
struct RowLayoutTests {
  @Table
  struct Reading: Equatable {
    var id: Int64
    var place: String
    var value: Double?
  }

  /// Distances that the values do not have. 0 stands for values whose distances differ.
  static let wrong = [0, 8, -8, 1 << 20]
  /// The values are 1, 'a', 2.5 and NULL.
  static let query = "SELECT 1, 'a', 2.5, NULL"
  static let values: [DatabaseValue] = [.integer(1), .text("a"), .real(2.5), .null]

  @Test("the measured distance is that of the values of a row")
  func measured() async throws {
    try await withTemporaryDatabase { database in
      try await database.read { db in
        let statement = try db.statement(Self.query)
        #expect(try statement.step())
        let layout = RowLayout(statement.pointer)
        #expect(layout.count == 4)
        #expect(layout.stride != 0)
        #expect(!Self.wrong.contains(layout.stride))
        let adjacent = Row(statement.pointer, layout).adjacent
        #expect(adjacent == 4)
      }
    }
  }

  @Test("where the values do not lie as measured, SQLite is asked for each", arguments: wrong)
  func asksSQLite(stride: Int) async throws {
    try await withTemporaryDatabase { database in
      let values = try await database.read { db in
        let statement = try db.statement(Self.query)
        #expect(try statement.step())
        let row = Row(statement.pointer, RowLayout(count: 4, stride: stride))
        #expect(row.adjacent == 0)
        return try (0..<4).map { try DatabaseValue(cell: row[$0]) }
      }
      #expect(values == Self.values)
    }
  }

  @Test("such a row gives the same where it begins at a later column", arguments: wrong)
  func asksSQLiteFromLaterColumn(stride: Int) async throws {
    try await withTemporaryDatabase { database in
      let values = try await database.read { db in
        let statement = try db.statement(Self.query)
        #expect(try statement.step())
        let row = Row(statement.pointer, RowLayout(count: 4, stride: stride))
        let later = Row(row, from: 1)
        let last = Row(later, from: 2)
        return try (0..<3).map { try DatabaseValue(cell: later[$0]) }
          + [try DatabaseValue(cell: last[0])]
      }
      #expect(values == Self.values.dropFirst() + [.null])
    }
  }

  @Test(
    "before and beyond a row that begins at a later column there is NULL",
    arguments: [-1, 3, .max, .min] as [Int32])
  func outsideLaterRow(index: Int32) async throws {
    try await withTemporaryDatabase { database in
      let values = try await database.read { db in
        let statement = try db.statement(Self.query)
        #expect(try statement.step())
        let row = Row(statement.pointer, RowLayout(statement.pointer))
        let asked = Row(statement.pointer, RowLayout(count: 4, stride: 0))
        let later = Row(row, from: 1)
        let last = Row(asked, from: 1)
        return [try DatabaseValue(cell: later[index]), try DatabaseValue(cell: last[index])]
      }
      #expect(values == [.null, .null])
    }
  }

  @Test("such a row gives the same where its columns are found by name", arguments: wrong)
  func asksSQLiteByName(stride: Int) async throws {
    try await withTemporaryDatabase { database in
      let values = try await database.read { db in
        let statement = try db.statement(Self.query)
        #expect(try statement.step())
        return try ([3, 0, 2] as [Int32]).withUnsafeBufferPointer { positions in
          let row = Row(
            statement.pointer, RowLayout(count: 4, stride: stride), positions: positions)
          let later = Row(row, from: 1)
          return try (0..<3).map { try DatabaseValue(cell: row[$0]) }
            + [try DatabaseValue(cell: later[1])]
        }
      }
      #expect(values == [.null, .integer(1), .real(2.5), .real(2.5)])
    }
  }

  @Test("a model is read alike, whatever the layout says", arguments: wrong)
  func model(stride: Int) async throws {
    try await withTemporaryDatabase { database in
      let (asked, quick) = try await database.read { db in
        let statement = try db.statement("SELECT 7, 'roof', 1.5")
        #expect(try statement.step())
        var (other, measured) = (
          RowLayout(count: 3, stride: stride), RowLayout(statement.pointer)
        )
        return (
          try statement.read(Reading.self, &other), try statement.read(Reading.self, &measured)
        )
      }
      #expect(asked == Reading(id: 7, place: "roof", value: 1.5))
      #expect(asked == quick)
    }
  }

  @Test("a row of one value agrees with every distance", arguments: wrong)
  func oneColumn(stride: Int) async throws {
    try await withTemporaryDatabase { database in
      let value = try await database.read { db in
        let statement = try db.statement("SELECT 'alone'")
        #expect(try statement.step())
        let row = Row(statement.pointer, RowLayout(count: 1, stride: stride))
        #expect(row.adjacent == 1)
        return try DatabaseValue(cell: row[0])
      }
      #expect(value == .text("alone"))
    }
  }

  @Test("each row is read as SQLite gives it, wherever it lies")
  func places() async throws {
    try await withTemporaryDatabase { database in
      try await database.read { db in
        var isMoving = false
        for query in [
          "SELECT 1, 'a', 2.5 UNION ALL SELECT 2, 'b', NULL UNION ALL SELECT 3, 'c', 'd'",
          "SELECT 2, 'b', 1.5 UNION SELECT 1, 'a', NULL ORDER BY 1",
          "VALUES (1, 'a', 2.5), (2, 'b', NULL), (3, 4, x'00')",
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
          SELECT i, 'a' || i, sum(i) OVER (ORDER BY i) FROM n
          """,
        ] as [SQL] {
          let statement = try db.statement(query)
          var layout: RowLayout?
          var starts: Set<Int> = []
          while try statement.step() {
            var known = layout ?? RowLayout(statement.pointer)
            let row = Row(statement.pointer, &known)
            layout = known
            starts.insert(row.base)
            #expect(row.adjacent == 3)
            for column in 0..<(3 as Int32) {
              let value = try DatabaseValue(cell: row[column])
              #expect(try value == DatabaseValue(cell: Cell(statement.pointer, column)))
            }
          }
          isMoving = isMoving || starts.count > 1
        }
        #expect(isMoving)
      }
    }
  }
}

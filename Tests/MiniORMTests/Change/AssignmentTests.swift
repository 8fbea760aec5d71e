import Foundation
import Testing

@testable import MiniORM

@Table("numbers")
private struct Numbers: Equatable {
  let id: Int64
  var int: Int = 10
  var int8: Int8 = 10
  var int16: Int16 = 10
  var int32: Int32 = 10
  var int64: Int64 = 10
  var uint: UInt = 10
  var uint8: UInt8 = 10
  var uint16: UInt16 = 10
  var uint32: UInt32 = 10
  var uint64: UInt64 = 10
  var float: Float = 10
  var double: Double = 10
  var optional: Int?
  var optional8: UInt8? = 10
  var optionalFloat: Float? = 10
  var text = "t"
  var note: String?
  @Column(as: .unixSeconds) var seconds: Date?
  @Column(.default(sql: "datetime(86400, 'unixepoch')"))
  var date: Date = Date(timeIntervalSince1970: 86_400)
}

@Suite("Assignments")
struct AssignmentTests {
  @Test("non-NULL query values are inserted into a nullable column")
  func neverNil() async throws {
    try await withFile(DatabaseSchema(Numbers.self)) { database throws in
      let numbers = Table<Numbers>()
      try await numbers.insert(Numbers(id: 1), in: database)
      for insert in [
        numbers.insert(into: { $0.note }, from: numbers.select { $0.text.optional }),
        numbers.insert(into: { $0.seconds }, from: numbers.limit(1).select { $0.date.optional }),
        numbers.insert(into: { $0.note }, from: numbers.limit(1).select { $0.note }),
      ] {
        #expect(try await insert.run(in: database) == 1)
      }
      let rows = try await numbers.order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.note) == [nil, "t", nil, nil])
      let day = Date(timeIntervalSince1970: 86_400)
      #expect(rows.map(\.seconds) == [nil, nil, day, nil])
    }
  }

  @Test("sums with columns of each number type and of optionals, by += where it exists")
  func add() async throws {
    let n = 5
    let columns = [
      "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
      "float", "double", "optional", "optional8", "optionalFloat",
    ]
    let update = Table<Numbers>().update {
      $0.int += n
      $0.int8 = $0.int8 + 5
      $0.int16 = $0.int16 + 5
      $0.int32 = $0.int32 + 5
      $0.int64 += 5
      $0.uint = $0.uint + 5
      $0.uint8 = $0.uint8 + 5
      $0.uint16 = $0.uint16 + 5
      $0.uint32 = $0.uint32 + 5
      $0.uint64 = $0.uint64 + 5
      $0.float = $0.float + 5
      $0.double += 5
      $0.optional += n
      $0.optional8 += 5
      $0.optionalFloat += 5
    }
    // A narrow type has a check of the range, and Float a rounding.
    let narrow = [
      "int8": "Int8", "int16": "Int16", "int32": "Int32", "uint": "UInt", "uint8": "UInt8",
      "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float": "Float",
      "optional8": "UInt8", "optionalFloat": "Float",
    ]
    let set = columns.map { column in
      let sum = #"("numbers"."\#(column)" + ?)"#
      return #""\#(column)" = "# + (narrow[column].map { "miniorm_number(\(sum), '\($0)')" } ?? sum)
    }
    #expect(update.sql.text == #"UPDATE "numbers" SET \#(set.joined(separator: ", "))"#)
    let values = try update.sql.values
    #expect(
      values
        == columns.map {
          ["float", "double", "optionalFloat"].contains($0) ? .real(5) : .integer(5)
        })
    var row = Numbers(id: 1)
    try await withFile(DatabaseSchema(Numbers.self)) { database throws in
      let table = Table<Numbers>()
      try await table.insert(row, in: database)
      #expect(try await update.run(in: database) == 1)
      (row.int, row.int8, row.int16, row.int32, row.int64) = (15, 15, 15, 15, 15)
      (row.uint, row.uint8, row.uint16, row.uint32, row.uint64) = (15, 15, 15, 15, 15)
      (row.float, row.double, row.optional8, row.optionalFloat) = (15, 15, 15, 15)
      #expect(try await table.fetchAll(in: database) == [row])

      let more = table.update {
        $0.int -= 1
        $0.uint8 = $0.uint8 - 5
        $0.float = $0.float * 2
        $0.optional8 *= 3
        $0.text += "!"
        $0.note += "?"
        $0.int64 *= $0.int64
        $0.double += $0.double
      }
      #expect(try await more.run(in: database) == 1)
      (row.int, row.uint8, row.float, row.optional8) = (14, 10, 30, 45)
      (row.text, row.int64, row.double) = ("t!", 225, 30)
      #expect(try await table.fetchAll(in: database) == [row])

      let optional = table.update {
        $0.optional = $0.int.optional
        $0.note = $0.text.upper().optional
        $0.seconds = $0.date.optional
        $0.optional8 = ($0.uint8 + 1).optional
      }
      #expect(
        optional.sql.text
          == #"""
          UPDATE "numbers" SET "optional" = "numbers"."int", "note" = upper("numbers"."text"),
            "seconds" = miniorm_date("numbers"."date", 'text', 'seconds'),
            "optional8" = miniorm_number(("numbers"."uint8" + ?), 'UInt8')
          """#.onOneLine
      )
      #expect(try await optional.run(in: database) == 1)
      (row.optional, row.note, row.seconds, row.optional8) = (14, "T!", row.date, 11)
      #expect(try await table.fetchAll(in: database) == [row])
      let back = table.update {
        $0.date = $0.seconds ?? Date(timeIntervalSince1970: 0)
        $0.seconds = nil
        $0.note = nil
      }
      #expect(try await back.run(in: database) == 1)
      (row.seconds, row.note) = (nil, nil)
      #expect(try await table.fetchAll(in: database) == [row])

      // A result out of the property's range is not stored.
      let error = try await failure {
        try await table.update { $0.int8 = $0.int8 + 127 }.run(in: database)
      }
      #expect(error.message.contains("out of the range of Int8"), "\(error)")
      #expect(try await table.fetchAll(in: database) == [row])
    }
  }

  @Test("differences and products with columns of each number type, values and other columns")
  func others() async throws {
    let minus = Table<Numbers>().update {
      $0.int -= 3
      $0.int8 = $0.int8 - 3
      $0.int16 = $0.int16 - 3
      $0.int32 = $0.int32 - 3
      $0.int64 -= 3
      $0.uint = $0.uint - 3
      $0.uint8 = $0.uint8 - 3
      $0.uint16 = $0.uint16 - 3
      $0.uint32 = $0.uint32 - 3
      $0.uint64 = $0.uint64 - 3
      $0.float = $0.float - 3
      $0.double -= 3
    }
    let times = Table<Numbers>().update {
      $0.int *= 2
      $0.int8 = $0.int8 * 2
      $0.int16 = $0.int16 * 2
      $0.int32 = $0.int32 * 2
      $0.int64 *= 2
      $0.uint = $0.uint * 2
      $0.uint8 = $0.uint8 * 2
      $0.uint16 = $0.uint16 * 2
      $0.uint32 = $0.uint32 * 2
      $0.uint64 = $0.uint64 * 2
      $0.float = $0.float * 2
      $0.double *= 2
    }
    // The columns are 7 and then 14 between the assignments.
    let squared = Table<Numbers>().update {
      $0.int *= $0.int
      $0.int32 = $0.int32 * $0.int32
      $0.int64 += $0.int64
      $0.double *= $0.double
      $0.optional8 *= $0.optional8
      $0.note = "t"
    }
    let more = Table<Numbers>().update {
      $0.int += $0.int
      $0.int32 = $0.int32 + $0.int32
      $0.int64 -= $0.int64
      $0.double -= $0.double
      $0.optional8 += $0.optional8
      $0.note += $0.note
    }
    let less = Table<Numbers>().update {
      $0.int -= $0.int
      $0.int32 = $0.int32 - $0.int32
      $0.optional8 -= $0.optional8
      $0.optional -= $0.optional
    }
    try await withFile(DatabaseSchema(Numbers.self)) { database throws in
      let table = Table<Numbers>()
      var row = Numbers(id: 1)
      func expectRow(after update: some Change) async throws {
        #expect(try await update.run(in: database) == 1)
        #expect(try await table.fetchAll(in: database) == [row])
      }
      try await table.insert(row, in: database)
      (row.int, row.int8, row.int16, row.int32, row.int64) = (7, 7, 7, 7, 7)
      (row.uint, row.uint8, row.uint16, row.uint32, row.uint64) = (7, 7, 7, 7, 7)
      (row.float, row.double) = (7, 7)
      try await expectRow(after: minus)
      (row.int, row.int8, row.int16, row.int32, row.int64) = (14, 14, 14, 14, 14)
      (row.uint, row.uint8, row.uint16, row.uint32, row.uint64) = (14, 14, 14, 14, 14)
      (row.float, row.double) = (14, 14)
      try await expectRow(after: times)
      (row.int, row.int32, row.int64, row.double, row.optional8) = (196, 196, 28, 196, 100)
      row.note = "t"
      try await expectRow(after: squared)
      (row.int, row.int32, row.int64, row.double, row.optional8) = (392, 392, 0, 0, 200)
      row.note = "tt"
      try await expectRow(after: more)
      (row.int, row.int32, row.optional8) = (0, 0, 0)
      try await expectRow(after: less)
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Table("count") private struct Count: Equatable {
  let id: Int64
  var int8: Int8 = 120
  var uint8: UInt8 = 3
  var int32: Int32? = .max
  var uint: UInt = 3
  var float: Float = 1
  var any: DatabaseValue = .integer(1)
  @Column(as: .decimal(scale: 2)) var price: Decimal = 9.75
}

@Suite("Numbers that SQL computes for a column")
struct ComputedNumberTests {
  private let counts = Table<Count>()

  private func withCount(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Count.self)) { database throws in
      try await Table<Count>().insert(Count(id: 1), in: database)
      try await body(database)
    }
  }

  @Test("outside the range of the column's type are refused")
  func ranges() async throws {
    try await withCount { database throws in
      let updates = [
        counts.update { $0.int8 = $0.int8 + 100 }, counts.update { $0.uint8 = $0.uint8 - 5 },
        counts.update { $0.int32 += 1 }, counts.update { $0.uint = $0.uint - 5 },
        counts.update { $0.int8 = $0.int8 * $0.int8 },
      ]
      for update in updates {
        let error = try await failure { try await update.run(in: database) }
        #expect(error.message.contains("out of the range of"), "\(error)")
      }
      #expect(try await counts.fetchAll(in: database) == [Count(id: 1)])
      try await counts.update {
        $0.int8 = $0.int8 + 7
        $0.uint8 = $0.uint8 - 3
        $0.int32 = nil
        $0.uint = $0.uint - 3
      }.run(in: database)
      let row = try #require(try await counts.fetchOne(in: database))
      #expect(row == Count(id: 1, int8: 127, uint8: 0, int32: nil, uint: 0))
    }
  }

  @Test("are rounded to Float, so that the row is found by its own value")
  func floats() async throws {
    try await withCount { database throws in
      try await counts.update { $0.float = $0.float / 3 }.run(in: database)
      let row = try #require(try await counts.fetchOne(in: database))
      #expect(row.float == 1 as Float / 3)
      #expect(try await counts.where { $0.float == row.float }.count(in: database) == 1)
    }
  }

  @Test("a decimal number in units casts to its value, and joins as its value")
  func decimals() async throws {
    try await withCount { database throws in
      #expect(
        try await counts.select { $0.price.cast(to: Double.self) }.fetchAll(in: database) == [9.75])
      #expect(try await counts.select { $0.price.cast(to: Int.self) }.fetchAll(in: database) == [9])
      #expect(
        try await counts.select { $0.price.cast(to: String.self) }.fetchAll(in: database)
          == ["9.75"])
      #expect(
        try await counts.select { $0.price.cast(to: Decimal.self) }.fetchAll(in: database)
          == [9.75])
      #expect(
        try await counts.select { $0.price.groupConcat() }.fetchAll(in: database) == ["9.75"])
      #expect(
        try await counts.select { $0.price.groupConcat(separator: ";") }.fetchAll(in: database)
          == ["9.75"])
    }
  }

  @Test("an upsert of 1.0 over 1 changes a column of any type")
  func anyNumber() async throws {
    try await withCount { database throws in
      for value in [DatabaseValue.real(1), .integer(1), .null, .text("1")] {
        let outcome = try await counts.upsert(
          Count(id: 1, any: value), onConflict: { $0.id }, in: database)
        guard case .updated(let row) = outcome else {
          Issue.record("\(value): \(outcome)")
          continue
        }
        #expect(row.any == value)
        let again = try await counts.upsert(
          Count(id: 1, any: value), onConflict: { $0.id }, in: database)
        guard case .unchanged = again else { Issue.record("\(value): \(again)"); continue }
      }
    }
  }
}

@Selection private struct Priced: Equatable {
  let price: Decimal
}

@Suite("Decimals in a selection")
struct SelectedDecimalTests {
  @Test("decimals in units become the value of a property with the default format")
  func selection() async throws {
    try await withFile(DatabaseSchema(Count.self)) { database throws in
      let counts = Table<Count>()
      try await counts.insert(Count(id: 1, price: -0.25), in: database)
      let rows = try await counts.select { Priced.Columns(price: $0.price) }
        .fetchAll(in: database)
      #expect(rows == [Priced(price: -0.25)])
    }
  }
}

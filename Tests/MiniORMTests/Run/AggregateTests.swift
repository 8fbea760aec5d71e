import Testing

@testable import MiniORM

@Table("number")
private struct Number: Equatable {
  let id: Int64
  var value: Int
  var small: Int8 = 0
  var real: Double?
}

@Suite("Aggregates")
struct AggregateTests {
  @Test("count, min, max, sum and average, with and without a condition")
  func values() async throws {
    try await withPeople { database, table throws in
      #expect(try await table.count(in: database) == 5)
      #expect(try await table.min(of: { $0.age }, in: database) == 20)
      #expect(try await table.max(of: { $0.age }, in: database) == 65)
      #expect(try await table.sum(of: { $0.age }, in: database) == 182)
      #expect(try await table.average(of: { $0.age }, in: database) == 36.4)
      #expect(try await table.min(of: { $0.name }, in: database) == "Ada")
      #expect(try await table.max(of: { $0.name }, in: database) == "Eve")
      let young = table.where { $0.age < 40 }
      #expect(try await young.count(in: database) == 3)
      #expect(try await young.max(of: { $0.age }, in: database) == 36)
      #expect(try await young.sum(of: { $0.age * 2 }, in: database) == 152)
    }
  }

  @Test("NULL is ignored")
  func nulls() async throws {
    try await withPeople { database, table throws in
      #expect(try await table.min(of: { $0.score }, in: database) == -2)
      #expect(try await table.max(of: { $0.score }, in: database) == 9.5)
      #expect(try await table.sum(of: { $0.score }, in: database) == 18.5)
      #expect(try await table.average(of: { $0.score }, in: database) == 4.625)
      #expect(try await table.sum(of: { $0.level }, in: database) == 9)
      let none = table.where { $0.level == nil }
      #expect(try await none.count(in: database) == 1)
      #expect(try await none.min(of: { $0.level }, in: database) == nil)
      #expect(try await none.sum(of: { $0.level }, in: database) == nil)
      #expect(try await none.average(of: { $0.level }, in: database) == nil)
      #expect(try await none.max(of: { $0.level ?? 7 }, in: database) == 7)
    }
  }

  @Test("no rows give nil, and count gives 0")
  func empty() async throws {
    try await withPeople { database, table throws in
      for table in [table.where { $0.age > 100 }, table.limit(0), table.limit(3, offset: 9)] {
        #expect(try await table.count(in: database) == 0)
        #expect(try await table.min(of: { $0.age }, in: database) == nil)
        #expect(try await table.max(of: { $0.score }, in: database) == nil)
        #expect(try await table.sum(of: { $0.age }, in: database) == nil)
        #expect(try await table.average(of: { $0.score }, in: database) == nil)
        #expect(try await table.exists(in: database) == false)
      }
    }
  }

  @Test("a limit and an order select the rows before aggregation")
  func limited() async throws {
    try await withPeople { database, table throws in
      let oldest = table.order { $0.age.descending }.limit(2)
      #expect(try await oldest.count(in: database) == 2)
      #expect(try await oldest.sum(of: { $0.age }, in: database) == 106)
      #expect(try await oldest.min(of: { $0.age }, in: database) == 41)
      #expect(try await oldest.average(of: { $0.score }, in: database) == 3.75)
      #expect(try await table.limit(1, offset: 4).exists(in: database))
      #expect(try await table.distinct().limit(1, offset: 4).exists(in: database))
      #expect(try await table.distinct().limit(1, offset: 5).exists(in: database) == false)
      let text = oldest.where { $0.isActive }.counted.sql.text
      #expect(text.hasPrefix("SELECT count(*) FROM (SELECT "))
      #expect(
        text.hasSuffix(
          #" FROM "person" WHERE ("person"."isActive" = 1) ORDER BY "person"."age" DESC LIMIT ?)"#))
    }
  }

  @Test("an overflowing sum throws")
  func overflow() async throws {
    try await withFile(DatabaseSchema(Number.self)) { database throws in
      let table = Table<Number>()
      let rows = [Number.Draft(value: .max, small: 127), Number.Draft(value: 1, small: 1)]
      try await table.insert(contentsOf: rows, in: database)
      let sum = try await failure { try await table.sum(of: { $0.value }, in: database) }
      #expect(sum.summary == "step 1 -.- -: integer overflow")
      let small = try await failure { try await table.sum(of: { $0.small }, in: database) }
      #expect(small.operation == .read && small.code == .mismatch)
      // A REAL result is not an Int.
      let plus = try await failure { try await table.max(of: { $0.value + 1 }, in: database) }
      #expect(plus.operation == .read && plus.code == .mismatch)
    }
  }

  @Test("infinities are summed like Swift doubles")
  func infinities() async throws {
    try await withFile(DatabaseSchema(Number.self)) { database throws in
      let table = Table<Number>()
      try await table.insert(Number.Draft(value: 1, real: .infinity), in: database)
      #expect(try await table.sum(of: { $0.real }, in: database) == .infinity)
      #expect(try await table.max(of: { $0.real }, in: database) == .infinity)
    }
  }
}

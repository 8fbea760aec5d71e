import Foundation
import Testing

@testable import MiniORM

@Table("diary")
private struct Diary: Equatable {
  let id: Int64
  @Column(as: .json) var days: [Date] = []
  @Column(as: .json) var keys: [Data] = []
  @Column(as: .json) var named: [String: Date?] = [:]
  @Column(as: .unixMilliseconds) var began: Date
}

private let diaries = Table<Diary>()
private let start = Date(timeIntervalSince1970: 1_700_000_000)

@Suite("JSON elements with other column formats")
struct JSONElementTests {
  private func withDiary(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Diary.self)) { database throws in
      let diary = Diary(
        id: 1, days: [start, start + 0.5, start - 86_400], keys: [Data([1, 2]), Data()],
        named: ["one": start, "none": nil], began: start)
      try await diaries.insert(diary, in: database)
      // SQL functions build dates as text.
      try await database.write { db in
        try db.execute(
          """
          INSERT INTO diary VALUES (2, json_array('2023-11-14 22:13:20', '2023-11-14 22:13:20.500'), \
          '[]', '{}', 0)
          """)
      }
      try await body(database)
    }
  }

  @Test("dates are read, compared with values and columns, ordered and calculated with")
  func dates() async throws {
    try await withDiary { database in
      let each = diaries.join { $0.days.jsonEach() }
      let all = try await each.order { ($0.id, $1.id) }.select { $1.value }.fetchAll(in: database)
      #expect(all == [start, start + 0.5, start - 86_400, start, start + 0.5])
      let years = each.where { $0.0.id == 1 }.order { $1.key }
        .select { ($1.value.strftime("%Y-%m-%d"), $1.value.unixEpoch()) }
      #expect(
        "\(try await years.fetchAll(in: database))"
          == "\([("2023-11-14", 1_700_000_000), ("2023-11-14", 1_700_000_000), ("2023-11-13", 1_699_913_600)].map { (String?.some($0.0), Int64?.some($0.1)) })"
      )
      let elements = try await each.where { $0.0.id == 1 }.order { $1.key }.select { $1 }
        .fetchAll(in: database)
      #expect(elements.map(\.value) == [start, start + 0.5, start - 86_400])
      for (found, expected) in [
        (each.where { $1.value == start }, [1, 2]), (each.where { $1.value > start }, [1, 2]),
        (each.where { $1.value == $0.began }, [1]), (each.where { $1.value < start }, [1]),
        (each.where { $1.value.isIn([start, start + 1]) }, [1, 2]),
      ] {
        let ids = try await found.order { $0.0.id }.select { $0.0.id }.fetchAll(in: database)
        #expect(ids == expected.map { Int64($0) })
      }
      let last = try await diaries.join { $0.days.jsonEach() }.group { $0.0.id }.order { $0.0.id }
        .select { $1.value.max() }.fetchAll(in: database)
      #expect(last == [start + 0.5, start + 0.5])
      let named = try await diaries.join { $0.named.jsonEach() }.order { $1.key }
        .select { ($1.key, $1.value) }.fetchAll(in: database)
      #expect(named.map(\.0) == ["none", "one"])
      #expect(named.map(\.1) == [nil, start])
    }
  }

  @Test("bytes are read as base64")
  func bytes() async throws {
    try await withDiary { database in
      let each = diaries.join { $0.keys.jsonEach() }
      let all = try await each.order { $1.key }.select { $1.value }.fetchAll(in: database)
      #expect(all == [Data([1, 2]), Data()])
      let one = try await each.where { $1.value == Data([1, 2]) }.select { $1.key }
        .fetchAll(in: database)
      #expect(one == [0])
    }
  }

  @Test("decimals are read with all digits, compared, ordered and summed")
  func decimals() async throws {
    try await withFile(DatabaseSchema(Invoice.self)) { database throws in
      let invoices = Table<Invoice>()
      let long = try #require(Decimal(string: "12345678901234567890.123456789"))
      let amounts: [Decimal] = [9, 10, 100, try #require(Decimal(string: "0.1")), long, -2]
      try await invoices.insert(
        Invoice.Draft(
          amounts: amounts, named: ["a b": 1, "c\"d": 2, "e'": nil, "é.[0]": 5]),
        in: database)
      let each = invoices.join { $0.amounts.jsonEach() }
      #expect(
        try await each.order { $1.key }.select { $1.value }.fetchAll(in: database) == amounts)
      #expect(
        try await each.order { $1.value }.select { $1.value }.fetchAll(in: database)
          == amounts.sorted())
      #expect(
        try await each.where { $1.value > 9 }.order { $1.key }.select { $1.value }
          .fetchAll(in: database) == [10, 100, long])
      #expect(
        try await each.where { $1.value == long }.select { $1 }.fetchAll(in: database)
          .map(\.value) == [long])
      #expect(
        try await each.select { $1.value.sum() }.fetchOne(in: database)
          == amounts.reduce(Decimal(0), +))
      let named = try await invoices.join { $0.named.jsonEach(as: "n") }.order { $1.key }
        .select { ($1.key, $1.value) }.fetchAll(in: database)
      #expect(named.map(\.0) == ["a b", "c\"d", "e'", "é.[0]"])
      #expect(named.map(\.1) == [1, 2, nil, 5])
    }
  }
}

@Table
private struct Invoice {
  let id: Int64
  @Column(as: .json) var amounts: [Decimal]
  @Column(as: .json) var named: [String: Decimal?]
}

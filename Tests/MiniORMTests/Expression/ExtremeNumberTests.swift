import Foundation
import Testing

@testable import MiniORM

@Table("mother")
private struct Mother: Equatable {
  let id: Int64
  @Column(as: .json) var list: [Int] = [10, 20, 30]
  var day: Date = Date(timeIntervalSince1970: 0)
}

@Table("child")
private struct Kid: Equatable {
  let id: Int64
  @Column(.references(Mother.self)) var motherID: Int64
}

/// The least and greatest numbers for each argument: a result or an error, but no trap.
@Suite("Extreme numbers")
struct ExtremeNumberTests {
  private let mothers = Table<Mother>()
  private let kids = Table<Kid>()
  private static let numbers = [
    Int.min, Int.min + 1, -4_294_967_296, -4_294_967_294, -2_147_483_649, -1, 0, 1, 2_147_483_647,
    2_147_483_648, 4_294_967_295, 4_294_967_296, 4_294_967_297, Int.max - 1, Int.max,
  ]

  private func withFamily(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Mother.self, Kid.self)) { database async throws in
      try await mothers.insert(contentsOf: [Mother(id: 1), Mother(id: 2)], in: database)
      try await kids.insert(
        contentsOf: (1...6).map { Kid(id: $0, motherID: $0 % 2 + 1) }, in: database)
      try await body(database)
    }
  }

  @Test("extreme limits and offsets of a table, a join, a compound and related rows")
  func limits() async throws {
    try await withFamily { database async throws in
      // A negative limit is an error.
      for count in Self.numbers.filter({ $0 >= 0 }) {
        for offset in Self.numbers {
          let (kept, left) = (max(0, count), max(0, offset))
          @Sendable func expected(_ rows: [Int64]) -> [Int64] {
            Array(rows.dropFirst(left).prefix(kept))
          }
          let ids = try await kids.order { $0.id }.limit(count, offset: offset)
            .fetchAll(in: database).map(\.id)
          #expect(ids == expected(Array(1...6)))
          let joined = try await kids.join(mothers).order { $0.0.id }.limit(count, offset: offset)
            .select { $0.0.id }.fetchAll(in: database)
          #expect(joined == expected(Array(1...6)))
          let families = try await mothers.order { $0.id }
            .including(kids.order { $0.id }.limit(count, offset: offset)).fetchAll(in: database)
          #expect(families.map { $0.1.map(\.id) } == [expected([2, 4, 6]), expected([1, 3, 5])])
          let deleted = kids.order { $0.id }.limit(count, offset: offset).delete()
          await #expect(throws: Undo.self) {
            try await database.write { db in
              #expect(try deleted.run(in: db) == expected(Array(1...6)).count)
              throw Undo()
            }
          }
        }
      }
    }
  }

  @Test("an index into JSON finds its element, or nothing", arguments: numbers)
  func json(index: Int) async throws {
    try await withFamily { database async throws in
      let found = try await mothers.where { $0.id == 1 }
        .select { $0.list.json("$[\(index)]", as: Int.self) }.fetchOne(in: database)
      let expected = (0...2).contains(index) ? [10, 20, 30][index] : index == -1 ? 30 : nil
      #expect(found == .some(expected))
    }
  }

  @Test("dates shifted by extreme counts are correct or NULL", arguments: numbers)
  func dates(count: Int) async throws {
    try await withFamily { database async throws in
      for modifier in [
        DateModifier.years(count), .months(count), .days(count), .hours(count), .minutes(count),
        DateModifier.seconds(Double(count)),
      ] {
        let days = try await mothers.select { $0.day.date(modifier) }.fetchAll(in: database)
        #expect(days.count == 2)
      }
      let weekday = mothers.select { $0.day.date(.weekday(count)) }
      guard !(0...6).contains(count) else {
        #expect(try await weekday.fetchAll(in: database).count == 2)
        return
      }
      let error = try await failure { try await weekday.fetchAll(in: database) }
      #expect(
        error.summary
          == "prepare 21 -.- -: There is no weekday \(count): give 0 for Sunday to 6 for Saturday")
    }
  }

  @Test("infinite and NaN seconds are refused", arguments: [Double.nan, .infinity, -.infinity])
  func seconds(count: Double) async throws {
    try await withFamily { database async throws in
      let error = try await failure {
        try await mothers.select { $0.day.date(.seconds(count)) }.fetchAll(in: database)
      }
      #expect(
        error.summary
          == "prepare 21 -.- -: The number of seconds is infinite or not a number: give a finite number"
      )
    }
  }

  @Test("frames, window offsets, text positions, digits and bit shifts", arguments: numbers)
  func functions(count: Int) async throws {
    try await withFamily { database async throws in
      func answers<Value: Sendable>(_ query: Select<Value>) async throws {
        do {
          #expect(try await query.fetchAll(in: database).count == 6)
        } catch let error as DatabaseError {
          // SQLite's refusals have a message.
          #expect(error.operation == .step || error.operation == .prepare, "\(error)")
          #expect(!error.message.isEmpty)
        }
      }
      try await answers(
        kids.select {
          SQL.count().over(
            orderBy: $0.id, frame: .rows(.preceding(count), .following(count)))
        })
      try await answers(
        kids.select {
          SQL.count().over(
            orderBy: $0.id, frame: .range(.preceding(count), .following(count)))
        })
      try await answers(
        kids.select {
          SQL.count().over(
            orderBy: $0.id, frame: .groups(.preceding(count), .following(count)))
        })
      try await answers(kids.select { $0.id.lag(count).over(orderBy: $0.id) })
      try await answers(kids.select { $0.id.lead(count).over(orderBy: $0.id) })
      try await answers(kids.select { $0.id.nthValue(count).over(orderBy: $0.id) })
      try await answers(kids.select { SQL.ntile(count).over(orderBy: $0.id) })
      try await answers(kids.select { $0.id.cast(to: String.self).substr(count, count) })
      try await answers(kids.select { $0.id.cast(to: Double.self).round(count) })
      try await answers(kids.select { $0.id << Int64(count) })
    }
  }

  @Test("the number of a missing parameter is refused")
  func parameters() async throws {
    try await withFamily { database async throws in
      try await database.write { db in
        let statement = try db.statement("SELECT ?")
        for index in [Int32.min, -1, 0, 2, .max - 3, .max] {
          var code: ResultCode?
          do throws(DatabaseError) {
            try statement.bind(1, 2, 3, 4, at: index)
          } catch {
            code = error.code
          }
          #expect(code == .range)
        }
      }
    }
  }

  @Test("extreme settings of Configuration", arguments: [Int32.min, -1, 0, .max])
  func configuration(milliseconds: Int32) async throws {
    let file = TemporaryFile()
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(milliseconds)
    configuration.statementCacheCapacity = milliseconds < 0 ? .min : .max
    let database = try await file.open(configuration)
    #expect(try await database.values("SELECT 1") == [.integer(1)])
    try await database.close()
  }

  @Test("extreme distances of NEAR", arguments: numbers)
  func near(distance: Int) {
    let text = Match.near(["a", "b"], distance: distance).text
    #expect(text == #"NEAR("a" "b", \#(min(max(0, distance), 100_000_000)))"#)
  }
}

private struct Undo: Error {}

import Foundation
import Testing

@testable import MiniORM

@Table("moment")
private struct StoredMoment {
  let id: Int64
  @Column(as: .unixMilliseconds) var ms: Date
  @Column(.default(sql: "0"), as: .unixSeconds) var seconds: Date
  @Column(.default(sql: "'1970-01-01'")) var text: Date
}

@Suite("Dates as column values")
struct DateValueTests {
  /// Dates in the years 0 to 9999 with fractions of every size, on both sides of 1970 and 2001.
  private static let dates: [Date] = {
    var random = SeededRandom(5)
    var intervals: [Double] = [
      0, 0.5, -0.5, 1e-9, -1e-9, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 0.001, -0.001,
      0.1, -0.1, 0.123_456_789,
      -978_307_200, -978_307_200.5, -978_307_199.999, -63_145_526_400, 252_423_993_599.999,
      59.999_999_9, -0.000_000_1, 86_399.999_999, 1.0.nextUp, 1.0.nextDown, (-1.0).nextUp,
      (-1.0).nextDown, 1e9.nextUp, -1e9.nextDown,
    ]
    for _ in 0..<1000 {
      intervals.append(Double.random(in: -63_145_526_400...252_423_993_599, using: &random))
      intervals.append(Double.random(in: -2e9...2e9, using: &random))
      intervals.append(Double.random(in: -1...1, using: &random))
      intervals.append(
        Double(Int64.random(in: -2_000_000_000_000...2_000_000_000_000, using: &random)) / 1000)
    }
    return intervals.map { Date(timeIntervalSinceReferenceDate: $0) }
  }()

  @Test("the last moments of the year 9999 stay in that year, with any number of digits")
  func lastMoments() async throws {
    for count in 0...20 {
      let text =
        "9999-12-31 23:59:59" + (count == 0 ? "" : ".") + String(repeating: "9", count: count)
      let date = try DatabaseValue.text(text).value(as: Date.self)
      #expect(try DatabaseValue(date, as: .text).value(as: Date.self) == date)
      #expect(date.iso8601?.prefix(4) == "9999", "\(text)")
    }
    // A time zone shifts the date beyond 9999, where it has no text form.
    let date = try DatabaseValue.text("9999-12-31 23:59:59.99999-00:01").value(as: Date.self)
    #expect(date.timeIntervalSinceReferenceDate > 252_423_993_600)
    #expect(throws: DatabaseError.self) { try DatabaseValue(date, as: .text) }
  }

  @Test("a Date as text round-trips exactly, including fractions of a millisecond")
  func text() async throws {
    #expect(try await stored(Self.dates) == Self.dates)
    #expect(try await stored([nil, Self.dates[3]]) == [nil, Self.dates[3]])
    for date in Self.dates {
      let text = try #require(date.iso8601)
      #expect(Date(iso8601: text) == date, "\(text)")
    }
  }

  @Test(
    "29 February is valid only in leap years",
    arguments: [
      (1_996, true), (2_000, true), (2_024, true), (1_900, false), (2_023, false), (2_025, false),
      (2_026, false), (2_100, false), (2_400, true),
    ])
  func leapDay(year: Int, exists: Bool) async throws {
    let text = "\(year)-02-29 12:00:00.000"
    let value = SQL(raw: "SELECT '\(text)'")
    try await withFile { database throws in
      if exists {
        let date = try await database.read { try $0.value(Date.self, value) }
        #expect(date?.iso8601 == text)
      } else {
        await #expect(throws: DatabaseError.self, "\(text)") {
          try await database.read { _ = try $0.value(Date.self, value) }
        }
      }
    }
  }

  @Test("texts of dates sort like the dates")
  func order() throws {
    let sorted = Self.dates.sorted()
    let texts = try sorted.map { date in Array(try #require(date.iso8601).utf8) }
    for index in 1..<texts.count {
      let isLess = texts[index - 1].lexicographicallyPrecedes(texts[index])
      #expect(isLess == (sorted[index - 1] < sorted[index]))
    }
  }

  @Test("dates of whole milliseconds equal the texts of other programs", arguments: [0, 1])
  func millisecondTexts(seed: UInt64) async throws {
    var random = SeededRandom(seed)
    let counts = (0..<10_000).map { index -> Int64 in
      seed == 0
        ? 1_764_400_395_000 + index
        : .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let dates = try decoder.decode([Date].self, from: JSONEncoder().encode(counts))
    #expect(dates == counts.map { Date(timeIntervalSince1970: Double($0) / 1000) })
    try await withFile { database throws in
      let texts = try await database.write { db in
        try db.execute("CREATE TABLE other (count INTEGER, date TEXT)")
        for count in counts {
          let (seconds, rest) = count.floorDivided(by: 1000)
          try db.execute(
            "INSERT INTO other VALUES (\(count), strftime('%Y-%m-%d %H:%M:%S', \(seconds), 'unixepoch') || format('.%03d', \(rest)))"
          )
        }
        return try db.query(String.self, "SELECT date FROM other ORDER BY rowid")
      }
      #expect(try dates.map { try DatabaseValue($0, as: .text) } == texts.map { .text($0) })
      #expect(texts.map { Date(iso8601: $0) } == dates)
      let iso = try dates.map { try DatabaseValue($0, as: .iso8601) }
      #expect(iso == texts.map { .text($0.replacing(" ", with: "T") + "Z") })
      // SQL converts like Swift.
      let converted = try await database.read { db in
        try db.query(
          DatabaseValue.self,
          "SELECT miniorm_date(count, 'milliseconds', 'text') FROM other ORDER BY rowid")
      }
      #expect(converted == texts.map { .text($0) })
    }
  }

  @Test("SQLite's datetime() reads the same second")
  func sqliteAgrees() async throws {
    // SQLite rounds fractions above 0.9995 up to the next second.
    let dates = Self.dates.filter { date in
      let interval = date.timeIntervalSinceReferenceDate
      return interval - interval.rounded(.down) < 0.999
    }
    try await withFile { database throws in
      let seconds = try await database.read { db in
        try dates.map { try db.value(Int64.self, "SELECT unixepoch(\($0, as: .text))") }
      }
      #expect(
        seconds
          == dates.map { Int64($0.timeIntervalSinceReferenceDate.rounded(.down)) + 978_307_200 })
      let text = try await database.read { db in
        try db.value(
          String.self, "SELECT datetime(\(Date(timeIntervalSince1970: -1.25), as: .text))")
      }
      #expect(text == "1969-12-31 23:59:58")
    }
  }

  @Test(
    "dates are written with at least three decimals, and more if needed",
    arguments: [
      (0.0, "1970-01-01 00:00:00.000"), (-0.5, "1969-12-31 23:59:59.500"),
      (1_000_000_000.123, "2001-09-09 01:46:40.123"), (951_782_400, "2000-02-29 00:00:00.000"),
      (-62_167_219_200, "0000-01-01 00:00:00.000"), (253_402_300_799, "9999-12-31 23:59:59.000"),
      (-2_203_891_200, "1900-03-01 00:00:00.000"), (-2_203_977_600, "1900-02-28 00:00:00.000"),
      (1_000_000_000.000_1, "2001-09-09 01:46:40.0001"),
    ])
  func format(seconds: Double, text: String) {
    #expect(Date(timeIntervalSince1970: seconds).iso8601?.prefix(text.utf8.count) == text[...])
  }

  @Test(
    "every ISO 8601 form that SQLite accepts is read",
    arguments: [
      ("2026-11-21 10:04:58.123", 1_795_255_498.123),
      ("2026-11-21T10:04:58.123", 1_795_255_498.123),
      ("2026-11-21 10:04:58", 1_795_255_498), ("2026-11-21 10:04:58Z", 1_795_255_498),
      ("2026-11-21T10:04:58.5Z", 1_795_255_498.5), ("2026-11-21 10:04", 1_795_255_440),
      ("2026-11-21T10:04Z", 1_795_255_440), ("2026-11-21", 1_795_219_200),
      ("2026-11-21 10:04:58+01:00", 1_795_251_898),
      ("2026-11-21T10:04:58.25-05:30", 1_795_275_298.25),
      ("2026-11-21 00:30+01:00", 1_795_217_400), ("1969-12-31 23:59:59.75", -0.25),
      ("0000-01-01", -62_167_219_200), ("2000-02-29", 951_782_400),
      ("2026-11-21 10:04:58.1234567890123456789", 1_795_255_498.123_456_8),
    ])
  func parse(text: String, seconds: Double) async throws {
    let date = try await read(Date.self, "\(text)")
    #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(
    "a malformed date throws",
    arguments: [
      "", "now", "2026", "2026-11", "2026-11-", "2026-13-01", "2026-00-01", "2026-02-29",
      "1900-02-29", "2026-04-31", "2026-11-00", "2026-11-32", "26-11-21", "2026/11/21",
      "2026-11-21 ", "2026-11-21T", "2026-11-21 24:00:00", "2026-11-21 10:60:00",
      "2026-11-21 10:04:60", "2026-11-21 10:04:58.", "2026-11-21 10:04:58x",
      "2026-11-21 10:04:58 UTC", "2026-11-21 1:04:58", "2026-11-21 10:04:58+1", "2026-11-21Z",
      "2026-11-21 10:04:58+25:00", "2026-11-21 10:04:58ZZ", "2026-11-21\0", "２０２６-11-21",
      "1795255498",
    ])
  func malformed(text: String) async throws {
    let error = try await failure { _ = try await read(Date.self, "\(text)") }
    #expect(error.summary == "read 20 -.cell -: The text is not an ISO 8601 date in column cell")
  }

  @Test("a number is not read as a date text")
  func number() async throws {
    let error = try await failure { _ = try await read(Date.self, "0") }
    #expect(error.summary == "read 20 -.cell -: Expected TEXT but found INTEGER in column cell")
  }

  @Test("a date without an ISO 8601 text is refused")
  func beyond() throws {
    let intervals: [Double] = [
      .infinity, -.infinity, .nan, 1e300, -1e300, 1e15, 252_423_993_600, -63_145_526_401,
    ]
    for interval in intervals {
      let error = #expect(throws: DatabaseError.self) {
        try DatabaseValue(Date(timeIntervalSinceReferenceDate: interval), as: .text)
      }
      #expect(
        error?.summary
          == "bind 20 -.- -: A date outside the years 0 to 9999 has no ISO 8601 text: store it with @Column(as: .unixSeconds)"
      )
    }
  }

  @Test("whole seconds round-trip as Unix seconds, before and after 1970")
  func unixSeconds() async throws {
    var random = SeededRandom(6)
    var counts: [Int64] = [0, 1, -1, 978_307_200, -62_167_219_200, 253_402_300_799]
    counts += (0..<500).map { _ in
      Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
    }
    for count in counts {
      let date = Date(timeIntervalSinceReferenceDate: Double(count - 978_307_200))
      #expect(try DatabaseValue(UnixSeconds(date)) == .integer(count))
    }
    let values = counts.map { UnixSeconds(Date(timeIntervalSince1970: Double($0))) }
    #expect(try await stored(values).map(\.value) == values.map(\.value))
  }

  @Test("a stored count of milliseconds reads as a date that stores the same count")
  func unixMilliseconds() async throws {
    var random = SeededRandom(7)
    var counts: [Int64] = [0, 1, -1, 999, -999, 1000, -1000, 978_307_200_000, 1_795_255_498_123]
    counts += (0..<2000).map { _ in
      Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
    }
    let all = counts
    try await withFile { database throws in
      let again = try await database.read { db in
        try all.map { count -> DatabaseValue in
          let date = try db.value(UnixMilliseconds.self, "SELECT \(count)")
          return try DatabaseValue(date)
        }
      }
      #expect(again == all.map { DatabaseValue.integer($0) })
    }
  }

  @Test(
    "dates round to the nearest unit, also before 1970, and halves away from it",
    arguments: [
      (0.9999, Int64(1), Int64(1000)), (-0.0001, 0, 0), (-0.5, -1, -500), (0.5, 1, 500),
      (1.5, 2, 1500), (-1.2506, -1, -1251), (1.2504, 1, 1250), (-1, -1, -1000),
      (978_307_199.75, 978_307_200, 978_307_199_750),
      (978_307_200.25, 978_307_200, 978_307_200_250),
    ])
  func nearest(seconds: Double, wholeSeconds: Int64, milliseconds: Int64) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try DatabaseValue(UnixSeconds(date)) == .integer(wholeSeconds))
    #expect(try DatabaseValue(UnixMilliseconds(date)) == .integer(milliseconds))
  }

  /// Whole milliseconds: around 1970 and 2001, in every year, and at the limits of a Double's
  /// precision.
  private static let milliseconds: [Int64] = {
    var random = SeededRandom(8)
    var counts: [Int64] = [
      0, 1, -1, 499, 500, 999, -999, 978_307_199_999, 978_307_200_001, 1_795_255_498_123,
      1 << 50 - 1, 1 << 50, -(1 << 50), 1 << 51 - 1, -62_167_219_200_000, 253_402_300_799_999,
    ]
    counts += (0..<1000).map { 1_700_000_000_000 + $0 }
    for _ in 0..<3000 {
      counts.append(.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
      counts.append(.random(in: -2_000_000_000_000...2_000_000_000_000, using: &random))
      counts.append(.random(in: -1_000_000...1_000_000, using: &random))
    }
    return counts
  }()

  @Test("a date of whole milliseconds is stored as their count, and round-trips")
  func wholeMilliseconds() async throws {
    let counts = Self.milliseconds
    let dates = counts.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    #expect(
      try dates.map { try DatabaseValue(UnixMilliseconds($0)) } == counts.map { .integer($0) })
    #expect(try await stored(dates.map { UnixMilliseconds($0) }).map(\.value) == dates)
    // The nearest date, computed from 2001, gives the same count.
    for count in counts where count.magnitude < 1 << 50 {
      let (seconds, rest) = count.floorDivided(by: 1000)
      let date = Date(
        timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(rest) / 1000)
      #expect(try DatabaseValue(UnixMilliseconds(date)) == .integer(count))
    }
  }

  @Test("the stored count is the nearest count to the date")
  func nearestOfAll() throws {
    for date in Self.dates {
      for (stored, unit) in [
        (try DatabaseValue(UnixMilliseconds(date)), 0.001),
        (try DatabaseValue(UnixSeconds(date)), 1),
      ] {
        guard case .integer(let count) = stored else {
          Issue.record("\(stored)")
          continue
        }
        let distance = Date(timeIntervalSince1970: Double(count) * unit).timeIntervalSince(date)
        // Dates in the year 9999 are 31 µs apart.
        #expect(abs(distance) <= unit / 2 + 0.000_04, "\(date.timeIntervalSince1970)")
      }
    }
  }

  @Test("a query for a date finds rows of another program, which converts alike")
  func foreign() async throws {
    try await withFile(DatabaseSchema(StoredMoment.self)) { database throws in
      let counts = Self.milliseconds.filter { (0...253_402_300_799_999).contains($0) }.prefix(1000)
      let dates = counts.map { Date(timeIntervalSince1970: Double($0) / 1000) }
      try await database.write { db in
        for count in counts { try db.execute("INSERT INTO moment (ms) VALUES (\(count))") }
      }
      let moments = Table<StoredMoment>()
      for date in dates.prefix(50) {
        #expect(try await moments.where { $0.ms == date }.count(in: database) >= 1)
      }
      // SQL converts a date for another column to the value that Swift would store.
      try await moments.update {
        $0.text = $0.ms
        $0.seconds = $0.ms
      }.run(in: database)
      let rows = try await moments.order { $0.id }.fetchAll(in: database)
      #expect(rows.map(\.ms) == dates)
      #expect(
        try rows.map { try DatabaseValue(UnixSeconds($0.seconds)) }
          == dates.map { try DatabaseValue(UnixSeconds($0)) })
      try await moments.update { $0.seconds = $0.text }.run(in: database)
      #expect(
        try await moments.order { $0.id }.fetchAll(in: database).map(\.seconds)
          == rows.map(\.seconds))
      try await moments.update { $0.ms = $0.text }.run(in: database)
      #expect(try await moments.order { $0.id }.fetchAll(in: database).map(\.ms) == dates)
    }
  }

  @Test("a date beyond 64 bits of seconds or milliseconds is refused")
  func unixBeyond() throws {
    for interval in [Double.infinity, -.infinity, .nan, 1e300, 9.3e18] {
      let date = Date(timeIntervalSinceReferenceDate: interval)
      let error = #expect(throws: DatabaseError.self) { try DatabaseValue(UnixSeconds(date)) }
      #expect(
        error?.summary
          == "bind 20 -.- -: The date is infinite, not a number, or beyond 64 bits of seconds or milliseconds: use an Optional for a missing date"
      )
      #expect(throws: DatabaseError.self) { try DatabaseValue(UnixMilliseconds(date)) }
    }
    let date = Date(timeIntervalSinceReferenceDate: 1e16)
    #expect(try DatabaseValue(UnixSeconds(date)) == .integer(10_000_000_978_307_200))
    #expect(throws: DatabaseError.self) { try DatabaseValue(UnixMilliseconds(date)) }
  }

  @Test("the smallest and largest counts are read without a trap")
  func extremes() async throws {
    for count in [Int64.min, Int64.min + 1] as [Int64] {
      let error = try await failure { _ = try await read(UnixSeconds.self, "\(count)") }
      #expect(
        error.summary
          == "read 20 -.cell -: The number is infinite or too large for a Date in column cell")
    }
    let latest = try await read(UnixSeconds.self, "9223372036854775807")
    #expect(latest.value.timeIntervalSinceReferenceDate == 9_223_372_035_876_468_736)
    let earliest = try await read(UnixMilliseconds.self, "-9223372036854775808")
    #expect(
      earliest.value.timeIntervalSinceReferenceDate == -9_223_373_015_161_976 + 0.192)
  }
}

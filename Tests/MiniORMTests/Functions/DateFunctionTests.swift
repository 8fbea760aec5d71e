import Foundation
import Testing

@testable import MiniORM

@Table("meeting")
private struct Meeting: Equatable {
  let id: Int64
  var text: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
  @Column(as: .unixMilliseconds) var end: Date?
}

@Suite("Date functions")
struct DateFunctionTests {
  private let c = Meeting.columns
  private let from: SQL = "FROM meeting ORDER BY id"

  private func withMeetings(_ body: (Database) async throws -> Void) async throws {
    // 2024-02-29 12:30:15.250 and 1970-01-01 00:00:00.
    let leap = Date(timeIntervalSince1970: 1_709_209_815.25)
    let epoch = Date(timeIntervalSince1970: 0)
    try await withFile(DatabaseSchema(Meeting.self)) { database throws in
      try await Table<Meeting>().insert(
        contentsOf: [
          Meeting(id: 1, text: leap, seconds: leap, milliseconds: leap, end: leap),
          Meeting(id: 2, text: epoch, seconds: epoch, milliseconds: epoch, end: nil),
        ], in: database)
      try await body(database)
    }
  }

  private let text = #""meeting"."text""#
  private let seconds = #""meeting"."seconds", 'unixepoch'"#
  private let milliseconds = #""meeting"."milliseconds" / 1000.0, 'unixepoch'"#
  private let end = #""meeting"."end" / 1000.0, 'unixepoch'"#

  @Test("the date functions read a date in its column's format")
  func storage() async throws {
    try await withMeetings { database throws in
      func expect<Value: Equatable & Sendable>(
        _ expression: MiniORM.SQLExpression<Value>, _ sql: String, _ values: [Value],
        _ bindings: [DatabaseValue] = []
      ) async throws {
        try await database.expect(expression, sql, values, binding: bindings, from: from)
      }
      let days: [String?] = ["2024-02-29", "1970-01-01"]
      try await expect(c.text.date(), "date(\(text))", days)
      try await expect(c.seconds.date(), "date(\(seconds))", days)
      try await expect(c.milliseconds.date(), "date(\(milliseconds))", days)
      try await expect(c.end.date(), "date(\(end))", ["2024-02-29", nil])
      try await expect(c.text.time(), "time(\(text))", ["12:30:15", "00:00:00"])
      try await expect(
        c.milliseconds.time(.subsecond), "time(\(milliseconds), 'subsec')",
        ["12:30:15.250", "00:00:00.000"])
      try await expect(
        c.seconds.datetime(), "datetime(\(seconds))",
        ["2024-02-29 12:30:15", "1970-01-01 00:00:00"])
      try await expect(
        c.text.julianDay(), "julianday(\(text))", [2460370.0210098377, 2440587.5])
      try await expect(c.text.unixEpoch(), "unixepoch(\(text))", [1_709_209_815, 0])
      try await expect(
        c.milliseconds.unixEpoch(), "unixepoch(\(milliseconds))", [1_709_209_815, 0])
      try await expect(
        c.seconds.strftime("%Y-%m %H"), "strftime(?, \(seconds))", ["2024-02 12", "1970-01 00"],
        [.text("%Y-%m %H")])
      try await expect(
        c.text.timediff(c.end), "timediff(\(text), datetime(\(end), 'subsec'))",
        ["+0000-00-00 00:00:00.000", nil])
    }
  }

  @Test("date modifiers")
  func modifiers() async throws {
    let cases: [([DateModifier], String, String)] = [
      ([.years(1)], "'+1 years'", "2025-03-01 12:30:15"),
      ([.months(-1)], "'-1 months'", "2024-01-29 12:30:15"),
      ([.days(7)], "'+7 days'", "2024-03-07 12:30:15"),
      ([.hours(-13)], "'-13 hours'", "2024-02-28 23:30:15"),
      ([.minutes(30)], "'+30 minutes'", "2024-02-29 13:00:15"),
      ([.seconds(-15.5)], "'-15.5 seconds'", "2024-02-29 12:29:59"),
      ([.seconds(1)], "'+1.0 seconds'", "2024-02-29 12:30:16"),
      ([.startOfYear], "'start of year'", "2024-01-01 00:00:00"),
      ([.startOfMonth], "'start of month'", "2024-02-01 00:00:00"),
      ([.startOfDay], "'start of day'", "2024-02-29 00:00:00"),
      ([.weekday(0)], "'weekday 0'", "2024-03-03 12:30:15"),
      (
        [.startOfMonth, .months(1), .days(-1)], "'start of month', '+1 months', '-1 days'",
        "2024-02-29 00:00:00"
      ),
      ([.localTime, .utc], "'localtime', 'utc'", "2024-02-29 12:30:15"),
      ([.subsecond], "'subsec'", "2024-02-29 12:30:15.250"),
    ]
    try await withMeetings { database throws in
      for (modifiers, sql, value) in cases {
        let expression =
          switch modifiers.count {
          case 1: c.text.datetime(modifiers[0])
          case 2: c.text.datetime(modifiers[0], modifiers[1])
          default: c.text.datetime(modifiers[0], modifiers[1], modifiers[2])
          }
        try await database.expect(
          expression, "datetime(\(text), \(sql))", [value], from: "FROM meeting WHERE id = 1")
      }
    }
  }

  @Test("a changed date is stored in its column's format")
  func applying() async throws {
    let day = 86_400.0
    let leap = 1_709_209_815.25
    func dates(_ intervals: Double?...) -> [Date?] {
      intervals.map { $0.map { Date(timeIntervalSince1970: $0) } }
    }
    try await withMeetings { database throws in
      try await database.expect(
        c.text.applying(.days(1)), "datetime(\(text), '+1 days', 'subsec')",
        dates(leap + day, day), from: from)
      try await database.expect(
        c.seconds.applying(.days(1)),
        "CAST(round(unixepoch(\(seconds), '+1 days', 'subsec')) AS INTEGER)",
        dates(leap.rounded(.down) + day, day), from: from)
      try await database.expect(
        c.milliseconds.applying(.days(1)),
        "CAST(round(unixepoch(\(milliseconds), '+1 days', 'subsec') * 1000) AS INTEGER)",
        dates(leap + day, day), from: from)
      try await database.expect(
        c.end.applying(.days(1), .startOfDay),
        "CAST(round(unixepoch(\(end), '+1 days', 'start of day', 'subsec') * 1000) AS INTEGER)",
        dates((leap / day).rounded(.down) * day + day, nil), from: from)
      let table = Table<Meeting>()
      let date = Date(timeIntervalSince1970: leap + day)
      #expect(try await table.where { $0.text.applying(.days(1)) == date }.count(in: database) == 1)
      #expect(try await table.where { $0.end.applying(.days(1)) == date }.count(in: database) == 1)
      #expect(try await table.where { $0.text < SQL.now }.count(in: database) == 2)
      #expect(try await table.where { $0.seconds < SQL.now }.count(in: database) == 2)
      #expect(
        try await table.where { $0.milliseconds.optional > SQL.now.applying(.years(-1)) }
          .count(in: database) == 0)
    }
  }

  @Test("dates stored in different formats are compared as dates")
  func comparison() async throws {
    try await withMeetings { database throws in
      func position(_ unit: String) -> String {
        "miniorm_date_position(\(text), 'text', '\(unit)')"
      }
      let milliseconds = #""meeting"."milliseconds""#
      try await database.expect(
        c.milliseconds == c.text, "(\(milliseconds) = \(position("milliseconds")))", [true, true],
        from: from)
      try await database.expect(
        c.text == c.milliseconds, "(\(position("milliseconds")) = \(milliseconds))", [true, true],
        from: from)
      try await database.expect(
        c.seconds <= c.milliseconds, #"(("meeting"."seconds" * 1000) <= \#(milliseconds))"#,
        [true, true], from: from)
      try await database.expect(
        c.end == c.text, #"("meeting"."end" IS \#(position("milliseconds")))"#, [true, false],
        from: from)
      try await database.expect(
        c.text != c.end, #"(\#(position("milliseconds")) IS NOT "meeting"."end")"#, [false, true],
        from: from)
      try await database.expect(
        c.seconds.between(c.milliseconds, and: c.text),
        #"((("meeting"."seconds" * 1000) >= \#(milliseconds)) "#
          + #"AND ("meeting"."seconds" <= \#(position("seconds"))))"#,
        [false, true], from: from)
      try await database.expect(
        c.seconds.isIn(c.text), #"(("meeting"."seconds" = \#(position("seconds"))))"#,
        [false, true], from: from)
      try await database.expect(
        c.end ?? c.text,
        #"ifnull("meeting"."end", miniorm_date(\#(text), 'text', 'milliseconds'))"#,
        [Date(timeIntervalSince1970: 1_709_209_815.25), Date(timeIntervalSince1970: 0)], from: from)
      try await database.expect(
        Case.when(c.id == 1, then: c.text).else(c.seconds),
        #"CASE WHEN ("meeting"."id" = ?) THEN "meeting"."text" "#
          + #"ELSE miniorm_date("meeting"."seconds", 'seconds', 'text') END"#,
        [Date(timeIntervalSince1970: 1_709_209_815.25), Date(timeIntervalSince1970: 0)],
        binding: [.integer(1)], from: from)
      try await database.expect(
        c.text == c.text, #"("meeting"."text" = "meeting"."text")"#, [true, true], from: from)
    }
  }
}

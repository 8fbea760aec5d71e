import Foundation
import Testing

@testable import MiniORM

@Table("meet") private struct Meet: Sendable {
  let id: Int64
  var text: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
  @Column(as: .iso8601) var iso8601: Date = moment
  @Column(as: .textSeconds) var textSeconds: Date = moment
  @Column(as: .unixSecondsReal) var real: Date = moment
  var uuid: UUID
  @Column(as: .uuidBytes) var bytes: UUID
  @Column(as: .uppercaseUUID) var uppercase: UUID = key
  var decimal: Decimal
  @Column(as: .decimal(scale: 2)) var cents: Decimal
  @Column(as: .decimal(scale: 3)) var mills: Decimal
}

@Table("met") private struct Met: Sendable {
  let id: Int64
  var text: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
  @Column(as: .iso8601) var iso8601: Date = moment
  @Column(as: .textSeconds) var textSeconds: Date = moment
  @Column(as: .unixSecondsReal) var real: Date = moment
  var uuid: UUID
  @Column(as: .uuidBytes) var bytes: UUID
  @Column(as: .uppercaseUUID) var uppercase: UUID = key
  var decimal: Decimal
  @Column(as: .decimal(scale: 2)) var cents: Decimal
  @Column(as: .decimal(scale: 3)) var mills: Decimal
}

private let meets = Table<Meet>()
private let mets = Table<Met>()
private let moment = Date(timeIntervalSince1970: 1_700_000_000)
private let key = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

/// A clause in which two expressions meet.
private enum MeetingPlace: CaseIterable, Sendable {
  case equal, unequal, less, atLeast, between, list, subquery, rowEqual, rowLess, rowSubquery
  case caseSubject, caseResult, coalescing, nullif, minimum, iif, join, union, except
  case scalar

  /// True if the clause accepts no conversion.
  var isFixed: Bool { [.subquery, .rowSubquery, .union, .except].contains(self) }

  /// Returns the number of rows for which the clause sees two equal values.
  func count<Value: ColumnValue>(
    _ left: KeyPath<Meet.Columns, MiniORM.SQLExpression<Value>>,
    _ right: KeyPath<Met.Columns, MiniORM.SQLExpression<Value>>,
    in database: Database
  ) async throws -> Int where Value.SQLTruth == Bool, Value.SQLUnwrapped == Value {
    let cross = meets.crossJoin(mets)
    func rows(
      _ condition: (MiniORM.SQLExpression<Value>, MiniORM.SQLExpression<Value>) -> any SQLCondition
    ) async throws -> Int {
      try await cross.where { condition($0[keyPath: left], $1[keyPath: right]) }
        .fetchAll(in: database).count
    }
    let one = SQL.value(1)
    let values = meets.select { $0[keyPath: left] }
    let others = mets.select { $0[keyPath: right] }
    switch self {
    case .equal: return try await rows { $0 == $1 }
    case .unequal: return try await rows { !($0 != $1) }
    case .less: return try await rows { ($0 <= $1) && !($0 < $1) }
    case .atLeast: return try await rows { ($0 >= $1) && !($0 > $1) }
    case .between: return try await rows { $0.between($1, and: $1) }
    case .list: return try await rows { $0.isIn($1, $0) && $0.isIn($1) }
    case .rowEqual: return try await rows { RowValue(one, $0) == RowValue(one, $1) }
    case .rowLess:
      return try await rows {
        !(RowValue(one, $0) < RowValue(one, $1)) && !(RowValue(one, $0) > RowValue(one, $1))
      }
    case .caseSubject:
      return try await rows { Case($0).when($1, then: one).else(0) == 1 }
    case .caseResult: return try await rows { Case.when(one == 1, then: $1).else($0) == $0 }
    case .coalescing: return try await rows { ($0.nullif($0) ?? $1) == $0 }
    case .nullif: return try await rows { $0.nullif($1).isNil }
    case .minimum: return try await rows { $0.min($1) == $0 }
    case .iif: return try await rows { (one == 1).iif($0, else: $1) == $1 }
    case .join:
      return try await meets.join(mets) { $0[keyPath: left] == $1[keyPath: right] }
        .fetchAll(in: database).count
    case .subquery:
      return try await meets.where { $0[keyPath: left].isIn(others) }.count(in: database)
    case .rowSubquery:
      let pairs = mets.select { ($0.id, $0[keyPath: right]) }
      return try await meets.where { RowValue($0.id, $0[keyPath: left]).isIn(pairs) }
        .count(in: database)
    case .union: return try await values.union(others).fetchAll(in: database).count
    case .except: return try await 1 - values.except(others).fetchAll(in: database).count
    case .scalar:
      return try await meets.where { $0[keyPath: left].optional == others.scalar() }
        .count(in: database)
    }
  }
}

@Suite("Two formats that meet")
struct FormatMeetingTests {
  private func withValues(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Meet.self, Met.self)) { database throws in
      try await meets.insert(
        Meet(
          id: 1, text: moment, seconds: moment, milliseconds: moment, uuid: key, bytes: key,
          decimal: 9.5, cents: 9.5, mills: 9.5), in: database)
      try await mets.insert(
        Met(
          id: 1, text: moment, seconds: moment, milliseconds: moment, uuid: key, bytes: key,
          decimal: 9.5, cents: 9.5, mills: 9.5), in: database)
      try await body(database)
    }
  }

  /// Tests a place with all pairs of formats of a type.
  private func test<Value: ColumnValue>(
    _ type: Value.Type, _ place: MeetingPlace,
    _ lefts: [KeyPath<Meet.Columns, MiniORM.SQLExpression<Value>>],
    _ rights: [KeyPath<Met.Columns, MiniORM.SQLExpression<Value>>],
    converts: Bool, in database: Database
  ) async throws where Value.SQLTruth == Bool, Value.SQLUnwrapped == Value {
    for (row, left) in lefts.enumerated() {
      for (column, right) in rights.enumerated() {
        if row == column || converts && !place.isFixed {
          #expect(
            try await place.count(left, right, in: database) == 1, "\(place) \(left) \(right)")
        } else {
          let error = try await failure { try await place.count(left, right, in: database) }
          #expect(error.message.contains("store equal values differently, as "), "\(error)")
          #expect(error.message.contains("declare both columns with the same"), "\(error)")
          for name in ["\"meet", "\"met"] { #expect(error.message.contains(name), "\(error)") }
        }
      }
    }
  }

  @Test(
    "are equal, converted, or refused with the names of both columns",
    arguments: MeetingPlace.allCases)
  fileprivate func places(_ place: MeetingPlace) async throws {
    try await withValues { database throws in
      try await test(
        Date.self, place,
        [\.text, \.seconds, \.milliseconds, \.iso8601, \.textSeconds, \.real],
        [\.text, \.seconds, \.milliseconds, \.iso8601, \.textSeconds, \.real], converts: true,
        in: database)
      try await test(
        UUID.self, place, [\.uuid, \.bytes, \.uppercase], [\.uuid, \.bytes, \.uppercase],
        converts: false, in: database)
      try await test(
        Decimal.self, place, [\.decimal, \.cents, \.mills], [\.decimal, \.cents, \.mills],
        converts: false,
        in: database)
    }
  }

  @Test(
    "dates in any two formats compare exactly, as the decoded dates do",
    arguments: [0.0, 0.4, 0.5, 0.422, 0.999_5, 0.001, -0.25])
  func exactDates(fraction: Double) async throws {
    try await withFile(DatabaseSchema(Meet.self)) { database throws in
      let bases: [Double] = [0, 1000, -1000, 1.7e9, 253_402_300_000, -62e9]
      for base in bases {
        let date = Date(timeIntervalSince1970: base + fraction)
        let row = Meet(
          id: 1, text: date, seconds: date, milliseconds: date, iso8601: date,
          textSeconds: date, uuid: key, bytes: key,
          decimal: 0, cents: 0, mills: 0)
        try await meets.deleteAll(in: database)
        let stored = try await meets.insert(row, in: database)
        let columns: [(KeyPath<Meet.Columns, MiniORM.SQLExpression<Date>>, Date)] = [
          (\.text, stored.text), (\.seconds, stored.seconds), (\.milliseconds, stored.milliseconds),
          (\.iso8601, stored.iso8601), (\.textSeconds, stored.textSeconds),
        ]
        func holds(_ condition: (Meet.Columns) -> any SQLCondition) async throws -> Bool {
          try await meets.where(condition).count(in: database) == 1
        }
        for (left, value) in columns {
          for (right, other) in columns {
            #expect(try await holds { $0[keyPath: left] == $0[keyPath: right] } == (value == other))
            #expect(try await holds { $0[keyPath: left] < $0[keyPath: right] } == (value < other))
            #expect(
              try await holds { $0[keyPath: left].isIn($0[keyPath: right]) } == (value == other))
          }
          for bound in [date, value, date + 0.3, date - 0.3] {
            #expect(try await holds { $0[keyPath: left] == bound } == (value == bound))
            #expect(try await holds { $0[keyPath: left] < bound } == (value < bound))
            #expect(try await holds { $0[keyPath: left] >= bound } == (value >= bound))
            #expect(try await holds { $0[keyPath: left].isIn([bound]) } == (value == bound))
            #expect(
              try await holds { $0[keyPath: left].between(bound, and: bound) } == (value == bound))
            #expect(
              try await holds { RowValue($0.id, $0[keyPath: left]) > (Int64(1), bound) }
                == (value > bound)
            )
            #expect(
              try await holds { Case($0[keyPath: left]).when(bound, then: 1).else(0) == 1 }
                == (value == bound))
          }
        }
      }
    }
  }

  @Test("SQL writes the text of a date as binding does")
  func assignedText() async throws {
    try await withFile(DatabaseSchema(Meet.self)) { database throws in
      for milliseconds in [1_700_000_000_422, 999, -1, 951_782_399_001, 12] {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        try await meets.deleteAll(in: database)
        try await meets.insert(
          Meet(
            id: 1, text: moment, seconds: moment, milliseconds: date, uuid: key, bytes: key,
            decimal: 0, cents: 0, mills: 0), in: database)
        try await meets.update { $0.text = $0.milliseconds }.run(in: database)
        let row = try #require(try await meets.fetchOne(in: database))
        #expect(row.text == row.milliseconds)
        #expect(try await meets.where { $0.text == row.milliseconds }.count(in: database) == 1)
        #expect(try await meets.where { $0.text == $0.milliseconds }.count(in: database) == 1)
        #expect(try await meets.where { $0.milliseconds == $0.text }.count(in: database) == 1)
        try await meets.update {
          $0.iso8601 = $0.milliseconds
          $0.text = $0.iso8601
        }.run(in: database)
        let other = try #require(try await meets.fetchOne(in: database))
        #expect(other.iso8601 == row.milliseconds)
        #expect(try await meets.where { $0.iso8601 == row.milliseconds }.count(in: database) == 1)
      }
    }
  }

  @Test(
    "a date without a text is refused, not stored as NULL",
    arguments: [253_402_300_800, -62_167_219_201])
  func vanishingDates(seconds: Int) async throws {
    try await withFile(DatabaseSchema(Vanishing.self)) { database throws in
      try await database.write {
        try $0.execute("INSERT INTO vanishing VALUES (1, \(seconds), '2026-01-01 00:00:00.000')")
      }
      let error = try await failure {
        try await Table<Vanishing>().update { $0.text = $0.seconds.optional }.run(in: database)
      }
      #expect(error.message.contains("outside the years 0 to 9999"))
      #expect(
        try await database.values("SELECT text FROM vanishing")
          == [.text("2026-01-01 00:00:00.000")])
      let text = Table<Vanishing>().where { $0.text < $0.seconds.optional }
      #expect(try await text.count(in: database) == (seconds > 0 ? 1 : 0))
    }
  }
}

@Table("vanishing") private struct Vanishing {
  let id: Int64
  @Column(as: .unixSeconds) var seconds: Date
  var text: Date?
}

@Suite("The table of places where two formats meet")
struct MeetingTableTests {
  private static let owners: Set = [
    "SQLExpression", "RowValue", "Select", "SelectStatement", "Source", "NamedSource", "From",
    "RelatedRows", "Table", "Alias", "FromStatement",
  ]

  private static func lines(of file: String) throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Design")
    return try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// The number of columns, expressions and sources that a declaration takes, with the instance.
  private static func operandCount(_ name: String, _ declaration: String) -> Int {
    guard let start = declaration.firstIndex(of: "(") else { return 0 }
    var depth = 0
    let parameters = declaration[start...].prefix { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth > 0
    }
    let operand =
      /\b(?:SQLExpression|RowValue|Select|From|Alias|RelatedRows)<|some (?:\w+Statement|Source)\b/
    let isMethod =
      owners.contains(String(name.prefix { $0 != "." })) && !declaration.contains("static ")
      && !declaration[..<start].contains("init")
    return parameters.matches(of: operand).count + (isMethod ? 1 : 0)
  }

  @Test("names every function with two operands, and a test of each")
  func complete() throws {
    var functions: Set<String> = []
    var all: Set<String> = []
    for line in try Self.lines(of: "api.txt") {
      guard let end = line.firstRange(of: ": ") else { continue }
      let name = String(line[..<end.lowerBound])
      guard name.contains("(") else { continue }
      all.insert(name)
      if Self.operandCount(name, String(line[end.upperBound...])) > 1 { functions.insert(name) }
    }
    // Shows that the list was read.
    #expect(functions.count > 80)
    let rows = try Self.lines(of: "meetings.txt").map { $0.components(separatedBy: " | ") }
    #expect(rows.allSatisfy { $0.count == 2 })
    let listed = Set(rows.map { $0[0] })
    #expect(functions.subtracting(listed) == [], "missing in Design/meetings.txt")
    #expect(listed.subtracting(all) == [], "no public function")
    let tests = Set(rows.flatMap { $0[1].components(separatedBy: ", ") })
    let places = Set(MeetingPlace.allCases.map { "\($0)" })
    let suites = tests.subtracting(places).subtracting(["one format", "apart"])
    #expect(places.subtracting(tests) == [], "not in the table")
    #expect(suites.allSatisfy { $0.hasSuffix("Tests") }, "\(suites)")
  }
}

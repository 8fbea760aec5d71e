import Foundation
import Testing

@testable import MiniORM

/// A column for each storage format of the types that have several.
@Table("formatted") private struct Formatted {
  let id: Int64
  var text: Date
  @Column(as: .iso8601) var iso: Date
  @Column(as: .textSeconds) var whole: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixSecondsReal) var real: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
  var uuid: UUID
  @Column(as: .uuidBytes) var bytes: UUID
  @Column(as: .uppercaseUUID) var uppercase: UUID
  var decimal: Decimal
  @Column(as: .decimal(scale: 2)) var scaled: Decimal

  init(row: Int64, _ date: Date, _ id: UUID, _ number: Decimal) {
    self.id = row
    (text, iso, whole, seconds, real, milliseconds) = (date, date, date, date, date, date)
    (uuid, bytes, uppercase) = (id, id, id)
    (decimal, scaled) = (number, number)
  }
}

private let formattedRows = Table<Formatted>()

/// The ways to pass a value with its storage format to raw SQL.
private enum Way: String, CaseIterable, Sendable {
  case format, column, optional, listByFormat, listByColumn, condition, expression, positional
  case named, prepared, assignedByFormat, assignedByColumn

  /// Returns the ids of the rows that raw SQL finds, or whose cell an assignment makes equal.
  func ids<Value: ColumnValue>(
    _ column: any KeyPath<Formatted.Columns, SQLExpression<Value>> & Sendable,
    _ format: ColumnStorage, _ value: Value, in db: isolated Connection
  ) throws -> [Int64] {
    let expression = Formatted.columns[keyPath: column]
    let name = try #require(expression.column?.name)
    let select: SQL = "SELECT id FROM formatted WHERE \(identifier: name)"
    func found(_ sql: SQL, _ arguments: Arguments = []) throws -> [Int64] {
      try db.query(Int64.self, sql, arguments)
    }
    func assigned(_ value: SQL) throws -> [Int64] {
      try db.execute("UPDATE formatted SET \(identifier: name) = \(value) WHERE id = 9")
      let cells = try db.query("SELECT id, \(identifier: name) FROM formatted ORDER BY id")
      // Equal in storage class and bytes.
      return try cells.dropLast().filter { $0.values[1] == cells.last?.values[1] }
        .map { try $0["id", as: Int64.self] }
    }
    switch self {
    case .format: return try found("\(select) = \(value, as: format)")
    case .column: return try found("\(select) = \(value, as: expression)")
    case .optional: return try found("\(select) IS \(Optional(value), as: format)")
    case .listByFormat: return try found("\(select) IN \([value, value], as: format)")
    case .listByColumn: return try found("\(select) IN \([value], as: expression)")
    case .condition:
      let rows = formattedRows.where(sql: "\(identifier: name) = \(value, as: format)")
      return try rows.fetchAll(in: db).map(\.id)
    case .expression:
      let rows = formattedRows.where {
        SQLExpression<Bool>("\($0[keyPath: column]) = \(value, as: $0[keyPath: column])")
      }
      return try rows.fetchAll(in: db).map(\.id)
    case .positional: return try found("\(select) = ?", [DatabaseValue(value, as: format)])
    case .named: return try found("\(select) = :x", ["x": DatabaseValue(value, as: format)])
    case .prepared:
      let query = PreparedQuery(DatabaseValue.self) { sought in
        formattedRows.where(sql: "\(identifier: name) = \(sought)")
      }
      return try query.fetchAll(DatabaseValue(value, as: format), in: db).map(\.id)
    case .assignedByFormat: return try assigned("\(value, as: format)")
    case .assignedByColumn: return try assigned("\(value, as: expression)")
    }
  }
}

@Suite("A date, a UUID or a decimal in raw SQL names its stored form")
struct RawValueFormatTests {
  private static let dates = [
    Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -86_400),
    Date(timeIntervalSince1970: 1_764_400_395),
  ]
  private static let ids = (0..<3).map { _ in UUID() }
  private static let numbers = [Decimal(0), Decimal(string: "-12.34"), Decimal(99)].compactMap {
    $0
  }

  private func withRows(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(version: 1, Formatted.self)) { database throws in
      let rows = (0..<3).map {
        Formatted(row: Int64($0 + 1), Self.dates[$0], Self.ids[$0], Self.numbers[$0])
      }
      let last = Formatted(row: 9, Date(timeIntervalSince1970: 7), UUID(), 7)
      try await formattedRows.insert(contentsOf: rows + [last], in: database)
      try await body(database)
    }
  }

  @Test("every way finds the rows, and writes the cells, of typed SQL", arguments: Way.allCases)
  private func agreement(way: Way) async throws {
    try await withRows { database in
      func check<Value: ColumnValue & Equatable>(
        _ column: any KeyPath<Formatted.Columns, SQLExpression<Value>> & Sendable,
        _ property: KeyPath<Formatted, Value>, _ format: ColumnStorage, _ values: [Value]
      ) async throws {
        for value in values {
          let found = try await database.write { db in
            try way.ids(column, format, value, in: db)
          }
          let rows = try await formattedRows.order { $0.id }.fetchAll(in: database)
          let equal = rows.dropLast().filter { $0[keyPath: property] == value }.map(\.id)
          #expect(equal.count == 1 && found == equal, "\(format)")
        }
      }
      try await check(\.text, \.text, .text, Self.dates)
      try await check(\.iso, \.iso, .iso8601, Self.dates)
      try await check(\.whole, \.whole, .textSeconds, Self.dates)
      try await check(\.seconds, \.seconds, .unixSeconds, Self.dates)
      try await check(\.real, \.real, .unixSecondsReal, Self.dates)
      try await check(\.milliseconds, \.milliseconds, .unixMilliseconds, Self.dates)
      try await check(\.uuid, \.uuid, .text, Self.ids)
      try await check(\.bytes, \.bytes, .uuidBytes, Self.ids)
      try await check(\.uppercase, \.uppercase, .uppercaseUUID, Self.ids)
      try await check(\.decimal, \.decimal, .text, Self.numbers)
      try await check(\.scaled, \.scaled, .decimal(scale: 2), Self.numbers)
    }
  }

  @Test("a comparison with a named form deletes the earlier rows only")
  func earlier() async throws {
    try await withRows { database in
      let cutoff = Date(timeIntervalSince1970: 5)
      let deleted = try await database.write { db in
        try db.execute("DELETE FROM formatted WHERE real < \(cutoff, as: .unixSecondsReal)")
      }
      #expect(deleted == 2)
      let column = Formatted.columns.real
      let left = try await formattedRows.where { _ in
        SQLExpression<Date>("real", as: .unixSecondsReal) > cutoff
          && SQLExpression<Date?>("max(real, 0)", as: .unixSecondsReal) == column
      }.count(in: database)
      #expect(left == 2)
    }
  }

  private static let severalForms: [any ColumnValue] = [
    dates[0], Optional(dates[0]), ids[0], Optional(ids[0]), numbers[0], Optional(numbers[0]),
  ]

  @Test("a value whose type is erased throws, and the error lists the forms", arguments: 0..<6)
  func erased(index: Int) async throws {
    let value = Self.severalForms[index]
    let list = [
      "write .text, .iso8601, .textSeconds, .unixSeconds, .unixSecondsReal or .unixMilliseconds",
      "write .text, .uuidBytes or .uppercaseUUID",
      "write .text or .decimal(scale:) with a scale from 0 to 18",
    ][index / 2]
    let type = ["Date", "UUID", "Decimal"][index / 2]
    let expected =
      "bind 21 -.- -: A \(type) has several stored forms, and raw SQL does not show the column's: pass DatabaseValue(value, as: format), and as the format \(list)"
    try await withRows { database in
      for (sql, arguments) in [
        ("SELECT ?", Arguments([value])), ("SELECT :x", Arguments(["x": value])),
        ("SELECT ?", [value]), ("SELECT :x", ["x": value]),
      ] as [(SQL, Arguments)] {
        let error = try await failure {
          try await database.read { db in try db.query(sql, arguments) }
        }
        #expect(error.summary == expected)
      }
      let step = DatabaseSchema.Step(to: 2, "late", .backfill("formatted") { _ in ["text": value] })
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, Formatted.self, steps: [step]))
      }
      #expect(error.message.hasSuffix(list))
    }
  }

  @Test("an expression that is only a value, or an argument, throws in raw SQL")
  func bareExpressions() async throws {
    try await withRows { database in
      let date = Self.dates[0]
      let prepared = PreparedQuery(Date.self) { formattedRows.where(sql: "real = \($0)") }
      for error in [
        try await failure { try await database.read { try $0.query("SELECT \(SQL.value(date))") } },
        try await failure { try await prepared.fetchAll(date, in: database) },
      ] {
        #expect(error.message.hasPrefix("A Date has several stored forms"))
      }
      let one = try await database.read { try $0.value(Int.self, "SELECT \(SQL.value(1))") }
      #expect(one == 1)
    }
  }

  @Test("a type throws for the format of another type")
  func wrongFormat() async throws {
    let date = Self.dates[0]
    let sql: [SQL] = [
      "SELECT \(date, as: .uuidBytes)", "SELECT \(date, as: .json)",
      "SELECT 1 IN \([date], as: .decimal(scale: 2))",
    ]
    try await withRows { database in
      for sql in sql {
        let error = try await failure { try await database.read { try $0.query(sql) } }
        #expect(
          error.message.hasPrefix("Date has no storage format .")
            && error.message.hasSuffix(
              ": write .text, .iso8601, .textSeconds, .unixSeconds, .unixSecondsReal or .unixMilliseconds"
            )
        )
      }
      let error = try await failure {
        try await database.read { try $0.query("SELECT \(7, as: .unixSeconds)") }
      }
      #expect(error.message == "Int has no storage format .unixSeconds: leave out the format")
      let scale = try await failure {
        try await database.read { try $0.query("SELECT \(Decimal(7), as: .decimal(scale: 19))") }
      }
      #expect(scale.message.hasPrefix("Decimal has no storage format .decimal(scale: 19)"))
    }
  }

  @Test("nil is NULL in every form")
  func null() async throws {
    let date: Date? = nil
    try await withRows { database in
      let values = try await database.read { db in
        try db.query(
          "SELECT \(date, as: .text), \(date, as: .unixSeconds), \(date, as: Formatted.columns.real)"
        )
          + db.query("SELECT ?", [DatabaseValue(date, as: .iso8601)])
      }
      #expect(values.flatMap(\.values) == [.null, .null, .null, .null])
    }
  }

  /// Each public declaration that takes raw SQL, arguments or a value of an erased type.
  private static let ways: Set = [
    // Raw SQL with interpolated values.
    "Connection.execute(_:_:)", "Connection.forEach(_:_:_:)", "Connection.query(_:_:)",
    "Connection.query(_:_:_:)", "Connection.queryPlan(_:_:)", "Connection.value(_:_:_:)",
    "SQL.StringInterpolation.appendInterpolation(_:)",
    "SQL.StringInterpolation.appendInterpolation(_:as:)", "SQLExpression.init(_:)",
    "SQLExpression.init(_:as:)", "Table.where(sql:)",
    // Values of an erased type.
    "Arguments.init(_:)", "DatabaseSchema.Operation.backfill(_:_:)", "DatabaseValue.init(_:)",
    "DatabaseValue.init(_:as:)",
    // Values that a column's declaration encodes.
    "ColumnConstraint.default(_:)",
    // A value with a known format: a bare one is refused in raw SQL.
    "SQL.value(_:)",
  ]

  @Test("the list of ways to bind a value is complete")
  func complete() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Design/api.txt")
    var found: Set<String> = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      guard let end = line.firstRange(of: ": "), line[..<end.lowerBound].contains("(") else {
        continue
      }
      let declaration = line[end.upperBound...]
      let takesValue = declaration.contains(
        /\((?:.*, )?_? ?\w+: SQL\b|: Arguments\b|\b(?:any|some) ColumnValue\b|<Values?>\(_ values?: Values?\b/
      )
      if takesValue { found.insert(String(line[..<end.lowerBound])) }
    }
    found.remove("SQL.bindings")
    #expect(found == Self.ways)
  }
}

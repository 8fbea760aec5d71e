import Testing

@testable import MiniORM

@Suite("Doubles as SQL literals")
struct RealLiteralTests {
  @Test(
    "short numbers stay as they are, others become an exact product",
    arguments: [
      (0, "0.0"), (-0.0, "0.0"), (0.1, "0.1"), (-2.5, "-2.5"), (9.99, "9.99"), (3, "3.0"),
      (1e22, "1e+22"), (1e-7, "1e-07"), (123.456, "123.456"), (.infinity, "9e999"),
      (-.infinity, "-9e999"), (0.1 + 0.2, "(1351079888211149 * 1.0 / 4503599627370496)"),
      (-1e23, "(-2980232238769531 * 1.0 * 33554432)"),
      (
        .leastNormalMagnitude,
        "(1 * 1.0" + Array(repeating: " / 4611686018427387904", count: 16).joined()
          + " / 1073741824)"
      ),
    ] as [(Double, String)])
  func text(value: Double, literal: String) {
    #expect(DatabaseValue.real(value).literal == literal)
  }

  @Test("SQLite reads every literal back exactly")
  func exact() async throws {
    var random = SeededRandom(29)
    var values: [Double] = [
      0, 1, .pi, 0.1, 1e22, 1e23, 9_007_199_254_740_994, .infinity, -.infinity,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude,
      .leastNormalMagnitude.nextDown, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      9_223_372_036_854_775_808, 1.7976931348623155e308, 8.589934592e9, Double(bitPattern: 10_000),
    ]
    for _ in 0..<13_000 {
      let bits = random.next()
      // Values of every size, typical values, and values near zero.
      values.append(Double(bitPattern: bits))
      values.append(Double.random(in: -1000...1000, using: &random))
      values.append((Double.random(in: -1e9...1e9, using: &random) * 100).rounded() / 100)
      values.append(Double(Int.random(in: -10_000_000...10_000_000, using: &random)) / 10_000)
      values.append(Double(bitPattern: bits >> 12))
      values.append(Double(Int64(bitPattern: bits)))
      values.append(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
      values.append(Double.random(in: 0...1, using: &random))
    }
    let all = values.filter { !$0.isNaN }
    #expect(all.count > 100_000)
    let database = try await Database.inMemory()
    let wrong = try await database.read { db in
      var wrong: [Double] = []
      for start in stride(from: 0, to: all.count, by: 400) {
        let some = all[start..<Swift.min(start + 400, all.count)]
        let list = some.map { DatabaseValue.real($0).literal }.joined(separator: ", ")
        let row = try db.query(SQL(raw: "SELECT \(list)"))[0].values
        for (value, read) in zip(some, row) {
          guard case .real(let double) = read, double.bitPattern == (value + 0).bitPattern else {
            wrong.append(value)
            continue
          }
        }
      }
      return wrong
    }
    #expect(wrong == [])
    try await database.close()
  }

  @Test("a default, a check, a view and a trigger keep the exact number")
  func schema() async throws {
    let (number, tiny) = (0.1 + 0.2, Double.leastNonzeroMagnitude)
    let readings = Table<Reading>()
    let view = DatabaseView("near", as: readings.where { $0.value == number })
    try await withFile(DatabaseSchema(Reading.self, objects: [view])) { database throws in
      try await database.write { try $0.execute("INSERT INTO reading (id) VALUES (1)") }
      #expect(
        try await readings.fetchOne(in: database) == Reading(id: 1, value: number, least: tiny))
      #expect(try await database.values("SELECT count(*) FROM near") == [.integer(1)])
      // The declaration in the file equals the model's.
      try await database.migrate(DatabaseSchema(Reading.self, objects: [view]))
      #expect(
        try await database.schemaReport(for: DatabaseSchema(Reading.self, objects: [view]))
          .differences.isEmpty)
    }
  }

  @Test("a column with such a default is added to a table with rows")
  func added() async throws {
    try await withFile { database throws in
      try await database.write { db in
        try db.execute(script: "CREATE TABLE reading (id INTEGER PRIMARY KEY) STRICT")
        try db.execute("INSERT INTO reading VALUES (5)")
      }
      try await database.migrate(DatabaseSchema(Reading.self))
      #expect(
        try await Table<Reading>().fetchAll(in: database) == [
          Reading(id: 5, value: 0.1 + 0.2, least: .leastNonzeroMagnitude)
        ])
    }
  }
}

@Table("reading")
private struct Reading: Equatable {
  let id: Int64
  @Column(.default(0.1 + 0.2)) var value: Double
  @Column(.default(Double.leastNonzeroMagnitude)) var least: Double
}

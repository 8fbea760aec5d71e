import Foundation
import Testing

@testable import MiniORM

@Table("price")
private struct Price: Identifiable, Equatable {
  let id: Int64
  @Column(as: .decimal(scale: 2)) var amount: Decimal = 0.07
  @Column(as: .decimal(scale: 0)) var whole: Decimal?
  @Column(.default(1.57), as: .decimal(scale: 18)) var fine: Decimal
  var text: Decimal = 0
  var note: Decimal?
}

@Selection
private struct PriceLine: Equatable {
  @Column(as: .decimal(scale: 2)) let amount: Decimal
  @Column(as: .decimal(scale: 2)) let total: Decimal?
}

@Table("scales")
private struct Scales: Equatable {
  let id: Int64
  @Column(as: .decimal(scale: 1)) var s1: Decimal = 1.5
  @Column(as: .decimal(scale: 2)) var s2: Decimal = 1.5
  @Column(as: .decimal(scale: 3)) var s3: Decimal = 1.5
  @Column(as: .decimal(scale: 4)) var s4: Decimal = 1.5
  @Column(as: .decimal(scale: 5)) var s5: Decimal = 1.5
  @Column(as: .decimal(scale: 6)) var s6: Decimal = 1.5
  @Column(as: .decimal(scale: 7)) var s7: Decimal = 1.5
  @Column(as: .decimal(scale: 8)) var s8: Decimal = 1.5
  @Column(as: .decimal(scale: 9)) var s9: Decimal = 1.5
  @Column(as: .decimal(scale: 10)) var s10: Decimal = 1.5
  @Column(as: .decimal(scale: 11)) var s11: Decimal = 1.5
  @Column(as: .decimal(scale: 12)) var s12: Decimal = 1.5
  @Column(as: .decimal(scale: 13)) var s13: Decimal = 1.5
  @Column(as: .decimal(scale: 14)) var s14: Decimal = 1.5
  @Column(as: .decimal(scale: 15)) var s15: Decimal = 1.5
  @Column(as: .decimal(scale: 16)) var s16: Decimal = 1.5
  @Column(as: .decimal(scale: 17)) var s17: Decimal = 1.5
  @Column(as: .decimal(scale: 18)) var s18: Decimal = 1.5
}

private let prices = Table<Price>()

private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

@Suite("Decimal numbers")
struct DecimalTests {
  private static let numbers = ["9", "10", "100", "-5", "0", "1.5", "-0.25", "99.99", "0.01"]

  private func withPrices(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Price.self)) { database throws in
      let rows = try Self.numbers.map {
        Price.Draft(amount: try decimal($0), text: try decimal($0), note: try decimal($0))
      }
      try await prices.insert(contentsOf: rows, in: database)
      try await body(database)
    }
  }

  @Test("the sum of a sliding window, with NULL among its rows")
  func slidingSum() async throws {
    try await withPrices { database throws in
      try await prices.insert(Price.Draft(text: 1000, note: nil), in: database)
      try await prices.insert(Price.Draft(text: try decimal("0.001"), note: 7), in: database)
      let found = try await prices.order { $0.id }.select {
        (
          $0.text.sum().over(orderBy: $0.id, frame: .rows(.preceding(1))),
          $0.note.sum().over(orderBy: $0.id, frame: .rows(.currentRow))
        )
      }
      .fetchAll(in: database)
      let texts = [
        "9", "19", "110", "95", "-5", "1.5", "1.25", "99.74", "100", "1000.01", "1000.001",
      ]
      #expect(found.map(\.0) == (try texts.map(decimal)))
      #expect(found.map(\.1) == (try Self.numbers.map(decimal)) + [nil, 7])
    }
  }

  @Test("each scale stores the number of its smallest units")
  func units() async throws {
    try await withFile(DatabaseSchema(Scales.self)) { database throws in
      try await Table<Scales>().insert(Scales(id: 1), in: database)
      let stored = try await database.read { db in
        try db.query("SELECT * FROM scales")[0].values.dropFirst()
      }
      // 1.5 is 15, 150, 1500 and so on in scaled units.
      var units: Int64 = 15
      for value in stored {
        #expect(value == .integer(units))
        (units, _) = units.multipliedReportingOverflow(by: 10)
      }
      #expect(stored.count == 18)
      #expect(try await Table<Scales>().fetchAll(in: database) == [Scales(id: 1)])
    }
  }

  @Test("a column of units: declaration, storage and reading")
  func declared() async throws {
    #expect(
      Price.schema.columns.dropFirst().map { $0.definition(isKey: false, isStrict: true) } == [
        #""amount" INTEGER NOT NULL DEFAULT (7)"#, #""whole" INTEGER"#,
        #""fine" INTEGER NOT NULL DEFAULT (1570000000000000000)"#,
        #""text" TEXT NOT NULL DEFAULT ('0')"#, #""note" TEXT"#,
      ])
    try await withFile(DatabaseSchema(Price.self)) { database throws in
      let row = try await prices.insert(Price.Draft(), in: database)
      let (amount, fine) = (try decimal("0.07"), try decimal("1.57"))
      // The literal 0.07 is stored exactly.
      #expect(row == Price(id: 1, amount: amount, fine: 1.57))
      #expect(row.fine == fine)
      try await database.write { try $0.execute("INSERT INTO price (id) VALUES (2)") }
      #expect(try await prices.find(2, in: database) == Price(id: 2, amount: amount, fine: fine))
      #expect(
        try await database.read { db in
          try db.query("SELECT typeof(amount), amount, whole FROM price WHERE id = 1")[0].values
        } == [.text("integer"), .integer(7), .null])
      try await prices.update { $0.whole = 12 }.run(in: database)
      #expect(try await prices.find(1, in: database)?.whole == 12)
    }
  }

  @Test("numbers of every size round-trip, and sort in the order of their units")
  func roundTrip() async throws {
    var random = SeededRandom(41)
    var counts: [Int64] = [0, 1, -1, 99, 100, .max, .min, .max - 1, .min + 1]
    for _ in 0..<500 {
      counts.append(Int64(bitPattern: random.next()) >> Int64.random(in: 0...62, using: &random))
    }
    func check<Scale: DecimalScale>(_: Scale.Type) async throws {
      let values = counts.map {
        ScaledDecimal<Scale>(
          Decimal(sign: .plus, exponent: -Scale.digits, significand: Decimal($0)))
      }
      for (value, count) in zip(values, counts) {
        #expect(try DatabaseValue(value) == .integer(count))
      }
      #expect(try await stored(values).map(\.value) == values.map(\.value))
      let order = zip(values, counts).sorted { $0.1 < $1.1 }.map(\.0.value)
      #expect(order == order.sorted())
    }
    try await check(DecimalScales.S0.self)
    try await check(DecimalScales.S1.self)
    try await check(DecimalScales.S2.self)
    try await check(DecimalScales.S9.self)
    try await check(DecimalScales.S18.self)
  }

  @Test(
    "too many digits, too many units, and NaN are refused",
    arguments: [
      ("0.001", "The number has more than 2 digits after the point: round it first"),
      ("-1.005", "The number has more than 2 digits after the point: round it first"),
      (
        "90071992547409.991", "The number has more than 2 digits after the point: round it first"
      ),
      (
        "0.0000000000000000000000000000001",
        "The number has more than 2 digits after the point: round it first"
      ),
      (
        "92233720368547758.08",
        "The number is too large: a decimal of scale 2 is stored in 64 bits. Use a smaller scale"
      ),
      (
        "-92233720368547758.09",
        "The number is too large: a decimal of scale 2 is stored in 64 bits. Use a smaller scale"
      ),
      (
        "1e100",
        "The number is too large: a decimal of scale 2 is stored in 64 bits. Use a smaller scale"
      ),
      ("NaN", "Decimal.nan cannot be stored: use an Optional for a missing number"),
    ])
  func refused(text: String, message: String) throws {
    let value = text == "NaN" ? Decimal.nan : try decimal(text)
    let error = #expect(throws: DatabaseError.self) {
      try DatabaseValue(ScaledDecimal<DecimalScales.S2>(value))
    }
    #expect(error?.summary == "bind 20 -.- -: \(message)")
  }

  @Test("literals with two digits have their exact value")
  func literals() throws {
    for count in 0..<20_000 {
      // The conversion of a Swift literal to Decimal.
      let literal = Decimal(floatLiteral: Double(count) / 100)
      #expect(try DatabaseValue(ScaledDecimal<DecimalScales.S2>(literal)) == .integer(Int64(count)))
    }
  }

  @Test("columns of units and of text: comparison, order, minimum, maximum and sum")
  func queries() async throws {
    try await withPrices { database throws in
      let all = try Self.numbers.map(decimal)
      for limit in all {
        let greater = all.filter { $0 > limit }.sorted()
        #expect(
          try await prices.where { $0.amount > limit }.order { $0.amount }.fetchAll(in: database)
            .map(\.amount) == greater)
        #expect(
          try await prices.where { $0.text > limit }.order { $0.text }.fetchAll(in: database)
            .map(\.text) == greater)
        #expect(
          try await prices.where { $0.note <= limit }.order { $0.note.descending }
            .fetchAll(in: database).map(\.note) == all.filter { $0 <= limit }.sorted(by: >))
        #expect(try await prices.where { $0.amount == limit }.count(in: database) == 1)
        #expect(try await prices.where { $0.text == limit }.count(in: database) == 1)
      }
      #expect(try await prices.min(of: { $0.amount }, in: database) == -5)
      #expect(try await prices.max(of: { $0.amount }, in: database) == 100)
      #expect(try await prices.min(of: { $0.text }, in: database) == -5)
      #expect(try await prices.max(of: { $0.text }, in: database) == 100)
      #expect(try await prices.max(of: { $0.note }, in: database) == 100)
      let sum = all.reduce(0, +)
      #expect(try await prices.sum(of: { $0.amount }, in: database) == sum)
      #expect(try await prices.sum(of: { $0.text }, in: database) == sum)
      #expect(try await prices.sum(of: { $0.note }, in: database) == sum)
      #expect(try await prices.limit(0).sum(of: { $0.text }, in: database) == nil)
      let figures =
        try await prices
        .select { ($0.amount.sum(), $0.text.min(), $0.text.max(), $0.note.sum(), $0.text.sum()) }
        .fetchOne(in: database)
      #expect(try #require(figures) == (sum, -5, 100, sum, sum))
      #expect(
        try await prices.where { $0.text.between(0, and: 10) }.count(in: database)
          == all.filter { (0...10).contains($0) }.count)
      #expect(try await prices.where { $0.text.isIn([9, 100, 7]) }.count(in: database) == 2)
      #expect(
        try await prices.where { RowValue($0.text, $0.id) > (9, 1) }.count(in: database) == 3)
      let highest = prices.select { $0.text.max() }.scalar()
      #expect(try await prices.where { $0.text == highest }.fetchAll(in: database).map(\.id) == [3])
      let ranks = try await prices.select { ($0.id, SQL.rank().over(orderBy: $0.text)) }
        .fetchAll(in: database)
      #expect(ranks.sorted { $0.1 < $1.1 }.map(\.0) == [4, 7, 5, 9, 6, 1, 2, 8, 3])
      let lines = try await prices.where { $0.amount >= 99.99 }.order { $0.amount.descending }
        .select {
          PriceLine.Columns(amount: $0.amount, total: $0.amount.sum().over(orderBy: $0.amount))
        }
        .fetchAll(in: database)
      #expect(
        lines == [
          PriceLine(amount: 100, total: try decimal("199.99")),
          PriceLine(amount: try decimal("99.99"), total: try decimal("99.99")),
        ])
    }
  }

  @Test("numbers that another program wrote in another form")
  func foreign() async throws {
    try await withFile(DatabaseSchema(Price.self)) { database throws in
      for (id, text) in ["1.50", "01.5", "15e-1", "+2", "1e3", "-0", "x"].enumerated() {
        try await database.write {
          try $0.execute("INSERT INTO price (id, text) VALUES (\(id), \(text))")
        }
      }
      let number = try decimal("1.5")
      func ids(_ table: Table<Price>) async throws -> [Int64] {
        try await table.select { $0.id }.fetchAll(in: database)
      }
      #expect(try await ids(prices.where { $0.text == number }.order { $0.id }) == [0, 1, 2])
      #expect(try await ids(prices.order { ($0.text, $0.id) }) == [5, 0, 1, 2, 3, 4, 6])
      let groups = try await prices.group { $0.text }.select { _ in SQL.count() }.fetchAll(
        in: database)
      #expect(groups.sorted() == [1, 1, 1, 1, 3])
      let error = try await failure { try await prices.sum(of: { $0.text }, in: database) }
      #expect(
        error.message
          == "miniorm_decimal_sum: The text is not a decimal number, or has more digits than a Decimal "
          + "in the 1st argument")
    }
  }

  @Test(
    "a value that overflows the column is refused with the column, and so is an overflowing sum")
  func beyond() async throws {
    try await withPrices { database throws in
      let error = try await failure {
        try await prices.where { $0.amount > 0.001 }.count(in: database)
      }
      #expect(
        error.message == "The number has more than 2 digits after the point: round it first")
      let large = try decimal("92233720368547758.07")
      try await prices.update { $0.amount = large }.run(in: database)
      let sum = try await failure { try await prices.sum(of: { $0.amount }, in: database) }
      #expect(sum.message == "integer overflow")
      let digits = try decimal("0.00000000000000000000000000000000000001")
      try await prices.insert(Price.Draft(text: digits), in: database)
      try await prices.insert(Price.Draft(text: 1000), in: database)
      let lost = try await failure { try await prices.sum(of: { $0.text }, in: database) }
      #expect(
        lost.message
          == "miniorm_decimal_sum: the sum has more digits than a Decimal. Sum fewer rows, or cast the values to Double"
      )
    }
  }

  @Test("comparing two scales, or units with text, throws")
  func scales() async throws {
    try await withPrices { database throws in
      for query in [
        prices.where { $0.amount == $0.fine }, prices.where { $0.amount < $0.text },
        prices.where { $0.text.isIn(prices.select { $0.amount }) },
      ] {
        let error = try await failure { try await query.count(in: database) }
        #expect(error.message.contains("store equal values differently, as "))
      }
    }
  }

  @Test("texts of numbers compare like the numbers")
  func texts() throws {
    var random = SeededRandom(43)
    var numbers: [Decimal] = [
      0, 1, -1, 10, 100, 9, 99, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]
    for _ in 0..<150 {
      numbers.append(
        Decimal(
          sign: Bool.random(using: &random) ? .plus : .minus,
          exponent: Int.random(in: -8...8, using: &random),
          significand: Decimal(UInt64.random(in: 0...99_999, using: &random))))
    }
    let texts = try numbers.map { number in try #require(DecimalText(number.description.utf8)) }
    for (left, leftText) in zip(numbers, texts) {
      for (right, rightText) in zip(numbers, texts) {
        #expect((leftText < rightText) == (left < right), "\(left) \(right)")
        #expect((leftText == rightText) == (left == right), "\(left) \(right)")
      }
    }
  }

  @Test("a custom scale has 0 to 127 digits")
  func scalesOfOnesOwn() async throws {
    #expect(try await read(ScaledDecimal<Furthest>.self, "5").value == Decimal(string: "5e-127"))
    try await Self.expectRefused(Minus.self, -1)
    try await Self.expectRefused(Beyond.self, 128)
    try await Self.expectRefused(Least.self, .min)
    try await Self.expectRefused(Greatest.self, .max)
  }

  private static func expectRefused<Scale: DecimalScale>(_ scale: Scale.Type, _ digits: Int)
    async throws
  {
    let message = "The scale of \(scale) must be from 0 to 127, not \(digits)"
    let reading = try await failure { try await read(ScaledDecimal<Scale>.self, "5") }
    #expect(reading.message.contains(message), "\(reading)")
    let binding = try await failure {
      try await withFile { database throws in
        try await database.write { try $0.execute("SELECT \(ScaledDecimal<Scale>(5))") }
      }
    }
    #expect(binding.message.contains(message), "\(binding)")
  }
}

private enum Furthest: DecimalScale { static var digits: Int { 127 } }
private enum Minus: DecimalScale { static var digits: Int { -1 } }
private enum Beyond: DecimalScale { static var digits: Int { 128 } }
private enum Least: DecimalScale { static var digits: Int { .min } }
private enum Greatest: DecimalScale {
  static var digits: Int { .max }
}

import Testing

@testable import MiniORM

@Suite("Numbers as column values")
struct NumberValueTests {
  private func roundTrip<Value: FixedWidthInteger & ColumnValue>(_ type: Value.Type) async throws {
    var random = SeededRandom(UInt64(Value.bitWidth))
    let limit = Value(clamping: Int64.max)
    var values: [Value] = [Value.min, 0, 1, limit, limit - 1, 42]
    if Value.isSigned { values += [0 - 1, Value.min + 1] }
    values += (0..<100).map { _ in Value.random(in: Value.min...limit, using: &random) }
    #expect(try await stored(values) == values)
    #expect(try await stored([nil, values[0], nil, limit]) == [nil, values[0], nil, limit])
  }

  @Test("every integer width round-trips, with its minimum and maximum")
  func integers() async throws {
    try await roundTrip(Int.self)
    try await roundTrip(Int8.self)
    try await roundTrip(Int16.self)
    try await roundTrip(Int32.self)
    try await roundTrip(Int64.self)
    try await roundTrip(UInt.self)
    try await roundTrip(UInt8.self)
    try await roundTrip(UInt16.self)
    try await roundTrip(UInt32.self)
    try await roundTrip(UInt64.self)
  }

  @Test("an unsigned integer beyond Int64.max is refused")
  func unsignedBeyondInt64() throws {
    for value in [UInt64(Int64.max) + 1, UInt64.max] {
      let error = #expect(throws: DatabaseError.self) { try DatabaseValue(storing: value) }
      #expect(
        error?.summary
          == "bind 20 -.- -: The integer is too large: SQLite stores integers up to Int64.max. Store it as text"
      )
    }
    #expect(throws: DatabaseError.self) { try DatabaseValue(UInt.max) }
  }

  private func refused<Value: FixedWidthInteger & ColumnValue>(
    _ type: Value.Type, _ stored: [Int64]
  ) async throws {
    for integer in stored {
      let error = try await failure { _ = try await read(type, "\(integer)") }
      #expect(
        error.summary
          == "read 20 -.cell -: The integer is out of the range of \(type) in column cell")
    }
  }

  @Test("a stored integer out of range throws")
  func outOfRange() async throws {
    try await refused(Int8.self, [-129, 128, .max, .min])
    try await refused(Int16.self, [-32_769, 32_768])
    try await refused(Int32.self, [Int64(Int32.min) - 1, Int64(Int32.max) + 1])
    try await refused(UInt8.self, [-1, 256])
    try await refused(UInt16.self, [-1, 65_536])
    try await refused(UInt32.self, [-1, Int64(UInt32.max) + 1])
    try await refused(UInt64.self, [-1, .min])
    try await refused(UInt.self, [-1])
  }

  @Test("only 0 and 1 are Bools")
  func bools() async throws {
    #expect(try await stored([true, false, true]) == [true, false, true])
    #expect(try await stored([nil, true, false]) == [nil, true, false])
    for other in [Int64(2), -1, .max] {
      let error = try await failure { _ = try await read(Bool.self, "\(other)") }
      #expect(error.summary == "read 20 -.cell -: Expected 0 or 1 for a Bool in column cell")
    }
  }

  @Test("every double except NaN round-trips exactly, −0.0 as 0.0")
  func doubles() async throws {
    var random = SeededRandom(1)
    var values: [Double] = [
      0, 1, -1, 0.1, -0.1, 1e308, -1e308, -.leastNonzeroMagnitude, .leastNonzeroMagnitude,
      .leastNormalMagnitude, .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, .infinity, -.infinity, .pi, .ulpOfOne, 9_007_199_254_740_994,
      9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 123, 1e15, 1e18,
    ]
    while values.count < 1000 {
      let value = Double(bitPattern: random.next())
      if !value.isNaN { values.append(value) }
    }
    values.append(-0.0)
    #expect(try await stored(values).map(\.bitPattern) == values.map { ($0 + 0).bitPattern })
    #expect(try await stored([nil, 0.5]) == [nil, 0.5])
  }

  @Test("every float except NaN round-trips exactly, −0.0 as 0.0")
  func floats() async throws {
    var random = SeededRandom(2)
    var values: [Float] = [
      0, 1, -1, 0.1, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, .infinity, -.infinity, .pi,
    ]
    while values.count < 500 {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if !value.isNaN { values.append(value) }
    }
    values.append(-0.0)
    #expect(try await stored(values).map(\.bitPattern) == values.map { ($0 + 0).bitPattern })
    let error = try await failure { _ = try await read(Float.self, "1e300") }
    #expect(
      error.summary == "read 20 -.cell -: The number is out of the range of Float in column cell")
  }

  @Test("negative zero is stored as 0.0, by every way to store a number")
  func negativeZero() async throws {
    let zero = DatabaseValue.real(0)
    let values: [any ColumnValue] = [-0.0, Float(-0.0), Optional(-0.0), DatabaseValue.real(-0.0)]
    for value in values {
      guard case .real(let stored) = try DatabaseValue(storing: value) else {
        Issue.record("\(value)")
        continue
      }
      #expect(stored.sign == .plus)
    }
    #expect(DatabaseValue.real(-0.0).literal == "0.0")
    #expect(
      try DatabaseValue(JSON([-0.0, 0, -0.5, -1])) == DatabaseValue(JSON([0.0, 0, -0.5, -1])))
    let text = #"-0, "-0", \"#
    #expect(
      try DatabaseValue(JSON([text: [-0.0]])) == .text(#"{"-0, \"-0\", \\":[0]}"#))
    try await withPeople { database, table throws in
      // Arithmetic can produce -0.0.
      let score = -1.0 * 0
      try await table.where { $0.id == 1 }.update { $0.score = score }.run(in: database)
      #expect(try await table.where { $0.score == score }.count(in: database) == 1)
      #expect(try await table.where { $0.score.isIn([score]) }.count(in: database) == 1)
      try await table.insert(Person.Draft(name: "Fay", score: score), in: database)
      try await table.insert(Person.Draft(name: "Gus", score: score)).run(in: database)
      let signs = try await database.values(
        "SELECT score FROM person WHERE score = 0 UNION ALL SELECT \(score)")
      #expect(signs == Array(repeating: zero, count: 4))
      for sign in signs {
        guard case .real(let number) = sign else { continue }
        #expect(number.sign == .plus)
      }
    }
  }

  @Test("NaN is refused, with an error that says why")
  func refusedDoubles() throws {
    let nan =
      "bind 20 -.- -: NaN cannot be stored: SQLite would turn it into NULL. "
      + "Use an Optional for a missing number"
    let values: [any ColumnValue] = [
      Double.nan, Double.signalingNaN, Float.nan, Optional(Double.nan), DatabaseValue.real(.nan),
    ]
    for value in values {
      let error = #expect(throws: DatabaseError.self) { try DatabaseValue(storing: value) }
      #expect(error?.summary == nan)
    }
  }

  @Test("a Double reads exactly the integers that it can represent")
  func integerAsDouble() async throws {
    #expect(try await read(Double.self, "3") == 3)
    let error = try await failure { _ = try await read(Double.self, "9007199254740993") }
    #expect(
      error.summary
        == "read 20 -.cell -: The integer has no exact Double value in column cell"
    )
  }
}

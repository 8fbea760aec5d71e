import Foundation
import Testing

@testable import MiniORM

/// Edge values of every format, in each spelling that other programs may write.
private let edges: [DatabaseValue] = {
  let integers: [Int64] = [
    0, 1, -1, 7, 100, 127, 128, 255, 999, 1_000, 65_535, 1_700_000_000, 1_700_000_000_123,
    1 << 53 - 1, 1 << 53, 1 << 53 + 1, .max, .min, .max - 1, 253_402_300_800,
  ]
  let reals: [Double] = [
    0, -0.0, 0.5, 0.1, 1.0 / 3, 3, 9.99, 0.999, 1e20, -2.5, 9_007_199_254_740_991,
    9_007_199_254_740_992, 127,
    .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity,
  ]
  let texts = [
    "", "5", "05", "-0", "0", "1", "9.99", "9.0", "1e3", "1.5", "99999999999999999999", "abc",
    "true",
    "small", "large", "1700000000", "9007199254740993",
    "2026-11-26 17:07:56", "2026-11-26 17:07:56.000", "2026-11-26T17:07:56Z", "2026-11-26",
    "2026-11-26 17:07:56.1234", "0000-01-01 00:00:00.000", "9999-12-31 23:59:59.999",
    "550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000",
    "https://example.org/a?b=c", "[1,2]", "[ 1, 2 ]", "[\"a\",\"b\"]", "[]", "{\"x\":5}",
    "{ \"x\" : 5 }", "null", "Ünïcödé", "1970-01-01 00:00:01.001",
  ]
  let blobs: [[UInt8]] = [[], [0], [1, 2, 3], [UInt8](0..<16), [UInt8](repeating: 255, count: 16)]
  return [.null] + integers.map { .integer($0) } + reals.map { .real($0) }
    + texts.map { .text($0) } + blobs.map { .blob($0) }
}()

extension FormatModel {
  /// The edge values that the column accepts and the model reads, with the meanings.
  static func values() async throws -> [(stored: DatabaseValue, meaning: FormatMeaning)] {
    let database = try await Database.inMemory()
    try await database.migrate(DatabaseSchema(Self.self))
    let values = try await database.write { db in
      var values: [(DatabaseValue, FormatMeaning)] = []
      for (id, edge) in edges.enumerated() {
        do {
          try db.execute("INSERT INTO box VALUES (\(id), \(edge))")
          guard let row = try Table<Self>().find(Int64(id), in: db) else { continue }
          let stored = try db.query("SELECT value FROM box WHERE id = \(id)").first?.values.first
          values.append((try #require(stored), FormatMeaning(row.value)))
        } catch is DatabaseError {}
      }
      return values
    }
    try await database.close()
    return values
  }

  /// The meaning of each row, by key.
  fileprivate static func meanings(in database: Database) async throws -> [Int64: FormatMeaning] {
    let rows = try await Table<Self>().fetchAll(in: database)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, FormatMeaning($0.value)) })
  }
}

extension DatabaseValue {
  /// Returns true if a text or a real number means the same as the model's value. Float and URL
  /// read some values of other programs differently.
  fileprivate func isSame(as meaning: FormatMeaning) -> Bool {
    switch self {
    case .text, .real: FormatMeaning(self).isSame(as: meaning)
    case .null, .integer, .blob: false
    }
  }
}

/// Migrates a table with some values to another format. The database is new, or has the older format.
/// - Parameter tamper: SQL that falsifies the result, to test the check.
/// - Returns: The problem, if any, and true if the values were kept.
private func migrate<Old: FormatModel, New: FormatModel>(
  _ old: Old.Type, to new: New.Type, _ values: [(stored: DatabaseValue, meaning: FormatMeaning)],
  in database: Database, tamper: SQL? = nil
) async throws -> (problem: String?, isKept: Bool) {
  try await database.migrate(DatabaseSchema(version: 1, Old.self))
  try await database.write { db in
    try db.execute("DELETE FROM box")
    for (id, value) in values.enumerated() {
      try db.execute("INSERT INTO box VALUES (\(id), \(value.stored))")
    }
  }
  func contents() async throws -> [[DatabaseValue]] {
    try await database.read { db in
      try db.query("SELECT id, typeof(value), quote(value) FROM box ORDER BY id").map(\.values)
        + db.query("SELECT * FROM sqlite_schema").map(\.values)
        + db.query("SELECT * FROM miniorm_columns").map(\.values)
    }
  }
  let before = try await contents()
  do {
    try await database.migrate(DatabaseSchema(version: 2, New.self))
  } catch let error as DatabaseError {
    guard error.operation == .migrate else { return ("\(error)", false) }
    return (try await contents() == before ? nil : "changed although refused: \(error)", false)
  }
  if let tamper { try await database.write { _ = try $0.execute(tamper) } }
  do {
    let meanings = try await New.meanings(in: database)
    for (id, value) in values.enumerated() {
      guard let now = meanings[Int64(id)] else { return ("row \(id) is missing", true) }
      // The text null is JSON's null, which an optional column reads as nil.
      let isNull = value.stored == .text("null") && now == FormatMeaning.none
      guard value.meaning.isSame(as: now) || value.stored.isSame(as: now) || isNull else {
        return ("\(value.stored) meant \(value.meaning), and now \(now)", true)
      }
    }
    let report = try await database.schemaReport(for: DatabaseSchema(version: 2, New.self))
    return (report.isEmpty ? nil : report.description, true)
  } catch {
    return ("unreadable: \(error)", true)
  }
}

/// Pairs that were once converted wrongly.
private let found = [
  "OfCelsius OfFloat", "OfCount OfFloat", "OfURL OfFloat", "OfStrings OfFloat",
  "Strings_ OfStrings",
]

/// All pairs if the environment variable is set; otherwise a fixed tenth, and the pairs that were
/// once converted wrongly.
private let pairs: [(Int, Int)] = {
  let count = FormatModels.all.count
  let all = (0..<count).flatMap { old in (0..<count).map { (old, $0) } }.filter { $0 != $1 }
  guard ProcessInfo.processInfo.environment["MINIORM_FORMATS"] == nil else { return all }
  return all.enumerated().filter { offset, pair in
    offset % 10 == 3
      || found.contains("\(FormatModels.all[pair.0]) \(FormatModels.all[pair.1])")
  }.map(\.element)
}()

@Suite("Conversions between all formats")
struct FormatPairTests {
  @Test("every row is readable and has the same meaning, or nothing was written", arguments: pairs)
  func pair(old: Int, new: Int) async throws {
    func check<Old: FormatModel, New: FormatModel>(_ old: Old.Type, _ new: New.Type) async throws {
      let values = try await Old.values()
      // All values in an encrypted file, then each value alone.
      try await withTemporaryDatabase { database in
        let outcome = try await migrate(old, to: new, values, in: database)
        #expect(outcome.problem == nil, "\(old) to \(new)")
      }
      var kept: [(stored: DatabaseValue, meaning: FormatMeaning)] = []
      // A refused migration leaves the database as it was, for the next value.
      var database = try await Database.inMemory()
      for value in values {
        let outcome = try await migrate(old, to: new, [value], in: database)
        #expect(outcome.problem == nil, "\(old) to \(new): \(value.stored)")
        guard outcome.isKept else { continue }
        kept.append(value)
        try await database.close()
        database = try await Database.inMemory()
      }
      // The values that were kept alone are also kept together.
      let outcome = try await migrate(old, to: new, kept, in: database)
      #expect(outcome.problem == nil && outcome.isKept, "\(old) to \(new)")
      try await database.close()
    }
    try await check(FormatModels.all[old], FormatModels.all[new])
  }

  @Test(
    "a text becomes a URL only if the URL has the same text",
    arguments: [
      ("https://example.org/a?b=c", true), ("[1,2]", false), ("a b", false), ("Ünïcödé", false),
    ])
  func url(text: String, isKept: Bool) async throws {
    let database = try await Database.inMemory()
    let outcome = try await migrate(
      FormatModels.OfString.self, to: FormatModels.OfURL.self,
      [(stored: .text(text), meaning: .text(text))], in: database)
    #expect(outcome.problem == nil && outcome.isKept == isKept)
    try await database.close()
  }

  @Test(
    "the test detects each class of wrong conversion",
    arguments: [
      (
        FormatModels.OfDecimal2.self, FormatModels.OfDecimal3.self, .integer(999),
        "UPDATE box SET value = 999"
      ),
      (
        FormatModels.OfSeconds.self, FormatModels.OfMilliseconds.self, .integer(1_700_000_000),
        "UPDATE box SET value = value / 1000"
      ),
      (
        FormatModels.OfDate.self, FormatModels.OfSeconds.self, .text("2026-11-26 17:07:56.000"),
        "UPDATE box SET value = value + 1"
      ),
      (
        FormatModels.OfUUID.self, FormatModels.OfUUIDBytes.self,
        .text("550e8400-e29b-41d4-a716-446655440000"),
        "UPDATE box SET value = zeroblob(16)"
      ),
      (
        FormatModels.OfDouble.self, FormatModels.OfDecimal2.self, .real(9.99),
        "UPDATE box SET value = 9"
      ),
      (
        FormatModels.OfInt.self, FormatModels.OfDouble.self, .integer(7),
        "UPDATE box SET value = 7.5"
      ),
      (
        FormatModels.OfInt.self, FormatModels.OfString.self, .integer(7),
        "UPDATE box SET value = '8'"
      ),
      (FormatModels.OfInt.self, FormatModels.OfBool.self, .integer(1), "UPDATE box SET value = 7"),
      (
        FormatModels.OfString.self, FormatModels.OfStrings.self, .text("[]"),
        "UPDATE box SET value = '{}'"
      ),
      (
        FormatModels.OfData.self, FormatModels.OfUUIDBytes.self, .blob([UInt8](0..<16)),
        "UPDATE box SET value = x'00'"
      ),
      (
        FormatModels.OfString.self, FormatModels.OfSize.self, .text("small"),
        "UPDATE box SET value = 'huge'"
      ),
      (FormatModels.OfInt.self, FormatModels.Int_.self, .integer(1), "UPDATE box SET value = NULL"),
      (FormatModels.OfValue.self, FormatModels.OfInt.self, .integer(7), "DELETE FROM box"),
    ] as [(any FormatModel.Type, any FormatModel.Type, DatabaseValue, SQL)])
  func seeded(
    old: any FormatModel.Type, new: any FormatModel.Type, stored: DatabaseValue, tamper: SQL
  ) async throws {
    func check<Old: FormatModel, New: FormatModel>(_ old: Old.Type, _ new: New.Type) async throws {
      let value = try await Old.values().first { $0.stored == stored }
      let values = [try #require(value)]
      for tamper in [nil, tamper] {
        let database = try await Database.inMemory()
        let outcome = try await migrate(old, to: new, values, in: database, tamper: tamper)
        #expect(outcome.isKept)
        #expect((outcome.problem != nil) == (tamper != nil), "\(outcome.problem ?? "")")
        try await database.close()
      }
    }
    try await check(old, new)
  }
}

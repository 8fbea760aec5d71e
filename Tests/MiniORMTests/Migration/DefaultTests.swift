import Foundation
import Testing

@testable import MiniORM

private typealias Amount = Double

private enum Level: String, ColumnValue, Codable {
  case low, high, none
  static let standard = Level.high
}

private struct Settings: Codable, Equatable {
  var size = 1
}

private func computed() -> Int { 7 }

@Selection private struct Place: Equatable {
  var x: Int = 3
  var level: Level = .low
  var seconds: TimeInterval = 4
  @Column(as: .json) var tags: [Int] = [1]
  @Column(as: .json) var settings: Settings = Settings(size: 2)
  var y: Int?
  var z: Int = computed()
}

@Selection private struct Region: Equatable {
  var place: Place
  var other: Place?
  var count = 5
}

@Table("thing") private struct ThingBefore {
  let id: Int64
}

@Table("thing") private struct ThingAfter: Equatable {
  let id: Int64
  var seconds: TimeInterval = 3
  var amount: Amount = 4
  var number: Swift.Int = 5
  var bytes: [UInt8] = []
  var data = Data()
  var inParentheses: Int = (3)
  var product: Int = 60 * 60
  var sum: Int = -(1 + 2)
  var text: String = "a" + "b"
  var rate: Float = 0.1
  var level: Level = .low
  var none: Level = Level.none
  var optional: Level? = .high
  var named: Level = .standard
  var made: Level = .init(rawValue: "high") ?? .low
  var called: Int = computed()
  var closure: Int = { 8 }()
  var interpolated = "n = \(1 + 1)"
  var past: Date = .distantPast
  var first: Date = Date(timeIntervalSince1970: 0)
  @Column(as: .json) var settings: Settings = Settings()
  @Column(as: .json) var list: [String] = [String]()
  @Column(as: .unixSeconds) var seen: Date = .distantFuture
  @Column(as: .decimal(scale: 2)) var price: Decimal = 9.99
  @Column(.default([1]), as: .json) var given: [UInt8] = [1]
  @Column(.default("a"), as: .json) var quoted: String = "a"
  @Column(.default(Date.distantPast), as: .unixSeconds) var when: Date = .distantPast
  @Column(.generated("1 + 1")) var two: Int = 2
  var é: Int = 1
  var É: Int = 2
  @Embedded var place: Place
  @Embedded("r_") var region: Region
  @Embedded var nothing: Place?
}

@Suite("Defaults of properties")
struct DefaultTests {
  @Test("existing rows have the defaults of new properties, whatever the default's form")
  func existingRows() async throws {
    try await withFile(DatabaseSchema(ThingBefore.self)) { database throws in
      try await Table<ThingBefore>().insert(ThingBefore(id: 1), in: database)
      let schema = DatabaseSchema(ThingAfter.self)
      try await database.migrate(schema)
      #expect(
        try await Table<ThingAfter>().fetchAll(in: database) == [
          ThingAfter(id: 1, place: Place(), region: Region(place: Place()))
        ])
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
    }
  }

  @Test("a constant becomes DEFAULT, and any other default does not")
  func constants() {
    let defaults = Dictionary(
      uniqueKeysWithValues: ThingAfter.schema.columns.map { ($0.name, $0.defaultSQL) })
    let expected = [
      "seconds": "3.0", "amount": "4.0", "number": "5", "bytes": "x''", "data": "x''",
      "inParentheses": "3", "product": "3600", "sum": "-3", "text": "'ab'", "level": "'low'",
      "none": "'none'", "optional": "'high'", "named": "'high'", "price": "999",
      "given": "'[1]'", "quoted": "'\"a\"'", "when": "-62135769600", "é": "1", "É": "2",
      "place_x": "3", "place_level": "'low'", "place_seconds": "4.0", "place_tags": "'[1]'",
      "r_place.x": "3", "r_count": "5",
    ]
    for (name, sql) in expected { #expect(defaults[name] == sql, "\(name)") }
    for name in [
      "made", "called", "closure", "interpolated", "past", "first", "settings", "list", "seen",
      "two",
      "place_settings", "place_z", "place_y", "nothing_x", "r_other.x",
    ] {
      #expect(defaults[name] == .some(nil), "\(name)")
    }
  }
}

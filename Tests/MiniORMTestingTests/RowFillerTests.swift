import Foundation
import MiniORM
import Testing

@testable import MiniORMTesting

@Suite("Generated rows")
struct RowFillerTests {
  enum Size: String, ColumnValue, CaseIterable { case small, large }
  enum Level: Int, ColumnValue { case low = 1, high = 2 }

  struct Place: Codable, Sendable, Equatable {
    var name = "x"
    init(from decoder: any Decoder) throws {}
  }

  @Table("everything") struct Everything: Identifiable {
    let id: UUID
    var small: Int8?
    var large: UInt64
    var isOn: Bool
    var number: Double?
    var single: Float
    var text: String?
    var bytes: Data
    var url: URL
    var date: Date?
    @Column(as: .unixSeconds) var seconds: Date
    @Column(as: .unixMilliseconds) var milliseconds: Date?
    @Column(as: .iso8601) var iso: Date
    @Column(as: .uuidBytes) var raw: UUID
    @Column(as: .decimal(scale: 2)) var cents: Decimal
    var decimal: Decimal
    var size: Size
    var level: Level
    @Column(as: .json) var tags: [String]
    var any: DatabaseValue
  }

  @Table("checked") struct Checked: Identifiable {
    let id: Int64
    @Column(.unique, .check("phone LIKE '+%'")) var phone: String
    @Column(.check("length(code) = 3")) var code: String
    @Column(.check("low BETWEEN 10 AND 12")) var low: Int
    @Column(.check("high > low")) var high: Int
    @Column(.check("share > 0.0 AND share < 1.0")) var share: Double
  }

  @Table("folder") struct Folder: Identifiable {
    let id: Int64
    @Column(.references(table: "folder")) var parentID: Int64?
    @Column(.unique) var name: String
  }

  @Table("entry", primaryKey: ["folderID", "position"], options: [.strict, .withoutRowID])
  struct Entry {
    @Column(.references(Folder.self)) var folderID: Folder.ID
    var position: Int
    @Column(.references(Everything.self, onDelete: .cascade)) var everythingID: UUID
  }

  private let schema = DatabaseSchema(
    Entry.self, Folder.self, Checked.self, Everything.self)

  @Test("Models read the rows, which have edge values and valid keys")
  func rows() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(schema)
      try await snapshots.expectMigrations(to: schema) { _, database in
        let all = try await Table<Everything>().fetchAll(in: database)
        #expect(Set(all.map(\.small)).isSuperset(of: [nil, 0, .min, .max]))
        #expect(all.contains { $0.large == UInt64(Int64.max) })
        #expect(Set(all.map(\.isOn)) == [true, false])
        #expect(Set(all.map(\.text)).isSuperset(of: [nil, "", "a\0b", "👩‍👩‍👧 🇪🇺"]))
        #expect(all.contains { $0.text?.utf8.count == 5_000 })
        #expect(Set(all.map(\.size)) == [.small, .large])
        #expect(Set(all.map(\.level)) == [.low, .high])
        #expect(all.contains { $0.date == Date(timeIntervalSince1970: 253_402_300_799) })
        #expect(all.contains { $0.tags == ["a", "b"] })
        let checked = try await Table<Checked>().fetchAll(in: database)
        #expect(checked.count >= 4)
        #expect(checked.allSatisfy { $0.phone.hasPrefix("+") && $0.code.count == 3 })
        let entries = try await Table<Entry>().fetchAll(in: database)
        #expect(entries.count >= 4)
        let parents = try await Table<Folder>().fetchAll(in: database).map(\.parentID)
        #expect(parents.contains(nil) && parents.contains { $0 != nil })
      }
    }
  }

  @Test("A seed repeats the rows, and another seed does not")
  func seeds() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(schema)
      var dumps: [String] = []
      for seed in [1, 1, 2] as [UInt64] {
        let seeded = SchemaSnapshots(in: snapshots.folder.path, besides: #filePath, seed: seed)
        try await seeded.expectMigrations(to: schema) { _, database in
          dumps.append(try await database.dump())
        }
      }
      #expect(dumps.count == 3 && dumps[0] == dumps[1] && dumps[1] != dumps[2])
    }
  }

  @Table("hard") struct Hard: Identifiable {
    let id: Int64
    @Column(.check("number * number = 1522756")) var number: Int
    @Column(as: .json) var place: Place?
  }

  @Test("A constraint without a generated value is named, and rows(for:) gives the value")
  func given() async throws {
    try await withSnapshots { snapshots in
      let schema = DatabaseSchema(Hard.self)
      try await snapshots.record(schema)
      let messages = try await issues { try await snapshots.expectMigrations(to: schema) }
      #expect(
        messages == [
          "Version 1 → 1: table hard: no generated row is valid: CHECK constraint failed: "
            + "number * number = 1522756. Pass valid values with rows(for: \"hard\")"
        ])
      try await snapshots.rows(for: "hard") { _ in
        [["number": .integer(1234)], ["number": .integer(-1234)]]
      }.expectMigrations(to: schema) { _, database in
        let numbers = try await Table<Hard>().order { $0.number }.fetchAll(in: database)
          .map(\.number)
        #expect(numbers == [-1234, 1234])
      }
      let wrong = try await issues {
        try await snapshots.rows(for: "hard") { _ in [["number": .integer(1)]] }
          .expectMigrations(to: schema)
      }
      #expect(
        wrong.first?.contains("a row of rows(for:) is not valid: CHECK constraint failed") ?? false)
      for (table, column) in [("hard", "nummer"), ("herd", "number")] {
        let misspelled = try await issues {
          try await snapshots.rows(for: "hard") { _ in [["Number": .integer(1234)]] }
            .rows(for: table) { _ in [[column: .integer(1234)]] }.expectMigrations(to: schema)
        }
        #expect(
          misspelled.first
            == "rows(for: \"\(table)\"): no snapshot has the column \(table).\(column)")
      }
    }
  }

  enum Mood: String, ColumnValue { case good, bad }

  @Table("mood") struct MoodRow: Identifiable {
    let id: Int64
    var mood: Mood
  }

  @Test("A column whose type reads no known value is named, with both ways out")
  func unknownValues() async throws {
    try await withSnapshots { snapshots in
      let schema = DatabaseSchema(MoodRow.self)
      try await snapshots.record(schema)
      let messages = try await issues { try await snapshots.expectMigrations(to: schema) }
      #expect(
        messages == [
          "Version 1 → 1: table mood, column mood: no generated row is valid: NOT NULL constraint "
            + "failed: mood.mood. Make it CaseIterable, or pass valid values with "
            + "rows(for: \"mood\")"
        ])
    }
  }
}

import Foundation
import Testing

@testable import MiniORM

@Table("entry")
private struct Entry: Equatable {
  let id: Int64
  var name: String
  @Column(.default(.now)) var text: Date
  @Column(.default(.now), as: .unixSeconds) var seconds: Date
  @Column(.default(.now), as: .unixMilliseconds) var milliseconds: Date
  @Column(.default(.now)) var optional: Date?
}

@Table("note")
private struct RawDefault {
  let id: Int64
  @Column(.default(sql: "(Current_Timestamp)")) var created: Date
}

@Table("note")
private struct RawSeconds {
  let id: Int64
  @Column(.default(sql: "CURRENT_TIMESTAMP"), as: .unixSeconds) var created: Date
}

@Table("note")
private struct RawText {
  let id: Int64
  @Column(.default(sql: "CURRENT_TIMESTAMP")) var created: String
}

@Table("note")
private struct NotDate {
  let id: Int64
  @Column(.default(.now)) var created: String
}

@Table("item")
private struct Item: Equatable {
  let id: Int64
  var created: Date
  var changed: Date?
  var key: UUID
  var price: Decimal
}

private let entries = Table<Entry>()
private let items = Table<Item>()

@Suite("One spelling of dates, UUIDs and decimals")
struct SpellingTests {
  @Test("The default time equals its own value, in every date format")
  func defaults() async throws {
    try await withFile(DatabaseSchema(Entry.self)) { database throws in
      let start = Date(timeIntervalSinceNow: -1)
      for _ in 0..<20 { try await entries.insert(Entry.Draft(name: "a"), in: database) }
      try await database.write { db in
        for _ in 0..<20 { try db.execute("INSERT INTO entry (name) VALUES ('b')") }
      }
      for row in try await entries.fetchAll(in: database) {
        let times = [row.text, row.seconds, row.milliseconds, row.optional ?? .distantPast]
        #expect(times.allSatisfy { $0 >= start - 1 && $0 <= Date(timeIntervalSinceNow: 1) })
        for query in [
          entries.where { $0.text == row.text }, entries.where { $0.seconds == row.seconds },
          entries.where { $0.milliseconds == row.milliseconds },
          entries.where { $0.optional == row.optional },
          entries.where { $0.text >= row.text && $0.text <= row.text },
        ] {
          let id = row.id
          #expect(try await query.where { $0.id == id }.count(in: database) == 1)
        }
      }
      // Paging by the time and the key reads every row.
      var seen: [Int64] = []
      var last: Entry?
      while true {
        var page = entries.order { ($0.text, $0.id) }.limit(7)
        if let last { page = page.where { RowValue($0.text, $0.id) > (last.text, last.id) } }
        let rows = try await page.fetchAll(in: database)
        guard let end = rows.last else { break }
        seen += rows.map(\.id)
        last = end
      }
      #expect(seen.sorted() == Array(1...40))
      #expect(
        try await database.schemaReport(for: DatabaseSchema(Entry.self), checkingRows: true).isEmpty
      )
    }
  }

  @Test("migrate refuses CURRENT_TIMESTAMP for a Date, and .default(.now) for other types")
  func refused() async throws {
    let message =
      "migrate 21 note.created -: CURRENT_TIMESTAMP has no fraction of a second, so the text differs "
      + "from the text of the same Date, and comparisons miss the row: write .default(.now), or "
      + "@Column(as: .textSeconds) for whole seconds as text"
    for (schema, expected) in [
      (DatabaseSchema(RawDefault.self), message),
      (
        DatabaseSchema(RawSeconds.self),
        "migrate 21 note.created -: CURRENT_TIMESTAMP is a text, and the column stores a number: "
          + "write .default(.now), or @Column(as: .textSeconds) for whole seconds as text"
      ),
      (
        DatabaseSchema(NotDate.self),
        "migrate 21 note.created -: .default(.now) is for columns of dates: write .default(sql:) "
          + "for other types"
      ),
    ] {
      let file = TemporaryFile()
      let database = try await file.open()
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.summary == expected)
      #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
      try await database.close()
    }
    try await withFile(DatabaseSchema(RawText.self)) { _ in }
  }

  @Test("A report finds the rows in another spelling, and a step rewrites them")
  func conversion() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.migrate(DatabaseSchema(Item.self))
    let upper = "A0B1C2D3-E4F5-4A6B-8C9D-0E1F2A3B4C5D"
    try await database.write { db in
      for (id, created, changed, key, price) in [
        (1, "2026-11-26 17:07:56.000", nil, upper.lowercased(), "9"),
        (2, "2026-11-26 17:07:56", "2026-11-26T17:07:56Z", upper, "9.0"),
        (3, "2026-11-26T18:07:56+01:00", "2026-11-26 17:07:56.000", upper.lowercased(), "09"),
        (4, "2026-11-26T17:07:56.000Z", "2026-11-26", upper, "9"),
      ] as [(Int, String, String?, String, String)] {
        try db.execute(
          "INSERT INTO item VALUES (\(id), \(created), \(changed), \(key), \(price))")
      }
    }
    let before = try await items.order { $0.id }.fetchAll(in: database)
    #expect(try await database.schemaReport(for: DatabaseSchema(Item.self)).isEmpty)
    let report = try await database.schemaReport(
      for: DatabaseSchema(Item.self), checkingRows: true)
    #expect(
      report.differences == [
        .otherSpellings(table: "item", column: "created", rows: 3, type: "Date"),
        .otherSpellings(table: "item", column: "changed", rows: 2, type: "Date?"),
        .otherSpellings(table: "item", column: "key", rows: 2, type: "UUID"),
        .otherSpellings(table: "item", column: "price", rows: 2, type: "Decimal"),
      ])
    #expect(
      report.differences.last?.description
        == "column item.price: 2 rows have another text than MiniORM writes for the same Decimal, and "
        + "comparisons miss them: convert the column in a step, .convertColumn(\"price\", to: "
        + "Decimal.self, in: \"item\")")
    let schema = DatabaseSchema(
      version: 2, Item.self,
      steps: [
        DatabaseSchema.Step(
          to: 2, "one spelling", .convertColumn("created", to: Date.self, in: "item"),
          .convertColumn("changed", to: Date?.self, in: "item"),
          .convertColumn("key", to: UUID.self, in: "item"),
          .convertColumn("price", to: Decimal.self, in: "item"))
      ])
    try await database.migrate(schema)
    #expect(try await database.schemaReport(for: schema, checkingRows: true).isEmpty)
    #expect(try await items.order { $0.id }.fetchAll(in: database) == before)
    let first = try #require(before.first)
    #expect(try await items.where { $0.created == first.created }.count(in: database) == 4)
    #expect(try await items.where { $0.key == first.key }.count(in: database) == 4)
    #expect(
      try await items.select { $0.price }.distinct().fetchAll(in: database) == [first.price])
    try await database.close()
  }

  @Test("A step takes the representation of the storage format that the model names")
  func storages() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.write { db in
      try db.execute(
        script:
          "CREATE TABLE job (id INTEGER PRIMARY KEY, at REAL) STRICT; INSERT INTO job VALUES (1, 2.5)"
      )
    }
    try await database.adopt(version: 1)
    func schema(_ operations: [DatabaseSchema.Operation]) -> DatabaseSchema {
      DatabaseSchema(
        version: Int32(operations.count) + 1, Job.self,
        steps: operations.enumerated().map { index, operation in
          DatabaseSchema.Step(to: Int32(index) + 2, "step \(index)", operation)
        })
    }
    typealias Cents = ScaledDecimal<DecimalScales.S2>
    let steps = [
      DatabaseSchema.Operation.addColumn("budget", Cents?.self, to: "job"),
      .addColumn("pay", Cents.self, .default(Cents(Decimal(string: "9.99") ?? 0)), to: "job"),
      .convertColumn(
        "at", to: UnixMilliseconds.self, in: "job", using: "CAST(at * 1000 AS INTEGER)"),
    ]
    try await database.migrate(schema(steps))
    #expect(
      try await Table<Job>().fetchAll(in: database) == [
        Job(
          id: 1, at: Date(timeIntervalSince1970: 2.5), budget: nil,
          pay: (Decimal(string: "9.99") ?? 0))
      ])
    try await database.close()
  }
}

@Table("job")
private struct Job: Equatable {
  let id: Int64
  @Column(as: .unixMilliseconds) var at: Date
  @Column(as: .decimal(scale: 2)) var budget: Decimal?
  @Column(as: .decimal(scale: 2)) var pay: Decimal
}

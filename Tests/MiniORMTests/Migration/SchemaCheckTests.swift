import Testing

@testable import MiniORM

@Table("item") private struct Item: Equatable {
  let id: Int64
  var name: String
  var count = 3
  var note: String?
  @Column(.generated("count * 2", stored: true)) var twice: Int
}
extension Item {
  fileprivate static var indexes: [Index<Item>] { [Index("item_name") { $0.name }] }
}

@Suite("Schema check")
struct SchemaCheckTests {
  private func check(_ script: String) async throws -> [SchemaReport.Difference] {
    try await withFile { database throws in
      try await database.write { db in try db.execute(script: script) }
      return try await database.check(Schema(Item.self)).differences
    }
  }

  private static let columns = [
    "id": "id INTEGER PRIMARY KEY NOT NULL", "name": "name TEXT NOT NULL",
    "count": "count INTEGER NOT NULL DEFAULT 3", "note": "note TEXT",
    "twice": "twice INTEGER NOT NULL AS (count * 2) STORED",
  ]

  private func table(_ changes: [String: String]) -> String {
    let lines = ["id", "name", "count", "note", "twice", "extra"].compactMap { name in
      changes[name] ?? Self.columns[name]
    }
    return "CREATE TABLE item (\(lines.filter { !$0.isEmpty }.joined(separator: ", ")));"
  }

  private let index = "CREATE INDEX item_name ON item (name);"

  @Test("D6: a table that agrees gives an empty report, however it was written")
  func agrees() async throws {
    #expect(try await check(table([:]) + index) == [])
    #expect(
      try await check(table(["count": "COUNT integer NOT NULL DEFAULT ((3))"]) + index) == [])
    #expect(try await check(table([:]) + "CREATE INDEX ITEM_NAME ON ITEM (name)") == [])
  }

  @Test("D6: missing and extra columns, tables and indexes are reported")
  func missing() async throws {
    #expect(try await check("") == [.missingTable("item")])
    #expect(
      try await check(table(["note": "", "extra": "more TEXT"])) == [
        .missingColumn(table: "item", column: "note"),
        .extraColumn(table: "item", column: "more"),
        .missingIndex(table: "item", index: "item_name"),
      ])
  }

  @Test("D6: a column that is declared otherwise is reported, property by property")
  func different() async throws {
    func difference(_ column: String, _ property: String, _ file: String, _ model: String)
      -> SchemaReport.Difference
    {
      .differentColumn(
        table: "item", column: column, property: property, file: file, model: model)
    }
    let cases: [(String, String, [SchemaReport.Difference])] = [
      ("name", "name BLOB NOT NULL", [difference("name", "type", "BLOB", "TEXT")]),
      ("name", "name TEXT", [difference("name", "nullability", "NULL", "NOT NULL")]),
      ("note", "note TEXT NOT NULL", [difference("note", "nullability", "NOT NULL", "NULL")]),
      ("count", "count INTEGER NOT NULL", [difference("count", "default", "none", "3")]),
      ("count", "count INTEGER NOT NULL DEFAULT 4", [difference("count", "default", "4", "3")]),
      ("note", "note TEXT DEFAULT 'x'", [difference("note", "default", "'x'", "none")]),
      ("id", "id INTEGER NOT NULL", [difference("id", "primary key", "no", "1")]),
      (
        "twice", "twice INTEGER NOT NULL AS (count * 2)",
        [difference("twice", "generated", "virtual", "stored")]
      ),
      ("twice", "twice INTEGER NOT NULL", [difference("twice", "generated", "no", "stored")]),
      (
        "note", "note REAL NOT NULL",
        [
          difference("note", "type", "REAL", "TEXT"),
          difference("note", "nullability", "NOT NULL", "NULL"),
        ]
      ),
    ]
    for (column, declaration, differences) in cases {
      #expect(try await check(table([column: declaration]) + index) == differences)
    }
  }

  @Test("D6: a report is made to be read")
  func description() {
    let report = SchemaReport(differences: [
      .missingTable("a"), .missingColumn(table: "a", column: "b"),
      .extraColumn(table: "a", column: "c"),
      .differentColumn(table: "a", column: "d", property: "type", file: "TEXT", model: "REAL"),
      .missingIndex(table: "a", index: "e"),
    ])
    #expect(!report.isEmpty)
    #expect(
      report.description == """
        table a is missing
        column a.b is missing
        column a.c is in the file and not in the model
        column a.d: type is TEXT in the file and REAL in the model
        index e of table a is missing
        """)
  }

  @Test("D6: the check works on a file that is only read")
  func readOnly() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.migrate(Schema(City.self, Item.self))
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await file.open(configuration)
    #expect(try await reader.check(Schema(City.self, Item.self)).isEmpty)
    #expect(
      try await reader.check(Schema(Company.self)).differences == [.missingTable("company_master")])
    let error = try await failure {
      try await reader.migrate(Schema(City.self, Item.self, Company.self))
    }
    #expect(error.code == .readOnly)
    try await reader.close()
  }
}

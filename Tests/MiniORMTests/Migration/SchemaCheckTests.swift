import Testing

@testable import MiniORM

@Table("item") private struct Item: Equatable {
  let id: Int64
  @Column(.collate(.nocase)) var name: String
  @Column(.check("count >= 0")) var count = 3
  var note: String?
  @Column(.generated("count * 2", stored: true)) var twice: Int
  @Column(.unique) var code: String
  @Column(.references(City.self, onDelete: .cascade)) var cityID: Int64?
}
extension Item {
  fileprivate static var indexes: [Index<Item>] {
    [Index("item_name", where: { $0.note != nil }) { ($0.name, $0.count.descending) }]
  }
  fileprivate static var constraints: [TableConstraint<Item>] {
    [.unique { ($0.name, $0.count) }, .check { $0.count < 1000 }]
  }
}

@Table("speed") private struct Speed {
  let id: Int64
  var rate: Double = 1
}

@Table("pair", primaryKey: ["a", "b"], options: [.withoutRowID]) private struct Pair: Equatable {
  let a: Int
  let b: String
}
@Table("counter") private struct Counter: Equatable {
  @Column(.primaryKey(autoincrement: true)) let id: Int64
}

@Table("town", renamedFrom: "place") private struct Town: Equatable {
  let id: Int64
  @Column(renamedFrom: "called", "name") var fullName: String
  @Column(renamedFrom: "size") var people: Int?
}

private let openBracket = "((a"
@Table("unreadable") private struct Unreadable {
  let id: Int64
  @Column(.check(openBracket)) var a: Int
}

@Suite("Schema check")
struct SchemaCheckTests {
  private func check(_ script: String, _ models: DatabaseSchema = DatabaseSchema(Item.self))
    async throws
    -> [SchemaReport.Difference]
  {
    try await withFile { database throws in
      try await database.write { db in
        try db.execute(script: "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT) STRICT")
        try db.execute(script: script)
      }
      return try await database.schemaReport(for: models).differences
    }
  }

  @Test("a declared former name is reported as a rename, not as missing")
  func formerNames() async throws {
    let found = try await check(
      "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, note TEXT) STRICT;"
        + "CREATE INDEX place_name ON place (name)", DatabaseSchema(Town.self))
    let differences = Set(found.map(\.description))
    #expect(
      differences == [
        "table town: name is place in the file and town in the model",
        "column town.fullName: name is name in the file and fullName in the model",
        "column town.fullName: nullability is NULL in the file and NOT NULL in the model",
        "column town.people: name is size in the file and people in the model",
        "column town.note is in the file and not in the model",
        "index place_name of table town is in the file and not in the model",
      ])
    #expect(found.count == differences.count)
  }

  private static let columns = [
    "id": "id INTEGER PRIMARY KEY NOT NULL", "name": "name TEXT NOT NULL COLLATE NOCASE",
    "count": "count INTEGER NOT NULL DEFAULT 3 CHECK (count >= 0)", "note": "note TEXT",
    "twice": "twice INTEGER NOT NULL AS (count * 2) STORED", "code": "code TEXT NOT NULL UNIQUE",
    "cityID": "cityID INTEGER REFERENCES city ON DELETE CASCADE",
    "unique": "UNIQUE (name, count)", "check": "CHECK (((\"count\" < 1000)))",
  ]
  private static let order = [
    "id", "name", "count", "note", "twice", "code", "cityID", "extra", "unique", "check",
  ]

  private func table(_ changes: [String: String], options: String = "STRICT") -> String {
    let lines = Self.order.compactMap { changes[$0] ?? Self.columns[$0] }
    return "CREATE TABLE item (\(lines.filter { !$0.isEmpty }.joined(separator: ", "))) \(options);"
  }

  private let index = """
    CREATE INDEX item_name ON item (name, count DESC) WHERE ("item"."note" IS NOT NULL);
    """

  @Test(
    "a matching table gives an empty report, in any spelling",
    arguments: [
      [:],
      ["count": "COUNT integer CHECK(\"COUNT\" >= /* none */ 0) NOT NULL DEFAULT ((3))"],
      ["id": "\"ID\" INTEGER PRIMARY KEY"],
      ["code": "[code] TEXT CONSTRAINT once UNIQUE ON CONFLICT ABORT NOT NULL"],
      ["code": "`code` TEXT NOT NULL", "unique": "UNIQUE (name, count), UNIQUE (code)"],
      ["cityID": "cityID INTEGER REFERENCES \"City\" (id) ON UPDATE NO ACTION ON DELETE CASCADE"],
      [
        "cityID": "cityID INTEGER",
        "check":
          "CONSTRAINT small CHECK (item.count < 1000) FOREIGN KEY (cityID) REFERENCES city ON DELETE CASCADE",
      ],
      ["twice": "twice INTEGER NOT NULL GENERATED ALWAYS AS ( count*2 )STORED -- twice\n"],
    ])
  func agrees(changes: [String: String]) async throws {
    #expect(try await check(table(changes) + index) == [])
    #expect(
      try await check(
        table(changes)
          + "CREATE INDEX ITEM_NAME ON ITEM (NAME ASC, Count DESC) WHERE (note IS NOT NULL)") == [])
  }

  @Test(
    "numbers of a REAL column are compared as numbers, because SQLite stores 1 as 1.0",
    arguments: [
      ("REAL NOT NULL DEFAULT 1", nil), ("REAL NOT NULL DEFAULT 1.0", nil),
      ("REAL NOT NULL DEFAULT (1e0)", nil), ("REAL NOT NULL DEFAULT 1.5", "1.5"),
      ("REAL NOT NULL DEFAULT -1", "-1"), ("REAL NOT NULL DEFAULT '1'", "'1'"),
      ("REAL NOT NULL", "none"),
    ])
  func realDefault(declaration: String, difference: String?) async throws {
    let found = try await check(
      "CREATE TABLE speed (id INTEGER PRIMARY KEY, rate \(declaration)) STRICT",
      DatabaseSchema(Speed.self))
    #expect(
      found
        == (difference.map {
          [
            .differentColumn(
              table: "speed", column: "rate", property: "default", file: $0, model: "1.0")
          ]
        } ?? []))
  }

  @Test("the order of columns does not matter")
  func order() async throws {
    let reversed = ["cityID", "code", "twice", "note", "count", "name", "id", "check", "unique"]
      .compactMap { Self.columns[$0] }.joined(separator: ", ")
    #expect(try await check("CREATE TABLE item (\(reversed)) STRICT;" + index) == [])
  }

  @Test("missing and extra columns, tables and indexes are reported")
  func missing() async throws {
    #expect(try await check("") == [.missingTable("item")])
    #expect(
      try await check(
        table(["note": "", "extra": "more TEXT"]) + "CREATE INDEX other ON item (code)")
        == [
          .missingColumn(table: "item", column: "note"),
          .extraColumn(table: "item", column: "more"),
          .missingIndex(table: "item", index: "item_name"),
          .extraIndex(table: "item", index: "other"),
        ])
    #expect(
      try await check("CREATE VIEW item AS SELECT * FROM city") == [.notATable("item")])
    #expect(
      try await check("CREATE VIRTUAL TABLE item USING fts5 (name)") == [.notATable("item")])
  }

  @Test(
    "a differently declared column is reported, property by property",
    arguments: [
      ("name", "name BLOB NOT NULL COLLATE NOCASE", [("type", "BLOB", "TEXT")]),
      ("name", "name TEXT COLLATE NOCASE", [("nullability", "NULL", "NOT NULL")]),
      ("note", "note TEXT NOT NULL", [("nullability", "NOT NULL", "NULL")]),
      ("count", "count INTEGER NOT NULL CHECK (count >= 0)", [("default", "none", "3")]),
      ("count", "count INTEGER NOT NULL DEFAULT -3 CHECK (count >= 0)", [("default", "-3", "3")]),
      ("note", "note TEXT DEFAULT 'x'", [("default", "'x'", "none")]),
      ("note", "note TEXT DEFAULT \"x\"", [("default", "'x'", "none")]),
      ("name", "name TEXT NOT NULL COLLATE RTRIM", [("collation", "RTRIM", "NOCASE")]),
      ("note", "note TEXT COLLATE NOCASE", [("collation", "NOCASE", "BINARY")]),
      (
        "twice", "twice INTEGER NOT NULL AS (count * 2)",
        [("generated", "(count * 2) virtual", "(count * 2) stored")]
      ),
      (
        "twice", "twice INTEGER NOT NULL AS (count + 2) STORED",
        [("generated", "(count + 2) stored", "(count * 2) stored")]
      ),
      ("twice", "twice INTEGER NOT NULL", [("generated", "no", "(count * 2) stored")]),
      (
        "note", "note REAL NOT NULL",
        [("type", "REAL", "TEXT"), ("nullability", "NOT NULL", "NULL")]
      ),
    ])
  func different(column: String, declaration: String, properties: [(String, String, String)])
    async throws
  {
    #expect(
      try await check(table([column: declaration]) + index)
        == properties.map { property, file, model in
          .differentColumn(
            table: "item", column: column, property: property, file: file, model: model)
        })
  }

  @Test(
    "differing constraints and options of a table are reported, property by property",
    arguments: [
      (["id": "id INTEGER NOT NULL"], [("PRIMARY KEY", "none", "(id)")]),
      (
        ["id": "id INTEGER PRIMARY KEY AUTOINCREMENT"], [("AUTOINCREMENT", "yes", "no")]
      ),
      (["code": "code TEXT NOT NULL"], [("UNIQUE", "(name, count)", "(code), (name, count)")]),
      (["check": ""], [("CHECK", "count >= 0", "\"count\" < 1000, count >= 0")]),
      (
        ["check": "CHECK (count < 999)"],
        [("CHECK", "count < 999, count >= 0", "\"count\" < 1000, count >= 0")]
      ),
      (
        ["cityID": "cityID INTEGER"], [("FOREIGN KEY", "none", "(cityid) → city on delete cascade")]
      ),
      (
        [
          "cityID":
            "cityID INTEGER REFERENCES city (name) ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED"
        ],
        [
          (
            "FOREIGN KEY", "(cityid) → city(name) on update set null deferred",
            "(cityid) → city on delete cascade"
          )
        ]
      ),
      (
        ["code": "code TEXT NOT NULL UNIQUE ON CONFLICT REPLACE"],
        [("ON CONFLICT", "UNIQUE (code) ON CONFLICT REPLACE", "none")]
      ),
      (
        ["unique": "UNIQUE (name COLLATE BINARY, count DESC)"],
        [("other clauses", "COLLATE binary in a key, DESC in a key", "none")]
      ),
    ])
  func differentTable(changes: [String: String], properties: [(String, String, String)])
    async throws
  {
    #expect(
      try await check(table(changes) + index)
        == properties.map { property, file, model in
          .differentTable(table: "item", property: property, file: file, model: model)
        })
  }

  @Test("STRICT and WITHOUT ROWID are compared")
  func options() async throws {
    #expect(
      try await check(table([:], options: "") + index) == [
        .differentTable(table: "item", property: "STRICT", file: "no", model: "yes")
      ])
    #expect(
      try await check(
        "CREATE TABLE pair (a INTEGER NOT NULL, b TEXT NOT NULL, PRIMARY KEY (b, a))",
        DatabaseSchema(Pair.self)) == [
          .differentTable(table: "pair", property: "PRIMARY KEY", file: "(b, a)", model: "(a, b)"),
          .differentTable(table: "pair", property: "WITHOUT ROWID", file: "no", model: "yes"),
        ])
    #expect(
      try await check(
        "CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID",
        DatabaseSchema(Pair.self)) == [])
    #expect(
      try await check(
        "CREATE TABLE counter (id INTEGER PRIMARY KEY) STRICT", DatabaseSchema(Counter.self)) == [
          .differentTable(table: "counter", property: "AUTOINCREMENT", file: "no", model: "yes")
        ])
  }

  @Test(
    "an index of other columns is reported",
    arguments: [
      ("CREATE INDEX item_name ON item (name)", "ON item (name)"),
      (
        "CREATE UNIQUE INDEX item_name ON item (name, count DESC) WHERE note IS NOT NULL",
        "UNIQUE ON item (name, count DESC) WHERE note IS NOT NULL"
      ),
      (
        "CREATE INDEX item_name ON item (name, count) WHERE (note IS NOT NULL)",
        "ON item (name, count) WHERE (note IS NOT NULL)"
      ),
    ])
  func differentIndex(sql: String, file: String) async throws {
    #expect(
      try await check(table([:]) + sql) == [
        .differentIndex(
          table: "item", index: "item_name", file: file,
          model: #"ON "item" ("name", "count" DESC) WHERE ("note" IS NOT NULL)"#)
      ])
  }

  @Test("the description of a report")
  func description() {
    let report = SchemaReport(differences: [
      .missingTable("a"), .notATable("v"), .missingColumn(table: "a", column: "b"),
      .extraColumn(table: "a", column: "c"),
      .differentColumn(table: "a", column: "d", property: "type", file: "TEXT", model: "REAL"),
      .differentTable(table: "a", property: "STRICT", file: "no", model: "yes"),
      .missingIndex(table: "a", index: "e"), .extraIndex(table: "a", index: "f"),
      .differentIndex(table: "a", index: "g", file: "ON a (b)", model: "ON a (c)"),
    ])
    #expect(!report.isEmpty)
    #expect(
      report.description == """
        table a is missing
        v is not an ordinary table in the file
        column a.b is missing
        column a.c is in the file and not in the model
        column a.d: type is TEXT in the file and REAL in the model
        table a: STRICT is no in the file and yes in the model
        index e of table a is missing
        index f of table a is in the file and not in the model
        index g of table a is ON a (b) in the file and ON a (c) in the model
        """)
  }

  @Test(
    "invalid SQL in a model is refused before anything changes",
    arguments: [false, true], [false, true])
  func unreadable(hasTables: Bool, isMigrated: Bool) async throws {
    try await withFile { database throws in
      if hasTables { try await database.migrate(DatabaseSchema(Pair.self)) }
      let schema = DatabaseSchema(version: 2, Pair.self, Unreadable.self)
      let changes = try await schemaVersion(database)
      let history = try await database.migrationHistory().count
      let error = try await failure {
        if isMigrated {
          try await database.migrate(schema)
        } else {
          _ = try await database.schemaReport(for: schema)
        }
      }
      #expect(error.operation == .migrate && error.table == "unreadable")
      #expect(error.message.contains("not a CREATE TABLE statement of an ordinary table"))
      #expect(try await database.migrationHistory().count == history)
      #expect(try await schemaVersion(database) == changes)
    }
  }

  /// SQLite's counter of schema changes.
  private func schemaVersion(_ database: Database) async throws -> Int? {
    try await database.read { db in try db.value(Int.self, "PRAGMA schema_version") }
  }

  @Test("the check works on a read-only file")
  func readOnly() async throws {
    let file = TemporaryFile()
    let database = try await file.open()
    try await database.migrate(DatabaseSchema(City.self, Item.self))
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await file.open(configuration)
    #expect(try await reader.schemaReport(for: DatabaseSchema(City.self, Item.self)).isEmpty)
    #expect(
      try await reader.schemaReport(for: DatabaseSchema(Company.self)).differences == [
        .missingTable("company_master")
      ])
    // A read-only database can migrate if the file is up to date.
    try await reader.migrate(DatabaseSchema(City.self, Item.self))
    let error = try await failure {
      try await reader.migrate(DatabaseSchema(version: 2, City.self, Item.self, Company.self))
    }
    #expect(
      error.summary
        == "migrate 8 -.- -: The file has version 1 and must be migrated to version 2, but it "
        + "is open for reading only: open it once for writing, and call migrate")
    try await reader.close()
  }
}

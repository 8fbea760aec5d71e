import Foundation
import Testing

@testable import MiniORM

@Table("item", options: [])
private struct Item: Equatable, Identifiable {
  let id: Int64
  var name: String
}

@Table("item", options: [])
private struct RenamedItem: Equatable, Identifiable {
  let id: Int64
  @Column(renamedFrom: "name") var title: String
}

@Table("item", options: [])
private struct CheckedItem: Equatable, Identifiable {
  let id: Int64
  @Column(.check("name <> ''")) var name: String
}

@Table("item", options: [])
private struct KeptItem: Equatable, Identifiable {
  let id: Int64
  var name: String
  var owner: Int64?

  static var constraints: [TableConstraint<KeptItem>] {
    [.kept(sql: "FOREIGN KEY (owner) REFERENCES \"Gone\" (id) ON DELETE CASCADE")]
  }
}

@Table("item", options: [])
private struct CheckedKeptItem: Equatable, Identifiable {
  let id: Int64
  @Column(.check("name <> ''")) var name: String
  var owner: Int64?

  static var constraints: [TableConstraint<CheckedKeptItem>] {
    [.kept(sql: "FOREIGN KEY (owner) REFERENCES gone (id) ON DELETE CASCADE")]
  }
}

@Table("item", options: [])
private struct WronglyKeptItem {
  let id: Int64

  static var constraints: [TableConstraint<WronglyKeptItem>] { [.kept(sql: "UNIQUE (id)")] }
}

@Table("computed", options: [])
private struct Computed {
  @Column(.generated("b + 1")) var a: Int64?
  var b: Int64?
}

/// Triggers that SQLite accepts, and that MiniORM's own declarations do not have.
@Suite("Triggers of other programs")
struct ForeignTriggerTests {
  private static let tables = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE counts (k TEXT PRIMARY KEY, n INTEGER);
    INSERT INTO counts VALUES ('count', 0);

    """

  private static let stringTrigger = """
    CREATE TRIGGER counted AFTER INSERT ON item BEGIN
      UPDATE counts SET n = n + 1 WHERE k = "count";
    END;

    """

  private static func count(_ database: Database) async throws -> Int? {
    try await database.read { db in try db.value(Int.self, "SELECT n FROM counts") }
  }

  /// Runs a closure with the script's file, encrypted and adopted.
  private func withForeignFile(
    _ script: String, _ body: (Database, String) async throws -> Void
  ) async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, script)
      let key = Key.raw([UInt8](repeating: 3, count: 32))
      try await Database.encrypt(path: path, key: key)
      let database = try await Database(path: path, key: key)
      try await database.adopt(version: 1)
      try await body(database, path)
      try await database.close()
    }
  }

  @Test("a trigger and a view with strings in double quotes keep their meaning")
  func strings() async throws {
    let view = "CREATE VIEW counted_view AS SELECT n FROM counts WHERE k = \"count\";"
    try await withForeignFile(Self.tables + Self.stringTrigger + view) { database, _ in
      try await database.migrate(DatabaseSchema(Item.self))
      try await Table<Item>().insert(Item(id: 1, name: "a"), in: database)
      #expect(try await Self.count(database) == 1)
      let row = try await database.read { db in
        try db.value(Int.self, #"SELECT "n" FROM "counted_view""#)
      }
      #expect(row == 1)
    }
  }

  @Test(
    "beside such a trigger, a misspelt column in a statement of the program is an error",
    arguments: [
      #"INSERT INTO item (id, name) VALUES (1, "nmae")"#, #"INSERT INTO item ("nmae") VALUES (1)"#,
      #"INSERT INTO "item" ("id", "name") SELECT 1, "nmae""#, #"SELECT "n" FROM v WHERE "count""#,
    ])
  func misspelt(sql: String) async throws {
    let view = "CREATE VIEW v AS SELECT n FROM counts WHERE k = \"count\";"
    try await withForeignFile(Self.tables + Self.stringTrigger + view) { database, _ in
      let error = try await failure {
        try await database.write { db in try db.execute(SQL(raw: sql)) }
      }
      #expect(error.operation == .prepare && error.code == .error, "\(error)")
      #expect(error.sql == sql)
      #expect(try await Self.count(database) == 0)
    }
  }

  @Test("a misspelt column in a new view or trigger fails the migration", arguments: [false, true])
  func misspeltObject(isView: Bool) async throws {
    let items = Table<Item>()
    let object: any SchemaObject =
      isView
      ? SQLObject("CREATE VIEW names AS SELECT \"nmae\" FROM item")
      : Trigger("named", .after, insertInto: items) { _ in
        [SQL(raw: "DELETE FROM item WHERE \"nmae\" = ''")]
      }
    let schema = DatabaseSchema(Item.self, objects: [object])
    for before in [DatabaseSchema(), DatabaseSchema(Item.self)] {
      try await withFile(before) { database in
        let error = try await failure { try await database.migrate(schema) }
        #expect(error.message.contains("compile: no such column: \"nmae\""), "\(error)")
      }
    }
  }

  @Test(
    "names in double quotes are written in backticks, at the same places",
    arguments: [
      (#"SELECT "a", 'b "c"' FROM "t" -- "d""#, #"SELECT `a`, 'b "c"' FROM `t` -- "d""#),
      (#"SELECT "a""b" FROM [x"y]"#, #"SELECT `a"b`  FROM [x"y]"#),
      (#"SELECT "a`b", "c`]d", "é""#, #"SELECT [a`b], "c`]d", `é`"#),
      (#"CREATE TABLE "a" ("b")"#, #"CREATE TABLE "a" ("b")"#),
      (#"ALTER TABLE "a" ADD "b""#, #"ALTER TABLE "a" ADD "b""#),
      (#"SELECT "open"#, #"SELECT "open"#), ("", ""), (#""""#, "``"),
    ])
  func backticks(sql: String, expected: String) {
    #expect(StringsInSchema.inBackticks(sql) == expected)
    #expect(expected.utf8.count == sql.utf8.count)
  }

  @Test("a prepared statement runs such a trigger after the schema has changed")
  func recompiled() async throws {
    try await withForeignFile(Self.tables + Self.stringTrigger) { database, _ in
      for id in 1...3 {
        try await Table<Item>().insert(Item(id: Int64(id), name: "a"), in: database)
        try await database.write { db in try db.execute("CREATE TABLE other\(raw: "\(id)") (a)") }
      }
      #expect(try await Self.count(database) == 3)
    }
  }

  @Test("a table with such a trigger is renamed in its columns, and rebuilt")
  func changed() async throws {
    try await withForeignFile(Self.tables + Self.stringTrigger) { database, _ in
      let rebuilt = DatabaseSchema(CheckedItem.self)
      #expect(try await database.migrationPlan(for: rebuilt).transactions.count == 1)
      try await database.migrate(rebuilt)
      try await Table<CheckedItem>().insert(CheckedItem(id: 1, name: "a"), in: database)
      let renamed = DatabaseSchema(version: 2, RenamedItem.self)
      #expect(try await database.migrationPlan(for: renamed).transactions.count == 1)
      try await database.migrate(renamed)
      try await Table<RenamedItem>().insert(RenamedItem(id: 2, title: "b"), in: database)
      #expect(try await Self.count(database) == 2)
    }
  }

  @Test(
    "a plan accepts strings in double quotes in a CHECK, an index and a trigger",
    arguments: [
      #"CREATE TABLE c (k TEXT CHECK (k <> "none"))"#,
      #"CREATE INDEX i ON counts (k) WHERE k = "count""#, stringTrigger,
    ])
  func planned(sql: String) async throws {
    try await withForeignFile(Self.tables + sql + ";") { database, _ in
      let plan = try await database.migrationPlan(for: DatabaseSchema(Item.self))
      #expect(plan.isEmpty)
    }
  }

  @Test("a trigger on a shadow table runs, and every connection can read the file")
  func shadowTable() async throws {
    let script = """
      CREATE VIRTUAL TABLE words USING fts5(a);
      CREATE TRIGGER words_counted AFTER INSERT ON words_docsize BEGIN
        UPDATE counts SET n = n + 1;
      END;
      """
    try await withForeignFile(Self.tables + script) { database, path in
      let schema = DatabaseSchema(Item.self)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
      try await database.migrate(schema)
      let plan = try await database.migrationPlan(for: DatabaseSchema(CheckedItem.self))
      #expect(!plan.isEmpty)
      try await database.write { db in try db.execute("INSERT INTO words VALUES ('x')") }
      #expect(try await Self.count(database) == 1)
      // Every connection reads the schema again.
      try await database.write { db in try db.execute("CREATE TABLE other (a)") }
      #expect(try await Self.count(database) == 1)
      try await database.migrate(DatabaseSchema(version: 2, RenamedItem.self))
      let key = Key.raw([UInt8](repeating: 3, count: 32))
      try await withTemporaryDatabase(script: "") { other in
        try await other.attach(path, as: "words_file", key: key)
        let count = try await other.read { db in
          try db.value(Int.self, "SELECT n FROM words_file.counts")
        }
        #expect(count == 1)
      }
      let error = try await failure {
        try await database.write { db in try db.execute("DELETE FROM words_docsize") }
      }
      #expect(error.message == "table words_docsize may not be modified")
    }
  }

  @Test("a trigger that was created in an attached file is planned, compared and created again")
  func attachedName() async throws {
    let body = "BEGIN UPDATE counts SET n = n + 1; END"
    // SQLite stores the name of the attached file.
    let script = """
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES ('trigger', 'counted', 'item', 0,
        'CREATE TRIGGER counted AFTER INSERT ON aux.item \(body)');
      """
    try await withForeignFile(Self.tables + script) { database, _ in
      let trigger = SQLObject("CREATE TRIGGER counted AFTER INSERT ON item \(body)")
      for object in [trigger, SQLObject("CREATE TRIGGER counted AFTER INSERT ON aux.item \(body)")]
      {
        let schema = DatabaseSchema(Item.self, objects: [object])
        #expect(try await database.migrationPlan(for: schema).isEmpty)
        #expect(try await database.schemaReport(for: schema).isEmpty)
      }
      let schema = DatabaseSchema(CheckedItem.self, objects: [trigger])
      try await database.migrate(schema)
      try await Table<CheckedItem>().insert(CheckedItem(id: 1, name: "a"), in: database)
      #expect(try await Self.count(database) == 1)
    }
  }

  @Test(
    "a name in single quotes is equal to the name in other quotation marks",
    arguments: [
      "CREATE TRIGGER 'Counted' AFTER INSERT ON 'item' BEGIN DELETE FROM counts; END",
      "CREATE VIEW 'Counted' AS SELECT 1 AS one",
      "CREATE VIRTUAL TABLE 'Counted' USING fts5(a)",
    ])
  func singleQuotes(sql: String) async throws {
    try await withForeignFile(Self.tables + sql + ";") { database, _ in
      for name in ["'Counted'", "\"counted\"", "[Counted]"] {
        let object = SQLObject(sql.replacingOccurrences(of: "'Counted'", with: name))
        let schema = DatabaseSchema(Item.self, objects: [object])
        let report = try await database.schemaReport(for: schema)
        #expect(report.isEmpty, "\(report)")
        let plan = try await database.migrationPlan(for: schema)
        #expect(plan.isEmpty, "\(plan)")
      }
      let other = SQLObject(sql.replacingOccurrences(of: "1 AS one", with: "2 AS two"))
      let isView = sql.hasPrefix("CREATE VIEW")
      let plan = try await database.migrationPlan(
        for: DatabaseSchema(Item.self, objects: [other]))
      #expect(plan.isEmpty == !isView)
    }
  }

  @Test("a trigger on updates of a table whose first column is generated is created")
  func generated() async throws {
    let rows = Table<Computed>()
    let trigger = Trigger("raised", .after, update: rows) { _, new in
      [rows.where { $0.b == new.b }.delete().sql]
    }
    try await withFile(DatabaseSchema(Computed.self, objects: [trigger])) { database in
      let count = try await rows.count(in: database)
      #expect(count == 0)
    }
  }

  // MARK: Kept foreign keys

  private static let dangling = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
      owner INTEGER REFERENCES gone (id) ON DELETE CASCADE);
    INSERT INTO item VALUES (1, 'a', 7);
    """

  @Test("a kept foreign key stays in the file, also in a rebuilt table, and a new file has none")
  func keptKey() async throws {
    try await withForeignFile(Self.dangling) { database, _ in
      let schema = DatabaseSchema(KeptItem.self)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
      try await database.migrate(schema)
      try await database.migrate(DatabaseSchema(version: 2, CheckedKeptItem.self))
      let sql = try await database.read { db in
        try db.value(String.self, "SELECT sql FROM sqlite_schema WHERE name = 'item'")
      }
      #expect(sql?.contains("REFERENCES gone (id) ON DELETE CASCADE") == true)
      let rows = try await Table<CheckedKeptItem>().fetchAll(in: database)
      #expect(rows == [CheckedKeptItem(id: 1, name: "a", owner: 7)])
      let error = try await failure {
        try await Table<CheckedKeptItem>().insert(
          CheckedKeptItem(id: 2, name: "b", owner: nil), in: database)
      }
      #expect(error.message == "no such table: main.gone")
      #expect(error.recoverySuggestion?.contains("foreignKeysEnabled") == true)
    }
    try await withFile(DatabaseSchema(KeptItem.self)) { database in
      let item = KeptItem(id: 1, name: "a", owner: 7)
      let inserted = try await Table<KeptItem>().insert(item, in: database)
      #expect(inserted == item)
    }
  }

  @Test("a kept foreign key does not hide another difference, and must be a foreign key")
  func keptDifference() async throws {
    let script = Self.dangling.replacingOccurrences(of: "CASCADE", with: "SET NULL")
    try await withForeignFile(script) { database, _ in
      let report = try await database.schemaReport(for: DatabaseSchema(KeptItem.self))
      #expect(report.differences.count == 1, "\(report)")
    }
    let error = #expect(throws: DatabaseError.self) { _ = try WronglyKeptItem.table() }
    #expect(error?.code == .misuse && error?.table == "item")
  }
}

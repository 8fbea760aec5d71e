import Foundation
import Testing

@testable import MiniORM

private typealias Step = DatabaseSchema.Step

/// The foreign key actions on deletion, as SQL.
private let actions = [
  "", "ON DELETE NO ACTION", "ON DELETE RESTRICT", "ON DELETE SET NULL", "ON DELETE SET DEFAULT",
  "ON DELETE CASCADE", "ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
  "DEFERRABLE INITIALLY DEFERRED",
]

/// Parent and child tables with a foreign key action.
private func tables(_ action: String) -> String {
  """
  CREATE TABLE mum (id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE kid (id INTEGER PRIMARY KEY, mum INTEGER DEFAULT 2 REFERENCES mum \(action));
  INSERT INTO mum VALUES (1, 'Ada'), (2, 'Eve');
  INSERT INTO kid VALUES (1, 1), (2, 1), (3, 2), (4, NULL);
  """
}

private let kids: [[DatabaseValue]] = [
  [.integer(1), .integer(1)], [.integer(2), .integer(1)], [.integer(3), .integer(2)],
  [.integer(4), .null],
]

private let rebuild = """
  CREATE TABLE new_mum (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
  INSERT INTO new_mum SELECT id, name FROM mum;
  DROP TABLE mum;
  ALTER TABLE new_mum RENAME TO mum;
  """

private struct Case: Sendable, CustomTestStringConvertible {
  enum Outcome { case done, refused, broken }

  let name: String
  let outcome: Outcome
  var foreignKeysEnabled = true
  let operations: [DatabaseSchema.Operation]

  var testDescription: String { name }
  var schema: DatabaseSchema {
    let step = Step(
      to: 2, name, foreignKeysEnabled: foreignKeysEnabled, operations: operations)
    return DatabaseSchema(version: 2, steps: [step])
  }
}

private let refused: [Case] = [
  Case(name: "a script", outcome: .refused, operations: [.sql("DROP TABLE mum")]),
  Case(
    name: "IF EXISTS, in another spelling", outcome: .refused,
    operations: [.sql("drop /* it */ table if exists main.[MUM]")]),
  Case(name: "the twelve steps by hand", outcome: .refused, operations: [.sql(rebuild)]),
  Case(
    name: "a renamed parent", outcome: .refused,
    operations: [
      .sql(
        """
        ALTER TABLE mum RENAME TO old_mum;
        CREATE TABLE mum (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO mum SELECT * FROM old_mum;
        DROP TABLE old_mum;
        """)
    ]),
  Case(
    name: "a closure's statement", outcome: .refused,
    operations: [.run { try $0.execute("DROP TABLE mum") }]),
  Case(
    name: "a closure's query", outcome: .refused,
    operations: [.run { _ = try $0.query("DROP TABLE mum") }]),
  Case(
    name: "a closure's value", outcome: .refused,
    operations: [.run { _ = try $0.value(Int.self, "DROP TABLE mum") }]),
  Case(
    name: "a closure's script", outcome: .refused,
    operations: [.run { try $0.execute(script: rebuild) }]),
  Case(
    name: "a closure's savepoint", outcome: .refused,
    operations: [.run { db in _ = try db.transaction { db in try db.execute("DROP TABLE mum") } }]),
  Case(
    name: "a script after a rebuild", outcome: .refused,
    operations: [.addColumn("code", Int?.self, .unique, to: "mum"), .sql("DROP TABLE mum")]),
]

private let others: [Case] = [
  Case(
    name: "the twelve steps by hand, without foreign keys", outcome: .done,
    foreignKeysEnabled: false, operations: [.sql(rebuild)]),
  Case(
    name: "a closure without foreign keys", outcome: .done, foreignKeysEnabled: false,
    operations: [.run { try $0.execute(script: rebuild) }]),
  Case(
    name: "a script without foreign keys", outcome: .broken, foreignKeysEnabled: false,
    operations: [.sql("DROP TABLE mum")]),
  Case(
    name: "deleted parents without foreign keys", outcome: .broken, foreignKeysEnabled: false,
    operations: [.sql("DELETE FROM mum WHERE id = 1")]),
  Case(name: "dropTable", outcome: .broken, operations: [.dropTable("mum")]),
  Case(
    name: "dropTable of all", outcome: .done, operations: [.sql("DROP TABLE other")]),
  Case(name: "dropColumn", outcome: .done, operations: [.dropColumn("name", from: "mum")]),
  Case(
    name: "addColumn", outcome: .done,
    operations: [.addColumn("code", Int?.self, .unique, to: "mum")]),
  Case(
    name: "rebuildTable", outcome: .done,
    operations: [
      .rebuildTable(
        "mum", .column("id", Int64.self, .primaryKey), .column("name", String?.self),
        values: ["name": "upper(name)"])
    ]),
  Case(
    name: "rebuildTable of the children", outcome: .done,
    operations: [
      .rebuildTable(
        "kid", .column("id", Int64.self, .primaryKey),
        .column("mum", Int64?.self, .references(table: "mum", onDelete: .cascade)))
    ]),
  Case(
    name: "names", outcome: .done,
    operations: [
      .renameTable("mum", to: "mother"), .renameColumn("name", to: "first", in: "mother"),
      .createIndex("by_name", on: "mother", ["first"], unique: true), .dropIndex("by_name"),
      .renameTable("mother", to: "mum"),
    ]),
  Case(
    name: "backfill", outcome: .done,
    operations: [.backfill("mum") { _ in ["name": "Joan"] }]),
]

@Suite("Foreign keys in a step")
struct StepForeignKeyTests {
  @Test(
    "no step deletes or changes rows of tables that reference a changed table", arguments: actions)
  func kinds(action: String) async throws {
    for example in refused + others {
      let script = tables(action) + "CREATE TABLE other (id INTEGER PRIMARY KEY REFERENCES mum);"
      try await withTemporaryDatabase(script: script) { database in
        try await database.adopt(version: 1)
        let before = try await contents(database)
        switch example.outcome {
        case .done: try await database.migrate(example.schema)
        case .refused:
          let error = try await failure { try await database.migrate(example.schema) }
          #expect(error.code == .misuse && error.operation == .migrate, "\(example.name)")
          #expect(error.message.contains(".dropTable(\""), "\(example.name): \(error)")
          #expect(error.message.contains("kid"), "\(example.name): \(error)")
        case .broken:
          let error = try await failure { try await database.migrate(example.schema) }
          #expect(error.code == .constraintForeignKey, "\(example.name): \(error)")
        }
        #expect(
          try await database.read { try $0.query("SELECT id, mum FROM kid").map(\.values) } == kids,
          "\(example.name)")
        if example.outcome != .done {
          #expect(try await contents(database) == before, "\(example.name)")
          #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
        }
        #expect(try await database.values("PRAGMA foreign_keys") == [.integer(1)])
        #expect(try await database.values("PRAGMA legacy_alter_table") == [.integer(0)])
      }
    }
  }

  private func contents(_ database: Database) async throws -> [[DatabaseValue]] {
    try await database.read { db in
      try db.query("SELECT name, sql FROM sqlite_schema").map(\.values)
        + db.query("SELECT * FROM mum").map(\.values)
    }
  }

  @Test("the refusal names the statement, the table, the referencing tables, and the remedy")
  func message() async throws {
    try await withTemporaryDatabase(script: tables("")) { database in
      try await database.adopt(version: 1)
      let error = try await failure { try await database.migrate(refused[0].schema) }
      #expect(
        error.facts
          == ErrorFacts(
            .migrate, .misuse,
            "Step 2 (a script): DROP TABLE mum would run the ON DELETE actions of the foreign keys that "
              + "refer to it, on the rows of kid. Use .dropTable(\"mum\"), which changes no row of another table, or "
              + "create the step with foreignKeysEnabled: false to rebuild the table by hand",
            sql: "DROP TABLE mum", path: database.path, table: "mum"))
      // The plan, computed on an empty copy, reports the same error.
      let planned = try await failure { try await database.migrationPlan(for: refused[0].schema) }
      #expect(planned.message == error.message)
    }
  }

  @Test(
    "a table without other references, or without enforcement, can be dropped"
  )
  func unreferenced() async throws {
    let own =
      "CREATE TABLE tree (id INTEGER PRIMARY KEY, up INTEGER REFERENCES tree ON DELETE CASCADE);"
    try await withTemporaryDatabase(script: tables("ON DELETE CASCADE") + own) { database in
      try await database.adopt(version: 1)
      try await database.migrate(
        DatabaseSchema(
          version: 2,
          steps: [
            Step(
              to: 2, "all",
              .sql("INSERT INTO tree VALUES (1, NULL), (2, 1); DROP TABLE tree"),
              .sql("DROP TABLE kid; DROP TABLE mum"))
          ]))
      #expect(
        try await database.values(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'miniorm%'") == [])
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try await withTemporaryDatabase(
      configuration: configuration, script: tables("ON DELETE CASCADE")
    ) { database in
      try await database.adopt(version: 1)
      try await database.migrate(refused[0].schema)
      #expect(try await database.values("SELECT count(*) FROM kid") == [.integer(4)])
    }
  }

  @Test("outside of steps, DROP TABLE behaves as in SQLite")
  func outside() async throws {
    try await withTemporaryDatabase(script: tables("ON DELETE CASCADE")) { database in
      try await database.write { try $0.execute("DROP TABLE mum") }
      #expect(try await database.values("SELECT id FROM kid") == [.integer(4)])
    }
  }

  @Test(
    "a step's DELETE runs foreign key actions, also beside operations that rebuild a table",
    arguments: [
      ("ON DELETE CASCADE", [[.integer(3), .integer(2)], [.integer(4), .null]]),
      (
        "ON DELETE SET NULL",
        [
          [.integer(1), .null], [.integer(2), .null], [.integer(3), .integer(2)],
          [.integer(4), .null],
        ]
      ),
      (
        "ON DELETE SET DEFAULT",
        [
          [.integer(1), .integer(2)], [.integer(2), .integer(2)], [.integer(3), .integer(2)],
          [.integer(4), .null],
        ]
      ), ("ON DELETE RESTRICT", nil),
      ("", nil),
    ] as [(String, [[DatabaseValue]]?)])
  func deletion(action: String, expected: [[DatabaseValue]]?) async throws {
    let delete = "DELETE FROM mum WHERE id = 1"
    let wholes: [[DatabaseSchema.Operation]] = [
      [.sql(delete)], [.run { try $0.execute("DELETE FROM mum WHERE id = 1") }],
      [.addColumn("code", Int?.self, .unique, to: "mum"), .sql(delete)],
      [.sql(delete), .dropColumn("name", from: "mum")],
      [
        .dropTable("other"), .run { try $0.execute("DELETE FROM mum WHERE id = 1") },
        .addColumn("code", Int?.self, .unique, to: "kid"),
      ],
    ]
    for operations in wholes {
      try await withTemporaryDatabase(script: tables(action)) { database in
        try await database.adopt(version: 1)
        let schema = DatabaseSchema(
          version: 2, steps: [Step(to: 2, "delete", operations: operations)])
        if expected == nil {
          let error = try await failure { try await database.migrate(schema) }
          #expect(error.code.primary == .constraint, "\(error)")
        } else {
          try await database.migrate(schema)
        }
        let rows = try await database.read { try $0.query("SELECT id, mum FROM kid").map(\.values) }
        #expect(rows == expected ?? kids)
      }
    }
  }

  @Test("a violated deferred foreign key is named, also if its table is rebuilt later")
  func deferred() async throws {
    let script = tables("DEFERRABLE INITIALLY DEFERRED")
    for (operations, message) in [
      (
        [.sql("DELETE FROM mum WHERE id = 2")], "table kid, rowid 3, column mum: no such row in mum"
      ),
      (
        [.sql("DELETE FROM mum WHERE id = 2"), .dropTable("kid")],
        "Make the later operation a separate step"
      ),
    ] as [([DatabaseSchema.Operation], String)] {
      try await withTemporaryDatabase(script: script) { database in
        try await database.adopt(version: 1)
        let step = Step(to: 2, "delete", operations: operations)
        let error = try await failure {
          try await database.migrate(DatabaseSchema(version: 2, steps: [step]))
        }
        #expect(error.code == .constraintForeignKey && error.message.contains(message), "\(error)")
        #expect(try await database.values("SELECT count(*) FROM kid") == [.integer(4)])
      }
    }
  }

  // MARK: Rows that had no parent before

  /// Children without parents, as left by a program that does not enforce foreign keys.
  private let orphans = """
    PRAGMA foreign_keys = OFF;
    INSERT INTO kid VALUES (5, 9), (6, 9);
    CREATE TABLE pair (a INTEGER, b TEXT, FOREIGN KEY (a, b) REFERENCES mum (id, name));
    CREATE UNIQUE INDEX both ON mum (id, name);
    INSERT INTO pair VALUES (1, 'Eve'), (1, 'Ada'), (NULL, 'x');
    CREATE TABLE word (w INTEGER PRIMARY KEY REFERENCES mum) WITHOUT ROWID;
    INSERT INTO word VALUES (7), (1);
    PRAGMA foreign_keys = ON;
    """

  private let deletion = """
    DELETE FROM kid WHERE mum = 9;
    DELETE FROM pair WHERE b = 'Eve';
    DELETE FROM word WHERE w = 7;
    """

  private func withOrphans(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase { database in
      try await database.withoutTransaction { db in
        try db.execute(script: tables("ON DELETE CASCADE") + orphans)
      }
      try await database.adopt(version: 1)
      try await body(database)
    }
  }

  @Test("earlier orphans fail a step without foreign keys, until they are deleted")
  func oldOrphans() async throws {
    try await withOrphans { database in
      let second = Step(
        to: 3, "rebuild", foreignKeysEnabled: false,
        .sql(rebuild + "CREATE UNIQUE INDEX both ON mum (id, name);"))
      func schema(_ first: Step) -> DatabaseSchema {
        DatabaseSchema(version: 3, steps: [first, second])
      }
      let nothing = Step(to: 2, "nothing", .sql("UPDATE kid SET mum = 1 WHERE id = 1"))
      let error = try await failure { try await database.migrate(schema(nothing)) }
      #expect(error.code == .constraintForeignKey, "\(error)")
      for line in [
        "kid, rowid 5, column mum", "pair, rowid 1, column a", "word, rowid ?, column w",
      ] {
        #expect(error.message.contains("table \(line): no such row in mum"), "\(error)")
      }
      #expect(try await database.values("PRAGMA user_version") == [.integer(2)])
      try await database.write { try $0.execute(script: deletion) }
      try await database.migrate(schema(nothing))
      #expect(try await database.values("SELECT count(*) FROM kid") == [.integer(4)])
    }
  }

  @Test(
    "a row that loses its parent is found",
    arguments: [
      "UPDATE kid SET mum = NULL WHERE mum = 2; DELETE FROM mum WHERE id = 1",
      "UPDATE kid SET mum = 8 WHERE id = 1",
      "INSERT INTO other VALUES (1, 9)",
      "UPDATE pair SET b = 'Nobody' WHERE b = 'Ada'",
      "INSERT INTO word VALUES (8)",
    ])
  func newOrphans(sql: String) async throws {
    try await withOrphans { database in
      try await database.write {
        try $0.execute(
          script: deletion
            + "CREATE TABLE other (id INTEGER PRIMARY KEY, mum INTEGER REFERENCES mum)")
      }
      let step = Step(to: 2, "x", foreignKeysEnabled: false, .sql(sql))
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, steps: [step]))
      }
      #expect(error.code == .constraintForeignKey, "\(error)")
      #expect(try await database.values("SELECT count(*) FROM mum") == [.integer(2)])
    }
  }
}

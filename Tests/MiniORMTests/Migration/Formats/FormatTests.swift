import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

private enum Old {
  @Table("event") struct Event {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal?
  }
  @Table("event") struct Number {
    let id: Int64
    var at: Int
  }
}
private enum New {
  @Table("event") struct Event: Equatable {
    let id: Int64
    @Column(as: .unixMilliseconds) var at: Date
    @Column(as: .decimal(scale: 3)) var price: Decimal?
  }
  @Table("occasion", renamedFrom: "event") struct Renamed: Equatable {
    let id: Int64
    @Column(as: .unixMilliseconds, renamedFrom: "at") var moment: Date
    @Column(as: .decimal(scale: 3)) var price: Decimal?
  }
  @Table("event") struct Moment: Equatable {
    let id: Int64
    var at: Date
  }
  @Table("event") struct Seconds: Equatable {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
  }
  @Table("event") struct Flag {
    let id: Int64
    var at: Bool
  }
  @Table("event") struct Maybe {
    let id: Int64
    var at: Int8?
  }
}

private typealias Step = DatabaseSchema.Step

extension Database {
  fileprivate func formats() async throws -> [String] {
    try await read { db in
      try db.query("SELECT tbl || '.' || col || ' ' || format FROM miniorm_columns ORDER BY 1")
        .compactMap { if case .text(let text)? = $0.values.first { text } else { nil } }
    }
  }

  fileprivate func run(_ script: String) async throws {
    try await write { try $0.execute(script: script) }
  }

  /// Removes the records, as another program may do.
  fileprivate func forgetRecords() async throws {
    try await run(
      "DROP TABLE miniorm_objects; DROP TABLE miniorm_tables; DROP TABLE miniorm_columns")
  }
}

@Suite("Column formats")
struct FormatTests {
  @Test("a file records the format of each column, and the report shows a changed format")
  func records() async throws {
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      #expect(
        try await database.formats()
          == ["event.at unixSeconds", "event.id int64", "event.price decimal(2)"])
      #expect(
        try await database.schemaReport(for: DatabaseSchema(New.Event.self)).differences == [
          .differentColumn(
            table: "event", column: "at", property: "format", file: "unixSeconds",
            model: "unixMilliseconds"),
          .differentColumn(
            table: "event", column: "price", property: "format", file: "decimal(2)",
            model: "decimal(3)"),
        ])
      #expect(
        try await database.schemaReport(for: DatabaseSchema(New.Renamed.self)).description
          .contains("column occasion.moment: format is unixSeconds in the file"))
      #expect(
        try await database.values(
          "SELECT DISTINCT migration FROM (SELECT migration FROM miniorm_columns UNION ALL SELECT migration FROM miniorm_tables)"
        ) == database.values("SELECT max(id) FROM miniorm_migrations"))
    }
  }

  @Test("values are converted to the new format, also in a renamed column, and the schema changes")
  func converts() async throws {
    let fill = "INSERT INTO event VALUES (1, 1700000000, 999), (2, -1, NULL)"
    let rows = [
      New.Event(
        id: 1, at: Date(timeIntervalSince1970: 1_700_000_000), price: Decimal(string: "9.99")),
      New.Event(id: 2, at: Date(timeIntervalSince1970: -1), price: nil),
    ]
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      try await database.run(fill)
      let plan = try await database.migrationPlan(for: DatabaseSchema(version: 2, New.Event.self))
      #expect(
        plan.description.contains(
          #"SELECT "id", miniorm_convert("at", 'unixSeconds', 'unixMilliseconds'), "#
            + #"miniorm_convert("price", 'decimal(2)', 'decimal(3)') FROM "event""#))
      let cookie = try await database.values("PRAGMA schema_version")
      try await database.migrate(DatabaseSchema(version: 2, New.Event.self))
      #expect(try await Table<New.Event>().order { $0.id }.fetchAll(in: database) == rows)
      #expect(
        try await database.values("SELECT quote(at) || ' ' || quote(price) FROM event")
          == [.text("1700000000000 9990"), .text("-1000 NULL")])
      #expect(try await database.values("PRAGMA schema_version") != cookie)
      #expect(
        try await database.formats()
          == ["event.at unixMilliseconds", "event.id int64", "event.price decimal(3)"])
      let history = try await database.migrationHistory()
      try await database.migrate(DatabaseSchema(version: 2, New.Event.self))
      #expect(try await database.migrationHistory() == history)
    }
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      try await database.run(fill)
      try await database.migrate(DatabaseSchema(version: 2, New.Renamed.self))
      #expect(
        try await Table<New.Renamed>().order { $0.id }.fetchAll(in: database)
          == rows.map { New.Renamed(id: $0.id, moment: $0.at, price: $0.price) })
    }
  }

  @Test(
    "a column of unknown format is refused before any write, with the rows and the step to write")
  func refuses() async throws {
    try await withFile(DatabaseSchema(Old.Number.self)) { database throws in
      try await database.run("INSERT INTO event VALUES (1, 1700000000), (5, 7), (9, 300)")
      let before = try await database.values("SELECT quote(at) FROM event")
      for (schema, message) in [
        (
          DatabaseSchema(version: 2, New.Moment.self),
          "rebuild table event: 3 rows of event (rowid 1, 5, 9) hold a value in column at that cannot "
            + "be read as date: convert it in a step, .convertColumn(\"at\", to: Date.self, in: "
            + "\"event\", using: \"…\")"
        ),
        (
          DatabaseSchema(version: 2, New.Seconds.self),
          "rebuild table event: 3 rows of event (rowid 1, 5, 9) hold a value in column at, stored as "
            + "int64, that has no exact equivalent as unixSeconds: convert it in a step, "
            + ".convertColumn(\"at\", to: UnixSeconds.self, in: \"event\", using: \"…\")"
        ),
        (
          DatabaseSchema(version: 2, New.Flag.self),
          "3 rows of event (rowid 1, 5, 9) hold a value in column at that cannot be read as bool: "
            + "convert it in a step, .convertColumn(\"at\", to: Bool.self, in: \"event\", using: \"…\")"
        ),
        (
          DatabaseSchema(version: 2, New.Maybe.self),
          "2 rows of event (rowid 1, 9) hold a value in column at that cannot be read as int8: "
            + "convert it in a step, .convertColumn(\"at\", to: Int8?.self, in: \"event\", using: \"…\")"
        ),
      ] {
        let error = try await failure { try await database.migrate(schema) }
        #expect(error.operation == .migrate && error.code == .mismatch && error.table == "event")
        #expect(error.column == "at" && error.path == database.path)
        #expect(
          error.message.hasSuffix(message.replacing("rebuild table event: ", with: "")),
          "\(error.message)")
        #expect(try await database.values("SELECT quote(at) FROM event") == before)
        #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
      }
    }
  }

  @Test("convertColumn converts a column with its constraints, and changes nothing else")
  func convertColumn() async throws {
    let script = """
      CREATE TABLE event (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "at" INTEGER NOT NULL UNIQUE CHECK (at > 0),
        other TEXT COLLATE NOCASE DEFAULT 'x', CONSTRAINT named CHECK (other <> '')) STRICT;
      CREATE INDEX by_other ON event (other);
      CREATE TRIGGER told AFTER INSERT ON event BEGIN SELECT 1; END;
      INSERT INTO event VALUES (3, 1700000000, 'a'), (7, 1, 'b');
      """
    try await withTemporaryDatabase(script: script) { database in
      try await database.adopt(version: 1)
      let step = Step(
        to: 2, "milliseconds",
        .convertColumn("at", to: UnixMilliseconds.self, in: "event", using: "at * 1000"))
      try await database.migrate(DatabaseSchema(version: 2, steps: [step]))
      #expect(
        try await database.values(
          "SELECT sql FROM sqlite_schema WHERE tbl_name = 'event' AND sql NOT NULL")
          == [
            .text(
              """
              CREATE TABLE "event" (
                id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "at" INTEGER NOT NULL UNIQUE CHECK (at > 0), \
              other TEXT COLLATE NOCASE DEFAULT 'x', CONSTRAINT named CHECK (other <> '')) STRICT
              """), .text("CREATE INDEX by_other ON event (other)"),
            .text("CREATE TRIGGER told AFTER INSERT ON event BEGIN SELECT 1; END"),
          ])
      #expect(
        try await database.values("SELECT id || ' ' || at || other FROM event")
          == [.text("3 1700000000000a"), .text("7 1000b")])
      #expect(try await database.formats() == ["event.at ?unixMilliseconds"])
    }
    try await withFile(DatabaseSchema(Old.Number.self)) { database throws in
      try await database.run("INSERT INTO event VALUES (1, 1700000000), (5, 7)")
      let wrong = Step(
        to: 2, "dates", .convertColumn("at", to: Date.self, in: "event", using: "at || ''"))
      let error = try await failure {
        try await database.migrate(DatabaseSchema(version: 2, New.Moment.self, steps: [wrong]))
      }
      #expect(
        error.message.contains("(rowid 1, 5) hold a value in column at that cannot be read as date")
      )
    }
    try await withFile(DatabaseSchema(Old.Number.self)) { database throws in
      try await database.run("INSERT INTO event VALUES (1, 1700000000), (5, 7)")
      let right = Step(
        to: 2, "dates",
        .convertColumn("at", to: Date.self, in: "event", using: "datetime(at, 'unixepoch')"))
      try await database.migrate(DatabaseSchema(version: 2, New.Moment.self, steps: [right]))
      #expect(
        try await Table<New.Moment>().order { $0.id }.fetchAll(in: database) == [
          New.Moment(id: 1, at: Date(timeIntervalSince1970: 1_700_000_000)),
          New.Moment(id: 5, at: Date(timeIntervalSince1970: 7)),
        ])
    }
  }

  @Test("convertColumn changes NULL and type, and refuses missing and generated columns")
  func convertedNulls() async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE t (a TEXT NOT NULL ON CONFLICT IGNORE DEFAULT '1', b, c AS (a), PRIMARY KEY (a));
        INSERT INTO t (a, b) VALUES ('5', NULL), ('6', 'x');
        """
    ) { database in
      try await database.adopt(version: 1)
      try await database.migrate(
        DatabaseSchema(
          version: 2,
          steps: [
            Step(
              to: 2, "x", .convertColumn("a", to: Int?.self, in: "t", using: "CAST(a AS INTEGER)"),
              .convertColumn("b", to: String.self, in: "t", using: "ifnull(b, '')"))
          ]))
      #expect(
        try await database.values("SELECT sql FROM sqlite_schema WHERE name = 't'") == [
          .text(
            #"CREATE TABLE "t" (a INTEGER DEFAULT '1', b TEXT NOT NULL, c AS (a), PRIMARY KEY (a))"#
          )
        ])
      for (operation, message) in [
        (
          DatabaseSchema.Operation.convertColumn("c", to: Int.self, in: "t", using: "1"),
          "no such column: t.c, or it is generated: name a stored column"
        ),
        (
          .convertColumn("z", to: Int.self, in: "t", using: "1"),
          "no such column: t.z, or it is generated: name a stored column"
        ),
        (.convertColumn("a", to: Int.self, in: "u", using: "1"), "no such table: u"),
      ] {
        let error = try await failure {
          try await database.migrate(
            DatabaseSchema(version: 3, steps: [Step(to: 3, "x", operation)]))
        }
        #expect(error.message == "Step 3 (x): \(message)")
      }
    }
  }

  // MARK: Steps

  @Test("records follow the operations of steps, and renames by raw SQL")
  func followsSteps() async throws {
    let steps: [(DatabaseSchema.Operation, [String])] = [
      (
        .renameTable("event", to: "occasion"),
        ["occasion.at unixSeconds", "occasion.id int64", "occasion.price decimal(2)"]
      ),
      (
        .renameColumn("at", to: "moment", in: "event"),
        ["event.id int64", "event.moment unixSeconds", "event.price decimal(2)"]
      ),
      (.dropColumn("price", from: "event"), ["event.at unixSeconds", "event.id int64"]),
      (.dropTable("event"), []),
      (
        .addColumn("more", UnixSeconds?.self, to: "event"),
        [
          "event.at unixSeconds", "event.id int64", "event.more ?unixSeconds",
          "event.price decimal(2)",
        ]
      ),
      (
        .addColumn("more", Int?.self, to: "event"),
        ["event.at unixSeconds", "event.id int64", "event.price decimal(2)"]
      ),
      (
        .sql("ALTER TABLE event RENAME TO occasion"),
        ["occasion.at unixSeconds", "occasion.id int64", "occasion.price decimal(2)"]
      ),
      (
        .run { try $0.execute("ALTER TABLE event ADD COLUMN more INTEGER") },
        ["event.at unixSeconds", "event.id int64", "event.price decimal(2)"]
      ),
      (.sql("ALTER TABLE event DROP COLUMN at"), ["event.id int64", "event.price decimal(2)"]),
      (
        .sql(
          """
          CREATE TABLE new_event (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, price INTEGER);
          INSERT INTO new_event SELECT id, at * 1000, price FROM event;
          DROP TABLE event;
          ALTER TABLE new_event RENAME TO event;
          """), []
      ),
      (
        .rebuildTable(
          "event", .column("id", Int64.self, .primaryKey), .column("at", Int64.self),
          .column("price", ScaledDecimal<DecimalScales.S2>?.self), values: ["price": "100"]),
        ["event.at unixSeconds", "event.id int64", "event.price ?decimal(2)"]
      ),
      (
        .rebuildTable(
          "event", .column("id", Int64.self, .primaryKey), .column("at", UnixMilliseconds.self)),
        ["event.at ?unixMilliseconds", "event.id int64"]
      ),
      (
        .createTable("other", .column("at", Date.self), .column("n", Int.self)),
        [
          "event.at unixSeconds", "event.id int64", "event.price decimal(2)", "other.at ?date",
        ]
      ),
    ]
    for (operation, formats) in steps {
      try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
        try await database.migrate(
          DatabaseSchema(version: 2, steps: [Step(to: 2, "x", operation)]), allowingDrops: true)
        #expect(try await database.formats() == formats)
      }
    }
  }

  @Test(
    "values changed by a step's SQL count as the old format only if the model still has it",
    arguments: [
      DatabaseSchema.Operation.sql("UPDATE event SET at = at * 1000"),
      .run { try $0.execute("UPDATE event SET at = at * 1000") },
      .run { try $0.execute(script: "UPDATE event SET at = at * 1000; SELECT 1") },
      .backfill("event") { row in
        guard case .integer(let at)? = row["at"] else { return [:] }
        return ["at": at * 1000]
      },
    ])
  func changedByStep(operation: DatabaseSchema.Operation) async throws {
    let fill = "INSERT INTO event VALUES (1, 1700000000, NULL)"
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      try await database.run(fill)
      let schema = DatabaseSchema(version: 2, New.Event.self, steps: [Step(to: 2, "x", operation)])
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message.contains("neither the file nor the number says"), "\(error)")
      #expect(error.message.contains(".convertColumn(\"at\", to: UnixMilliseconds.self"))
      // MiniORM cannot know the effect of the step's SQL.
      try await database.adopt(formats: ["event": ["at": .unixMilliseconds]])
      try await database.migrate(schema)
      #expect(try await database.formats().contains("event.at unixMilliseconds"))
    }
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      try await database.run(fill)
      try await database.migrate(
        DatabaseSchema(version: 2, Old.Event.self, steps: [Step(to: 2, "x", operation)]))
      #expect(try await database.formats().contains("event.at unixSeconds"))
    }
  }

  @Test("rows inserted by a step do not change the recorded format")
  func insertedByStep() async throws {
    let operation = DatabaseSchema.Operation.sql(
      "INSERT INTO event VALUES (2, 1700000000000, NULL)")
    let fill = "INSERT INTO event VALUES (1, 1700000000, NULL)"
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      try await database.run(fill)
      let schema = DatabaseSchema(version: 2, New.Event.self, steps: [Step(to: 2, "x", operation)])
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message.contains("neither the file nor the number says"), "\(error)")
      let refused = try await failure {
        try await database.adopt(formats: ["event": ["at": .unixMilliseconds]])
      }
      #expect(refused.message.contains("stored as unixSeconds, and not as unixMilliseconds"))
      #expect(try await database.formats().contains("event.at unixSeconds"))
    }
  }

  @Test("a step's value that the model cannot read is found, regardless of the records")
  func unreadableByStep() async throws {
    @Sendable func schema(_ sql: String) -> DatabaseSchema {
      DatabaseSchema(version: 2, New.Moment.self, steps: [Step(to: 2, "x", .sql(sql))])
    }
    try await withFile(DatabaseSchema(New.Moment.self)) { database throws in
      let error = try await failure {
        try await database.migrate(schema("INSERT INTO event VALUES (4, 'yesterday')"))
      }
      #expect(
        error.message.contains(
          "1 row of event (rowid 4) holds a value in column at that cannot be read as date"))
      #expect(try await Table<New.Moment>().fetchAll(in: database).isEmpty)
      #expect(try await database.values("PRAGMA user_version") == [.integer(1)])
      try await database.migrate(schema("INSERT INTO event VALUES (4, '2026-11-26')"))
      #expect(try await Table<New.Moment>().fetchAll(in: database).count == 1)
    }
  }

  // MARK: Files without records

  private func withForeignEvents(_ body: (Database) async throws -> Void) async throws {
    try await withTemporaryDatabase(
      script: """
        CREATE TABLE event (id INTEGER PRIMARY KEY NOT NULL, at INTEGER NOT NULL) STRICT;
        INSERT INTO event VALUES (1, 1700000000), (2, 7);
        """, body)
  }

  @Test("an unproven unit is refused, unless it is named or the column has no numbers")
  func unproved() async throws {
    let schema = DatabaseSchema(New.Seconds.self)
    try await withForeignEvents { database in
      try await database.adopt(version: 1)
      let error = try await failure { try await database.migrate(schema) }
      #expect(
        error.message
          == "2 rows of event (rowid 1, 2) hold a number in column at, and neither the file nor the "
          + "number says whether it is stored as unixSeconds. If it is, call adopt(formats:) before "
          + "migrate, or name the representation in the step that creates the column. If it is not, "
          + "convert it in a step: .convertColumn(\"at\", to: UnixSeconds.self, in: \"event\", using: \"…\")"
      )
      try await database.adopt(formats: ["Event": ["AT": .unixSeconds]])
      #expect(try await database.formats() == ["event.at ?unixSeconds"])
      try await database.migrate(schema)
      #expect(try await database.formats() == ["event.at unixSeconds", "event.id int64"])
      #expect(
        try await Table<New.Seconds>().order { $0.id }.fetchAll(in: database).map(\.at)
          == [1_700_000_000, 7].map { Date(timeIntervalSince1970: $0) })
    }
    try await withForeignEvents { database in
      try await database.adopt(version: 1, formats: ["event": ["at": .unixMilliseconds]])
      // Named formats are converted like recorded formats.
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message.contains("stored as unixMilliseconds, that has no exact equivalent"))
      try await database.run(
        "UPDATE event SET at = 7000 WHERE id = 2; UPDATE event SET at = 1000 WHERE id = 1")
      try await database.migrate(schema)
      #expect(try await database.values("SELECT at FROM event") == [.integer(1), .integer(7)])
    }
    try await withForeignEvents { database in
      try await database.adopt(version: 1)
      try await database.run("DELETE FROM event")
      try await database.migrate(schema)
      #expect(try await database.formats() == ["event.at unixSeconds", "event.id int64"])
    }
    // The rows prove the default format of a type.
    try await withForeignEvents { database in
      try await database.adopt(version: 1)
      try await database.migrate(DatabaseSchema(Old.Number.self))
      #expect(try await database.formats() == ["event.at int64", "event.id int64"])
    }
  }

  @Test("adopt(formats:) needs existing columns, and cannot contradict the records")
  func wrongNames() async throws {
    try await withFile(DatabaseSchema(Old.Event.self)) { database throws in
      for (formats, message) in [
        (
          ["event": ["none": .json]],
          "The file has no column event.none: check the names in formats"
        ),
        (
          ["nothing": ["at": .json]],
          "The file has no column nothing.at: check the names in formats"
        ),
        (
          ["event": ["at": .unixMilliseconds]],
          "The file records that column event.at is stored as unixSeconds, and not as "
            + "unixMilliseconds. Convert it in a step, with .convertColumn"
        ),
      ] as [([String: [String: ColumnStorage]], String)] {
        let error = try await failure { try await database.adopt(formats: formats) }
        #expect(error.message == message)
      }
      try await database.adopt(formats: ["event": ["at": .unixSeconds]])
      #expect(try await database.formats().first == "event.at unixSeconds")
      #expect(try await database.migrationHistory().map(\.name) == ["created"])
      try await database.migrate(DatabaseSchema(Old.Event.self))
    }
    try await withForeignEvents { database in
      let error = try await failure { try await database.adopt(formats: [:]) }
      #expect(error.message == "The file has no migration history: call adopt(version:formats:)")
    }
  }

  @Test("a change by another program invalidates the table's records")
  func changedByOthers() async throws {
    let schema = DatabaseSchema(version: 1, Old.Event.self)
    for change in ["ALTER TABLE event ADD COLUMN more TEXT"] {
      try await withFile(schema) { database throws in
        try await database.run("INSERT INTO event VALUES (1, 1700000000, NULL); \(change)")
        let error = try await failure {
          try await database.migrate(schema, allowingDrops: true)
        }
        #expect(
          error.message.contains("neither the file nor the number says"), "\(change): \(error)")
        try await database.adopt(formats: ["event": ["at": .unixSeconds]])
        try await database.migrate(schema, allowingDrops: true)
        #expect(
          try await database.formats()
            == ["event.at unixSeconds", "event.id int64", "event.price decimal(2)"])
      }
    }
  }

  @Test("a file without records is only read, or recorded once")
  func olderFile() async throws {
    let file = TemporaryFile()
    let schema = DatabaseSchema(New.Moment.self)
    let database = try await file.open()
    try await database.migrate(schema)
    try await database.run("INSERT INTO event VALUES (1, '2026-11-26')")
    try await database.forgetRecords()
    try await database.close()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try await file.open(configuration)
    try await reader.migrate(schema)
    #expect(try await reader.schemaReport(for: schema).isEmpty)
    try await reader.close()
    let writer = try await file.open()
    #expect(try await writer.schemaReport(for: schema).isEmpty)
    try await writer.migrate(schema)
    #expect(try await writer.formats() == ["event.at date", "event.id int64"])
    let history = try await writer.migrationHistory()
    #expect(history.map(\.name) == ["created", "changes that follow from the models"])
    try await writer.migrate(schema)
    #expect(try await writer.migrationHistory() == history)
    try await writer.close()
    // A read-only file with records is compared only.
    let later = try await file.open(configuration)
    try await later.migrate(schema)
    let error = try await failure { try await later.migrate(DatabaseSchema(New.Seconds.self)) }
    #expect(error.code == .readOnly)
    try await later.close()
  }

  @Test("in a file without records, units must be named, and are then converted")
  func olderUnits() async throws {
    let fill = "INSERT INTO event VALUES (1, 1700000000, 999)"
    let schema = DatabaseSchema(Old.Event.self)
    try await withFile(schema) { database throws in
      try await database.run(fill)
      try await database.forgetRecords()
      #expect(try await database.schemaReport(for: schema).isEmpty)
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message.contains("neither the file nor the number says"), "\(error)")
      try await database.adopt(
        formats: ["event": ["at": .unixSeconds, "price": .decimal(scale: 2)]])
      try await database.migrate(schema)
      #expect(
        try await database.formats()
          == ["event.at unixSeconds", "event.id int64", "event.price decimal(2)"])
      #expect(
        try await database.values("SELECT at || ' ' || price FROM event")
          == [.text("1700000000 999")])
    }
    // Named formats are converted.
    try await withFile(schema) { database throws in
      try await database.run(fill)
      try await database.forgetRecords()
      let formats: [String: [String: ColumnStorage]] = [
        "event": ["at": .unixSeconds, "price": .decimal(scale: 2)]
      ]
      try await database.adopt(formats: formats)
      try await database.adopt(formats: formats)
      try await database.migrate(DatabaseSchema(version: 2, New.Event.self))
      #expect(
        try await database.values("SELECT at || ' ' || price FROM event")
          == [.text("1700000000000 9990")])
      #expect(
        try await database.migrationHistory().map(\.name)
          == ["created", "formats adopted", "changes that follow from the models"])
    }
  }

  // MARK: Programs and copies

  @Test(
    "an old program cannot write into a file migrated by a newer program, not even to convert rows")
  func newerProgram() async throws {
    let file = TemporaryFile()
    let (old, new) = (try await file.open(), try await file.open())
    try await old.migrate(DatabaseSchema(version: 1, Old.Event.self))
    let event = Old.Event(id: 1, at: Date(timeIntervalSince1970: 7), price: nil)
    try await Table<Old.Event>().insert(event, in: old)
    try await new.migrate(DatabaseSchema(version: 2, New.Event.self))
    let row = [New.Event(id: 1, at: Date(timeIntervalSince1970: 7), price: nil)]
    let writes: [@Sendable (Database) async throws -> Void] = [
      { try await Table<Old.Event>().insert(Old.Event(id: 2, at: event.at, price: nil), in: $0) },
      { try await Table<Old.Event>().update(event, in: $0) },
      { try await Table<Old.Event>().delete(1, in: $0) },
      { _ = try await $0.write { try $0.execute("UPDATE event SET at = 8") } },
      { _ = try await $0.write(.deferred) { try $0.execute("UPDATE event SET at = 8") } },
      { database in
        _ = try await database.write { db in
          try Table<Old.Event>().insert(Old.Event(id: 3, at: event.at, price: nil), in: db)
        }
      },
      { _ = try await $0.withoutTransaction { db in try db.execute("UPDATE event SET at = 8") } },
    ]
    for write in writes {
      let error = try await failure { try await write(old) }
      #expect(error.message.hasPrefix("The file was migrated by a newer program, to version 2. "))
      #expect(error.code == .misuse && error.operation == .commit)
      #expect(try await Table<New.Event>().fetchAll(in: new) == row)
    }
    let refusal = try await failure {
      try await old.migrate(DatabaseSchema(version: 1, Old.Event.self))
    }
    #expect(refusal.message.contains("newer than this program's"))
    try await new.write { try $0.execute("UPDATE event SET at = 9000") }
    // The application may set user_version to any number.
    try await new.write { try $0.execute("PRAGMA user_version = 77") }
    try await new.write { try $0.execute("UPDATE event SET at = 8000") }
    for database in [old, new] { try await database.close() }
  }

  @Test(
    "a closure without a transaction cannot write after a newer program has migrated the file",
    arguments: 0..<4)
  func newerProgramDuringClosure(number: Int) async throws {
    try await withTemporaryPath { path in
      let (old, new) = (
        try await Database(path: path, key: nil), try await Database(path: path, key: nil)
      )
      try await old.migrate(DatabaseSchema(version: 1, Old.Number.self))
      let door = Door()
      let writing = Task {
        try await old.withoutTransaction { db in
          try db.execute("INSERT INTO event VALUES (1, 1)")
          door.pass()
          let sql = "INSERT INTO event VALUES (2, 2)"
          switch number {
          case 0: try db.execute(SQL(raw: sql))
          case 1: try db.execute(script: "SELECT 1; " + sql)
          case 2: _ = try db.query(SQL(raw: sql + " RETURNING id"))
          default: try db.execute(script: "BEGIN; \(sql); COMMIT")
          }
        }
      }
      await door.wait(for: 1)
      try await new.migrate(DatabaseSchema(version: 2, Old.Number.self))
      door.open()
      let error = try await failure { try await writing.value }
      #expect(error.message.hasPrefix("The file was migrated by a newer program"))
      #expect(try await Table<Old.Number>().count(in: new) == 1)
      // Reading is possible.
      _ = try await old.withoutTransaction { db in try db.query("SELECT * FROM event") }
      for database in [old, new] { try await database.close() }
    }
  }

  @Test("a single insertion into a newer file is refused too, after earlier successful insertions")
  func loneInsertion() async throws {
    try await withTemporaryPath { path in
      let (old, new) = (
        try await Database(path: path, key: nil), try await Database(path: path, key: nil)
      )
      try await old.migrate(DatabaseSchema(version: 1, Old.Number.self))
      for id in 1...5 as ClosedRange<Int64> {
        try await Table<Old.Number>().insert(Old.Number(id: id, at: 1), in: old)
      }
      // Only the version changes.
      try await new.migrate(DatabaseSchema(version: 2, Old.Number.self))
      let error = try await failure {
        try await Table<Old.Number>().insert(Old.Number(id: 6, at: 1), in: old)
      }
      #expect(error.message.hasPrefix("The file was migrated by a newer program"))
      #expect(try await Table<Old.Number>().count(in: new) == 5)
      for database in [old, new] { try await database.close() }
    }
  }

  @Test("exports, backups and salvaged files keep the records of the file")
  func copies() async throws {
    try await withTemporaryDirectory { folder in
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await database.migrate(DatabaseSchema(Old.Event.self))
      try await database.run("INSERT INTO event VALUES (1, 1700000000, 999)")
      try await database.export(to: folder + "/b.db", key: .raw(testKeyBytes))
      try await database.backup(to: folder + "/c.db")
      try await database.close()
      _ = try await Database.salvage(
        path: folder + "/a.db", key: .raw(testKeyBytes), to: folder + "/d.db")
      let restored = try await Database(path: folder + "/e.db", key: .raw(testKeyBytes))
      try await restored.migrate(DatabaseSchema(New.Moment.self))
      try await restored.restore(from: folder + "/c.db")
      try await restored.close()
      for name in ["b", "c", "d", "e"] {
        let copy = try await Database(path: folder + "/\(name).db", key: .raw(testKeyBytes))
        #expect(try await copy.schemaReport(for: DatabaseSchema(Old.Event.self)).isEmpty)
        try await copy.migrate(DatabaseSchema(version: 2, New.Event.self))
        #expect(
          try await copy.values("SELECT at || ' ' || price FROM event")
            == [.text("1700000000000 9990")], "\(name)")
        try await copy.close()
      }
    }
  }

  @Test("an attached file has its own records")
  func attached() async throws {
    try await withTemporaryDirectory { folder in
      let other = try await Database(path: folder + "/b.db", key: .raw(testKeyBytes))
      try await other.migrate(DatabaseSchema(New.Event.self))
      try await other.close()
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await database.migrate(DatabaseSchema(Old.Event.self))
      try await database.attach(folder + "/b.db", as: "other", key: .raw(testKeyBytes))
      #expect(try await database.formats().first == "event.at unixSeconds")
      #expect(
        try await database.values("SELECT format FROM other.miniorm_columns WHERE col = 'at'")
          == [.text("unixMilliseconds")])
      try await database.migrate(DatabaseSchema(Old.Event.self))
      try await database.close()
    }
  }
}

@Suite("Format names")
struct ColumnFormatTests {
  @Test(
    "the recorded name of a type never changes",
    arguments: [
      (Int.self, "int64"), (Int8.self, "int8"), (UInt32.self, "uint32"), (Bool.self, "bool"),
      (Double.self, "double"), (Float.self, "float"), (String.self, "text"), (Data.self, "blob"),
      ([UInt8].self, "blob"), (Date.self, "date"), (UnixSeconds.self, "unixSeconds"),
      (UnixMilliseconds.self, "unixMilliseconds"), (TextSeconds.self, "textSeconds"),
      (UUID.self, "uuid"),
      (UUIDBytes.self, "uuidBytes"), (URL.self, "url"), (Decimal.self, "decimal"),
      (ScaledDecimal<DecimalScales.S2>.self, "decimal(2)"), (JSON<[Int]>.self, "json Array<Int>"),
      (DatabaseValue.self, "any"), (FormatSize.self, "text FormatSize"),
      (FormatLevel.self, "int64 FormatLevel"),
      (FormatName.self, "text FormatName"), (FormatCount.self, "INTEGER FormatCount"),
      (FormatCelsius.self, "REAL FormatCelsius"),
    ] as [(any ColumnValue.Type, String)])
  func names(type: any ColumnValue.Type, name: String) {
    #expect(ColumnFormat(of: type).name.string == name)
    #expect(ColumnFormat(name: name).kind != .unknown)
    let format = ColumnFormat(name: name)
    #expect(FileRecords.Format(written: "?\(name)") == .claimed(format))
    #expect(FileRecords.Format(written: name) == .proven(format))
    #expect(FileRecords.Format.claimed(format).written == "?\(name)")
  }

  @Test("a statement's hash is the same in each program, and for each spelling")
  func hash() {
    #expect(
      SchemaHash.of("CREATE TABLE a (b INTEGER)")
        == SchemaHash.of("create  table [A]( \"b\" integer -- x\n)"))
    #expect(
      SchemaHash.of("CREATE TABLE a (b INTEGER)") != SchemaHash.of("CREATE TABLE a (c INTEGER)"))
    #expect(SchemaHash.of("SELECT 1") == 1_609_503_734_884_852_782)
  }

  @Test("an unknown format of a later version is ignored")
  func unknown() {
    let later = ColumnFormat(name: "lunarDays")
    #expect(later.conversion(to: ColumnFormat(of: Int.self)) == .none)
    #expect(ColumnFormat(of: Int.self).conversion(to: later) == .none)
    #expect(later.conversion(to: later) == .stored)
  }
}

@Suite("New properties with a non-literal default")
struct SwiftDefaultTests {
  @Table("event") struct Before {
    let id: Int64
  }
  @Table("event") struct WithDate {
    let id: Int64
    var at: Date = .now
  }
  @Table("event") struct WithUUID {
    let id: Int64
    var at = UUID()
  }

  @Test("a default that differs at each call is not the value of existing rows")
  func message() async throws {
    for schema in [DatabaseSchema(WithDate.self), DatabaseSchema(WithUUID.self)] {
      try await withFile(DatabaseSchema(Before.self)) { database throws in
        try await Table<Before>().insert(Before(id: 1), in: database)
        let error = try await failure { try await database.migrate(schema) }
        #expect(
          error.message
            == "rebuild table event: 1 row of event would have no value for the new column at, "
            + "which is neither optional nor has a default: declare a default, or fill the column in a step. A "
            + "default such as Date() or UUID() is not a value for existing rows")
      }
    }
  }
}

import Testing

@testable import MiniORM

private enum Access: CaseIterable, Sendable {
  case read, write, withoutTransaction, readSynchronously, writeSynchronously

  var isReading: Bool { self == .read || self == .readSynchronously }

  func run<Result: Sendable>(
    in database: Database, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    switch self {
    case .read: try await database.read { db in try body(db) }
    case .write: try await database.write { db in try body(db) }
    case .withoutTransaction: try await database.withoutTransaction { db in try body(db) }
    case .readSynchronously, .writeSynchronously: try synchronously(database, body)
    }
  }

  private func synchronously<Result: Sendable>(
    _ database: Database, _ body: @Sendable (isolated Connection) throws -> Result
  ) throws -> Result {
    isReading
      ? try database.readSynchronously { db in try body(db) }
      : try database.writeSynchronously { db in try body(db) }
  }
}

@Suite("Temporary tables")
struct TemporaryTableTests {
  private static func withMakers(
    _ place: TestPlace, _ body: (Database) async throws -> Void
  ) async throws {
    try await place.withDatabase(script: "") { database in
      try await database.migrate(DatabaseSchema(Maker.self, Part.self))
      try await makers.insert(contentsOf: Maker.some, in: database)
      try await body(database)
    }
  }

  /// The temporary objects in a connection when a closure begins.
  private static func leftovers(_ database: Database, _ access: Access) async throws -> [String] {
    try await access.run(in: database) { db in
      try db.query(String.self, "SELECT type || ' ' || name FROM temp.sqlite_schema")
    }
  }

  @Test(
    "a temporary table or view that would hide a table of the file is refused",
    arguments: TestPlace.allCases, Access.allCases)
  fileprivate func hiding(place: TestPlace, access: Access) async throws {
    // An in-memory database has a single connection, and read() refuses writes.
    guard place == .file || !access.isReading else { return }
    try await Self.withMakers(place) { database in
      let cases = [
        ("", "CREATE TEMP TABLE maker(id INTEGER PRIMARY KEY, name, founded)"),
        ("", "CREATE TEMPORARY TABLE IF NOT EXISTS \"Maker\" AS SELECT 1 AS id"),
        ("", "CREATE TABLE temp.[MAKER](id)"),
        ("", "CREATE TEMP VIEW 'maker' AS SELECT 1 AS id"),
        ("", "CREATE VIRTUAL TABLE temp.maker USING fts5(name)"),
        ("CREATE TEMP TABLE other(id)", "ALTER TABLE other RENAME TO maker"),
        ("CREATE TEMP TABLE other(id)", "ALTER TABLE temp.\"other\" RENAME TO 'Maker'"),
      ]
      for (preparation, sql) in cases {
        for isScript in [false, true] {
          let message = try await access.run(in: database) { db in
            if !preparation.isEmpty { try db.execute(script: preparation) }
            let error = #expect(throws: DatabaseError.self) {
              if isScript { try db.execute(script: sql) } else { try db.execute(SQL(raw: sql)) }
            }
            // The closure continues with the file's table.
            #expect(try makers.fetchAll(in: db) == Maker.some, "\(sql)")
            #expect(error?.code == .misuse, "\(sql)")
            return error?.message
          }
          #expect(
            message?.hasPrefix("A temporary table or view named ") ?? false, "\(sql)")
        }
      }
      #expect(try await Self.leftovers(database, access) == [])
      try await makers.insert(Maker.Draft(name: "Dyno", founded: nil), in: database)
      #expect(try await database.values("SELECT count(*) FROM main.maker") == [.integer(4)])
    }
  }

  @Test(
    "a table of the file cannot take the name of a temporary table", arguments: TestPlace.allCases)
  func hidden(place: TestPlace) async throws {
    try await Self.withMakers(place) { database in
      for sql in [
        "CREATE TABLE main.staging(a)", "CREATE VIEW main.Staging AS SELECT 1",
        "CREATE VIRTUAL TABLE main.staging USING fts5(a)", "ALTER TABLE part RENAME TO staging",
        "ALTER TABLE main.part RENAME TO \"STAGING\"",
      ] {
        try await database.write { db in
          try db.execute("CREATE TEMP TABLE staging(a)")
          let error = #expect(throws: DatabaseError.self, "\(sql)") {
            try db.execute(SQL(raw: sql))
          }
          #expect(
            error?.message.hasPrefix("The temporary table or view ") ?? false, "\(sql)"
          )
          // Other schema changes are allowed.
          try db.execute("ALTER TABLE part RENAME COLUMN name TO title")
          try db.execute("ALTER TABLE part RENAME COLUMN title TO name")
          try db.execute("CREATE TABLE another(a)")
          try db.execute("DROP TABLE another")
          try db.execute("DROP TABLE staging")
        }
        // The next closure may use the name.
        try await database.write { db in
          try db.execute("CREATE TABLE staging(a)")
          try db.execute("DROP TABLE staging")
        }
      }
    }
  }

  @Test(
    "temporary objects are dropped when the closure ends, also if it throws",
    arguments: TestPlace.allCases, Access.allCases)
  fileprivate func dropped(place: TestPlace, access: Access) async throws {
    guard place == .file || !access.isReading else { return }
    struct Stop: Error {}
    try await Self.withMakers(place) { database in
      for isThrowing in [false, true] {
        do {
          try await access.run(in: database) { db in
            try db.execute(
              script: """
                CREATE TEMP TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE);
                CREATE TEMP TABLE child(parent REFERENCES parent);
                CREATE INDEX temp.child_parent ON child(parent);
                INSERT INTO parent(name) SELECT name FROM maker;
                INSERT INTO child SELECT id FROM parent;
                CREATE TEMP VIEW names AS SELECT name FROM parent;
                CREATE VIRTUAL TABLE temp.words USING fts5(word);
                INSERT INTO words SELECT name FROM parent;
                CREATE TEMP TRIGGER copying AFTER INSERT ON main.maker BEGIN
                  INSERT INTO parent(name) VALUES (NEW.name);
                END;
                """)
            if !access.isReading { try makers.insert(Maker.Draft(name: "Egg", founded: 1), in: db) }
            let count = access.isReading ? 3 : 4
            #expect(try db.value(Int.self, "SELECT count(*) FROM names") == count)
            #expect(
              try db.value(Int.self, "SELECT count(*) FROM words WHERE words MATCH 'acme'") == 1)
            if !access.isReading { try makers.where { $0.name == "Egg" }.deleteAll(in: db) }
            if isThrowing { throw Stop() }
          }
        } catch is Stop {}
        #expect(try await Self.leftovers(database, access) == [])
        // A leftover trigger would fail here, because its table is gone.
        try await makers.insert(Maker.Draft(name: "Fan", founded: nil), in: database)
        try await makers.where { $0.name == "Fan" }.deleteAll(in: database)
        #expect(try await makers.fetchAll(in: database) == Maker.some)
      }
    }
  }

  @Test("a reader with an outdated schema still refuses to hide a new table")
  func oldSchema() async throws {
    try await withTemporaryDatabase { database in
      // The reader has loaded the schema without the table.
      #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
      let create: SQL = "CREATE TEMP TABLE maker(id)"
      // Compiled and cached before the table existed.
      try await database.read { db in _ = try db.execute(create) }
      try await database.migrate(DatabaseSchema(Maker.self))
      let error = try await failure { try await database.read { db in try db.execute(create) } }
      #expect(
        error.facts
          == ErrorFacts(
            .prepare, .misuse,
            "A temporary table or view named maker would hide maker of the file: choose another name",
            sql: create.text))
    }
  }

  @Test("concurrent reads have separate temporary tables, which end with the read")
  func apart() async throws {
    try await Self.withMakers(.file) { database in
      let sums = try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in 1...24 {
          group.addTask {
            try await database.read { db in
              try db.execute("CREATE TEMP TABLE staging AS SELECT \(number) AS number")
              #expect(try makers.count(in: db) == 3)
              return try db.value(Int.self, "SELECT sum(number) FROM staging")
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1 ?? 0) }
      }
      #expect(sums.sorted() == Array(1...24))
    }
  }
}

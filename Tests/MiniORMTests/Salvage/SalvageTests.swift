import CSQLCipher
import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

/// The pages of each row, from dbstat on the undamaged file.
private struct RowPlaces {
  /// The pages of each row, in the order of the key.
  private(set) var pages: [Set<Int>] = []

  init(_ table: String, in database: Database) async throws {
    struct Page {
      let number: Int
      let cells: Int
      let isInterior: Bool
      let isOverflow: Bool
    }
    let rows = try await database.read { db in
      try db.query(
        "SELECT path, pageno, ncell, pagetype FROM dbstat WHERE name = \(table) ORDER BY path"
      ).map(\.values)
    }
    let isTable =
      try await database.values(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = \(table)")
      == [.integer(0)]
    var all: [String: Page] = [:]
    var overflow: [String: Set<Int>] = [:]
    for row in rows {
      guard case .text(let path) = row[0], case .integer(let number) = row[1],
        case .integer(let cells) = row[2], case .text(let type) = row[3]
      else { continue }
      if type == "overflow" {
        let cell = String(path.prefix { $0 != "+" })
        overflow[cell, default: []].insert(Int(number))
      } else {
        all[path] = Page(
          number: Int(number), cells: Int(cells), isInterior: type == "internal", isOverflow: false)
      }
    }
    func add(_ path: String) {
      guard let page = all[path] else { return }
      func part(_ index: Int) -> String {
        path + String(String(index + 0x1000, radix: 16).dropFirst())
      }
      for index in 0..<page.cells {
        if page.isInterior { add(part(index) + "/") }
        if !page.isInterior || !isTable {
          pages.append(Set([page.number]).union(overflow[part(index)] ?? []))
        }
      }
      if page.isInterior { add(part(page.cells) + "/") }
    }
    add("/")
  }
}

@Suite("Salvage of damaged files")
struct SalvageTests {
  private static let key = Key.raw(testKeyBytes)

  /// MINIORM_SALVAGES=100 damages that many files in each way.
  private static let seeds =
    ProcessInfo.processInfo.environment["MINIORM_SALVAGES"].flatMap { UInt64($0) } ?? 2

  private static func script(rows: Int) -> String {
    """
    PRAGMA user_version = 12; PRAGMA application_id = -3;
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB);
    CREATE INDEX person_name ON person(name);
    CREATE TABLE note(person INTEGER REFERENCES person(id), text TEXT, size AS (length(text)), score REAL);
    CREATE TABLE pair(a TEXT, b INTEGER, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x, y DEFAULT 5, z, UNIQUE (x)) ;
    CREATE TABLE strict(rowid TEXT, n INTEGER NOT NULL, r REAL, t TEXT, b BLOB, d ANY) STRICT;
    CREATE TABLE empty(a);
    CREATE VIEW seen AS SELECT name FROM person;
    CREATE TABLE log(at INTEGER PRIMARY KEY, what TEXT, who TEXT);
    CREATE TRIGGER noted AFTER INSERT ON person BEGIN INSERT INTO log VALUES (new.id, 'made', new.name); END;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO person SELECT i * 3, 'name ' || (i * 7919 % 100003), randomblob(i % 400) FROM n;
    INSERT INTO note SELECT id, 'é' || hex(photo), id FROM person;
    DELETE FROM note WHERE person % 7 = 0;
    INSERT INTO pair SELECT name, id % 10, randomblob(CASE WHEN id % 50 = 0 THEN 9000 ELSE 60 END) FROM person;
    INSERT INTO counted(id, x) SELECT id + 7, name || 'x' FROM person;
    ALTER TABLE counted ADD COLUMN later TEXT DEFAULT 'late';
    INSERT INTO counted(x, later) SELECT name || 'y', NULL FROM person WHERE id < 500;
    INSERT INTO strict SELECT name, id, id / 4.0, hex(photo), zeroblob(id % 90), x'' FROM person;
    INSERT INTO strict SELECT 'long', id, 1e300, NULL, randomblob(30000), -1 FROM person WHERE id % 500 = 0;
    """
  }

  private static let tableNames = ["person", "note", "pair", "counted", "strict", "empty", "log"]

  /// The rows of each table with their rowids, in the order of the keys.
  private static func rows(_ database: Database) async throws -> [[[DatabaseValue]]] {
    try await database.read { db in
      try tableNames.map { table in
        let sql =
          switch table {
          case "pair": "SELECT * FROM pair ORDER BY b, a"
          case "strict": "SELECT _rowid_, * FROM strict ORDER BY _rowid_"
          default: "SELECT rowid, * FROM \(table) ORDER BY rowid"
          }
        return try db.query(SQL(raw: sql)).map(\.values)
      }
    }
  }

  /// False if SQLite was built without dbstat, as on Debian.
  private static func hasStatistics(_ database: Database) async throws -> Bool {
    try await database.values(
      "SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_DBSTAT_VTAB'") != []
  }

  /// Creates a file, and returns its rows and their pages.
  private static func make(
    _ path: String, rows: Int
  ) async throws -> (rows: [[[DatabaseValue]]], places: [RowPlaces])? {
    let database = try await Database(path: path, key: key)
    try await database.write { db in try db.execute(script: script(rows: rows)) }
    let hasStatistics = try await hasStatistics(database)
    var places: [RowPlaces] = []
    if hasStatistics {
      for table in tableNames { places.append(try await RowPlaces(table, in: database)) }
    }
    let rows = try await Self.rows(database)
    try await database.close()
    guard hasStatistics else { return nil }
    for (rows, places) in zip(rows, places) { #expect(rows.count == places.pages.count) }
    return (rows, places)
  }

  @Test(
    "salvage recovers every row on undamaged pages, and no other row",
    arguments: [1, 2, 4, 8, 16, 32, 64], 1...seeds)
  func randomPages(count: Int, seed: UInt64) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged) = (folder + "/a.db", folder + "/b.db")
      guard let (rows, places) = try await Self.make(path, rows: 1200) else { return }
      let pageCount = Int(DatabaseFile.size(path) / 4096)
      var random = SeededRandom(seed * 100 + UInt64(count))
      let schemaPages = 1
      let pages = Set((schemaPages + 1...pageCount).shuffled(using: &random).prefix(count))
      try damage(path, pages: pages)
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      let seen = Fractions()
      let report = try await Database.salvage(path: path, key: Self.key, to: salvaged) {
        seen.append($0)
      }
      #expect(seen.all == seen.all.sorted() && seen.all.last == 1)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      #expect(try names(in: folder) == ["a.db", "b.db"])
      #expect(report.damagedPages == pages.sorted())
      #expect(report.lostObjects == [], "\(report)")

      let database = try await Database(path: salvaged, key: Self.key)
      let found = try await Self.rows(database)
      var elsewhere = 0
      for (index, table) in Self.tableNames.enumerated() {
        let expected = zip(rows[index], places[index].pages)
          .filter { $0.1.isDisjoint(with: pages) }.map(\.0)
        // No row is invented. A row is missing only if its table is unknown.
        let missing = expected.count - found[index].count
        elsewhere += missing
        #expect(
          missing == 0 ? found[index] == expected : Set(found[index]).isSubset(of: expected),
          "\(table): \(found[index].count) of \(expected.count)")
        let told = report.tables.first { $0.name == table }
        #expect(told?.rowCount == found[index].count && told?.rejectedRowCount == 0)
        if found[index].count < rows[index].count { #expect(told?.isComplete == false) }
      }
      let others = report.tables.first { $0.name == "lost_and_found" }
      #expect(elsewhere == others?.rowCount ?? 0, "\(report)")
      if let others {
        #expect(!report.unassignedPages.isEmpty)
        #expect(
          try await database.values("SELECT count(*) FROM lost_and_found")
            == [.integer(Int64(others.rowCount))])
        try await database.write { try $0.execute("DROP TABLE lost_and_found") }
      }
      let integrity = try await database.integrityReport()
      #expect(integrity.problems.allSatisfy { $0.kind == .foreignKey }, "\(integrity)")
      #expect(try await database.values("PRAGMA user_version") == [.integer(12)])
      #expect(try await database.values("PRAGMA application_id") == [.integer(-3)])
      #expect(
        try await database.values(
          "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
          == [
            "counted", "empty", "log", "note", "noted", "pair", "person", "person_name", "seen",
            "sqlite_sequence", "strict",
          ].map { .text($0) })
      try await database.close()
    }
  }

  @Test(
    "an undamaged file is salvaged completely, with each kind of storage", arguments: [true, false])
  func whole(isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged, key) = (folder + "/a.db", folder + "/b.db", isEncrypted ? Self.key : nil)
      for (index, start) in [
        "PRAGMA auto_vacuum = 1;", "PRAGMA encoding = 'UTF-16le';", "PRAGMA encoding = 'UTF-16be';",
        "",
      ].enumerated() {
        try runSQL(
          start + Self.script(rows: 350) + """
            CREATE VIRTUAL TABLE words USING fts5(t); INSERT INTO words SELECT name FROM person;
            CREATE VIRTUAL TABLE boxes USING rtree(id, x, y, +note);
            INSERT INTO boxes SELECT id, id, id + 1, name FROM person WHERE id < 900; ANALYZE;
            """, on: path, key: isEncrypted ? "x'\(testKeyBytes.hexadecimal)'" : nil)
        var database = try await Database(path: path, key: key)
        let rows = try await Self.rows(database)
        let queries: [SQL] = [
          "SELECT rowid, * FROM words WHERE words MATCH 'name' ORDER BY rowid", "PRAGMA encoding",
          "SELECT * FROM boxes ORDER BY id", "PRAGMA auto_vacuum", "SELECT * FROM sqlite_sequence",
          "SELECT type, name, sql FROM sqlite_schema ORDER BY name", "SELECT * FROM seen",
          "SELECT tbl, idx FROM sqlite_stat1 ORDER BY 1, 2",
        ]
        let more = try await database.read { [queries] db in
          try queries.map { try db.query($0).map(\.values) }
        }
        try await database.close()
        let report = try await Database.salvage(path: path, key: key, to: salvaged)
        #expect(report.isComplete && report.damagedPages == [], "\(index): \(report)")
        database = try await Database(path: salvaged, key: key)
        #expect(try await Self.rows(database) == rows)
        let found = try await database.read { [queries] db in
          try queries.map { try db.query($0).map(\.values) }
        }
        for index in queries.indices { #expect(found[index] == more[index], "\(queries[index])") }
        #expect(try await database.integrityReport().isEmpty)
        try await database.close()
        try Database.delete(path: path)
        try Database.delete(path: salvaged)
      }
    }
  }

  @Test(
    "rows that just fill a page, and rows that just overflow, are salvaged",
    arguments: [true, false])
  func lengths(isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged, key) = (folder + "/a.db", folder + "/b.db", isEncrypted ? Self.key : nil)
      // An encrypted page of 4,096 bytes has 80 bytes less. An index cell holds at most a quarter
      // page.
      let sizes = [930..<1_060, 3_940..<4_080, 4_900..<5_200, 7_900..<8_200].joined()
      var database = try await Database(path: path, key: key)
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            CREATE TABLE w(a INTEGER PRIMARY KEY, b) WITHOUT ROWID;
            """)
        for size in sizes {
          let bytes = Data(repeating: UInt8(size % 251), count: size)
          try db.execute("INSERT INTO t VALUES (\(size), \(bytes))")
          try db.execute("INSERT INTO w VALUES (\(size), \(bytes))")
        }
      }
      try await database.close()
      let report = try await Database.salvage(path: path, key: key, to: salvaged)
      #expect(report.isComplete, "\(report)")
      database = try await Database(path: salvaged, key: key)
      for table in ["t", "w"] {
        let rows = try await database.read { db in
          try db.query(SQL(raw: "SELECT a, b FROM \(table) ORDER BY a")).map(\.values)
        }
        #expect(
          rows
            == sizes.map {
              [.integer(Int64($0)), .blob([UInt8](repeating: UInt8($0 % 251), count: $0))]
            }, "\(table)")
      }
      try await database.close()
    }
  }

  @Test(
    "rows older than an added column are recovered when the page above them is damaged"
  )
  func addedColumn() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged) = (folder + "/a.db", folder + "/b.db")
      var database = try await Database(path: path, key: Self.key)
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
            INSERT INTO t SELECT i, printf('name %0100d', i) FROM n;
            ALTER TABLE t ADD COLUMN c;
            INSERT INTO t VALUES (1000, 'new', 7);
            CREATE INDEX by_c ON t(c, b);
            """)
      }
      let root = try await database.values("SELECT rootpage FROM sqlite_schema WHERE name = 't'")
      guard case .integer(let page) = root.first else {
        Issue.record("no root")
        return
      }
      try await database.close()
      try damage(path, pages: [Int(page)])
      let report = try await Database.salvage(path: path, key: Self.key, to: salvaged)
      #expect(report.tables.map(\.rowCount) == [901], "\(report)")
      database = try await Database(path: salvaged, key: Self.key)
      #expect(
        try await database.values("SELECT count(*) || ' ' || sum(a) || ' ' || count(c) FROM t")
          == [.text("901 406450 1")])
      #expect(try await database.integrityReport().isEmpty)
      try await database.close()
    }
  }

  @Test(
    "similar tables are distinguished by their indexes, or their rows go to a separate table"
  )
  func twins() async throws {
    try await withTemporaryDirectory { folder throws in
      for isIndexed in [true, false] {
        let (path, salvaged) = ("\(folder)/\(isIndexed).db", "\(folder)/\(isIndexed)-new.db")
        let database = try await Database(path: path, key: Self.key)
        try await database.write { db in
          for table in ["one", "two"] {
            try db.execute("CREATE TABLE \(raw: table)(id INTEGER PRIMARY KEY, text TEXT)")
            if isIndexed { try db.execute("CREATE INDEX \(raw: table)_i ON \(raw: table)(text)") }
            try db.execute(
              """
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
              INSERT INTO \(raw: table) SELECT i, \(table) || hex(zeroblob(200)) || i FROM n
              """)
          }
        }
        let roots = try await database.values(
          "SELECT rootpage FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        var rows: [[[DatabaseValue]]] = []
        for table in ["one", "two"] {
          rows.append(
            try await database.read { try $0.query("SELECT * FROM \(raw: table)").map(\.values) })
        }
        try await database.close()
        let pages = roots.compactMap { if case .integer(let root) = $0 { Int(root) } else { nil } }
        try damage(path, pages: pages)
        let report = try await Database.salvage(path: path, key: Self.key, to: salvaged)
        let new = try await Database(path: salvaged, key: Self.key)
        for (index, table) in ["one", "two"].enumerated() {
          let found = try await new.read {
            try $0.query("SELECT * FROM \(raw: table)").map(\.values)
          }
          #expect(found == (isIndexed ? rows[index] : []), "\(report)")
          #expect(report.tables[index].damagedPages == [pages[index]])
        }
        #expect(report.unassignedPages.isEmpty == isIndexed && !report.isComplete)
        if !isIndexed {
          // These rows are in lost_and_found.
          let others = try await new.read {
            try $0.query("SELECT id, c1 FROM lost_and_found ORDER BY c1 < 'two' DESC, id").map(
              \.values)
          }
          #expect(others == rows[0] + rows[1])
        }
        #expect(
          isIndexed
            || report.description.hasSuffix(" pages contain rows of an unknown table"))
        try await new.close()
      }
    }
  }

  @Test("the reserved bytes of an unencrypted file's pages are no part of the rows")
  func reserved() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged) = (folder + "/a.db", folder + "/b.db")
      var pointer: OpaquePointer?
      #expect(sqlite3_open(path, &pointer) == SQLITE_OK)
      var count: Int32 = 48
      sqlite3_file_control(pointer, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
      sqlite3_exec(pointer, "PRAGMA page_size = 1024; \(tables(rows: 300))", nil, nil, nil)
      sqlite3_exec(
        pointer, "INSERT INTO person SELECT id + 1000, name, zeroblob(5000) FROM person", nil, nil,
        nil)
      sqlite3_close(pointer)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path))[20] == 48)
      let report = try await Database.salvage(path: path, key: nil, to: salvaged)
      #expect(report.isComplete, "\(report)")
      func rows(_ path: String) async throws -> [[DatabaseValue]] {
        let database = try await Database(path: path, key: nil)
        let rows = try await database.read { try $0.query("SELECT * FROM person").map(\.values) }
        try await database.close()
        return rows
      }
      let found = try await rows(salvaged)
      #expect(try await found == rows(path) && found.count == 600)
    }
  }

  @Test("a page of which no row can be read is no part of a damaged schema")
  func unreadableRows() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged) = (folder + "/a.db", folder + "/b.db")
      let database = try await Database(path: path, key: Self.key)
      let comment = String(repeating: "x", count: 900)
      try await database.write { db in
        for number in 1...30 {
          try db.execute(
            "CREATE VIEW view\(raw: "\(number)") AS SELECT 1 AS a /* \(raw: comment) */")
        }
      }
      let ofSchema = try await database.read { try $0.value(Int.self, "PRAGMA page_count") } ?? 0
      try await database.write { try $0.execute("CREATE TABLE large(bytes BLOB)") }
      let first = try await database.read { try $0.value(Int.self, "PRAGMA page_count") } ?? 0
      try await database.write { db in
        for _ in 1...3 { try db.execute("INSERT INTO large VALUES (zeroblob(12500))") }
      }
      let last = try await database.read { try $0.value(Int.self, "PRAGMA page_count") } ?? 0
      try await database.close()
      // The overflow pages of all rows, and a page of the schema.
      #expect(ofSchema > 4 && last > first + 6)
      try damage(path, pages: [3] + Array(first + 1...last))
      let report = try await Database.salvage(path: path, key: Self.key, to: salvaged)
      let large = try #require(report.tables.first { $0.name == "large" })
      #expect(large.rowCount == 0 && large.brokenRowCount == 3, "\(report)")
    }
  }

  @Test("changes that are only in the log are recovered too")
  func log() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, killed) = (folder + "/a.db", folder + "/killed.db")
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 500)) }
      try await database.vacuum()
      try await database.write { db in
        try db.execute("CREATE TABLE late(a)")
        try db.execute("INSERT INTO late SELECT id FROM person")
      }
      // The files as a killed process would leave them.
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + end, toPath: killed + end)
      }
      try await database.close()
      let root = 40
      try damage(killed, pages: [root])
      let before = try names(in: folder)
      let report = try await Database.salvage(path: killed, key: Self.key, to: folder + "/new.db")
      #expect(report.damagedPages == [root])
      #expect(report.tables.first { $0.name == "late" }?.rowCount == 500, "\(report)")
      #expect(try names(in: folder) == before + ["new.db"])
    }
  }

  @Test("full-text tables are reindexed, and schema entries on damaged pages are left out")
  func objects() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      guard try await Self.hasStatistics(database) else { return try await database.close() }
      try await database.write { db in
        try db.execute(script: tables(rows: 600))
        try db.execute(
          script: """
            CREATE VIRTUAL TABLE words USING fts5(t); INSERT INTO words SELECT name FROM person;
            CREATE VIRTUAL TABLE outer USING fts5(name, content='person', content_rowid='id');
            INSERT INTO outer(outer) VALUES ('rebuild');
            """)
        for number in 1...90 {
          try db.execute("CREATE TABLE \(raw: "t\(number)")(a, b, c, d, e, f, g, h)")
          try db.execute("INSERT INTO \(raw: "t\(number)") VALUES (1, 2, 3, 4, 5, 6, 7, \(number))")
        }
      }
      let roots = Set(try await database.values("SELECT rootpage FROM sqlite_schema"))
      let leaves = try await database.values(
        "SELECT pageno FROM dbstat WHERE name = 'words_data' OR name = 'person' AND pagetype = 'leaf'"
      )
      let schema = try await database.values(
        "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema' AND pagetype = 'leaf' ORDER BY path"
      )
      try await database.close()
      let pages = (leaves + schema.suffix(1)).compactMap { value in
        if case .integer(let page) = value, !roots.contains(value) { Int(page) } else { nil }
      }
      try damage(path, pages: [pages[0], pages[3], pages[pages.count - 1]])
      let report = try await Database.salvage(path: path, key: Self.key, to: folder + "/b.db")
      let salvaged = try await Database(path: folder + "/b.db", key: Self.key)
      let count = try await salvaged.values(
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE 't%'")
      #expect(count != [.integer(90)] && count != [.integer(0)])
      #expect(report.lostObjects == [] && !report.isComplete, "\(report)")
      #expect(try await salvaged.integrityReport().problems.allSatisfy { $0.kind == .foreignKey })
      for table in ["words", "outer"] {
        try await salvaged.write { db in
          try db.execute(
            "INSERT INTO \(raw: table)(\(raw: table), rank) VALUES ('integrity-check', 1)")
        }
      }
      try await salvaged.close()
    }
  }

  @Test("contradictory parts of a plain file are left out")
  func plain() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL(
        tables(rows: 1000) + "PRAGMA foreign_keys = 0; DELETE FROM person WHERE id % 3 = 0;",
        on: path)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      for page in [9, 30, 31] {
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xee, count: 4096))
      }
      try file.close()
      let report = try await Database.salvage(path: path, key: nil, to: folder + "/b.db")
      #expect(report.damagedPages == [] && !report.isComplete)
      let salvaged = try await Database(path: folder + "/b.db", key: nil)
      let counts = try await salvaged.values(
        "SELECT count(*) FROM person UNION ALL SELECT count(*) FROM person WHERE id % 3 = 0")
      #expect(counts.last == .integer(0) && counts.first != .integer(0))
      #expect(try await salvaged.integrityReport().problems.allSatisfy { $0.kind == .foreignKey })
      try await salvaged.close()
    }
  }

  @Test("pointer-map pages of auto_vacuum contain no rows")
  func autoVacuum() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL(
        """
        PRAGMA auto_vacuum = FULL;
        CREATE TABLE t(id INTEGER PRIMARY KEY, x BLOB);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
          INSERT INTO t SELECT i, randomblob(1800) FROM n;
        """, on: path, key: "x'\(testKeyBytes.hexadecimal)'")
      var database = try await Database(path: path, key: Self.key)
      #expect(try await database.values("PRAGMA auto_vacuum") == [.integer(1)])
      let rows = try await database.values("SELECT x FROM t")
      try await database.close()
      try damage(path, pages: [100])
      let report = try await Database.salvage(path: path, key: Self.key, to: folder + "/b.db")
      #expect(report.unassignedPages == [] && report.tables.map(\.name) == ["t"], "\(report)")
      database = try await Database(path: folder + "/b.db", key: Self.key)
      let found = try await database.values("SELECT x FROM t")
      #expect(found.count < rows.count && found.count > rows.count - 10)
      try await database.close()
    }
  }

  @Test("AUTOINCREMENT numbers are no table's rows if the first page is damaged")
  func numbers() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let script = """
        CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x REAL NOT NULL);
        CREATE TABLE pair(name TEXT, n INTEGER);
        """
      var database = try await Database(path: path, key: Self.key)
      try await database.write { db in
        try db.execute(script: script)
        try db.execute("INSERT INTO counted(x) VALUES (1.5), (2.5)")
        try db.execute("INSERT INTO pair VALUES ('counted', 7), ('other', 8)")
      }
      try await database.close()
      try damage(path, pages: [1])
      let report = try await Database.salvage(
        path: path, key: Self.key, to: folder + "/b.db", schema: script)
      database = try await Database(path: folder + "/b.db", key: Self.key)
      #expect(
        try await database.values("SELECT n FROM pair") == [.integer(7), .integer(8)], "\(report)")
      #expect(try await database.values("SELECT x FROM counted") == [.real(1.5), .real(2.5)])
      try await database.close()
    }
  }

  @Test("an obstacle to salvage is reported, and no new file remains")
  func refused() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, new) = (folder + "/a.db", folder + "/b.db")
      func refusal(_ key: Key? = Self.key, to new: String? = nil) async throws -> String {
        let before = try names(in: folder)
        let error = try await failure {
          try await Database.salvage(path: path, key: key, to: new ?? folder + "/b.db")
        }
        #expect(try names(in: folder) == before)
        return error.summary.replacingOccurrences(of: folder, with: "")
      }
      #expect(try await refusal() == "open 14 -.- -: The file does not exist: check the path")
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 2000)) }
      #expect(
        try await refusal() == "copy 5 -.- -: The file is open in this process: close it first")
      try await database.close()
      #expect(
        try await refusal(to: path)
          == "copy 14 -.- -: There is a file at /a.db already: choose another path")
      #expect(
        try await refusal(.raw(testKeyBytes.reversed())).hasPrefix("key 26 -.- -: The key is wrong")
      )
      #expect(
        try await refusal(nil).hasPrefix("key 26 -.- -: The file is encrypted and no key was given")
      )
      let task = Task {
        try await Database.salvage(path: path, key: Self.key, to: new) { _ in
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(try names(in: folder) == ["a.db"])
      #expect(truncate(path, 3000) == 0)
      #expect(try await refusal().hasPrefix("key 26"))
    }
  }

  @Test("the remaining rows of a truncated file are recovered")
  func cutOff() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: tables(rows: 2000)) }
      try await database.close()
      #expect(truncate(path, Int(DatabaseFile.size(path)) / 2 + 1000) == 0)
      let report = try await Database.salvage(path: path, key: Self.key, to: folder + "/b.db")
      #expect(!report.isComplete && report.tables.reduce(0) { $0 + $1.rowCount } > 500)
      let salvaged = try await Database(path: folder + "/b.db", key: Self.key)
      #expect(try await salvaged.integrityReport().problems.allSatisfy { $0.kind == .foreignKey })
      try await salvaged.close()
    }
  }

  @Test(
    "a damaged first page loses the table names, which a given schema restores",
    arguments: [true, false])
  func firstPage(hasSchema: Bool) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, salvaged) = (folder + "/a.db", folder + "/b.db")
      let script = """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, photo BLOB);
        CREATE INDEX person_name ON person(name);
        CREATE TABLE pair(a TEXT, b INTEGER, c BLOB, d, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x INTEGER NOT NULL, y TEXT NOT NULL, z TEXT NOT NULL, e);
        CREATE VIEW seen AS SELECT name FROM person;
        """
      let database = try await Database(path: path, key: Self.key)
      try await database.write { db in
        try db.execute(script: script)
        try db.execute(
          script: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
              INSERT INTO person SELECT i, 'name ' || i, randomblob(i % 300) FROM n;
            INSERT INTO pair SELECT name, id % 10, photo, 1 FROM person;
            INSERT INTO counted SELECT id, id, name, name, NULL FROM person;
            """)
      }
      let queries: [SQL] = [
        "SELECT * FROM person", "SELECT * FROM pair", "SELECT * FROM counted", "SELECT * FROM seen",
      ]
      let rows = try await database.read { [queries] db in
        try queries.map { try db.query($0).map(\.values) }
      }
      try await database.close()
      try damage(path, pages: [1])
      let report = try await Database.salvage(
        path: path, key: Self.key, to: salvaged, schema: hasSchema ? script : nil)
      #expect(report.damagedPages == [1] && !report.isComplete)
      let wrong = try await failure {
        try await Database.salvage(
          path: path, key: Self.key, to: salvaged + "2", schema: "CREATE NONSENSE")
      }
      #expect(wrong.operation == .copy && wrong.message.contains("syntax error"))
      #expect(try names(in: folder) == ["a.db", "b.db"])
      let new = try await Database(path: salvaged, key: Self.key)
      if hasSchema {
        let found = try await new.read { [queries] db in
          try queries.map { try db.query($0).map(\.values) }
        }
        for index in queries.indices { #expect(found[index] == rows[index], "\(report)") }
        #expect(try await new.integrityReport().isEmpty)
      } else {
        #expect(report.tables.map(\.name) == ["lost_and_found"])
        let names = try await new.values(
          "SELECT count(*) FROM lost_and_found WHERE c0 IS NULL AND c1 LIKE 'name %' AND id IS NOT NULL"
        )
        #expect(names == [.integer(700)])
      }
      try await new.close()
    }
  }
}

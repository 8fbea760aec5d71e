import CSQLCipher
import Foundation
import Testing

@testable import MiniORM

@Suite("Copies with another key or without a key")
struct FileCopyTests {
  /// Features of a file that a careless copy would lose.
  private static let script = """
    PRAGMA auto_vacuum = 2;
    CREATE TABLE generated(a INTEGER, b TEXT AS (a * 2) STORED, c AS (a + 1) UNIQUE);
    INSERT INTO generated(a) VALUES (5), (6), (7);
    DELETE FROM generated WHERE a = 6;
    CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x CHECK (x > 0));
    INSERT INTO counted(x) VALUES (1), (2.5), ('texte é'), (x'00ff'), (9);
    DELETE FROM counted WHERE id = 5;
    CREATE TABLE "without ""rowid"" é"(a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
    INSERT INTO "without ""rowid"" é" VALUES (1, 'z'), (2, 'a');
    CREATE TABLE shadowing(rowid TEXT, value BLOB);
    INSERT INTO shadowing VALUES ('one', zeroblob(20000)), (NULL, NULL);
    CREATE TABLE child(parent INTEGER REFERENCES counted(id));
    INSERT INTO child VALUES (1), (4);
    CREATE VIRTUAL TABLE words USING fts5(t);
    INSERT INTO words VALUES ('wine from reims');
    CREATE VIRTUAL TABLE boxes USING rtree(id, x, y);
    INSERT INTO boxes VALUES (1, 2, 3);
    CREATE VIEW seen AS SELECT a, b FROM generated;
    CREATE TRIGGER noted AFTER INSERT ON generated BEGIN INSERT INTO counted(x) VALUES (new.a); END;
    CREATE INDEX partial ON generated(b COLLATE NOCASE) WHERE a > 1;
    ANALYZE;
    PRAGMA user_version = 7;
    PRAGMA application_id = 99;
    """

  private static let queries = [
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name",
    "SELECT rowid, * FROM generated", "SELECT * FROM counted", "SELECT * FROM sqlite_sequence",
    "SELECT * FROM \"without \"\"rowid\"\" é\"", "SELECT _rowid_, * FROM shadowing",
    "SELECT rowid, * FROM words WHERE words MATCH 'reims'", "SELECT * FROM boxes",
    "SELECT * FROM seen", "SELECT * FROM sqlite_stat1", "SELECT * FROM child",
    "PRAGMA user_version", "PRAGMA application_id", "PRAGMA auto_vacuum",
  ]

  private static let key = Key.raw(testKeyBytes)
  private static let other = Key.raw(testKeyBytes.reversed())

  /// Creates a file with SQLite's C API, as another program would.
  private static func make(_ path: String, _ key: String? = nil, version: Int? = nil) throws {
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    var sql = ""
    if let key { sql += "PRAGMA cipher_log_level = NONE; PRAGMA key = \"\(key)\";" }
    if let version { sql += "PRAGMA cipher_compatibility = \(version);" }
    #expect(sqlite3_exec(database, sql + Self.script, nil, nil, nil) == SQLITE_OK)
  }

  private static func contents(_ path: String, _ key: Key?) async throws -> [[[DatabaseValue]]] {
    let database = try await Database(path: path, key: key)
    var contents: [[[DatabaseValue]]] = []
    for query in queries {
      contents.append(try await database.read { try $0.query(SQL(raw: query)).map(\.values) })
    }
    #expect(try await database.values("PRAGMA integrity_check") == [.text("ok")])
    #expect(try await database.values("PRAGMA foreign_key_check") == [])
    try await database.close()
    return contents
  }

  private static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private static func holds(_ path: String, _ text: String) throws -> Bool {
    try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
  }

  @Test("encrypting and decrypting keep all contents, and leave no other file")
  func inPlace() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      let before = try await Self.contents(path, nil)
      #expect(before[1].count == 2 && before[6].count == 1)
      #expect(try Self.holds(path, "wine from reims"))

      try await Database.encrypt(path: path, key: Self.key)
      #expect(try Self.names(folder) == ["a.db"])
      #expect(try !Self.holds(path, "wine from reims"))
      #expect(try !DatabaseFile.isPlain(path))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect(mode as? Int == 0o640)
      #expect(try await Self.contents(path, Self.key) == before)
      let wrong = try await failure { try await Database(path: path, key: Self.other).close() }
      #expect(wrong.code == .notADatabase)

      try await Database.decrypt(path: path, key: Self.key)
      #expect(try Self.names(folder) == ["a.db"])
      #expect(try Self.holds(path, "wine from reims"))
      #expect(try await Self.contents(path, nil) == before)
    }
  }

  @Test("the verification of an export checks CHECK constraints")
  func checks() async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, copy) = (folder + "/a.db", folder + "/b.db")
      try runSQL("CREATE TABLE a(x CHECK (x > 0)); INSERT INTO a VALUES (1)", on: path)
      let file = FileCopy(
        path: path, original: nil, key: nil, configuration: Configuration(), progress: nil)
      let handle = try file.open()
      let source = handle.database
      _ = try Connection.text("ATTACH '\(copy)' AS copy KEY ''", source)
      try file.writeRows(copy, from: source)
      #expect(try Connection.text("PRAGMA ignore_check_constraints", source) == "0")
      #expect(throws: DatabaseError.self) {
        try Connection.text("INSERT INTO copy.a VALUES (-1)", source)
      }
    }
  }

  @Test("rows of a table without a key keep their rowids, also after deletions")
  func rowIDs() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try runSQL(
        """
        CREATE TABLE "a ""b"(x CHECK (x > 0), y AS (x * 2));
        CREATE TABLE log(x);
        CREATE TRIGGER noted AFTER INSERT ON "a ""b" BEGIN INSERT INTO log VALUES (new.x); END;
        CREATE TABLE hidden(rowid, _rowid_ INTEGER, oid);
        CREATE TABLE renamed(rowid, x);
        CREATE TABLE one(id INTEGER PRIMARY KEY AUTOINCREMENT);
        CREATE TABLE two(id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO "a ""b"(x) VALUES (1), (2), (3);
        INSERT INTO "a ""b"(rowid, x) VALUES (-9, 4), (9223372036854775807, 5);
        INSERT INTO hidden VALUES (1, 2, 3), (4, 5, 6);
        INSERT INTO renamed VALUES (1, 1), (2, 2), (3, 3);
        INSERT INTO one VALUES (1); INSERT INTO two VALUES (2); DROP TABLE one;
        DELETE FROM "a ""b" WHERE x = 2; DELETE FROM log WHERE x = 1; DELETE FROM hidden WHERE oid = 3;
        DELETE FROM renamed WHERE x = 1;
        PRAGMA ignore_check_constraints = 1; INSERT INTO "a ""b"(rowid, x) VALUES (77, -1);
        """, on: path)
      let queries = [
        "SELECT rowid, x, y FROM \"a \"\"b\"", "SELECT rowid, x FROM log", "SELECT * FROM hidden",
        "SELECT _rowid_, * FROM renamed", "SELECT rowid, * FROM sqlite_sequence",
      ]
      func rows(_ key: Key?) async throws -> [[[DatabaseValue]]] {
        let database = try await Database(path: path, key: key)
        let rows = try await database.read { db in
          try queries.map { try db.query(SQL(raw: $0)).map(\.values) }
        }
        try await database.close()
        return rows
      }
      let before = try await rows(nil)
      #expect(before[0].count == 5 && before[4].count == 1)
      try await Database.encrypt(path: path, key: Self.key)
      #expect(try await rows(Self.key) == before)
    }
  }

  @Test("encrypting a symbolic link encrypts its target and keeps the link")
  func link() async throws {
    try await withTemporaryDirectory { folder throws in
      try Self.make(folder + "/a.db")
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: "a.db")
      try await Database.encrypt(path: folder + "/link", key: Self.key)
      #expect(DatabaseFile.isLink(folder + "/link"))
      #expect(try Self.names(folder) == ["a.db", "link"])
      try await Database(path: folder + "/a.db", key: Self.key).close()
    }
  }

  @Test(
    "files of SQLCipher 1, 2 and 3 are upgraded, and a file of SQLCipher 4 is unchanged",
    arguments: [1, 2, 3, 4])
  func upgrade(version: Int) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path, "it's a \"\"key\"\"", version: version)
      let key = Key.passphrase("it's a \"key\"")
      if version < 4 {
        let error = try await failure { try await Database(path: path, key: key).close() }
        #expect(error.code == .notADatabase)
      }
      let wrong = try await failure {
        try await Database.upgrade(path: path, key: .passphrase("x"))
      }
      #expect(wrong.operation == .key && wrong.code == .notADatabase)
      #expect(try await Database.upgrade(path: path, key: key) == version)
      let upgraded = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try await Database.upgrade(path: path, key: key) == 4)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == upgraded)
      #expect(try Self.names(folder) == ["a.db"])
      #expect(try await Self.contents(path, key)[1].count == 2)
    }
  }

  @Test("an export contains a single state of a file that others write, with each kind of key")
  func export() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path)
      try await Database.encrypt(path: path, key: Self.key)
      let before = try await Self.contents(path, Self.key)
      let database = try await Database(path: path, key: Self.key)
      try await database.write { db in
        try db.execute(script: "CREATE TABLE pair(a, b); INSERT INTO pair VALUES (0, 0)")
      }
      let writing = Task {
        var number = 0
        while !Task.isCancelled {
          number += 1
          try await database.write { [number] db in
            try db.execute("UPDATE pair SET a = \(number)")
            try db.execute("UPDATE pair SET b = \(number)")
          }
        }
      }
      for (index, key) in [Self.key, Self.other, .passphrase("p"), nil].enumerated() {
        let copy = folder + "/copy\(index).db"
        let seen = Fractions()
        try await database.export(to: copy, key: key) { seen.append($0) }
        #expect(seen.all == seen.all.sorted() && seen.all.last == 1)
        let exported = try await Database(path: copy, key: key)
        #expect(try await exported.values("SELECT a = b FROM pair") == [.integer(1)])
        try await exported.write { try $0.execute("DROP TABLE pair") }
        try await exported.close()
        #expect(try await Self.contents(copy, key) == before)
      }
      writing.cancel()
      _ = await writing.result
      try await database.close()
      #expect(try Self.names(folder) == ["a.db", "copy0.db", "copy1.db", "copy2.db", "copy3.db"])
    }
  }

  @Test("an obstacle is reported before anything changes")
  func refused() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      func error(_ body: () async throws -> Void) async throws -> String {
        let before = try Self.names(folder)
        let error = try await failure { try await body() }
        #expect(try Self.names(folder) == before)
        return error.summary.replacingOccurrences(of: folder, with: "")
      }
      #expect(
        try await error { try await Database.encrypt(path: path, key: Self.key) }
          == "copy 14 -.- -: The file does not exist: check the path")
      try Self.make(path)
      #expect(
        try await error { try await Database.encrypt(path: path, key: .raw([1])) }
          == "key 21 -.- -: A raw key must have 32 bytes, not 1")
      #expect(
        try await error { try await Database.decrypt(path: path, key: Self.key) }
          == "key 26 -.- -: The file is not encrypted, but a key was given: open it without a key")
      let database = try await Database(path: path, key: nil)
      #expect(
        try await error {
          // The refusal comes before any copying.
          try await Database.encrypt(path: path, key: Self.key) { part in
            Issue.record("\(part) was copied")
          }
        } == "copy 5 -.- -: The file is open in this process: close it first")
      #expect(
        try await error { try await database.export(to: path, key: Self.key) }
          == "copy 14 -.- -: There is a file at /a.db already: choose another path")
      #expect(
        try await error { try await database.export(to: folder + "/no/b.db", key: Self.key) }
          == "copy 14 -.- -: The folder /no does not exist: create it first")
      try await database.close()
      let memory = try await Database.inMemory()
      #expect(
        try await error { try await memory.export(to: folder + "/m.db", key: nil) }
          == "copy 21 -.- -: Only a database in a file can be exported: use VACUUM INTO in withoutTransaction"
      )
      try await memory.close()
      try await Database.encrypt(path: path, key: Self.key)
      #expect(
        try await error { try await Database.encrypt(path: path, key: Self.key) }
          == "key 26 -.- -: The file is encrypted and no key was given, or it is not a database: give the key"
      )
      #expect(
        try await error { try await Database.decrypt(path: path, key: Self.other) }
          == "key 26 -.- -: The key is wrong, the file has other cipher settings, or the file "
          + "is damaged or not a database: SQLCipher reports the same code for all of them")
      #expect(try await Self.contents(path, Self.key)[1].count == 2)
    }
  }

  @Test(
    "a file that another program has open is not replaced",
    arguments: ["WAL", "DELETE"])
  func busy(mode: String) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path)
      var other: OpaquePointer?
      #expect(sqlite3_open(path, &other) == SQLITE_OK)
      defer { sqlite3_close(other) }
      let sql = "PRAGMA journal_mode = \(mode); BEGIN; SELECT count(*) FROM generated"
      #expect(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
      var configuration = Configuration()
      configuration.busyTimeout = .milliseconds(1)
      let error = try await failure {
        try await Database.encrypt(path: path, key: Self.key, configuration: configuration)
      }
      #expect(error.operation == .copy && error.code.primary == .busy)
      #expect(try DatabaseFile.isPlain(path))
      #expect(try Self.names(folder).filter { $0.contains("miniorm") } == [])
      #expect(
        sqlite3_exec(other, "COMMIT; INSERT INTO child VALUES (1)", nil, nil, nil) == SQLITE_OK)
    }
  }

  @Test("a time limit ends a copy, and leaves only the original file")
  func overTime() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path)
      let database = try await Database(path: path, key: nil)
      try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
          INSERT INTO child SELECT 1 FROM n
          """)
      }
      try await database.close()
      let error = try await failure {
        try await withTimeLimit(.zero) { try await Database.encrypt(path: path, key: Self.key) }
      }
      #expect(error.code == .interrupt && error.message.contains("time limit"))
      #expect(try DatabaseFile.isPlain(path))
      #expect(try Self.names(folder).filter { $0.contains("miniorm") } == [])
    }
  }

  @Test("a cancelled copy leaves only the original file")
  func cancelled() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/a.db"
      try Self.make(path)
      let database = try await Database(path: path, key: nil)
      try await database.write { db in
        try db.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
          INSERT INTO child SELECT 1 FROM n
          """)
      }
      try await database.close()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await Database.encrypt(path: path, key: Self.key)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try Self.names(folder) == ["a.db"])
      #expect(try DatabaseFile.isPlain(path))
    }
  }

  @Test("verification finds every kind of difference in a copy")
  func verification() async throws {
    try await withTemporaryDirectory { folder throws in
      try Self.make(folder + "/a.db")
      for (change, difference) in [
        ("DROP INDEX copy.partial", "its schema differs"),
        ("DELETE FROM copy.child WHERE parent = 4", "table child has a different number of rows"),
        ("UPDATE copy.counted SET x = 3 WHERE x = 2.5", "a row of table counted differs"),
        ("UPDATE copy.counted SET x = '1' WHERE x = 1", "a row of table counted differs"),
        ("UPDATE copy.child SET rowid = 9 WHERE parent = 4", "a row of table child differs"),
        (
          "UPDATE copy.shadowing SET value = zeroblob(19999) WHERE rowid = 'one'",
          "a row of table shadowing differs"
        ),
        (
          // The index has the expected declaration but different contents.
          """
          CREATE INDEX main.extra ON counted(x); CREATE INDEX copy.extra ON counted(-x);
          PRAGMA writable_schema = ON;
          UPDATE copy.sqlite_schema SET sql = (SELECT sql FROM main.sqlite_schema WHERE name = 'extra')
            WHERE name = 'extra';
          PRAGMA writable_schema = RESET;
          """,
          "its integrity check fails"
        ),
      ] {
        var source: OpaquePointer?
        #expect(sqlite3_open(folder + "/a.db", &source) == SQLITE_OK)
        defer { sqlite3_close(source) }
        let verification = CopyVerification(source: try #require(source), path: "a.db")
        let attach = "ATTACH ':memory:' AS copy KEY ''; SELECT sqlcipher_export('copy');"
        #expect(sqlite3_exec(source, attach, nil, nil, nil) == SQLITE_OK)
        try verification.run()
        #expect(
          sqlite3_exec(source, change, nil, nil, nil) == SQLITE_OK,
          "\(change) \(String(cString: sqlite3_errmsg(source)))")
        let error = try await failure { try verification.run() }
        #expect(error.code == .corrupt && error.message.hasSuffix(difference), "\(change)")
      }
    }
  }

}

import CSQLCipher
import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

/// Creates a file with SQLite's C API. The collation `unicase` ignores the case.
func makeForeignFile(_ path: String, _ script: String) throws {
  var database: OpaquePointer?
  #expect(sqlite3_open(path, &database) == SQLITE_OK)
  defer { sqlite3_close_v2(database) }
  for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
    #expect(miniorm_db_config(database, option, 1) == SQLITE_OK)
  }
  sqlite3_create_collation_v2(
    database, "unicase", SQLITE_UTF8, nil,
    { _, leftCount, left, rightCount, right in
      func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
          .lowercased()
      }
      let (one, other) = (text(left, leftCount), text(right, rightCount))
      return one == other ? 0 : one < other ? -1 : 1
    }, nil)
  let code = sqlite3_exec(database, script, nil, nil, nil)
  let message = String(cString: sqlite3_errmsg(database))
  try #require(code == SQLITE_OK, "\(message)")
}

@Table("plain", options: [])
private struct Plain: Equatable, Identifiable {
  let id: Int64
  var name: String
}

@Table("plain", options: [])
private struct CheckedPlain: Equatable, Identifiable {
  let id: Int64
  @Column(.check("name <> ''")) var name: String
}

@Table("tag", options: [])
private struct ForeignTag: Equatable, Identifiable {
  let id: Int64
  @Column(.collate(Collation("unicase")), .unique) var name: String

  static var indexes: [Index<ForeignTag>] {
    [Index("tag_name") { ($0.name, $0.id) }]
  }
}

/// Files that use a collation, a tokenizer and a module that this program does not have.
@Suite("Files of programs with their own collations, tokenizers and modules")
struct ForeignFileTests {
  /// The schema row of a virtual table is written by SQL, because this library has no FTS4.
  static let script = """
    CREATE TABLE plain (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE unicase UNIQUE);
    CREATE INDEX tag_name ON tag (name, id);
    CREATE TABLE mail (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TABLE search_content (docid INTEGER PRIMARY KEY, c0text);
    CREATE TABLE search_segments (blockid INTEGER PRIMARY KEY, block BLOB);
    CREATE TABLE search_segdir (level INTEGER, idx INTEGER, start_block INTEGER,
      leaves_end_block INTEGER, end_block INTEGER, root BLOB, PRIMARY KEY (level, idx));
    CREATE TABLE search_history (id INTEGER PRIMARY KEY);
    CREATE TRIGGER mail_ai AFTER INSERT ON mail BEGIN
      INSERT INTO search (docid, text) VALUES (new.id, new.text);
    END;
    CREATE VIRTUAL TABLE words USING fts5(a);
    INSERT INTO plain VALUES (1, 'one'), (2, 'two');
    INSERT INTO tag VALUES (1, 'b'), (2, 'A'), (3, 'C');
    INSERT INTO search_content VALUES (1, 'old text');
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema VALUES
      ('table', 'search', 'search', 0, 'CREATE VIRTUAL TABLE search USING fts4(text)'),
      ('table', 'other', 'other', 0, 'CREATE VIRTUAL TABLE other USING strange(text)');
    UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE words USING fts5(a, tokenize = ''mine'')'
      WHERE name = 'words';
    """

  private static let notChecked = [
    "the indexes and constraints of table tag: no such collation sequence: unicase",
    "virtual table other: no such module: strange",
    "virtual table search: no such module: fts4",
    "virtual table words: no such tokenizer: mine",
  ]

  @Test("verify checks the rest, and names what it could not check")
  func verified() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let report = try await Database.verify(path: path, key: nil)
      #expect(report.problems == [])
      #expect(report.notChecked == Self.notChecked)
      #expect(!report.isComplete && report.isEmpty)
    }
  }

  @Test("verify finds a missing index entry beside a table that it cannot check")
  func damaged() async throws {
    try await withTemporaryPath { path in
      let damage = """
        CREATE INDEX plain_name ON plain (name);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX plain_name ON plain (id)' WHERE name = 'plain_name';
        """
      try makeForeignFile(path, Self.script + damage)
      let report = try await Database.verify(path: path, key: nil)
      #expect(report.problems.contains { $0.index == "plain_name" })
      #expect(report.notChecked == Self.notChecked)
    }
  }

  private static var registering: Configuration {
    var configuration = Configuration()
    configuration.collations = [
      Collation("unicase") {
        $0.lowercased() < $1.lowercased()
          ? .orderedAscending
          : $0.lowercased() == $1.lowercased() ? .orderedSame : .orderedDescending
      }
    ]
    return configuration
  }

  @Test("a model names the collation: rows are read, and only the definition allows writing")
  func named() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let schema = DatabaseSchema(ForeignTag.self)
      let database = try await Database(path: path, key: nil)
      let report = try await database.schemaReport(for: schema)
      #expect(report.differences == [])
      try await database.adopt(version: 1)
      try await database.migrate(schema)
      let rows = try await Table<ForeignTag>().fetchAll(in: database)
      #expect(Set(rows.map(\.name)) == ["A", "b", "C"])
      let error = try await failure {
        try await Table<ForeignTag>().insert(ForeignTag(id: 4, name: "a"), in: database)
      }
      #expect(error.message == "no such collation sequence: unicase")
      #expect(error.recoverySuggestion?.contains("Configuration.collations") == true)
      try await database.close()

      let defining = try await Database(path: path, key: nil, configuration: Self.registering)
      let duplicate = try await failure {
        try await Table<ForeignTag>().insert(ForeignTag(id: 4, name: "a"), in: defining)
      }
      #expect(duplicate.code == .constraintUnique)
      try await Table<ForeignTag>().insert(ForeignTag(id: 4, name: "d"), in: defining)
      try await defining.close()
      let verified = try await Database.verify(
        path: path, key: nil, configuration: Self.registering)
      #expect(verified.problems == [])
    }
  }

  @Test("a new file needs the definition of the collation, and the error says so")
  func new() async throws {
    try await withTemporaryPath { path in
      let schema = DatabaseSchema(ForeignTag.self)
      let database = try await Database(path: path, key: nil)
      let error = try await failure { try await database.migrate(schema) }
      #expect(error.message.contains("no such collation sequence: unicase"), "\(error)")
      #expect(error.recoverySuggestion?.contains("Configuration.collations") == true, "\(error)")
      try await database.close()
      let defining = try await Database(path: path, key: nil, configuration: Self.registering)
      try await defining.migrate(schema)
      try await Table<ForeignTag>().insert(ForeignTag(id: 1, name: "a"), in: defining)
      try await defining.close()
    }
  }

  @Test("a registered collation is checked")
  func registered() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let report = try await Database.verify(
        path: path, key: nil, configuration: Self.registering)
      #expect(report.notChecked == Array(Self.notChecked.dropFirst()))
    }
  }

  @Test("migrationPlan and migrate rebuild another table of such a file")
  func rebuilt() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let database = try await Database(path: path, key: nil)
      try await database.adopt(version: 1)
      let schema = DatabaseSchema(CheckedPlain.self)
      let plan = try await database.migrationPlan(for: schema)
      #expect(plan.transactions.count == 1)
      try await database.migrate(schema)
      let rows = try await Table<CheckedPlain>().fetchAll(in: database)
      #expect(rows.map(\.name) == ["one", "two"])
      #expect(try await database.migrationPlan(for: schema).isEmpty)
      try await database.close()
    }
  }

  @Test("dropTable removes an FTS4 table with its shadow tables and triggers, and nothing else")
  func dropped() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let database = try await Database(path: path, key: nil)
      try await database.adopt(version: 1)
      let broken = try await failure {
        try await database.write { db in try db.execute("INSERT INTO mail VALUES (1, 'a')") }
      }
      #expect(broken.message.contains("no such module: fts4"))
      let schema = DatabaseSchema(
        version: 2, Plain.self,
        steps: [.init(to: 2, "search by FTS5", .dropTable("search"), .dropTable("words"))])
      let plan = try await database.migrationPlan(for: schema)
      try await database.migrate(schema)
      #expect(plan.description.contains("DROP TABLE \"search\""))
      let names = try await database.read { db in
        try db.query(
          String.self,
          "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'miniorm%' AND name NOT LIKE 'sqlite%' ORDER BY 1"
        )
      }
      #expect(names == ["mail", "other", "plain", "search_history", "tag", "tag_name"])
      try await database.write { db in try db.execute("INSERT INTO mail VALUES (1, 'a')") }
      try await database.close()
      let report = try await Database.verify(path: path, key: nil)
      #expect(report.problems == [])
    }
  }

  @Test("the rows of an FTS4 table move to FTS5 in a single migration")
  func converted() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let database = try await Database(path: path, key: nil)
      try await database.adopt(version: 1)
      let text = FullTextIndex("letter_text", of: Letter.self) { $0.text }
      let schema = DatabaseSchema(
        version: 2, Letter.self, objects: [text],
        steps: [
          .init(
            to: 2, "letters",
            .sql(
              """
              CREATE TABLE letter (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL) STRICT;
              INSERT INTO letter SELECT docid, c0text FROM search_content;
              """), .dropTable("search"))
        ])
      try await database.migrate(schema)
      let found = try await Table<Letter>().matching(text, Match(words: "old")).fetchAll(
        in: database)
      #expect(found == [Letter(id: 1, text: "old text")])
      try await database.close()
    }
  }

  @Table("letter")
  fileprivate struct Letter: Equatable, Identifiable {
    let id: Int64
    var text: String
  }

  @Test("salvage keeps the rows of every table, and names the indexes to rebuild")
  func salvaged() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(path, Self.script)
      let report = try await Database.salvage(path: path, key: nil, to: path + "-new")
      defer { try? FileManager.default.removeItem(atPath: path + "-new") }
      #expect(report.tables.first { $0.name == "tag" }?.rowCount == 3)
      #expect(
        report.lostObjects.contains {
          $0.contains("tag_name") && $0.contains("Run REINDEX \"unicase\"")
        })
    }
  }

  @Test("encrypt and salvage keep tables and indexes with strings in double quotes")
  func strings() async throws {
    try await withTemporaryPath { path in
      try makeForeignFile(
        path,
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT CHECK (kind <> "none"));
        CREATE INDEX kinds ON item (kind) WHERE kind = "first";
        INSERT INTO item VALUES (1, 'first'), (2, 'second');
        """)
      let report = try await Database.salvage(path: path, key: nil, to: path + "-new")
      defer { try? FileManager.default.removeItem(atPath: path + "-new") }
      #expect(report.tables.map(\.rowCount) == [2])
      #expect(report.lostObjects == [])
      let key = Key.raw([UInt8](repeating: 4, count: 32))
      try await Database.encrypt(path: path, key: key)
      let database = try await Database(path: path, key: key)
      let count = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM item INDEXED BY kinds WHERE kind = 'first'")
      }
      #expect(count == 1)
      try await database.close()
    }
  }
}

import Foundation

@testable import MiniORM

/// An application in four versions with slow migrations: a backfill, rebuilds, and changes of the
/// models. Child processes run it too.
enum Shop {
  @Table("person", renamedFrom: "customer") struct Person {
    let id: Int64
    @Column(.unique) var name: String
    @Column(.check("age >= 0")) var age = 0
    var first: String?
    var last: String?
    var isKnown = true

    static var indexes: [Index<Shop.Person>] { [Index("customer_last") { $0.last }] }
  }
  @Table("entry") struct Entry {
    let id: Int64
    @Column(.references(Person.self, onDelete: .cascade)) var personID: Int64
    var text: String
  }
  @Table("log") struct Log {
    let id: Int64
    var text: String
  }
  @Table("city") struct City {
    let id: Int64
    var name: String
  }

  static let version: Int32 = 4
  static let people = 2_000
  static let entries = 1_000

  static let steps = [
    DatabaseSchema.Step(
      to: 2, "one name",
      .addColumn("name", String?.self, to: "customer"),
      .backfill("customer") { row in
        guard case .text(let first)? = row["first"], case .text(let last)? = row["last"] else {
          return [:]
        }
        return ["name": "\(first) \(last)"]
      }),
    DatabaseSchema.Step(
      to: 3, "ages",
      .sql("UPDATE customer SET age = 0 WHERE age IS NULL"),
      .rebuildTable(
        "customer", .column("id", Int64.self, .primaryKey), .column("first", String?.self),
        .column("last", String?.self), .column("name", String.self, .unique),
        .column("age", Int.self, .default(0), .check("age >= 0")))),
    DatabaseSchema.Step(
      to: 4, "a log",
      .createTable(
        "log", .column("id", Int64.self, .primaryKey), .column("text", String.self)),
      .sql("INSERT INTO log (text) SELECT 'once, with ' || count(*) FROM customer"),
      .createIndex("customer_last", on: "customer", ["last"])),
  ]

  /// The final schema: the models rename a table, add a column, rebuild a table and add a table.
  static let schema = DatabaseSchema(
    version: version, Person.self, Entry.self, Log.self, City.self, steps: steps)

  /// The only states that a file may be in: the first version, the version after each step, and the
  /// last.
  static var stages: [DatabaseSchema?] {
    [nil]
      + steps.indices.map { DatabaseSchema(version: steps[$0].version, steps: Array(steps[...$0])) }
      + [schema]
  }

  static let history =
    ["1 adopted"] + steps.map { "\($0.version) \($0.name)" }
    + ["4 changes that follow from the models"]

  static func configuration(_ journalMode: String) -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = Configuration.JournalMode(rawValue: journalMode) ?? .wal
    return configuration
  }

  static func open(_ path: String, _ journalMode: String) async throws -> Database {
    try await Database(
      path: path, key: TemporaryFile.key, configuration: configuration(journalMode))
  }

  /// Creates a file of the first version. Gaps between rowids make the migration copy rows in
  /// several parts.
  static func create(_ path: String, _ journalMode: String) async throws {
    let database = try await open(path, journalMode)
    try await database.write { db in
      try db.execute(
        script: """
          CREATE TABLE customer (
            id INTEGER PRIMARY KEY NOT NULL, first TEXT, last TEXT, age INTEGER) STRICT;
          CREATE TABLE entry (
            id INTEGER PRIMARY KEY NOT NULL, personID INTEGER REFERENCES customer, text TEXT) STRICT;
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(people))
          INSERT INTO customer
          SELECT 97 * i, 'First' || (i % 97), 'Last' || (i * 7919 % 10007), nullif(i % 80, 7) FROM n;
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(entries))
          INSERT INTO entry SELECT i, 97 * (1 + (i % \(people))), 'Entry ' || i FROM n;
          CREATE INDEX entry_person ON entry (personID);
          CREATE VIEW adult AS SELECT first, last FROM customer WHERE age >= 18;
          CREATE TRIGGER entry_text AFTER INSERT ON entry WHEN NEW.text = '' BEGIN
            UPDATE entry SET text = 'none' WHERE id = NEW.id;
          END;
          """)
    }
    try await database.adopt(version: 1)
    try await database.close()
  }

  /// Copies a closed file.
  static func copy(_ path: String, to copy: String) throws {
    try Database.delete(path: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
  }
}

extension Database {
  /// The version, every declaration, every row, and the migration history.
  func contents() async throws -> [String] {
    try await read { db in
      var lines = ["version \(try db.value(Int.self, "PRAGMA user_version") ?? 0)"]
      let declared = try db.query(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
      lines += declared.map { "\($0.values)" }
      for case .text(let table) in declared.filter({ $0.values[0] == .text("table") })
        .map({ $0.values[1] }) where table != Migrator.historyTable
      {
        let columns = try db.query("SELECT name FROM pragma_table_xinfo(\(table)) ORDER BY name")
          .compactMap { row in if case .text(let name) = row.values[0] { name } else { nil } }
        let values = columns.map { "quote(\($0.quotedIdentifier))" }
          .joined(separator: " || ' ' || ")
        let rows = try db.value(
          String?.self,
          """
          SELECT group_concat(\(raw: values), ';')
          FROM (SELECT * FROM \(raw: table.quotedIdentifier) ORDER BY 1)
          """)
        lines.append("\(table) \(columns): \((rows ?? nil) ?? "no rows")")
      }
      return lines
    } + migrationHistory().map { "\($0.version) \($0.name)" }
  }

  /// Damage that SQLite and SQLCipher report.
  func damage() async throws -> [String] {
    try await read { db in
      let rows =
        try db.query("PRAGMA integrity_check") + db.query("PRAGMA cipher_integrity_check")
        + db.query("PRAGMA foreign_key_check")
      return rows.map { "\($0.values)" }.filter { $0 != "\([DatabaseValue.text("ok")])" }
    }
  }
}

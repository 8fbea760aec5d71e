import CSQLCipher
import Foundation

@testable import MiniORM

/// Code for a fuzzer to call. Each target passes its bytes to MiniORM, which must not crash, and
/// compares the result with SQLite or Foundation. FuzzTests mix the bytes. Nothing here imports
/// Testing, so a fuzzer can call it too.
enum FuzzTarget: String, CaseIterable, Sendable {
  case names, identifiers, patterns, declarations, values, texts, files, searches

  /// A violated expectation.
  struct Finding: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs the target on some bytes.
  /// - Throws: ``Finding``.
  func run(_ bytes: [UInt8]) async throws {
    switch self {
    case .names: try FuzzNames.run(bytes)
    case .identifiers: try FuzzIdentifiers.run(bytes)
    case .patterns: try FuzzPatterns.run(bytes)
    case .declarations: try FuzzDeclarations.run(bytes)
    case .values: try FuzzValues.run(bytes)
    case .texts: try FuzzTexts.run(bytes)
    case .files: try await FuzzFiles.run(bytes)
    case .searches: try FuzzSearches.run(bytes)
    }
  }

  /// The initial inputs for a fuzzer.
  var corpus: [String] {
    switch self {
    case .names, .identifiers, .searches, .patterns:
      [
        "name", "\"", "'", "`", "[", "]", "a\"b", "it's", "$.a", "a.b", "%_\\", "*?[a-z]",
        "\u{600}\"", "'\u{301}",
        "\0", "NULL", "NEAR(a b, 2)", "\" OR 1 --", "a AND b* OR ^c", "-a", "\u{e9}", "e\u{301}",
        "\u{10ffff}", "{a}:b", "a + b", "\u{d7ff}", "\u{fe0f}", "/*", "--", "a%\0A", "[^a]b\0?b",
        "a\u{fffe}\0a\u{fffd}", "a\u{ffff}b\0a\u{fffd}*", "a\u{fffd}b\0a\u{fffe}b",
      ]
    case .declarations:
      [
        "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT NOT NULL UNIQUE COLLATE NOCASE)",
        "CREATE TABLE \"a\"\"b\" ([c] TEXT DEFAULT 'it''s', d REAL CHECK (d > 0.5), PRIMARY KEY (c, d)) WITHOUT ROWID, STRICT",
        "CREATE TABLE t(a REFERENCES u(b) ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED)",
        "CREATE TABLE t(a, b AS (a * 2) STORED, c GENERATED ALWAYS AS (upper(a)) VIRTUAL)",
        "CREATE TABLE t(a DEFAULT -1, b DEFAULT (1 + 2), c DEFAULT x'00ff', d DEFAULT 0x1e+1)",
        "CREATE TABLE t(a, CONSTRAINT c UNIQUE (a COLLATE RTRIM DESC) ON CONFLICT REPLACE, FOREIGN KEY (a) REFERENCES t)",
        "CREATE TABLE IF NOT EXISTS main.t /* ( */ (a -- )\n, b VARCHAR(10, 2))",
        "CREATE UNIQUE INDEX i ON t (((lower(a))) DESC, b COLLATE NOCASE) WHERE a > (1)",
        "CREATE TABLE t(\u{e9} INT, \"e\u{301}\" INT, `x` INT NULL)",
      ]
    case .values, .texts:
      [
        "2026-11-22 07:30:00.125", "2026-11-22T07:30Z", "0000-01-01",
        "9999-12-31 23:59:59.999999999+23:59",
        "-12.50", "1e3", "1E-400", "+.5", "9223372036854775807.5", "[1, 2, 3]",
        "[\"a\\u00e9\", null]", "{\"a\": 1.5e10}",
        "123456789012345678901234567890", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "true", "-0",
        "nan", "infinity",
        "2026-02-30", "07:30", "-9223372036854775808", "0x10", "\"\\ud83d\\ude00\"", "-0.0", "1.",
        ".1", "00",
      ]
    case .files: ["SQLite format 3\0\u{10}\0\u{1}\u{1}\0@  ", "", "\0\0\0\0", "SQLite format 3"]
    }
  }
}

extension FuzzTarget.Finding {
  /// Throws ``FuzzTarget/Finding`` if the condition is false.
  static func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw FuzzTarget.Finding(description: description()) }
  }
}

/// An in-memory database, kept between runs.
final class FuzzDatabase {
  let database: OpaquePointer?

  init(_ path: String = ":memory:") {
    var pointer: OpaquePointer?
    sqlite3_open(path, &pointer)
    database = pointer
    sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, 10_000_000)
  }
  deinit { sqlite3_close_v2(database) }

  /// The rows of a query with text parameters; nil on error.
  func rows(_ sql: String, _ texts: [String] = []) -> [[String?]]? {
    rows(sql, texts.map { DatabaseValue.text($0) })
  }

  /// The rows of a query with bound values; nil on error.
  func rows(_ sql: String, _ values: [DatabaseValue]) -> [[String?]]? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, statement != nil
    else { return nil }
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (place, value) in values.enumerated() {
      let index = Int32(place + 1)
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, number)
      case .real(let number): sqlite3_bind_double(statement, index, number)
      case .text(let text):
        sqlite3_bind_text64(
          statement, index, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
      case .blob(let bytes):
        // The pointer is never nil, which would bind NULL.
        sqlite3_bind_blob64(statement, index, bytes + [0], UInt64(bytes.count), transient)
      }
    }
    var rows: [[String?]] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          let count = Int(sqlite3_column_bytes(statement, column))
          return sqlite3_column_text(statement, column).map {
            String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
          }
        })
      code = sqlite3_step(statement)
    }
    return code == SQLITE_DONE ? rows : nil
  }
}

/// Each way to quote text in SQL preserves its bytes.
enum FuzzNames {
  nonisolated(unsafe) private static let database = FuzzDatabase()  // one thread runs a target

  static func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let literal = DatabaseValue.text(text).literal
    let same = database.rows("SELECT \(literal) IS ?1 AND typeof(\(literal)) = 'text'", [text])
    try FuzzTarget.Finding.check(same == [["1"]], "the literal \(literal) is not the text")
    let blob = DatabaseValue.blob(bytes).literal
    let isSame = database.rows("SELECT CAST(?1 AS BLOB) IS \(blob)", [text])
    try FuzzTarget.Finding.check(
      !Array(text.utf8).elementsEqual(bytes) || isSame == [["1"]],
      "the literal \(blob) is not the blob")
    guard !bytes.contains(0) else { return }
    // SQLite rejects some table names, but accepts any column alias.
    let name = text.quotedIdentifier
    let found = database.rows("SELECT \(name) FROM (SELECT ?1 AS \(name))", [text])
    try FuzzTarget.Finding.check(
      found?.first?.first?.map { $0.hasSameBytes(as: text) } == true,
      "the name \(name) is another one")
    let tokens = SQLToken.all(in: name)
    try FuzzTarget.Finding.check(
      tokens.count == 1 && tokens[0].isName && tokens[0].text == text.folded,
      "\(name) is read as \(tokens)")
    let path: JSONPath = "$.\(text)"
    let value = database.rows(
      "SELECT json_extract(json_object(?1, 'found'), ?2)", [text, path.text])
    try FuzzTarget.Finding.check(
      value == [["found"]], "the path \(path.text) finds \(value ?? []) and not the key")
  }
}

/// CREATE TABLE and CREATE INDEX statements, parsed as SQLite parses them.
enum FuzzDeclarations {
  static func run(_ bytes: [UInt8]) throws {
    let sql = String(decoding: bytes, as: UTF8.self)
    // Parsing any text gives a table or an error.
    let parsed = try? TableDefinition(parsing: sql)
    _ = IndexDefinition(name: "i", table: "t", sql: sql).clause
    _ = sql.removingQualifier("t")
    guard !bytes.contains(0), sql.utf8.count < 20_000 else { return }
    let database = FuzzDatabase()
    guard database.rows(sql) != nil,
      let row = database.rows(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL AND sql NOT LIKE '%VIRTUAL%'"
      ),
      row.count == 1, let name = row[0][0], let stored = row[0][1],
      // CREATE TABLE … AS SELECT produces no constraints.
      database.rows(
        "SELECT 1 FROM pragma_table_list(?1) WHERE type = 'table' AND schema = 'main'", [name]) == [
          ["1"]
        ]
    else { return }
    let table: TableDefinition
    do {
      table = try TableDefinition(parsing: stored)
    } catch {
      throw FuzzTarget.Finding(description: "SQLite takes \(stored), and it is read with \(error)")
    }
    if let parsed {
      try FuzzTarget.Finding.check(
        parsed.columns.count == table.columns.count, "\(sql) differs from \(stored)")
    }
    try FuzzTarget.Finding.check(
      table.name.hasSameBytes(as: name), "\(stored) has the name \(table.name)")
    let columns = database.rows("SELECT name, hidden FROM pragma_table_xinfo(?1)", [name]) ?? []
    try FuzzTarget.Finding.check(
      columns.map { ExactText($0[0] ?? "") } == table.columns.map { ExactText($0.name) }
        && columns.map { $0[1] }
          == table.columns.map { $0.generated == nil ? "0" : $0.isStored ? "3" : "2" },
      "\(stored) has the columns \(columns), and not \(table.columns.map(\.name))")
    let keys =
      database.rows(
        "SELECT lower(name) FROM pragma_table_xinfo(?1) WHERE pk > 0 ORDER BY pk", [name]) ?? []
    try FuzzTarget.Finding.check(
      keys.map { ExactText($0[0] ?? "") } == table.primaryKey,
      "\(stored) has the key \(keys), and not \(table.primaryKey)")
    let options =
      database.rows("SELECT strict, wr FROM pragma_table_list(?1) WHERE schema = 'main'", [name])
      ?? []
    try FuzzTarget.Finding.check(
      options == [[table.isStrict ? "1" : "0", table.isWithoutRowID ? "1" : "0"]],
      "\(stored) has the options \(options)")
    let parents =
      database.rows(
        "SELECT DISTINCT id, lower(\"table\") FROM pragma_foreign_key_list(?1) ORDER BY 2", [name])
      ?? []
    try FuzzTarget.Finding.check(
      parents.map { ExactText($0[1] ?? "") }.sorted { $0.string < $1.string }
        == table.foreignKeys.map(\.parent).sorted { $0.string < $1.string },
      "\(stored) has the parents \(parents), and not \(table.foreignKeys.map(\.parent))")
  }
}

/// User input as a search: a document matches its own text, and the input never acts as FTS5
/// syntax.
enum FuzzSearches {
  nonisolated(unsafe) private static let database: FuzzDatabase = {
    let database = FuzzDatabase()
    _ = database.rows("CREATE VIRTUAL TABLE notes USING fts5(a, b)")
    return database
  }()

  static func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = database.rows("DELETE FROM notes")
    _ = database.rows("INSERT INTO notes VALUES (?1, 'other')", [text])
    let searches: [Match] = [
      Match(words: text), Match(words: text, prefix: true), .phrase(text),
      .phrase(text, prefix: true),
      .near([text, "other"], distance: bytes.count), Match(words: text) && .phrase(text),
      Match(words: text).excluding(.phrase("no such word")),
    ]
    for (index, match) in searches.enumerated() {
      guard let found = database.rows("SELECT a FROM notes WHERE notes MATCH ?1", [match.text])
      else {
        throw FuzzTarget.Finding(
          description: "\(match.text): \(String(cString: sqlite3_errmsg(database.database)))")
      }
      // A text without letters and digits has no tokens. Any other text matches itself.
      let hasWords =
        database.rows("SELECT 1 FROM notes WHERE notes MATCH ?1", [Match(words: text).text]) != []
      if hasWords, index != 4 {
        try FuzzTarget.Finding.check(
          !found.isEmpty || text.utf8.contains(0),
          "\(match.text) does not find the text that it is made of")
      }
    }
  }
}

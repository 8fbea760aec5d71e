import CSQLCipher
import Foundation

@testable import MiniORM

@Table("fuzzed")
struct FuzzedText {
  let id: Int64
  var text: String
}

/// Text conditions: the results match Swift's, or those of SQLite's own operator.
enum FuzzPatterns {
  nonisolated(unsafe) private static let database: FuzzDatabase = {
    let database = FuzzDatabase()
    _ = database.rows("CREATE TABLE fuzzed (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    _ = database.rows("CREATE INDEX fuzzed_text ON fuzzed (text)")
    return database
  }()  // one thread runs a target

  static func run(_ bytes: [UInt8]) throws {
    // A zero byte separates the stored text from the sought text.
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts[0], as: UTF8.self)
    let sought = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : text
    _ = database.rows("DELETE FROM fuzzed")
    _ = database.rows("INSERT INTO fuzzed (text) VALUES (?1)", [.text(text)])
    let (whole, part) = (Array(text.utf8), Array(sought.utf8))
    try expect("hasPrefix", text, sought, whole.starts(with: part)) { $0.hasPrefix(sought) }
    try expect("hasSuffix", text, sought, whole.reversed().starts(with: part.reversed())) {
      $0.hasSuffix(sought)
    }
    try expect("==", text, sought, whole == part) { $0 == sought }
    // SQLite's text functions stop at NUL, and LIKE accepts patterns of up to 50,000 bytes.
    guard !part.contains(0), part.count < 10_000 else { return }
    try expect("contains", text, sought, contains(whole, part)) { $0.contains(sought) }
    try expect("like", text, sought, sqlite("?1 LIKE ?2", text, sought)) { $0.like(sought) }
    // Compares with the same column. SQLite treats U+FFFE as U+FFFD, except in a search through the
    // index.
    let globs = database.rows("SELECT 1 FROM fuzzed WHERE text GLOB ?1", [.text(sought)]) == [["1"]]
    try expect("glob", text, sought, globs) { $0.glob(sought) }
    guard
      !(text + sought).unicodeScalars.contains(where: { ["\u{fffe}", "\u{ffff}"].contains($0) })
    else { return }
    let escaped = sought.unicodeScalars.reduce(into: "") { pattern, scalar in
      if ["\\", "%", "_"].contains(scalar) { pattern.unicodeScalars.append("\\") }
      pattern.unicodeScalars.append(scalar)
    }
    let isSame = sqlite("?1 = ?2 COLLATE NOCASE", text, sought)
    try expect("like with an escape", text, sought, isSame) { $0.like(escaped, escape: "\\") }
  }

  private static func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains {
      whole[$0..<($0 + part.count)].elementsEqual(part)
    }
  }

  private static func sqlite(_ condition: String, _ text: String, _ sought: String) -> Bool {
    database.rows("SELECT \(condition)", [.text(text), .text(sought)]) == [["1"]]
  }

  private static func expect(
    _ name: String, _ text: String, _ sought: String, _ isFound: Bool,
    _ condition: (MiniORM.SQLExpression<String>) -> any SQLCondition
  ) throws {
    let sql = Table<FuzzedText>().where { condition($0.text) }.select { $0.text }.sql
    let values = try sql.bindings.map { try DatabaseValue(storing: $0) }
    guard let found = database.rows(sql.text, values) else {
      throw FuzzTarget.Finding(
        description: "\(name): \(String(cString: sqlite3_errmsg(database.database)))")
    }
    try FuzzTarget.Finding.check(
      found.isEmpty != isFound,
      "\(Array(text.utf8)) \(name) \(Array(sought.utf8)) is \(isFound), and not found so")
  }
}

/// Names of tables, columns, indexes and collations: SQLite keeps their bytes.
enum FuzzIdentifiers {
  static func run(_ bytes: [UInt8]) throws {
    let name = String(decoding: bytes, as: UTF8.self)
    // SQLite reserves names with this prefix. The index of a table called sqlite would have such a
    // name.
    let isReserved = (name + "_").folded.string.startsWithBytes(of: "sqlite_")
    guard !name.isEmpty, !name.utf8.contains(0), !isReserved else { return }
    let database = FuzzDatabase()
    let (quoted, collation) = (
      name.quotedIdentifier, Collation(name) { _, _ in .orderedSame }
    )
    sqlite3_create_collation_v2(
      database.database, name, SQLITE_UTF8, nil, { _, _, _, _, _ in 0 }, nil)
    let index = (name + "_").quotedIdentifier
    for sql in [
      "CREATE TABLE \(quoted)(\(quoted) TEXT COLLATE \(collation.name))",
      "CREATE INDEX \(index) ON \(quoted) (\(quoted) COLLATE \(collation.name))",
      "INSERT INTO main.\(quoted)(\(quoted)) VALUES ('a')",
      "UPDATE \(quoted) SET \(quoted) = 'b' WHERE \(quoted).\(quoted) = 'c' COLLATE \(collation.name)",
    ] where database.rows(sql) == nil {
      throw FuzzTarget.Finding(
        description: "\(sql): \(String(cString: sqlite3_errmsg(database.database)))")
    }
    let found =
      database.rows("SELECT name, tbl_name, sql FROM sqlite_schema ORDER BY rootpage") ?? []
    guard found.count == 2, let table = found[0][2], let made = found[1][2] else {
      throw FuzzTarget.Finding(description: "\(quoted) makes \(found)")
    }
    let parsed = try definition(table)
    let column = parsed.columns.first?.name ?? ""
    let known = [found[0][0], found[0][1], found[1][1], parsed.name, column].map { $0 ?? "" }
    try FuzzTarget.Finding.check(
      known.allSatisfy { $0.hasSameBytes(as: name) }
        && (found[1][0] ?? "").hasSameBytes(as: name + "_"),
      "\(quoted) is known as \(known), and its index as \(found[1][0] ?? "")")
    // This collation treats all texts as equal, so the update matched 'a'. Any other would match
    // no row.
    let values = database.rows("SELECT \(quoted) FROM \(quoted)")
    try FuzzTarget.Finding.check(values == [["b"]], "\(collation.name) is another collation")
    let clause = IndexDefinition(name: name + "_", table: name, sql: made).clause
    try FuzzTarget.Finding.check(
      clause.tokens.contains { $0.text == name.folded }, "\(made) is read as \(clause.tokens)")
  }

  private static func definition(_ sql: String) throws -> TableDefinition {
    do {
      return try TableDefinition(parsing: sql)
    } catch {
      throw FuzzTarget.Finding(description: "\(sql): \(error)")
    }
  }
}

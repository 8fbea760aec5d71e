import CSQLCipher
import MiniORM

/// The same work by SQLite's own calls: what grows there with the table grows with any library.
final class ByHand {
  private let database: OpaquePointer

  init(_ path: String, key: [UInt8]?) throws {
    var pointer: OpaquePointer?
    guard
      sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK, let pointer
    else { throw LargeBenchError(description: "\(path) cannot be opened by hand") }
    database = pointer
    if let key {
      let text =
        "x'" + key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "'"
      miniorm_key(database, text, Int32(text.utf8.count))
    }
    try run("PRAGMA synchronous = FULL")
  }

  func close() { sqlite3_close(database) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Updates rows by their keys, in one transaction.
  func update(_ rows: [Reading]) throws {
    let statement = try prepared(
      "UPDATE reading SET sensor = ?, name = ?, value = ?, note = ? WHERE id = ?")
    defer { sqlite3_finalize(statement) }
    try run("BEGIN IMMEDIATE")
    for row in rows {
      sqlite3_bind_int64(statement, 1, row.sensor)
      bind(row.name, statement, 2)
      sqlite3_bind_double(statement, 3, row.value)
      if let note = row.note { bind(note, statement, 4) } else { sqlite3_bind_null(statement, 4) }
      sqlite3_bind_int64(statement, 5, row.id)
      guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_changes(database) == 1 else {
        throw failure
      }
      sqlite3_reset(statement)
    }
    try run("COMMIT")
  }

  /// Looks rows up by their keys, in one transaction.
  func find(_ keys: [Int64]) throws {
    try find(keys, "SELECT id, sensor, name, value, note FROM reading WHERE id = ?") {
      sqlite3_bind_int64($0, 1, $1)
    }
  }

  /// Looks rows up by their names, in one transaction.
  func find(_ names: [String]) throws {
    try find(names, "SELECT id, sensor, name, value, note FROM reading WHERE name = ? LIMIT 1") {
      bind($1, $0, 1)
    }
  }

  private func find<Value>(
    _ values: [Value], _ sql: String, _ bind: (OpaquePointer, Value) -> Void
  ) throws {
    let statement = try prepared(sql)
    defer { sqlite3_finalize(statement) }
    try run("BEGIN")
    var bytes = 0
    for value in values {
      bind(statement, value)
      guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
      bytes += Int(sqlite3_column_int64(statement, 0)) & 1
      if let name = sqlite3_column_text(statement, 2) { bytes += String(cString: name).utf8.count }
      sqlite3_reset(statement)
    }
    try run("COMMIT")
    guard bytes > 0 else { throw failure }
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure
    }
    return statement
  }

  private func bind(_ text: String, _ statement: OpaquePointer, _ index: Int32) {
    sqlite3_bind_text(statement, index, text, -1, miniorm_transient())
  }

  private var failure: LargeBenchError {
    LargeBenchError(description: "by hand: \(String(cString: sqlite3_errmsg(database)))")
  }
}

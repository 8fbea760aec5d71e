import CSQLCipher

/// Detects pages that SQLCipher could not decrypt.
///
/// SQLCipher returns zeros for such a page, and reports the error only when the same transaction
/// reads another page. The probe reads this other page.
final class DecryptionCheck {
  private let database: OpaquePointer
  private var checked: Int32 = 0
  private(set) var statements: [String: OpaquePointer] = [:]

  init(_ database: OpaquePointer) { self.database = database }

  func finalize() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
  }

  /// True if pages were read from files since the last check.
  ///
  /// See [SQLITE_DBSTATUS_CACHE_MISS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  var hasReadPages: Bool {
    let count = SQLiteLibrary.status(SQLITE_DBSTATUS_CACHE_MISS, of: database)
    defer { checked = count }
    return count != checked
  }

  /// Reads a page of each file within the open read transaction. Returns SQLite's code.
  func read() -> Int32 {
    var code = unlessUnread(run("SELECT 1 FROM main.sqlite_schema"))
    // Attached schemas can change, so their statements are not cached.
    for schema in SQLiteLibrary.attachedSchemas(of: database) where code == SQLITE_OK {
      code = unlessUnread(
        SQLiteLibrary.trusting(on: database) {
          sqlite3_exec(
            database, "SELECT 1 FROM \(schema.quotedIdentifier).sqlite_schema LIMIT 1", nil, nil,
            nil)
        })
    }
    return code
  }

  /// Ignores the code of a hot journal, which matters only to a file not yet read in the
  /// transaction.
  private func unlessUnread(_ code: Int32) -> Int32 { code == HotJournal.code ? SQLITE_OK : code }

  /// Returns the first value of a statement, which is kept; nil for no row.
  func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    var value: Int64?
    let code = run(sql) { value = sqlite3_column_int64($0, 0) }
    guard code == SQLITE_OK else {
      throw DatabaseError(.step, code: code, from: database, sql: sql)
    }
    return value
  }

  func run(_ sql: String, _ read: (OpaquePointer?) -> Void = { _ in }) -> Int32 {
    var statement = statements[sql]
    if statement == nil {
      let code = SQLiteLibrary.trusting(on: database) {
        sqlite3_prepare_v3(
          database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      }
      guard code == SQLITE_OK else { return code }
      statements[sql] = statement
    }
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { read(statement) }
    sqlite3_reset(statement)
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code
  }
}

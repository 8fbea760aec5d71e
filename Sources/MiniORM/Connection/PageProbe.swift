import CSQLCipher

/// Finds out whether SQLCipher could decrypt the pages that a connection has read.
///
/// It gives zeros for one that it could not, and SQLite learns of that with the next page that it asks for, in the same
/// transaction. The last page of a long value may be the last one of all.
final class PageProbe {
  private let database: OpaquePointer
  /// How many pages had been read from files when they were last checked.
  @exclusivity(unchecked) private var checked: Int32 = 0
  /// Its statements, which are in no cache, and nobody is told of.
  private(set) var statements: [String: OpaquePointer] = [:]

  init(_ database: OpaquePointer) { self.database = database }

  /// Before the connection is closed.
  func finalize() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
  }

  /// Whether pages have been read from files since this was last asked.
  ///
  /// See [SQLITE_DBSTATUS_CACHE_MISS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  var hasReadPages: Bool {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
    defer { checked = count }
    return count != checked
  }

  /// Asks for a page of each file, as long as a transaction is open in which something was read.
  /// - Returns: SQLite's code.
  func read() -> Int32 {
    var code = unlessUnread(run("SELECT 1 FROM main.sqlite_schema"))
    // After that of temporary tables, what is attached, which may change.
    for schema in SchemaNames(of: database, from: SchemaNames.builtIn) where code == SQLITE_OK {
      code = unlessUnread(
        Authorizer.trusting(on: database) {
          sqlite3_exec(
            database, "SELECT 1 FROM \(schema.quotedIdentifier).sqlite_schema LIMIT 1", nil, nil,
            nil)
        })
    }
    return code
  }

  /// A journal keeps it from reading only in a file of which nothing has been read in this transaction.
  private func unlessUnread(_ code: Int32) -> Int32 { code == HotJournal.code ? SQLITE_OK : code }

  /// Returns the first value of a statement, or nil if it has none or fails.
  func integer(_ sql: String) -> Int64? {
    var value: Int64?
    _ = run(sql) { value = sqlite3_column_int64($0, 0) }
    return value
  }

  /// Runs a statement to its first row.
  func run(_ sql: String, _ read: (OpaquePointer?) -> Void = { _ in }) -> Int32 {
    var statement = statements[sql]
    if statement == nil {
      let code = Authorizer.trusting(on: database) {
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

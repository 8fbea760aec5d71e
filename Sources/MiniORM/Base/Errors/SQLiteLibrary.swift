import CSQLCipher

/// Starts SQLite before its first use in the process.
///
/// From SQLCipher 4.7 on, SQLite reports itself initialized before SQLCipher is. A second thread
/// that sets a key in between gets "SQL logic error", so the second thread waits here. See
/// [sqlite3_initialize](https://www.sqlite.org/c3ref/initialize.html).
enum SQLiteLibrary {
  private static let start: Void = { _ = sqlite3_initialize() }()

  /// Opens a connection, which the caller closes even after a failure.
  /// - Parameter name: A path, a URI, or ":memory:".
  ///
  /// See [sqlite3_open_v2](https://www.sqlite.org/c3ref/open.html).
  static func open(_ name: String, flags: Int32, _ database: inout OpaquePointer?) -> Int32 {
    _ = start
    return sqlite3_open_v2(name, &database, flags, nil)
  }

  /// Opens a database in memory, for use by a single thread at a time.
  static func openInMemory(_ database: inout OpaquePointer?) -> Int32 {
    open(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, &database)
  }

  /// SQLCipher does not check every allocation, so check that memory is available.
  static var hasMemory: Bool {
    guard let memory = sqlite3_malloc64(100_000) else { return false }
    sqlite3_free(memory)
    return true
  }

  /// Returns the value of a PRAGMA, or nil if the PRAGMA returns no row or fails.
  static func value(
    _ pragma: String, _ database: OpaquePointer
  ) throws(WithoutMemory) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    var code = sqlite3_prepare_v2(database, pragma, -1, &statement, nil)
    if code == SQLITE_OK { code = sqlite3_step(statement) }
    guard code & 0xff != SQLITE_NOMEM else { throw WithoutMemory() }
    guard code == SQLITE_ROW, sqlite3_column_type(statement, 0) != SQLITE_NULL else { return nil }
    guard let text = sqlite3_column_text(statement, 0) else { throw WithoutMemory() }
    return String(cString: text)  // ASCII text from SQLite
  }

  struct WithoutMemory: Error {}
}

import CSQLCipher

/// What starts SQLite where it is the first that a process calls.
///
/// SQLite says that it has been started before SQLCipher has, from 4.7 on: a second thread that asks just then gets
/// "SQL logic error" for its key. It waits for the first one here.
///
/// See [sqlite3_initialize](https://www.sqlite.org/c3ref/initialize.html).
enum SQLiteLibrary {
  /// Where it fails, each opening tries again, and returns SQLite's code.
  private static let start: Void = { _ = sqlite3_initialize() }()

  /// Opens a connection.
  ///
  /// - Parameters:
  ///   - name: A path, a URI, or ":memory:".
  ///   - flags: SQLITE_OPEN_READWRITE and so on.
  ///   - database: The connection, to be closed also where this fails.
  /// - Returns: SQLite's code.
  ///
  /// See [sqlite3_open_v2](https://www.sqlite.org/c3ref/open.html).
  static func open(_ name: String, flags: Int32, _ database: inout OpaquePointer?) -> Int32 {
    _ = start
    return sqlite3_open_v2(name, &database, flags, nil)
  }

  /// Opens a connection to a database in memory, which one thread uses at a time.
  static func openInMemory(_ database: inout OpaquePointer?) -> Int32 {
    open(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, &database)
  }

  /// Whether there is memory for what SQLCipher does at once, of which it does not always look whether it has it.
  static var hasMemory: Bool {
    guard let memory = sqlite3_malloc64(100_000) else { return false }
    sqlite3_free(memory)
    return true
  }

  /// Returns the first column of the first row of a PRAGMA that changes nothing; nil where there is none, or it cannot be
  /// run.
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
    return String(cString: text)  // ASCII, of SQLite's making
  }

  struct WithoutMemory: Error {}
}

import CSQLCipher

/// Starts SQLite before its first use in the process.
///
/// From SQLCipher 4.7 on, SQLite reports itself initialized before SQLCipher is. A second thread
/// that sets a key in between gets "SQL logic error", so the second thread waits here. See
/// [sqlite3_initialize](https://www.sqlite.org/c3ref/initialize.html).
package enum SQLiteLibrary {
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
  package static func openInMemory(_ database: inout OpaquePointer?) -> Int32 {
    open(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, &database)
  }

  /// SQLCipher does not check every allocation, so check that memory is available.
  static var hasMemory: Bool {
    guard let memory = sqlite3_malloc64(100_000) else { return false }
    sqlite3_free(memory)
    return true
  }

  private static let trust = "miniorm.trust"

  /// Returns the number of calls of `trusting(on:_:)` that are in progress. SQLite frees the number
  /// with the connection.
  static func countTrust(on database: OpaquePointer) throws(DatabaseError) -> UnsafePointer<Int32> {
    guard let pointer = sqlite3_malloc64(4) else {
      throw DatabaseError(.open, code: SQLITE_NOMEM, from: nil)
    }
    let count = pointer.initializeMemory(as: Int32.self, to: 0)
    // After an error, SQLite frees the number too.
    let code = sqlite3_set_clientdata(database, trust, pointer) { sqlite3_free($0) }
    guard code == SQLITE_OK else { throw DatabaseError(.open, code: code, from: database) }
    return UnsafePointer(count)
  }

  /// Runs SQL of MiniORM itself: the connection's authorizer allows every action.
  static func trusting<Result, Failure>(
    on database: OpaquePointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Without an authorizer, as while a file is being opened, every action is allowed already.
    guard let count = sqlite3_get_clientdata(database, trust)?.assumingMemoryBound(to: Int32.self)
    else { return try body() }
    count.pointee += 1
    defer { count.pointee -= 1 }
    return try body()
  }

  /// Returns a current value of [sqlite3_db_status](https://www.sqlite.org/c3ref/db_status.html).
  static func status(_ option: Int32, of database: OpaquePointer?) -> Int32 {
    var (current, highest): (Int32, Int32) = (0, 0)
    if let database { sqlite3_db_status(database, option, &current, &highest, 0) }
    return current
  }

  /// Returns the value of a PRAGMA, or nil if the PRAGMA returns no row.
  static func value(
    _ pragma: String, _ database: OpaquePointer
  ) throws(DatabaseError) -> String? {
    // An error's own description may call ``CodecState``, and so this function again: without the
    // connection, it does not.
    try text(pragma, database) { DatabaseError(.configure, code: $0, from: nil, sql: pragma) }
  }

  /// Returns the first value of a statement as text; nil for no row, and for NULL.
  static func text(
    _ sql: String, _ database: OpaquePointer, failure: (Int32) -> DatabaseError
  ) throws(DatabaseError) -> String? {
    var (text, isFirst): (String?, Bool) = (nil, true)
    try run(sql, database, failure: failure) { statement throws(DatabaseError) in
      guard isFirst, sqlite3_column_type(statement, 0) != SQLITE_NULL else { return false }
      isFirst = false
      // After an out-of-memory error, sqlite3_column_text returns NULL for a number.
      guard let value = sqlite3_column_text(statement, 0) else { throw failure(SQLITE_NOMEM) }
      text = String(cString: value)  // ASCII text from SQLite
      return false
    }
    return text
  }

  /// Runs a statement of MiniORM itself, and calls a closure with each row until it returns false.
  ///
  /// A statement that writes runs to completion, because only then is the commit certain.
  static func run(
    _ sql: String, _ database: OpaquePointer, failure: (Int32) -> DatabaseError,
    row: (OpaquePointer) throws(DatabaseError) -> Bool
  ) throws(DatabaseError) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = trusting(on: database) { sqlite3_prepare_v2(database, sql, -1, &statement, nil) }
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    while true {
      let code = trusting(on: database) { HotJournal.retrying { sqlite3_step(statement) } }
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw failure(code) }
        return
      }
      guard try row(statement) || sqlite3_stmt_readonly(statement) == 0 else { return }
    }
  }

  /// Returns the schema names of a connection: `main`, `temp` (which has no file), and the attached
  /// databases.
  ///
  /// See [sqlite3_db_name](https://www.sqlite.org/c3ref/db_name.html).
  static func schemas(of database: OpaquePointer) -> [String] {
    (0...).lazy.map { sqlite3_db_name(database, $0) }.prefix { $0 != nil }
      .compactMap { $0.map { String(cString: $0) } }  // NUL-terminated by contract
  }

  static func attachedSchemas(of database: OpaquePointer) -> ArraySlice<String> {
    schemas(of: database).dropFirst(2)
  }
}

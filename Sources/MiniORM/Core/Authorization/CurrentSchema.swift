import CSQLCipher

enum CurrentSchema {
  /// Compiles a statement. For an unknown name, reads each file, and retries once.
  ///
  /// If SQLite cannot read a schema, SQLite reports only that a table is missing. The separate read
  /// reports the cause.
  /// - Parameters:
  ///   - undo: Rolls back a hot journal; nil if impossible. See ``HotJournal``.
  ///   - compile: May leave a statement to finalize even after an error.
  static func compiling(
    on database: OpaquePointer, undo: (() -> Void)? = nil, _ compile: () -> Int32
  ) -> Int32 {
    // Within a transaction, its owner checks the decryption.
    let isAlone = sqlite3_txn_state(database, nil) == SQLITE_TXN_NONE
    let before = isAlone ? readCount(database) : 0
    var code = HotJournal.retrying(undo: undo, compile)
    if code == SQLITE_ERROR, let message = sqlite3_errmsg(database),
      strncmp(message, "no such ", 8) == 0
    {
      code = forEachFile(of: database, undo) { "PRAGMA \($0).schema_version" }
      if code == SQLITE_OK { code = HotJournal.retrying(undo: undo, compile) }
    }
    if readShadowTriggers(on: database, after: code) { code = compile() }
    guard code == SQLITE_OK, isAlone, readCount(database) != before else { return code }
    return checkAll(on: database, undo)
  }

  /// Reads a schema, and checks that all its pages could be decrypted.
  ///
  /// For a page that it cannot decrypt, SQLCipher returns zeros, and reports an error only for the
  /// next page of the transaction. A view, cut off within a comment on the last page, would lose
  /// its condition.
  /// - Parameter name: The quoted schema name.
  static func check(_ name: String, on database: OpaquePointer) -> Int32 {
    let code = HotJournal.retrying { sqlite3_exec(database, statement(name), nil, nil, nil) }
    return readShadowTriggers(on: database, after: code) ? SQLITE_OK : code
  }

  /// Reads the schemas without defensive mode, in which SQLite cannot read a trigger on a shadow
  /// table. For example, sqlite-utils creates triggers that count the rows of each table.
  /// - Returns: True if the failed call can be repeated.
  static func readShadowTriggers(on database: OpaquePointer, after code: Int32) -> Bool {
    guard code & 0xff == SQLITE_CORRUPT, let message = sqlite3_errmsg(database),
      strstr(message, "cannot create triggers on shadow tables") != nil,
      miniorm_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0) == SQLITE_OK
    else { return false }
    defer { _ = miniorm_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    return forEachFile(of: database, nil, statement) == SQLITE_OK
  }

  private static func statement(_ name: String) -> String {
    "SELECT (SELECT sum(length(sql)) FROM \(name).sqlite_schema), (SELECT count(*) FROM \(name).sqlite_schema)"
  }

  /// Checks the schemas that SQLite has read. After a failure, the next statement reads the schema
  /// again.
  private static func checkAll(on database: OpaquePointer, _ undo: (() -> Void)?) -> Int32 {
    let code = forEachFile(of: database, undo, statement)
    guard code != SQLITE_OK else { return code }
    _ = SQLiteLibrary.trusting(on: database) {
      sqlite3_exec(database, "PRAGMA writable_schema = RESET", nil, nil, nil)
    }
    switch code & 0xff {
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB: return SQLITE_NOTADB
    default: return code
    }
  }

  private static func forEachFile(
    of database: OpaquePointer, _ undo: (() -> Void)?, _ sql: (String) -> String
  ) -> Int32 {
    for name in SQLiteLibrary.schemas(of: database) where !name.hasSameBytes(as: "temp") {
      let sql = sql(name.quotedIdentifier)
      let code = SQLiteLibrary.trusting(on: database) {
        HotJournal.retrying(undo: undo) { sqlite3_exec(database, sql, nil, nil, nil) }
      }
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// See [SQLITE_DBSTATUS_CACHE_MISS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  private static func readCount(_ database: OpaquePointer) -> Int32 {
    SQLiteLibrary.status(SQLITE_DBSTATUS_CACHE_MISS, of: database)
  }
}

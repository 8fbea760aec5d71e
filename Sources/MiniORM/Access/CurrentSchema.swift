import CSQLCipher

/// The schema that SQLite compiles statements against.
enum CurrentSchema {
  /// Compiles a statement, and once more where a name in it is unknown.
  ///
  /// SQLite looks then whether the schema that it knows is still that of the file. Where it cannot read the file for
  /// that, it says nothing of it and that there is no such table: what kept it from reading is the reason.
  /// - Parameters:
  ///   - undo: Undoes what is in a journal that keeps it from reading; nil where nobody can. See ``HotJournal``.
  ///   - compile: Calls `sqlite3_prepare`. What it has made may have to be finalized also where this returns an
  ///     error.
  /// - Returns: SQLite's code, which is that of the connection's last error too, or the one of ``check(_:on:)``.
  static func compiling(
    on database: OpaquePointer, undo: (() -> Void)? = nil, _ compile: () -> Int32
  ) -> Int32 {
    // In a transaction whoever has begun it looks whether all pages could be decrypted.
    let isAlone = sqlite3_txn_state(database, nil) == SQLITE_TXN_NONE
    let before = isAlone ? readCount(database) : 0
    var code = HotJournal.retrying(undo: undo, compile)
    if code == SQLITE_ERROR, let message = sqlite3_errmsg(database),
      strncmp(message, "no such ", 8) == 0
    {
      code = forEachFile(of: database, undo) { "PRAGMA \($0).schema_version" }
      if code == SQLITE_OK { code = HotJournal.retrying(undo: undo, compile) }
    }
    guard code == SQLITE_OK, isAlone, readCount(database) != before else { return code }
    return checkAll(on: database, undo)
  }

  /// Reads a schema, and finds out whether all of it could be decrypted.
  ///
  /// SQLCipher gives zeros for a page that it cannot decrypt, and SQLite learns of that with the next page that it
  /// asks for in the same transaction. It reads a schema in a transaction of its own, of which the end of a long
  /// declaration may be the last page: a view that is cut off in a comment goes without its condition.
  /// - Parameter name: The database's name in SQL, quoted.
  static func check(_ name: String, on database: OpaquePointer) -> Int32 {
    HotJournal.retrying { sqlite3_exec(database, statement(name), nil, nil, nil) }
  }

  /// All of the declarations, and after them the first page.
  private static func statement(_ name: String) -> String {
    "SELECT (SELECT sum(length(sql)) FROM \(name).sqlite_schema), (SELECT count(*) FROM \(name).sqlite_schema)"
  }

  /// Checks what SQLite has read by itself, and has it read once more by the next statement where that is damaged.
  private static func checkAll(on database: OpaquePointer, _ undo: (() -> Void)?) -> Int32 {
    let code = forEachFile(of: database, undo, statement)
    guard code != SQLITE_OK else { return code }
    _ = Authorizer.trusting(on: database) {
      sqlite3_exec(database, "PRAGMA writable_schema = RESET", nil, nil, nil)
    }
    switch code & 0xff {
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB: return SQLITE_NOTADB
    default: return code
    }
  }

  /// Runs a statement for each file, until one fails.
  /// - Parameter sql: Makes it of the database's name, quoted.
  private static func forEachFile(
    of database: OpaquePointer, _ undo: (() -> Void)?, _ sql: (String) -> String
  ) -> Int32 {
    // The schema of temporary objects is in memory.
    for name in SchemaNames(of: database) where !name.hasSameBytes(as: "temp") {
      let sql = sql(name.quotedIdentifier)
      let code = Authorizer.trusting(on: database) {
        HotJournal.retrying(undo: undo) { sqlite3_exec(database, sql, nil, nil, nil) }
      }
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// How many pages a connection has read from files.
  ///
  /// See [SQLITE_DBSTATUS_CACHE_MISS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  private static func readCount(_ database: OpaquePointer) -> Int32 {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
    return count
  }
}

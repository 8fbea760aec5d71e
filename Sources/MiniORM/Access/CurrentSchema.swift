import CSQLCipher

/// The schema that SQLite compiles statements against.
enum CurrentSchema {
  /// Compiles a statement, and once more where a name in it is unknown.
  ///
  /// SQLite looks then whether the schema that it knows is still that of the file. Where it cannot read the file for
  /// that, it says nothing of it and that there is no such table: what kept it from reading is the reason.
  /// - Parameter compile: Calls `sqlite3_prepare`.
  /// - Returns: SQLite's code, which is that of the connection's last error too.
  static func compiling(on database: OpaquePointer, _ compile: () -> Int32) -> Int32 {
    let code = compile()
    guard code == SQLITE_ERROR, let message = sqlite3_errmsg(database),
      strncmp(message, "no such ", 8) == 0
    else { return code }
    var number: Int32 = 0
    while let name = sqlite3_db_name(database, number) {
      // The schema of temporary objects is in memory.
      if number != 1 {
        let sql = "PRAGMA \(String(cString: name).quotedIdentifier).schema_version"
        let code = Authorizer.trusting(on: database) { sqlite3_exec(database, sql, nil, nil, nil) }
        guard code == SQLITE_OK else { return code }
      }
      number += 1
    }
    return compile()
  }
}

import CSQLCipher

struct CopyVerification {
  let source: OpaquePointer
  let path: String

  /// Compares the schema and the rows, and checks the copy. Throws `corrupt` with the first
  /// difference.
  func run(_ progress: CopyProgress? = nil) throws(DatabaseError) {
    progress?.begin(.comparing)
    let schema = try rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY 1, 2")
    guard
      schema == (try rows("SELECT type, name, tbl_name, sql FROM copy.sqlite_schema ORDER BY 1, 2"))
    else { throw difference("its schema differs") }
    let tables = try rows(
      """
      SELECT name, wr, (SELECT count(*) FROM pragma_table_xinfo(list.name, 'main')
        WHERE lower(name) = 'rowid') FROM pragma_table_list AS list
      WHERE schema = 'main' AND type IN ('table', 'shadow') AND name <> 'sqlite_schema' ORDER BY name
      """)
    for table in tables {
      guard case .text(let name) = table[0] else { continue }
      // Virtual tables are compared by their shadow tables.
      let hasRowID = table[1] == .integer(0) && table[2] == .integer(0)
      try compare(name, columns: hasRowID ? "rowid, *" : "*")
    }
    progress?.begin(.checking)
    let damage = try IntegrityCheck.damage(path: path) { () throws(DatabaseError) in
      try IntegrityCheck.firstMessage("copy", source)
    }
    // A violated CHECK constraint of the original, for example, is also in the copy.
    if let damage, damage != (try IntegrityCheck.firstMessage("main", source)) {
      throw difference("its integrity check fails")
    }
    // The rows are equal, so a copy without violations proves an original without violations.
    // Checking the original would double the time of the whole copy.
    let broken = "SELECT count(*) FROM pragma_foreign_key_check"
    let count = try first("\(broken)(NULL, 'copy')")
    guard count != .integer(0) else { return }
    guard count == (try first("\(broken)(NULL, 'main')")) else {
      throw difference("its foreign keys differ")
    }
  }

  private func compare(_ table: String, columns: String) throws(DatabaseError) {
    let name = table.quotedIdentifier
    let original = try prepare("SELECT \(columns) FROM main.\(name)")
    defer { sqlite3_finalize(original) }
    let copy = try prepare("SELECT \(columns) FROM copy.\(name)")
    defer { sqlite3_finalize(copy) }
    while true {
      let (one, other) = (sqlite3_step(original), sqlite3_step(copy))
      for code in [one, other] where code != SQLITE_ROW && code != SQLITE_DONE {
        throw DatabaseError(.copy, code: code, from: source, path: path)
      }
      guard one == other else { throw difference("table \(table) has a different number of rows") }
      guard one == SQLITE_ROW else { return }
      for index in 0..<sqlite3_column_count(original)
      where !Self.isSame(original, copy, index) {
        throw difference("a row of table \(table) differs")
      }
    }
  }

  private static func isSame(
    _ original: OpaquePointer, _ copy: OpaquePointer, _ index: Int32
  ) -> Bool {
    let type = sqlite3_column_type(original, index)
    guard type == sqlite3_column_type(copy, index) else { return false }
    switch type {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(original, index) == sqlite3_column_int64(copy, index)
    case SQLITE_FLOAT:
      return sqlite3_column_double(original, index).bitPattern
        == sqlite3_column_double(copy, index).bitPattern
    default:
      // SQLite requires a call for the pointer before a call for the size. An empty value has a
      // null pointer.
      let (one, other) = (sqlite3_column_blob(original, index), sqlite3_column_blob(copy, index))
      let count = sqlite3_column_bytes(original, index)
      guard count == sqlite3_column_bytes(copy, index) else { return false }
      guard count > 0, let one, let other else { return count == 0 }
      return memcmp(one, other, Int(count)) == 0
    }
  }

  private func difference(_ what: String) -> DatabaseError {
    DatabaseError(
      .copy, code: .corrupt, "The copy differs from the file, so nothing was changed: \(what)",
      path: path)
  }

  // MARK: SQL

  private func first(_ sql: String) throws(DatabaseError) -> DatabaseValue? {
    try rows(sql).first?.first
  }

  private func rows(_ sql: String) throws(DatabaseError) -> [[DatabaseValue]] {
    do throws(DatabaseError) {
      return try Connection.rows(sql, source, .copy)
    } catch {
      guard error.saysNothing else { throw error.adding(path: path) }
      throw DatabaseError(
        .copy, code: .inputOutput,
        "The file or its copy could not be read completely: check the disk", path: path)
    }
  }

  private func prepare(_ sql: String) throws(DatabaseError) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(source, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(.copy, code: code, from: source, path: path)
    }
    return statement
  }
}

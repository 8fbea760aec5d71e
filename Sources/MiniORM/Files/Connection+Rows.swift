import CSQLCipher

extension Connection {
  /// Returns the rows of a statement that is not cached, because SQLCipher runs some PRAGMAs during
  /// compilation.
  package static func rows(
    _ sql: String, _ database: OpaquePointer, _ operation: DatabaseError.Operation = .step
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(sql, database, operation) { rows.append($0) }
    return rows
  }

  /// Calls a closure with each row, up to an error.
  static func forEachRow(
    _ sql: String, _ database: OpaquePointer, _ operation: DatabaseError.Operation = .step,
    _ body: ([DatabaseValue]) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = SQLiteLibrary.trusting(on: database) {
      sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    }
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(operation, code: code, from: database, sql: sql)
    }
    while true {
      let code = SQLiteLibrary.trusting(on: database) {
        HotJournal.retrying { sqlite3_step(statement) }
      }
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else {
          throw DatabaseError(operation, code: code, from: database, sql: sql)
        }
        return
      }
      var row: [DatabaseValue] = []
      for index in 0..<sqlite3_column_count(statement) {
        row.append(try DatabaseValue(cell: Cell(statement, index)))
      }
      try body(row)
    }
  }
}

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
    func failure(_ code: Int32) -> DatabaseError {
      DatabaseError(operation, code: code, from: database, sql: sql)
    }
    try SQLiteLibrary.run(sql, database, failure: failure) { statement throws(DatabaseError) in
      var row: [DatabaseValue] = []
      for index in 0..<sqlite3_column_count(statement) {
        row.append(try DatabaseValue(cell: Cell(statement, index)))
      }
      try body(row)
      return true
    }
  }
}

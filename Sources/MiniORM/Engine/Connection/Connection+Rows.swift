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
      try body(try Statement.values(statement))
      return true
    }
  }
}

extension Connection {
  /// Limits on hostile SQL. See [Run-Time Limits](https://www.sqlite.org/c3ref/limit.html).
  private static let untrustedLimits: [(limit: Int32, value: Int32)] = [
    (SQLITE_LIMIT_LENGTH, 100_000_000), (SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (SQLITE_LIMIT_TRIGGER_DEPTH, 10),
  ]

  /// Applies the limits of ``Configuration/isUntrusted``.
  ///
  /// See [Defense Against The Dark Arts](https://www.sqlite.org/security.html).
  static func limitDemands(of database: OpaquePointer) throws(DatabaseError) {
    for (limit, value) in untrustedLimits { sqlite3_limit(database, limit, value) }
    _ = try text("PRAGMA cell_size_check = ON", database)
  }
}

import CSQLCipher

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

import CSQLCipher

extension Database {
  /// Runs a closure on the writer outside a transaction, for example for VACUUM and some PRAGMAs.
  ///
  /// ```swift
  /// try await database.withoutTransaction { db in
  ///   try db.execute("VACUUM INTO \(path)")
  /// }
  /// ```
  /// Each statement commits at its end. To commit several statements together, use
  /// ``Connection/transaction(_:_:)``. A transaction begun in SQL must end in the closure. Other
  /// writes wait until the closure returns; reads do not wait.
  ///
  /// Use ``read(_:)`` for reads: outside a transaction, SQLCipher 4.6.1 can return zeros for a
  /// damaged page without an error.
  ///
  /// See [VACUUM](https://www.sqlite.org/lang_vacuum.html).
  /// - Parameter body: The closure, which runs on the connection's executor without interleaved
  ///   work.
  /// - Throws: The error of the closure, or ``DatabaseError``. The operation is `commit` if SQL
  ///   left a transaction open, which is rolled back. The code is `notADatabase` if a page could
  ///   not be decrypted, which only SQLCipher 4.7 and later report. Committed statements stay
  ///   committed.
  @discardableResult
  public func withoutTransaction<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection(.writer) { db in try db.lend { db in try db.withoutTransaction(body) }
    }
  }
}

extension Connection {
  fileprivate func withoutTransaction<Result>(
    _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    let database = try handle
    let result: Result
    do {
      result = try body(self)
    } catch {
      _ = endTransactionOfSQL(database)
      throw error
    }
    guard endTransactionOfSQL(database) else {
      throw DatabaseError(
        .commit, code: .misuse,
        "The closure's SQL began a transaction and did not end it, so it was rolled back: end it with COMMIT, or call transaction or write",
        path: path)
    }
    // Outside a transaction, pages are not checked: VACUUM INTO may have copied zeros.
    if reopenWhereUnreadable() {
      throw DatabaseError(
        .step, code: .notADatabase,
        "A page of the file could not be decrypted, so values that were read or copied may contain zeros. Changes of the closure remain: check the file with integrityReport()",
        path: path)
    }
    return result
  }

  /// Rolls back a transaction that SQL left open. Returns true if no transaction was open.
  private func endTransactionOfSQL(_ database: OpaquePointer) -> Bool {
    guard isOpen, sqlite3_get_autocommit(database) == 0 else { return true }
    depth = 1
    rollback()
    return false
  }
}

import CSQLCipher

extension Database {
  /// Runs a closure on the connection that writes, outside of a transaction: for what SQLite refuses
  /// in one, such as VACUUM, `VACUUM INTO`, checkpoints and some PRAGMAs.
  ///
  /// ```swift
  /// try await database.withoutTransaction { db in
  ///   try db.execute("VACUUM INTO \(path)")
  /// }
  /// ```
  /// Other writes wait until the closure returns, as they do for ``write(_:_:)``; reads do not. Each statement
  /// commits when it ends. To commit several together, use ``Connection/transaction(_:_:)``. A transaction that
  /// SQL begins has to end in the closure.
  ///
  /// Read with ``read(_:)`` instead: with SQLCipher 4.6.1 a query that is in no transaction can have zeros for what
  /// stands on a damaged page, if that is the last one that it reads.
  ///
  /// See [VACUUM](https://www.sqlite.org/lang_vacuum.html).
  /// - Parameter body: What to do. It runs on the connection's executor, and nothing else runs in between.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or ``DatabaseError``: with the operation `commit` if SQL has left a
  ///   transaction open, which is rolled back; with the code `notADatabase` if a page that was read could not be
  ///   decrypted, which SQLCipher 4.7 and later tell of. What single statements have changed stays so.
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
    try checkVersionAlone()
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
        "SQL has begun a transaction and not ended it, so it was rolled back: end it with COMMIT, or use transaction or write",
        path: path)
    }
    // No transaction has looked at the pages that single statements have read: VACUUM INTO may have copied zeros.
    if reopenWhereUnreadable() {
      throw DatabaseError(
        .step, code: .notADatabase,
        "A page of the file could not be decrypted, so what was read or copied may have zeros for it; what has been changed stays so",
        path: path)
    }
    return result
  }

  /// Rolls back what SQL has begun.
  /// - Returns: Whether there was no transaction.
  private func endTransactionOfSQL(_ database: OpaquePointer) -> Bool {
    guard isOpen, sqlite3_get_autocommit(database) == 0 else { return true }
    depth = 1
    rollback()
    return false
  }
}

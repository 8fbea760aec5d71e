import CSQLCipher

/// The lock that a transaction takes, and when: `database.write(.exclusive) { … }`.
///
/// See [BEGIN TRANSACTION](https://www.sqlite.org/lang_transaction.html).
public enum TransactionKind: String, Sendable {
  /// At the first statement that needs a lock.
  case deferred = "BEGIN DEFERRED"
  /// At BEGIN, so that a later write cannot fail because another connection wrote first.
  case immediate = "BEGIN IMMEDIATE"
  /// At BEGIN. With a rollback journal, other connections cannot read until the transaction ends.
  case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
  /// Runs a closure in a transaction, which commits when the closure returns, and rolls back when
  /// the closure throws.
  ///
  /// ```swift
  /// try db.transaction { db in try db.execute("DELETE FROM entry") }
  /// ```
  /// ``Database/write(_:_:)`` already runs in a transaction. A nested transaction is a savepoint:
  /// when the inner closure throws, only its changes are rolled back. If SQLite cannot roll back to
  /// the savepoint, for example for lack of memory, the whole transaction is rolled back.
  ///
  /// If an error made SQLite roll back the transaction, later statements in the closure fail, and
  /// the call rethrows the error.
  ///
  /// - Parameters:
  ///   - kind: The lock that the transaction takes, and when. Ignored in a nested transaction.
  ///   - body: The closure, which runs on the connection's executor without suspension.
  /// - Throws: The error of the closure, or ``DatabaseError`` with the operation `begin` or
  ///   `commit`.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    try begin(kind)
    let result: Result
    do {
      result = try body(self)
      // A closure may have caught the error of an interruption: do not commit.
      if depth == 1 {
        try state.interruption.check()
        if let check = configuration.beforeCommit, try isWriting { try check(self) }
      }
    } catch {
      rollback()
      throw error
    }
    try commit()
    return result
  }

  /// Runs an operation completely or, after an error, not at all: in a savepoint, or in a
  /// transaction of its own.
  /// - Parameter only: The only statement of the operation, if any, which is atomic without a
  ///   savepoint, unless it runs a trigger: `RAISE(FAIL)` keeps changes.
  @inlinable
  func atomically<Result>(
    only: StatementText? = nil, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if isTransactionOfOperation { return try body() }
    if let only, try !statement(only).runsTriggers { return try body() }
    try begin(.immediate)
    let result: Result
    do throws(DatabaseError) {
      result = try body()
    } catch {
      rollback()
      throw error
    }
    try commit()
    return result
  }

  /// True in a transaction whose only operation is about to run: an error rolls the transaction
  /// back, so the operation needs no savepoint.
  @usableFromInline
  var isTransactionOfOperation: Bool { depth == 1 && state.runsOperation }

  /// Runs an operation that is all of a transaction.
  func operation<Result>(_ body: (isolated Connection) throws -> Result) rethrows -> Result {
    state.runsOperation = true
    defer { state.runsOperation = false }
    return try body(self)
  }

  var isAutocommitting: Bool {
    guard let database = try? handle else { return false }
    return sqlite3_get_autocommit(database) != 0
  }

  /// True if the transaction violates a deferred foreign key.
  ///
  /// See [SQLITE_DBSTATUS_DEFERRED_FKS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  var hasBrokenForeignKeys: Bool {
    SQLiteLibrary.status(SQLITE_DBSTATUS_DEFERRED_FKS, of: try? handle) != 0
  }

  @usableFromInline
  func begin(_ kind: TransactionKind = .immediate) throws(DatabaseError) {
    let database = try handle
    // If SQLite has ended the transaction, SAVEPOINT would begin a new transaction, and RELEASE
    // would commit it.
    try checkTransaction(database)
    if depth == 0, sqlite3_get_autocommit(database) == 0 {
      // SQL of the user began a transaction. This transaction nests in it.
      depth = 1
      state.isInTransactionOfSQL = true
    }
    do throws(DatabaseError) {
      try control(depth == 0 ? StatementText(kind.rawValue) : ControlText.savepoint.at(depth))
    } catch {
      leaveTransactionOfSQL()
      throw error.adding(operation: error.operation == .step ? .begin : error.operation)
    }
    depth += 1
    if depth == 1 {
      state.undoFailure = nil
      cache?.watch?.ending = nil
    }
  }

  /// Commits, or rolls back if the commit fails.
  @usableFromInline
  func commit() throws(DatabaseError) {
    defer { leaveTransactionOfSQL() }
    do throws(DatabaseError) {
      guard sqlite3_get_autocommit(try handle) == 0 else { throw endedInside() }
    } catch {
      // The connection may be closed, and reopening may have failed.
      depth -= 1
      throw error.adding(operation: .commit)
    }
    if depth == 1 {
      do throws(DatabaseError) {
        try checkPages()
        try checkVersion()
      } catch {
        rollback()
        throw error
      }
    }
    depth -= 1
    do throws(DatabaseError) {
      try state.interruption.shielding { () throws(DatabaseError) in
        try control(depth == 0 ? ControlText.commit : ControlText.release.at(depth))
      }
    } catch {
      depth += 1
      rollback()
      throw error.adding(operation: .commit)
    }
  }

  /// Rolls back the innermost savepoint, or if that fails the whole transaction.
  @usableFromInline
  func rollback() {
    depth -= 1
    defer { leaveTransactionOfSQL() }
    guard let database = try? handle, sqlite3_get_autocommit(database) == 0 else { return }
    state.interruption.shielding {
      guard depth > 0 else { return end(database) }
      do throws(DatabaseError) {
        try control(ControlText.rollbackTo.at(depth))
      } catch {
        // The next statement of the outer transaction reports this error. SQLITE_ERROR means that
        // the savepoint is gone: the user's SQL released a savepoint around it, or rolled back to
        // that savepoint.
        if error.code.primary != .error { state.undoFailure = error }
        return end(database)
      }
      // If RELEASE fails, the savepoint ends with the transaction.
      try? control(ControlText.release.at(depth))
    }
  }

  /// Leaves the level that a BEGIN in the user's SQL has entered.
  private func leaveTransactionOfSQL() {
    guard state.isInTransactionOfSQL, depth == 1 else { return }
    (depth, state.isInTransactionOfSQL) = (0, false)
  }

  private func end(_ database: OpaquePointer) {
    try? control(ControlText.rollback)
    guard sqlite3_get_autocommit(database) == 0 else { return }
    // ROLLBACK failed. Closing the file ends the transaction.
    let depth = depth
    reopenLater()
    self.depth = depth
  }

  /// Rejects BEGIN, COMMIT and ROLLBACK inside a MiniORM transaction, and savepoints with MiniORM's
  /// prefix.
  func checkControl(_ statement: PreparedStatement) throws(DatabaseError) {
    let access = statement.access
    guard access.kind == .control else { return }
    if access.control == .transaction {
      guard depth > 0 else { return }
      throw DatabaseError(
        .step, code: .misuse,
        "BEGIN, COMMIT, END and ROLLBACK are refused in a transaction: it commits when its closure returns, and rolls back when the closure throws. Nest transaction(_:_:) or a SAVEPOINT instead",
        sql: statement.sql)
    }
    guard access.savepoint.string.startsWithBytes(of: ControlText.prefix) else { return }
    throw DatabaseError(
      .step, code: .misuse,
      "Savepoint names that begin with \(ControlText.prefix) are reserved for MiniORM: choose another name",
      sql: statement.sql)
  }

  /// Returns the error for a transaction that ended inside its closure.
  func endedInside() -> DatabaseError {
    do throws(DatabaseError) { try state.interruption.checkStatement() } catch { return error }
    guard let cause = state.undoFailure ?? cache?.watch?.ending else {
      return DatabaseError(
        .step, code: .misuse,
        "SQLite has rolled back the transaction, so no more statements run in it: return from the closure, and start again"
      )
    }
    return DatabaseError(
      .step, code: cause.code,
      "An earlier error rolled back the transaction, so no more statements run in it: \(cause.message)"
    )
  }

  /// True if a write has begun. See
  /// [sqlite3_txn_state](https://www.sqlite.org/c3ref/txn_state.html).
  private var isWriting: Bool {
    get throws(DatabaseError) { sqlite3_txn_state(try handle, nil) == SQLITE_TXN_WRITE }
  }

  private func control(_ text: StatementText) throws(DatabaseError) {
    let database = try handle
    try state.opened?.cache.checkOut(text, on: database).run()
  }
}

/// The SQL of transactions, with texts hashed in advance for the statement cache.
private struct ControlText {
  static let commit = StatementText("COMMIT")
  static let rollback = StatementText("ROLLBACK")

  static let savepoint = ControlText("SAVEPOINT")
  static let release = ControlText("RELEASE")
  static let rollbackTo = ControlText("ROLLBACK TO")

  static let prefix = "miniorm_"

  private let words: String
  private let usual: [StatementText]

  private init(_ words: String) {
    self.words = words
    usual = (0..<8).map { Self.text(words, $0) }
  }

  private static func text(_ words: String, _ depth: Int) -> StatementText {
    StatementText("\(words) \(prefix)\(depth)")
  }

  func at(_ depth: Int) -> StatementText {
    usual.indices.contains(depth) ? usual[depth] : Self.text(words, depth)
  }
}

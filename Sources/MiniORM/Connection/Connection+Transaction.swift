import CSQLCipher

/// When a transaction takes its lock.
///
/// See [BEGIN TRANSACTION](https://www.sqlite.org/lang_transaction.html).
public enum TransactionKind: String, Sendable {
  /// At the first statement that needs one.
  case deferred = "BEGIN DEFERRED"
  /// At its beginning, so that its writes cannot fail because another one has written first.
  case immediate = "BEGIN IMMEDIATE"
  /// At its beginning; with a rollback journal, others cannot read until it ends.
  case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
  /// Runs a closure in a transaction: commits when it returns, rolls back when it throws.
  ///
  /// ``Database/write(_:_:)`` is a transaction already. A transaction inside another one is a
  /// savepoint: when it throws, what it did is undone, and the outer one can continue. If it cannot be undone, for
  /// want of memory, the whole transaction is.
  ///
  /// If an error has made SQLite roll back the transaction, it is rethrown; later statements in the closure are
  /// refused, so that they do not commit one by one.
  ///
  /// - Parameters:
  ///   - kind: When to take the lock; it has no effect inside another transaction.
  ///   - body: What to do. It runs on the connection's executor, without suspension.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or ``DatabaseError`` with the operation `begin` or
  ///   `commit`.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    try begin(kind)
    let result: Result
    do {
      result = try body(self)
      // A closure that has caught what interrupted it does not commit the rest.
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

  /// Does several things or none of them: in a transaction, or in a savepoint inside one.
  @inlinable
  func atomically<Result>(
    _ kind: TransactionKind = .immediate, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try begin(kind)
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

  /// Whether a statement is committed as soon as it ends.
  var isAutocommitting: Bool {
    guard let database = try? handle else { return false }
    return sqlite3_get_autocommit(database) != 0
  }

  /// Whether a foreign key is broken that is looked at only by COMMIT.
  ///
  /// See [SQLITE_DBSTATUS_DEFERRED_FKS](https://www.sqlite.org/c3ref/c_dbstatus_options.html).
  var hasBrokenForeignKeys: Bool {
    var (current, highest): (Int32, Int32) = (0, 0)
    guard let database = try? handle,
      sqlite3_db_status(database, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0) == SQLITE_OK
    else { return false }
    return current != 0
  }

  /// Begins a transaction, or a savepoint inside one.
  @usableFromInline
  func begin(_ kind: TransactionKind = .immediate) throws(DatabaseError) {
    let database = try handle
    // A savepoint would begin a transaction of its own, and commit it.
    try checkTransaction(database)
    if depth == 0, sqlite3_get_autocommit(database) == 0 {
      // SQL has begun one: what begins here is nested in it.
      depth = 1
      state.isInTransactionOfSQL = true
    }
    do throws(DatabaseError) {
      try control(depth == 0 ? kind.text : ControlText.savepoint.at(depth))
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

  /// Commits what ``begin(_:)`` began. When that fails it is rolled back.
  @usableFromInline
  func commit() throws(DatabaseError) {
    defer { leaveTransactionOfSQL() }
    do throws(DatabaseError) {
      guard sqlite3_get_autocommit(try handle) == 0 else { throw endedInside() }
    } catch {
      // A file that had to be closed may not open.
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

  /// Undoes what was done since ``begin(_:)``; where it can undo no part of a transaction, the whole of it, so that
  /// nothing more is done in it.
  @usableFromInline
  func rollback() {
    depth -= 1
    defer { leaveTransactionOfSQL() }
    // SQLite has rolled back by itself: there is nothing left to undo.
    guard let database = try? handle, sqlite3_get_autocommit(database) == 0 else { return }
    state.interruption.shielding {
      guard depth > 0 else { return end(database) }
      do throws(DatabaseError) {
        try control(ControlText.rollbackTo.at(depth))
      } catch {
        // Whoever goes on in the transaction is told, as nobody is here. Without its savepoint it is SQL that has ended it.
        if error.code.primary != .error { state.undoFailure = error }
        return end(database)
      }
      // One that is not released ends with the transaction.
      try? control(ControlText.release.at(depth))
    }
  }

  /// Leaves the transaction to SQL again, when nothing is nested in it any more.
  private func leaveTransactionOfSQL() {
    guard state.isInTransactionOfSQL, depth == 1 else { return }
    (depth, state.isInTransactionOfSQL) = (0, false)
  }

  /// Rolls the whole transaction back, at whichever depth.
  private func end(_ database: OpaquePointer) {
    try? control(ControlText.rollback)
    guard sqlite3_get_autocommit(database) == 0 else { return }
    // Whatever follows would be written in a transaction that nobody commits, or with what was to be undone: closing
    // ends it.
    let depth = depth
    reopenLater()
    self.depth = depth
  }

  /// Refuses SQL that would begin or end a transaction inside one of MiniORM's, and savepoints of
  /// MiniORM's own names.
  func checkControl(_ statement: PreparedStatement) throws(DatabaseError) {
    let access = statement.access
    guard access.kind == .control else { return }
    if access.control == .transaction {
      guard depth > 0 else { return }
      throw DatabaseError(
        .step, code: .misuse,
        "BEGIN, COMMIT, END and ROLLBACK are refused here: the transaction is committed when its closure returns, and rolled back when it throws. Nest transaction(_:_:) or a SAVEPOINT in it",
        sql: statement.sql)
    }
    guard access.savepoint.string.startsWithBytes(of: ControlText.prefix) else { return }
    throw DatabaseError(
      .step, code: .misuse,
      "Names of savepoints that begin with \(ControlText.prefix) are MiniORM's own: choose another name",
      sql: statement.sql)
  }

  /// Returns the error for a transaction that ended before its closure returned: the interruption or the error
  /// that ended it.
  func endedInside() -> DatabaseError {
    do throws(DatabaseError) { try state.interruption.checkStatement() } catch { return error }
    guard let cause = state.undoFailure ?? cache?.watch?.ending else {
      return DatabaseError(
        .step, code: .misuse,
        "The transaction has ended already: SQLite rolled it back, so nothing more is done in it")
    }
    return DatabaseError(
      .step, code: cause.code,
      "The transaction has ended already: an earlier error rolled it back, so nothing more is done in it: \(cause.message)"
    )
  }

  /// Whether the transaction is one that writes.
  ///
  /// See [sqlite3_txn_state](https://www.sqlite.org/c3ref/txn_state.html).
  private var isWriting: Bool {
    get throws(DatabaseError) { sqlite3_txn_state(try handle, nil) == SQLITE_TXN_WRITE }
  }

  // The text is made, or counted, only where its statement is not known.
  @inline(__always)
  private func control(_ text: @autoclosure () -> StatementText) throws(DatabaseError) {
    let database = try handle
    guard let cache = state.current?.takeUnretainedValue().cache else { return }
    if try !cache.control(text().place) { try cache.checkOut(text(), on: database).run() }
  }
}

extension TransactionKind {
  fileprivate var text: StatementText {
    switch self {
    case .deferred: ControlText.deferred
    case .immediate: ControlText.immediate
    case .exclusive: ControlText.exclusive
    }
  }
}

/// What begins and ends transactions and savepoints. Each is found without its text being made and hashed.
private struct ControlText {
  static let deferred = StatementText(TransactionKind.deferred.rawValue)
  static let immediate = StatementText(TransactionKind.immediate.rawValue)
  static let exclusive = StatementText(TransactionKind.exclusive.rawValue)
  static let commit = StatementText("COMMIT")
  static let rollback = StatementText("ROLLBACK")

  static let savepoint = ControlText("SAVEPOINT")
  static let release = ControlText("RELEASE")
  static let rollbackTo = ControlText("ROLLBACK TO")

  /// What the names of savepoints begin with.
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

  /// The statement for the savepoint of a depth.
  func at(_ depth: Int) -> StatementText {
    usual.indices.contains(depth) ? usual[depth] : Self.text(words, depth)
  }
}

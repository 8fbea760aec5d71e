import CSQLCipher
import Dispatch
import Synchronization

// The names differ from `read` and `write`: with overloads, the compiler would choose the
// synchronous functions, despite `await`, at the top level of a program and in closures that
// declare `throws`.
extension Database {
  /// Reads in a transaction as ``read(_:)``, on the calling thread.
  ///
  /// ```swift
  /// let names = try database.readSynchronously { db in try companies.fetchAll(in: db).map(\.name) }
  /// ```
  /// The thread waits while all readers are in use. In an async function, use ``read(_:)``, which
  /// blocks no thread.
  /// - Parameter body: The closure. Writes throw, and so does any use of the connection after the
  ///   closure returns.
  /// - Throws: The error of the closure, or ``DatabaseError``. Inside another read or write of this
  ///   database, or inside an SQL function, the code is ``ResultCode/misuse``: the thread would
  ///   wait for itself.
  @available(*, noasync, message: "use 'read' and 'write' with 'await', so that no thread waits")
  public func readSynchronously<Result>(_ body: (isolated Connection) throws -> Result) throws
    -> Result
  {
    let isReading = isReadingRefused
    return try usingSynchronously(.reader, isReading: isReading, .deferred, body)
  }

  /// Writes in a transaction as ``write(_:_:)``, on the calling thread.
  ///
  /// - Parameters:
  ///   - kind: The lock that the transaction takes, and when.
  ///   - body: The closure. The transaction commits when the closure returns, and rolls back when
  ///     the closure throws.
  /// - Throws: The error of the closure, or ``DatabaseError``. Inside another read or write of this
  ///   database, the code is ``ResultCode/misuse``.
  @available(*, noasync, message: "use 'read' and 'write' with 'await', so that no thread waits")
  @discardableResult
  public func writeSynchronously<Result>(
    _ kind: TransactionKind = .immediate, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    try usingSynchronously(.writer, isReading: false, kind, body)
  }

  /// Opens a file as ``init(path:key:configuration:)``, while the calling thread waits.
  ///
  /// ```swift
  /// let database = try Database.openSynchronously(path: "app.db", key: key)
  /// try database.migrateSynchronously(schema)
  /// ```
  /// Deriving a key from a passphrase takes a part of a second: on the main thread of an app, prefer
  /// the initializer with `await`.
  /// - Parameters:
  ///   - path: The path of the file, as in the initializer.
  ///   - key: The key. `nil` opens or creates an unencrypted file.
  ///   - configuration: The options for opening the file.
  /// - Throws: ``DatabaseError`` as the initializer. Inside a read or write of any database, the code
  ///   is ``ResultCode/misuse``.
  @available(*, noasync, message: "use 'Database(path:key:)' with 'await', so that no thread waits")
  public static func openSynchronously(
    path: String, key: Key?, configuration: Configuration = Configuration()
  ) throws -> Database {
    try waiting(.open, path, configuration) {
      try await Database(path: path, key: key, configuration: configuration)
    }
  }

  /// Closes the file as ``close(interrupting:)``, while the calling thread waits.
  /// - Parameter interrupting: True to interrupt running calls and refuse waiting calls.
  /// - Throws: ``DatabaseError`` as `close`. Inside a read or write of any database, the code is
  ///   ``ResultCode/misuse``.
  @available(*, noasync, message: "use 'close' with 'await', so that no thread waits")
  public func closeSynchronously(interrupting: Bool = false) throws {
    try waiting(.close) { try await $0.close(interrupting: interrupting) }
  }

  /// Runs a call on the threads of connections, while the calling thread waits.
  func waiting<Result: Sendable>(
    _ operation: DatabaseError.Operation,
    _ call: @escaping @Sendable (Database) async throws -> Result
  ) throws -> Result {
    try Self.waiting(operation, path, configuration) { try await call(self) }
  }

  private static func waiting<Result: Sendable>(
    _ operation: DatabaseError.Operation, _ path: String, _ configuration: Configuration,
    _ call: @escaping @Sendable () async throws -> Result
  ) throws -> Result {
    guard ConnectionExecutor.heldByThisThread == 0 else {
      throw DatabaseError(
        operation, code: .misuse,
        "This thread is inside a read or a write of a database, and would keep it while it waits: open, migrate and close outside of closures",
        path: path)
    }
    let outcome = Outcome<Result>()
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: configuration.workers) {
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await call()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      semaphore.signal()
    }
    while true {
      semaphore.wait()
      if let result = outcome.result.withLock({ $0 }) { return try result.get() }
    }
  }

  private final class Outcome<Result: Sendable>: Sendable {
    let result = Mutex<Swift.Result<Result, any Error>?>(nil)
  }

  private func usingSynchronously<Result>(
    _ role: Pool.Role, isReading: Bool, _ kind: TransactionKind,
    _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    if pool.isHeldByThisThread {
      throw DatabaseError(
        .begin, code: .misuse,
        "This thread is inside a read or a write of the same database, or inside a function that its SQL calls, and would wait for itself: use the closure's connection, as in fetchAll(in: db), and db.transaction for a part that can be rolled back separately",
        path: path)
    }
    let limit = TimeLimit.current
    let connection = try pool.take(role) ?? pool.waitBlocking(for: role, limit, configuration)
    defer { pool.give(back: connection) }
    // Replaces lend(isReading:_:), which would enter the isolation twice.
    let lent = Connection(lending: connection, isReading: isReading)
    let call = IsolatedCall<(TimeLimit?, TransactionKind), Result, any Error> { db, input, body in
      defer { db.endLending() }
      return try db.call(input.0, in: input.1, body)
    }
    return try connection.state.executor.sync {
      lent.checkIsHeld()
      return try call.onHeld.run(lent, (limit, kind), body)
    }
  }
}

extension Pool {
  /// Waits for a connection; inside another database's closure, at most for the busy timeout,
  /// because the connection's user may be waiting for the other database.
  fileprivate func waitBlocking(
    for role: Role, _ limit: TimeLimit?, _ configuration: Configuration
  ) throws -> Connection {
    let waiter = Waiter(isSingle ? .writer : role)
    let semaphore = DispatchSemaphore(value: 0)
    let began = ContinuousClock.now
    defer { noteWait(since: began) }
    let isNested = ConnectionExecutor.heldByThisThread > 0
    enqueue(waiter) { _ in semaphore.signal() }
    // Wakes up regularly, because the thread may run a task that is cancelled during the wait.
    while semaphore.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
      let waited = ContinuousClock.now - began
      if Task.isCancelled {
        give(up: waiter, CancellationError())
      } else if let limit, limit.isOver {
        give(up: waiter, limit.error)
      } else if role == .reader, waited > configuration.readerTimeout {
        give(up: waiter, overdue(role, waited))
      } else if isNested, waited > configuration.busyTimeout {
        give(
          up: waiter,
          overdue(role, waited).adding(
            message:
              "this call runs inside a closure of another database, and the user of this connection may be waiting for that database: use both databases in the same order everywhere"
          ))
      }
    }
    return try outcome(of: waiter).get()
  }
}

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

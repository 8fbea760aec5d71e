import Dispatch
import Synchronization

// Their names are their own: beside overloads of one name the compiler takes these at the top level of a
// program, and in closures that say `throws in`, though `await` stands before the call.
//
// For code that is not async: command-line tools, tests, callbacks of C. It all runs on the calling
// thread, and nothing hops.
extension Database {
  /// Reads in a transaction, as ``read(_:)`` does, on the calling thread.
  ///
  /// ```swift
  /// let names = try database.readSynchronously { db in try companies.fetchAll(in: db).map(\.name) }
  /// ```
  /// While all the connections that read are in use, the thread waits. An async function writes `await`,
  /// which keeps no thread.
  /// - Parameter body: What to read. A write in it throws, and so does the connection once it has
  ///   returned.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or ``DatabaseError``; with the code ``ResultCode/misuse`` inside
  ///   of another read or write of this database, or of a function that its SQL calls: the thread would
  ///   wait for itself.
  @available(*, noasync, message: "use 'read' and 'write' with 'await', so that no thread waits")
  public func readSynchronously<Result>(_ body: (isolated Connection) throws -> Result) throws
    -> Result
  {
    let isReading = isReadingRefused
    return try usingSynchronously(.reader, isReading: isReading, .deferred, body)
  }

  /// Writes in a transaction, as ``write(_:_:)`` does, on the calling thread.
  ///
  /// - Parameters:
  ///   - kind: When to take the lock.
  ///   - body: What to do. It commits when this returns, and when it throws nothing has changed.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or ``DatabaseError``; with the code ``ResultCode/misuse`` inside
  ///   of another read or write of this database.
  @available(*, noasync, message: "use 'read' and 'write' with 'await', so that no thread waits")
  @discardableResult
  public func writeSynchronously<Result>(
    _ kind: TransactionKind = .immediate, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    try usingSynchronously(.writer, isReading: false, kind, body)
  }

  private func usingSynchronously<Result>(
    _ role: Pool.Role, isReading: Bool, _ kind: TransactionKind,
    _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    if pool.isHeldByThisThread {
      throw DatabaseError(
        .begin, code: .misuse,
        "This thread is inside of a read or a write of the same database, or of a function that its SQL calls, and would wait for itself: use the connection that the closure has been given, as in fetchAll(in: db), and db.transaction for a part that is undone by itself",
        path: path)
    }
    let limit = TimeLimit.current
    let connection = try pool.take(role) ?? pool.waitBlocking(for: role, limit, configuration)
    defer { pool.give(back: connection) }
    // The closure's own, as lend(isReading:_:) makes it, which would enter the isolation twice.
    let lent = Connection(lending: connection, isReading: isReading)
    return try withoutActuallyEscaping(body) { body in
      // It never leaves the thread.
      nonisolated(unsafe) let body = body
      return try connection.state.executor.sync {
        try lent.assumingIsolated { db in
          defer { db.endLending() }
          return try db.call(limit) { db in
            try db.transaction(kind, body)
          }
        }
      }
    }
  }
}

extension Pool {
  /// Waits for a connection on the calling thread.
  ///
  /// A thread that runs another database's closure waits for the busy timeout at most: the connection's
  /// user may be waiting for that database.
  fileprivate func waitBlocking(
    for role: Role, _ limit: TimeLimit?, _ configuration: Configuration
  ) throws -> Connection {
    let waiter = Waiter(isSingle ? .writer : role)
    let semaphore = DispatchSemaphore(value: 0)
    let began = ContinuousClock.now
    defer { noteWait(since: began) }
    let isNested = ConnectionExecutor.heldByThisThread > 0
    enqueue(waiter) { _ in semaphore.signal() }
    // The thread may be that of a task, which can be cancelled.
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
              "this call runs inside a closure of another database, for which the connection's user may be waiting: use both databases in the same order everywhere"
          ))
      }
    }
    return try outcome(of: waiter).get()
  }
}

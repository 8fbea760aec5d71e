import CSQLCipher
import Synchronization

// Everything that a database does goes through here: a connection is taken from the pool, used, and
// given back.
extension Database {
  /// Reads with a connection: on the caller's thread where it is short, and else on one of the
  /// connection's.
  /// - Parameters:
  ///   - isShort: Whether to begin on the caller's thread: not where one of SQLite's instructions may
  ///     take long by itself, as those that count or delete all the rows of a table do.
  ///   - body: What to read. It may be begun more than once, so it has no effect but its result.
  @usableFromInline
  func reading<Result: Sendable>(
    isShort: Bool = true,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    try await restarting(.reader, isShort) { db throws(DatabaseError) in
      try db.inTransactionOfPages(body)
    }
  }

  /// Writes with the connection for it: on the caller's thread where it is short, and else on one of
  /// the connection's.
  /// - Parameters:
  ///   - isShort: Whether to begin on the caller's thread.
  ///   - body: What to write, all or nothing of it. It may be begun more than once, after what it did has
  ///     been undone.
  @usableFromInline
  func writing<Result: Sendable>(
    isShort: Bool = true,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    try await restarting(.writer, isShort, body)
  }

  /// Reads with a connection on its own thread, once.
  @usableFromInline
  func readingOnce<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    try Task.checkCancellation()
    if let free = try pool.take(.reader) {
      return try await free.once(Lease(of: free, pool), limit, following(free), body)
    }
    return try await later {
      let lease = try await waitForLease(.reader, limit)
      let connection = lease.connection
      return try await connection.once(lease, limit, following(connection), body)
    }
  }

  /// Writes with the connection for it on its own thread, once. Temporary objects may change.
  func writingOnce<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    try Task.checkCancellation()
    if let free = try pool.take(.writer) {
      return try await free.once(Lease(of: free, pool), limit, nil, keeping: self, body)
    }
    return try await later {
      let lease = try await waitForLease(.writer, limit)
      return try await lease.connection.once(lease, limit, nil, keeping: self, body)
    }
  }

  /// Runs what waits for a connection. It goes on by itself, on the connections' threads, when it is its
  /// turn: the caller's may have much else to do, and those of all tasks too, and others wait.
  private func later<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(configuration.workers, operation: body)
  }

  /// Does something to the connection that writes and to the first that reads while nobody else has
  /// one. The other readers are closed before, and opened anew when they are needed.
  func withAllConnections<Result: Sendable>(
    _ body:
      @Sendable (_ reader: isolated Connection, _ writer: Connection) throws(DatabaseError) ->
      Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    try pool.checkProcess()
    return try await later {
      try Task.checkCancellation()
      let lease = try await waitForLease(.writer, limit)
      defer { lease.end() }
      if pool.isSingle {
        return try await writer.once(lease, limit, nil) { db in try body(db, db) }
      }
      _ = try await pool.wait(
        for: .allReaders, patience: nil, limit, evenIfRefused: true)
      for other in pool.removeOthers() { try? await other.close() }
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(
          try await reader.once(nil, limit, following(reader)) { reader in try body(reader, writer)
          })
      } catch {
        outcome = .failure(error)
      }
      pool.giveBackReaders(await reader.template)
      return try outcome.get()
    }
  }

  /// Returns a connection that is free, or that somebody else has to give back first.
  private func waitForLease(_ role: Pool.Role, _ limit: TimeLimit?) async throws -> Lease {
    let began = ContinuousClock.now
    let connection =
      try await pool.wait(
        for: role, patience: role == .reader ? configuration.readerTimeout : nil, limit)
    return Lease(of: connection, pool, after: .now - began)
  }

  /// Returns what a connection that reads has to follow first.
  @inline(__always)
  func following(_ connection: Connection) -> TemporaryObjects? {
    guard hasTemporaryObjects.load(ordering: .relaxed), connection !== writer else { return nil }
    return pool.temporaryObjects
  }

  private func restarting<Result: Sendable>(
    _ role: Pool.Role, _ isShort: Bool,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    if role == .writer, configuration.beforeCommit != nil {
      return try await writingOnce { db in
        try db.wholeTransaction(.immediate) { db in try body(db) }
      }
    }
    let limit = TimeLimit.current
    try Task.checkCancellation()
    if let free = try pool.take(role) {
      let objects = following(free)
      if isShort {
        do {
          let result = try free.inPlace(limit, objects, body)
          pool.give(back: free)
          return result
        } catch is Interruption.NotInPlace {
        } catch {
          pool.give(back: free)
          throw error
        }
      }
      return try await free.restartable(Lease(of: free, pool), limit, objects, body)
    }
    return try await later {
      let lease = try await waitForLease(role, limit)
      let connection = lease.connection
      let objects = following(connection)
      if isShort {
        do {
          let result = try connection.inPlace(limit, objects, after: lease.waited, body)
          lease.end()
          return result
        } catch is Interruption.NotInPlace {
        } catch {
          lease.end()
          throw error
        }
      }
      return try await connection.restartable(lease, limit, objects, body)
    }
  }
}

extension Connection {
  /// Runs something short on the calling thread.
  /// - Throws: ``Interruption/NotInPlace`` where it has to run on the connection's: it is not short, a lock is
  ///   held, or the file has to be opened first. An optional would be made for its type at each call.
  nonisolated func inPlace<Result: Sendable>(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?, after waited: Duration = .zero,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) throws -> Result {
    guard state.executor.tryEnter() else { throw Interruption.NotInPlace() }
    defer { state.executor.leave() }
    return try assumingIsolated { db in
      guard db.isOpen else { throw Interruption.NotInPlace() }
      do {
        db.cache?.tracer?.waited = waited
        return try db.call(.inPlace, limit, objects, body)
      } catch let error as DatabaseError where error.code.primary == .busy {
        throw Interruption.NotInPlace()
      }
    }
  }

  /// Runs something on the connection's thread, anew until nobody else holds a lock that it needs.
  func restartable<Result: Sendable>(
    _ lease: Lease, _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    defer { lease.end() }
    return try await waitingForLocks(lease.waited) { db in
      guard db.yields else { return try db.call(.waiting, limit, objects, isTold: true, body) }
      do {
        return try db.call(.restartable, limit, objects, isTold: true, body)
      } catch let error as DatabaseError where error.code.primary == .busy {
        throw Interruption.LockHeld(error: error)
      }
    }
  }

  /// Runs something on the connection's thread.
  /// - Parameters:
  ///   - lease: What is given back when it is done, before the caller goes on: his thread may have much
  ///     else to do, and others wait.
  ///   - database: Where temporary objects are noted that it has made.
  func once<Result: Sendable>(
    _ lease: Lease?, _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    keeping database: Database? = nil,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    defer {
      database?.keepTemporaryObjects(of: self)
      lease?.end()
    }
    return try await waitingForLocks(lease?.waited ?? .zero) { db in
      try db.call(.waiting, limit, objects, awaits: true, isTold: true, body)
    }
  }

  /// Tries something until nobody else holds a lock that it needs, which keeps no thread meanwhile. A
  /// cancellation interrupts it, and nothing that the connection does later.
  /// - Parameter before: How long the caller has waited already.
  private func waitingForLocks<Result>(
    _ before: Duration, _ body: (isolated Connection) throws -> Result
  ) async throws -> Result {
    let interruption = state.interruption
    var began: ContinuousClock.Instant?
    var count = 0
    while true {
      cache?.tracer?.waited = before + (began.map { .now - $0 } ?? .zero)
      do {
        return try await withTaskCancellationHandler {
          try body(self)  // which keeps it on the connection's thread
        } onCancel: {
          interruption.interrupt()
        }
      } catch let held as Interruption.LockHeld {
        let now = ContinuousClock.now
        let waited = now - (began ?? now)
        began = began ?? now
        guard waited < configuration.busyTimeout else { throw held.error.waiting(waited) }
        let pause = min(Backoff.pause(count), configuration.busyTimeout - waited)
        try await Task.sleep(for: pause)
        count += 1
      }
    }
  }

  /// Whether somebody who waits for a lock gives up those that he has: with a rollback journal he would
  /// never get all of them.
  private var yields: Bool { configuration.journalMode == .wal }

  /// One use of the connection, which can be interrupted.
  func call<Result>(
    _ mode: Interruption.Mode, _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    awaits: Bool = false, isTold: Bool = false, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    let interruption = state.interruption
    interruption.begin(
      mode, limit, yields: yields && awaits, isTold: isTold, on: state.opened?.database)
    defer {
      interruption.end()
      state.endUse()
    }
    do {
      try interruption.check()
      if let objects { follow(objects) }
      let result = try body(self)
      reopenWhereUnreadable()  // transactions have looked at their pages
      return result
    } catch {
      if let error = error as? DatabaseError { reopenWhereUnreadable(after: error) }
      throw interruption.explained(error)
    }
  }
}

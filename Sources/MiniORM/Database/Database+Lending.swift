import CSQLCipher
import Synchronization

// Everything that a database does goes through here: a connection is taken from the pool, used, and
// given back.
extension Database {
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
  func later<Result: Sendable>(
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
  func waitForLease(_ role: Pool.Role, _ limit: TimeLimit?) async throws -> Lease {
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
}

extension Connection {
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
    try beginCall(mode, limit, objects, yields: yields && awaits, isTold: isTold)
    let result: Result
    do { result = try body(self) } catch { throw endCall(after: error) }
    endCall()
    return result
  }

  /// Begins a use of the connection; where it throws, that has ended.
  func beginCall(
    _ mode: Interruption.Mode, _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    yields: Bool = false, isTold: Bool = false
  ) throws {
    let database = state.current?._withUnsafeGuaranteedRef { $0.database }
    do {
      try state.uncountedInterruption._withUnsafeGuaranteedRef { interruption in
        interruption.begin(mode, limit, yields: yields, isTold: isTold, on: database)
        try interruption.check()
      }
    } catch {
      throw endCall(after: error)
    }
    if let objects { follow(objects) }
  }

  func endCall() {
    reopenWhereUnreadable()  // transactions have looked at their pages
    state.uncountedInterruption._withUnsafeGuaranteedRef { $0.end() }
    state.endUse()
  }

  /// - Returns: The error that the caller is told of.
  func endCall(after error: any Error) -> any Error {
    if let error = error as? DatabaseError { reopenWhereUnreadable(after: error) }
    defer {
      state.interruption.end()
      state.endUse()
    }
    return state.interruption.explained(error)
  }
}

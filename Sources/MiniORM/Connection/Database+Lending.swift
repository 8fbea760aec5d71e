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
    let limit = TimeLimit.current
    let connection = try await connection(.reader, limit)
    defer { pool.give(back: connection) }
    return try await run(on: connection, isShort, limit, body)
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
    let limit = TimeLimit.current
    let connection = try await connection(.writer, limit)
    defer { pool.give(back: connection) }
    return try await run(on: connection, isShort, limit, body)
  }

  /// Reads with a connection on its own thread, once.
  @usableFromInline
  func readingOnce<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    let connection = try await connection(.reader, limit)
    defer { pool.give(back: connection) }
    return try await once(on: connection, limit, body)
  }

  /// Writes with the connection for it on its own thread, once. Temporary objects may change.
  func writingOnce<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    let connection = try await connection(.writer, limit)
    defer { pool.give(back: connection) }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await once(on: connection, limit, body))
    } catch {
      outcome = .failure(error)
    }
    await followTemporaryObjects()
    return try outcome.get()
  }

  /// Does something to the connection that writes and to the first that reads while nobody else has
  /// one. The other readers are closed before, and opened anew when they are needed.
  func withAllConnections<Result: Sendable>(
    _ body:
      @Sendable (_ reader: isolated Connection, _ writer: Connection) throws(DatabaseError) ->
      Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    let writer = try await connection(.writer, limit)
    defer { pool.give(back: writer) }
    if pool.isSingle { return try await writer.once(limit, nil) { db in try body(db, db) } }
    _ = try await pool.wait(for: .allReaders, patience: nil, limit, evenIfClosed: true)
    for other in pool.removeOthers() { try? await other.close() }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(
        try await reader.once(limit, following(reader)) { reader in try body(reader, writer) })
    } catch {
      outcome = .failure(error)
    }
    pool.giveBackReaders(await reader.template)
    return try outcome.get()
  }

  /// A connection, which somebody else may have to give back first.
  @inline(__always)
  func connection(_ role: Pool.Role, _ limit: TimeLimit?) async throws -> Connection {
    try Task.checkCancellation()
    if let free = try pool.take(role) { return free }
    return try await pool.wait(
      for: role, patience: role == .reader ? configuration.readerTimeout : nil, limit)
  }

  /// What a connection that reads has to follow first.
  @inline(__always)
  func following(_ connection: Connection) -> TemporaryObjects? {
    guard hasTemporaryObjects.load(ordering: .relaxed), connection !== writer else { return nil }
    return pool.temporaryObjects
  }

  private func once<Result: Sendable>(
    on connection: Connection, _ limit: TimeLimit?,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let objects = following(connection)
    return try await waitingForLocks {
      try await withTaskCancellationHandler {
        try await connection.once(limit, objects, body)
      } onCancel: {
        connection.state.interruption.interrupt()
      }
    }
  }

  private func run<Result: Sendable>(
    on connection: Connection, _ isShort: Bool, _ limit: TimeLimit?,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    let objects = following(connection)
    if isShort, let result = try connection.inPlace(limit, objects, body) { return result }
    return try await waitingForLocks {
      try await withTaskCancellationHandler {
        try await connection.restartable(limit, objects, body)
      } onCancel: {
        connection.state.interruption.interrupt()
      }
    }
  }

  /// Tries something until nobody else holds a lock that it needs, which keeps no thread meanwhile.
  private func waitingForLocks<Result>(_ body: () async throws -> Result) async throws -> Result {
    var began: ContinuousClock.Instant?
    var count = 0
    while true {
      do {
        return try await body()
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
}

extension Connection {
  /// Runs something short on the calling thread.
  /// - Returns: nil where it has to run on the connection's: it is not short, a lock is held, or
  ///   the file has to be opened first.
  nonisolated func inPlace<Result: Sendable>(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) throws -> Result? {
    guard state.executor.tryEnter() else { return nil }
    defer { state.executor.leave() }
    return try assumeIsolated { db in
      guard db.isOpen else { return nil }
      do {
        return try db.call(.inPlace, limit, objects, body)
      } catch is Interruption.TooLong {
        return nil
      } catch let error as DatabaseError where error.code.primary == .busy {
        return nil
      }
    }
  }

  func restartable<Result: Sendable>(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) throws -> Result {
    guard yields else { return try call(.waiting, limit, objects, body) }
    do {
      return try call(.restartable, limit, objects, body)
    } catch let error as DatabaseError where error.code.primary == .busy {
      throw Interruption.LockHeld(error: error)
    }
  }

  func once<Result: Sendable>(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) throws -> Result {
    try call(.waiting, limit, objects, awaits: true, body)
  }

  /// Whether somebody who waits for a lock gives up those that he has: with a rollback journal he would
  /// never get all of them.
  private var yields: Bool { configuration.journalMode == .wal }

  /// One use of the connection, which can be interrupted.
  func call<Result>(
    _ mode: Interruption.Mode, _ limit: TimeLimit?, _ objects: TemporaryObjects?,
    awaits: Bool = false, _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    let interruption = state.interruption
    interruption.begin(mode, limit, yields: yields && awaits, on: state.opened?.database)
    defer { interruption.end() }
    do {
      try interruption.check()
      if let objects { follow(objects) }
      return try body(self)
    } catch {
      throw interruption.explained(error)
    }
  }
}

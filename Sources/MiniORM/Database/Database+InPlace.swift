import CSQLCipher

// What is short runs on the thread of the caller. Inlinable, so that what is generic is known where it is called: what a call
// does before and after is in functions that are not generic.
extension Database {
  /// Reads with a connection: on the caller's thread where it is short, and else on one of the
  /// connection's.
  /// - Parameters:
  ///   - isShort: Whether to begin on the caller's thread: not where one of SQLite's instructions may
  ///     take long by itself, as those that count or delete all the rows of a table do.
  ///   - body: What to read. It may be begun more than once, so it has no effect but its result.
  @inlinable
  func reading<Result: Sendable>(
    isShort: Bool = true,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    let call = try beginInPlace(isWriting: false, isShort: isShort)
    if let connection = call.held {
      do throws(DatabaseError) {
        let result = try connection.assumingIsolated { (db) throws(DatabaseError) in
          try db.inTransactionOfPages(body)
        }
        end(connection)
        return result
      } catch {
        try end(connection, after: error)
      }
    }
    return try await goOn(call) { (db) throws(DatabaseError) in try db.inTransactionOfPages(body) }
  }

  /// Writes with the connection for it: on the caller's thread where it is short, and else on one of
  /// the connection's.
  /// - Parameters:
  ///   - isShort: Whether to begin on the caller's thread.
  ///   - body: What to write, all or nothing of it. It may be begun more than once, after what it did has
  ///     been undone.
  @inlinable
  func writing<Result: Sendable>(
    isShort: Bool = true,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    let call = try beginInPlace(isWriting: true, isShort: isShort)
    if let connection = call.held {
      do throws(DatabaseError) {
        let result = try connection.assumingIsolated(body)
        end(connection)
        return result
      } catch {
        try end(connection, after: error)
      }
    }
    return try await goOn(call, body)
  }

  /// Takes a connection, if one is free, and holds it on the calling thread where the call can begin there.
  @usableFromInline
  func beginInPlace(isWriting: Bool, isShort: Bool) throws -> CallInPlace {
    var call = CallInPlace(isWriting: isWriting, isShort: isShort)
    // Its check may do what is not short, and waits for locks.
    if isWriting, configuration.beforeCommit != nil { return call }
    do throws(DatabaseError) {
      call.connection = try pool.take(isWriting ? .writer : .reader)
    } catch {
      try Task.checkCancellation()
      throw error
    }
    guard isShort, let connection = call.connection else { return call }
    do {
      call.isHeld = try connection.enter(TimeLimit.current, following(connection))
    } catch {
      pool.give(back: connection)
      throw error
    }
    return call
  }

  /// Gives a connection back that the calling thread holds.
  @usableFromInline
  func end(_ connection: Connection) {
    connection.leave()
    pool.give(back: connection)
  }

  /// Gives it back after an error, and throws what the caller is told; where the call only cannot go on here, keeps it and
  /// returns.
  @usableFromInline
  func end(_ connection: Connection, after error: DatabaseError) throws {
    let told = connection.leave(after: error)
    if told is Interruption.NotInPlace { return }
    pool.give(back: connection)
    throw told
  }

  /// Makes a call that could not be made on the caller's thread, with the connection that it has or waits for.
  @usableFromInline
  func goOn<Result: Sendable>(
    _ call: CallInPlace, _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) async throws -> Result {
    if call.isWriting, configuration.beforeCommit != nil {
      return try await writingOnce { db in
        try db.wholeTransaction(.immediate) { db in try body(db) }
      }
    }
    let limit = TimeLimit.current
    if let connection = call.connection {
      return try await connection.restartable(
        Lease(of: connection, pool), limit, following(connection), body)
    }
    try Task.checkCancellation()
    return try await later {
      let lease = try await waitForLease(call.isWriting ? .writer : .reader, limit)
      let connection = lease.connection
      let objects = following(connection)
      if call.isShort {
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

/// A call that begins on the thread of its caller, if it can.
@usableFromInline
struct CallInPlace: Sendable {
  let isWriting: Bool
  let isShort: Bool
  /// The connection that it has, nil where none was free.
  var connection: Connection?
  /// Whether the calling thread holds that.
  var isHeld = false

  init(isWriting: Bool, isShort: Bool) { (self.isWriting, self.isShort) = (isWriting, isShort) }

  /// The connection, where the calling thread holds it.
  @usableFromInline var held: Connection? { isHeld ? connection : nil }
}

extension Connection {
  /// Runs something short on the calling thread.
  /// - Throws: ``Interruption/NotInPlace`` where it has to run on the connection's: it is not short, a lock is
  ///   held, or the file has to be opened first.
  fileprivate nonisolated func inPlace<Result: Sendable>(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?, after waited: Duration,
    _ body: @Sendable (isolated Connection) throws(DatabaseError) -> Result
  ) throws -> Result {
    guard try enter(limit, objects, after: waited) else { throw Interruption.NotInPlace() }
    let result: Result
    do throws(DatabaseError) {
      result = try assumingIsolated(body)
    } catch {
      throw leave(after: error)
    }
    leave()
    return result
  }

  /// Holds the connection on the calling thread, for one use of it; where it throws, that has ended.
  /// - Returns: Whether it could: not where somebody else holds it, or the file has to be opened first.
  fileprivate nonisolated func enter(
    _ limit: TimeLimit?, _ objects: TemporaryObjects?, after waited: Duration = .zero
  ) throws -> Bool {
    guard state.uncountedExecutor._withUnsafeGuaranteedRef({ $0.tryEnter() }) else { return false }
    var isBegun = false
    defer { if !isBegun { leaveExecutor() } }
    isBegun = try assumingIsolated { db in
      guard let opened = db.state.current else { return false }
      opened._withUnsafeGuaranteedRef { $0.cache.tracer?.waited = waited }
      try db.beginCall(.inPlace, limit, objects)
      return true
    }
    return isBegun
  }

  /// Ends what ``enter(_:_:after:)`` has begun.
  fileprivate nonisolated func leave() {
    assumingIsolated { $0.endCall() }
    leaveExecutor()
  }

  private nonisolated func leaveExecutor() {
    state.uncountedExecutor._withUnsafeGuaranteedRef { $0.leave() }
  }

  /// - Returns: The error that the caller is told of, or ``Interruption/NotInPlace``.
  fileprivate nonisolated func leave(after error: DatabaseError) -> any Error {
    defer { leaveExecutor() }
    return assumingIsolated { db in
      let told = db.endCall(after: error)
      let isLocked = (told as? DatabaseError)?.code.primary == .busy
      return isLocked ? Interruption.NotInPlace() : told
    }
  }
}

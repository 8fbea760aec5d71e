import CSQLCipher
import Synchronization

extension Database {
  /// Closes the file, after the calls that were made before. Later calls throw. Closing again does nothing.
  ///
  /// A database that is no longer referenced closes automatically. This method waits until it is closed, and
  /// reports a failure.
  /// - Parameter interrupting: Whether running calls are interrupted, and waiting calls refused, instead of
  ///   waiting for them. Transactions are rolled back, and their callers get ``DatabaseError`` with the code
  ///   ``ResultCode/interrupt``. One whose COMMIT has begun is committed.
  /// - Throws: ``DatabaseError`` with the operation `close`. A connection that could not be closed stays open
  ///   then; call this method again to retry.
  public func close(interrupting: Bool = false) async throws(DatabaseError) {
    try pool.checkProcess(.close)
    // Whoever observes is woken, and ends.
    observationHub.setClosed(true)
    pool.refuse(.closed)
    if interrupting {
      // In this order: one who waits could be lent a new connection, which nobody would interrupt.
      pool.refuseAll(.closed)
      interruptAll(.closed)
    }
    let failure = await endAll(.databaseClosed) { connection throws(DatabaseError) in
      try connection.close()
    }
    interruptAll(nil)
    guard let failure else { return }
    observationHub.setClosed(false)
    pool.allow(after: .closed)
    throw failure
  }

  /// Interrupts what runs on every connection, and what begins to, or does so no more.
  func interruptAll(_ refusal: Pool.Refusal?) {
    for connection in pool.connections {
      connection.state.interruption.ending.store(refusal?.rawValue ?? 0, ordering: .relaxed)
    }
  }

  /// Ends the use of every connection when it is given back: also where the task is cancelled, which would
  /// otherwise leave the file open.
  func endAll(
    _ snapshots: DatabaseSnapshot.End,
    _ end: @escaping @Sendable (isolated Connection) throws(DatabaseError) -> Void
  ) async -> DatabaseError? {
    if let others = pool.takeAll() { return await ended(others, snapshots, end) }
    return await Task.detached(executorPreference: configuration.workers) { [pool, writer, self] in
      do {
        _ = try await pool.wait(for: .writer, patience: nil, nil, isEnding: true)
      } catch {
        return DatabaseError(.close, "\(error)")
      }
      if !pool.isSingle {
        do {
          _ = try await pool.wait(for: .allReaders, patience: nil, nil, isEnding: true)
        } catch {
          pool.give(back: writer)
          return DatabaseError(.close, "\(error)")
        }
      }
      return await ended(pool.removeOthers(), snapshots, end)
    }.value
  }

  /// Ends the use of every connection, which nobody else has, and gives them back.
  /// - Parameter others: Those that read, but for the first.
  private func ended(
    _ others: [Connection], _ snapshots: DatabaseSnapshot.End,
    _ end: @escaping @Sendable (isolated Connection) throws(DatabaseError) -> Void
  ) async -> DatabaseError? {
    endSnapshots(snapshots)
    let reader = pool.isSingle ? nil : reader
    let failure = await writer.ended(others, reader, end)
    pool.giveBackReaders(nil)
    pool.give(back: writer)
    return failure
  }

  /// Gives back memory that is not needed just now: what the connections that read keep of the file's
  /// pages, and those of them that nobody uses but the first. Call it when the system warns.
  ///
  /// See [sqlite3_db_release_memory](https://www.sqlite.org/c3ref/db_release_memory.html).
  public func releaseMemory() {
    pool.closeIdle(before: .now)
    for role in [Pool.Role.reader, .writer] {
      guard let connection = try? pool.take(role) else { continue }
      connection.sync { $0.releaseMemory() }
      pool.give(back: connection)
    }
  }
}

extension Connection {
  /// Ends the use of this connection, which writes, and of those that read, in one hop to its thread.
  fileprivate func ended(
    _ others: [Connection], _ reader: Connection?,
    _ end: @Sendable (isolated Connection) throws(DatabaseError) -> Void
  ) -> DatabaseError? {
    for other in others { other.sync { try? $0.close() } }
    let failure = reader.flatMap { $0.sync { $0.outcome(of: end) } }
    // The writer last: the last connection to close moves the log into the file.
    return outcome(of: end) ?? failure
  }

  private func outcome(
    of end: (isolated Connection) throws(DatabaseError) -> Void
  ) -> DatabaseError? {
    do throws(DatabaseError) {
      try end(self)
      return nil
    } catch {
      return error
    }
  }
}

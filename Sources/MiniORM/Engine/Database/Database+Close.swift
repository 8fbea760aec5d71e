import CSQLCipher
import Synchronization

extension Database {
  /// Closes the file after all earlier calls have returned. Later calls throw. Closing a closed
  /// database has no effect.
  ///
  /// Releasing the last reference also closes a database, but reports no failures.
  /// - Parameter interrupting: True to interrupt running calls and refuse waiting calls, which
  ///   throw ``DatabaseError`` with ``ResultCode/interrupt``. Transactions are rolled back, unless
  ///   COMMIT has begun.
  /// - Throws: ``DatabaseError`` with the operation `close`. A connection that failed to close
  ///   stays open; call this method again to retry.
  public func close(interrupting: Bool = false) async throws(DatabaseError) {
    try pool.checkProcess(.close)
    observationHub.setClosed(true)
    pool.close()
    if interrupting {
      // Refuse waiting calls first: they could receive a connection that is not interrupted.
      pool.refuseAll(.closed)
      pool.interrupt(.closed)
    }
    let failure = await endAll(.databaseClosed) { connection throws(DatabaseError) in
      try connection.close()
    }
    pool.interrupt(nil)
    guard let failure else { return }
    observationHub.setClosed(false)
    pool.allow(after: .closed)
    throw failure
  }

  /// Closes or suspends all connections, in a detached task, so that cancelling the caller does not
  /// leave the file open.
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

  /// The caller holds the connections, which return to the pool.
  /// - Parameter others: The readers except the first.
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

  /// Frees memory: page caches, cached statements and idle readers except the first. Connections in
  /// use are skipped. Call this method when the system reports low memory, for example.
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
  fileprivate func ended(
    _ others: [Connection], _ reader: Connection?,
    _ end: @Sendable (isolated Connection) throws(DatabaseError) -> Void
  ) -> DatabaseError? {
    for other in others { other.sync { try? $0.close() } }
    let failure = reader.flatMap { $0.sync { $0.outcome(of: end) } }
    // The connection that closes last checkpoints the log.
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

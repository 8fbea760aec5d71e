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

extension Database {
  /// Deletes the files of a closed database: the database file, its write-ahead log and its
  /// journal.
  ///
  /// An open file is not deleted, even under another path, because later writes would be lost
  /// without an error. A file open in another process is detected in WAL mode, or while that
  /// process reads or writes. If the path is a symbolic link, the link is deleted last.
  ///
  /// - Parameter path: The path of the database. For a URL such as `file:…`, pass `url.path`.
  /// - Throws: ``DatabaseError`` with the operation `delete`. The code is `busy` if a ``Database``
  ///   of this process has the file open or attached, or another process uses the file; `readOnly`
  ///   if this process may not write to the file, and therefore cannot lock it. Missing files are
  ///   ignored. If deleting a file fails, earlier files are already deleted.
  public static func delete(path: String) throws(DatabaseError) {
    guard DatabaseFile.isFile(path) else { return }
    guard !path.utf8.contains(0), !path.utf8.starts(with: "file:".utf8) else {
      throw DatabaseError(
        .delete, code: .misuse,
        "\(path) is not a file path: for a URL, give url.path", path: path)
    }
    guard !DatabaseFile.isDirectory(path) else {
      throw DatabaseError(
        .delete, code: .cannotOpen, "\(path) is a folder: give the path of the database file",
        path: path)
    }
    let deleted: Void? = try OpenFile.ifClosed(path) { () throws(DatabaseError) in
      // SQLite uses the -wal and -journal files beside a link's target.
      let file = DatabaseFile.resolved(path)
      let exclusive =
        DatabaseFile.isRegular(file) ? try ExclusiveFile(file, waiting: 0, .delete) : nil
      // Hold the lock until all files are deleted.
      defer { withExtendedLifetime(exclusive) {} }
      // Delete the log first: without its file, a log is useless, but a file without its log has
      // lost commits.
      for file in DatabaseFile.all(file).reversed() + (file == path ? [] : [path])
      where DatabaseFile.exists(file) || DatabaseFile.isLink(file) {
        do {
          try DatabaseFile.remove(file)
        } catch {
          throw DatabaseError(
            .delete, code: .inputOutput,
            "\(file) could not be deleted: \(error). Remove the cause and try again", path: path)
        }
      }
    }
    guard deleted != nil else {
      throw DatabaseError(
        .delete, code: .busy, "The file is open in this process: close it first", path: path)
    }
  }
}

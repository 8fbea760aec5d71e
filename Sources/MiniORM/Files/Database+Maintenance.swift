import CSQLCipher

extension Database {
  /// Rebuilds the database file without free pages, to the smallest possible size.
  ///
  /// Other writes wait, and reads continue. The rebuild is a single transaction: if the process is
  /// killed, the file is unchanged or completely rebuilt. Then the log is checkpointed as far as
  /// readers of older states allow.
  ///
  /// SQLite keeps the new contents in memory until the commit: the rebuild needs about as much
  /// memory, and as much free disk space, as the file has contents. To copy a database, call
  /// ``export(to:key:progress:)`` instead of `VACUUM INTO`. It needs neither the memory nor the
  /// lock, and sets the key of the copy.
  ///
  /// The rowids of a table without an `INTEGER PRIMARY KEY` may change.
  ///
  /// See [VACUUM](https://www.sqlite.org/lang_vacuum.html).
  /// - Throws: ``DatabaseError``; `CancellationError` if the task is cancelled before the commit.
  ///   After an error, the file is unchanged.
  /// - Complexity: O(*n*) in the size of the file.
  public func vacuum() async throws {
    try await rewritingFreePages {
      try await withoutTransaction { db in
        try db.execute("VACUUM")
        try db.moveLogIntoFile()
      }
    }
  }

  /// Updates the query planner's statistics for tables whose contents have changed considerably.
  /// Call this method periodically, for example daily or before closing the database.
  ///
  /// See [PRAGMA optimize](https://www.sqlite.org/pragma.html#pragma_optimize).
  /// - Throws: ``DatabaseError``; `CancellationError`.
  public func optimize() async throws {
    try await withoutTransaction { db in try db.execute("PRAGMA main.optimize") }
  }
}

extension Connection {
  /// Checkpoints and truncates the log, as far as possible without waiting.
  func moveLogIntoFile() throws(DatabaseError) {
    let database = try handle
    // The work is committed, and must not be reported as interrupted.
    state.interruption.shielding {
      // SQLite would wait for readers while it holds the write lock. The next use restores the busy
      // handler.
      sqlite3_busy_handler(database, nil, nil)
      _ = try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)
    }
  }
}

/// The extent of a checkpoint, and whether it waits.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
public enum CheckpointMode: String, Sendable, CaseIterable {
  /// Moves as many pages as possible without waiting for readers or writers.
  case passive = "PASSIVE"
  /// Waits for readers of earlier states, and moves the whole log.
  case full = "FULL"
  /// As `full`, and waits until no reader uses the log, so that the next write restarts the log.
  case restart = "RESTART"
  /// As `restart`, and truncates the -wal file.
  case truncate = "TRUNCATE"
}

/// The result of a checkpoint.
public struct CheckpointResult: Sendable, Equatable {
  /// True if the whole log was moved. If false, a reader or a writer blocked the checkpoint, and
  /// the rest of the log stays. No data is lost.
  public let isComplete: Bool
  /// The number of pages in the log.
  public let logPageCount: Int
  /// The number of log pages that are in the database file.
  public let movedPageCount: Int
}

extension Database {
  /// Moves pages from the write-ahead log into the database file.
  ///
  /// ```swift
  /// try await database.checkpoint(.truncate)  // empties the -wal file
  /// ```
  /// Checkpoints also run automatically, after each 1,000 pages and when the last connection
  /// closes. Call this method before another program copies the file, for example.
  ///
  /// During a checkpoint, writes wait and reads continue. A mode that waits for readers waits up to
  /// ``Configuration/busyTimeout``.
  /// - Parameter mode: The extent of the checkpoint.
  /// - Returns: The result; `nil` if the file has no write-ahead log.
  /// - Throws: ``DatabaseError``, or `CancellationError`.
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult? {
    try await withConnection(.writer) { db in try db.checkpoint(mode) }
  }
}

extension Connection {
  fileprivate func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> CheckpointResult? {
    let database = try handle
    let interruption = state.interruption
    let done =
      switch mode {
      case .passive: Checkpoint.passive(database, "main")
      case .full: interruption.checkpoint(database, "main", SQLITE_CHECKPOINT_FULL)
      case .restart: interruption.checkpoint(database, "main", SQLITE_CHECKPOINT_RESTART)
      case .truncate: interruption.checkpoint(database, "main", SQLITE_CHECKPOINT_TRUNCATE)
      }
    guard done.code == SQLITE_OK || done.isBusy else {
      throw DatabaseError(.step, code: done.code, from: database, path: path)
    }
    guard done.movedCount >= 0 else {
      // Another process's checkpoint blocked this one before the page counts were known.
      guard done.isBusy else { return nil }
      return CheckpointResult(isComplete: false, logPageCount: 0, movedPageCount: 0)
    }
    return CheckpointResult(
      isComplete: done.code == SQLITE_OK && done.movedCount == done.pageCount,
      logPageCount: Int(done.pageCount), movedPageCount: Int(done.movedCount))
  }
}

extension Database {
  /// Releases all locks on the file, and closes the file until ``resume()``.
  ///
  /// iOS terminates a suspended app that holds a lock on a file in a shared container, with the
  /// code 0xdead10cc. Call this method when the app enters the background, and keep the app running
  /// until the method returns.
  ///
  /// Running statements are interrupted, and transactions are rolled back, unless COMMIT has begun.
  /// Waiting calls, and calls during the suspension, throw ``DatabaseError`` with
  /// ``ResultCode/abort``. Observers wait, and fetch again after ``resume()``. The derived key
  /// stays in memory. An in-memory database keeps its contents.
  ///
  /// Suspending a suspended database has no effect. Cancelling the task does not end the call.
  /// - Throws: ``DatabaseError`` with the operation `open` if the database is closed.
  public func suspend() async throws(DatabaseError) {
    guard pool.suspend() else {
      throw DatabaseError(
        .open, code: .misuse, "The database is closed: open a new Database", path: path)
    }
    _ = await endAll(.suspended) { connection in connection.reopenLater() }
    // Other processes may have changed the file since it was closed.
    if pool.endSuspension() { observationHub.publishEverything() }
  }

  /// Resumes a suspended database, also while ``suspend()`` still waits for running calls. The next use reopens the files. Observers fetch again, because
  /// other processes may have changed the file.
  public func resume() {
    if pool.allow(after: .suspended) { observationHub.publishEverything() }
  }
}

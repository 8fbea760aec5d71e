import CSQLCipher

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

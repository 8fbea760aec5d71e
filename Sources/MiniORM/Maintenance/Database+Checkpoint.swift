import CSQLCipher

/// How far a checkpoint goes.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
public enum CheckpointMode: String, Sendable, CaseIterable {
  /// Moves what it can without waiting for readers or writers.
  case passive = "PASSIVE"
  /// Waits for readers of earlier states, and moves the whole log.
  case full = "FULL"
  /// The same, and waits until no reader uses the log, so that the next write starts it from its beginning.
  case restart = "RESTART"
  /// The same, and truncates the log's file.
  case truncate = "TRUNCATE"
}

/// What a checkpoint has done.
public struct CheckpointResult: Sendable, Equatable {
  /// Whether it did all that its mode asks for. If not, readers or a writer prevented it: the log stays, and
  /// nothing is lost.
  public let isComplete: Bool
  /// How many pages are in the log.
  public let logPageCount: Int
  /// How many of them are in the file now.
  public let movedPageCount: Int
}

extension Database {
  /// Moves pages from the write-ahead log into the file.
  ///
  /// Checkpoints also happen automatically: after each thousand pages, when the log has become long, and when
  /// the last connection closes. Call this method at other moments, such as before the file is copied by other
  /// means.
  ///
  /// Writes wait during a checkpoint, reads do not. A mode that waits does so for up to
  /// ``Configuration/busyTimeout``.
  /// - Parameter mode: How far to go.
  /// - Returns: What was done; `nil` if the file has no write-ahead log.
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
      // Another process's checkpoint was in the way before anything was known.
      guard done.isBusy else { return nil }
      return CheckpointResult(isComplete: false, logPageCount: 0, movedPageCount: 0)
    }
    return CheckpointResult(
      isComplete: done.code == SQLITE_OK && done.movedCount == done.pageCount,
      logPageCount: Int(done.pageCount), movedPageCount: Int(done.movedCount))
  }
}

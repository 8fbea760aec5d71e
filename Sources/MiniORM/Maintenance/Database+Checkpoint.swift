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
    try await writingOnce { db in try db.checkpoint(mode) }
  }
}

extension Connection {
  fileprivate func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> CheckpointResult? {
    let database = try handle
    let number =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    var (count, moved): (Int32, Int32) = (-1, -1)
    let code = sqlite3_wal_checkpoint_v2(database, "main", number, &count, &moved)
    guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else {
      throw DatabaseError(.step, code: code, from: database, path: path)
    }
    guard count >= 0, moved >= 0 else {
      // Another process's checkpoint was in the way before anything was known.
      guard code != SQLITE_OK else { return nil }
      return CheckpointResult(isComplete: false, logPageCount: 0, movedPageCount: 0)
    }
    return CheckpointResult(
      isComplete: code == SQLITE_OK && moved == count, logPageCount: Int(count),
      movedPageCount: Int(moved))
  }
}

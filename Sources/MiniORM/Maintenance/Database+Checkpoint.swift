import CSQLCipher

/// How far a checkpoint goes.
///
/// See [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
public enum CheckpointMode: String, Sendable, CaseIterable {
  /// Moves what it can without waiting for anybody.
  case passive = "PASSIVE"
  /// Waits for those who read an earlier state, and moves all of the log.
  case full = "FULL"
  /// The same, and waits until nobody reads in the log, so that the next write begins it anew.
  case restart = "RESTART"
  /// The same, and makes the log's file empty.
  case truncate = "TRUNCATE"
}

/// What a checkpoint has done.
public struct CheckpointResult: Sendable, Equatable {
  /// Whether it did all that its mode asks for. If not, somebody reads or writes: the log stays, and nothing is
  /// lost.
  public let isComplete: Bool
  /// How many pages are in the log.
  public let logPageCount: Int
  /// How many of them are in the file now.
  public let movedPageCount: Int
}

extension Database {
  /// Moves pages from the write-ahead log into the file.
  ///
  /// It happens by itself: after each thousand pages, where the log has become long, and when the last
  /// connection closes. By hand it is for a moment of the program's own, such as before the file is copied by
  /// other means.
  ///
  /// Writes wait meanwhile, and reads go on. Whom a mode waits for, it waits for as long as
  /// ``Configuration/busyTimeout`` says.
  /// - Parameter mode: How far to go.
  /// - Returns: What was done; `nil` where the file has no write-ahead log.
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

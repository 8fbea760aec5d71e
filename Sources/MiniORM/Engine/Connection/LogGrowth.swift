import CSQLCipher
import Synchronization

/// Limits the growth of the write-ahead log.
///
/// SQLite checkpoints the log after each 1,000 pages, but restarts it only when no reader uses it.
/// With overlapping readers, the log would never restart. At 4,000 pages, a commit therefore waits
/// briefly for the readers, while no write runs and new readers use only the database file.
///
/// See [Avoiding Excessively Large WAL
/// Files](https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
final class LogGrowth {
  /// SQLite's default for automatic checkpoints, in pages.
  private static let usual: Int32 = 1_000
  private static let large: Int32 = 4_000

  private let database: OpaquePointer
  private let interruption: Interruption
  /// The length of the log, in pages, at which a commit waits for the readers.
  private var limit = large
  private let listener: LogListener
  /// The number of pages in the log after the last commit of this connection.
  private(set) var pageCount: Int32 = 0

  init(_ database: OpaquePointer, _ interruption: Interruption, _ listener: LogListener) {
    (self.database, self.interruption, self.listener) = (database, interruption, listener)
    sqlite3_wal_hook(
      database,
      { growth, _, schema, count in
        guard let growth, let schema else { return SQLITE_OK }
        CallbackContext<LogGrowth>.object(growth).committed(schema, count)
        return SQLITE_OK  // the commit is complete in any case
      }, CallbackContext.borrowed(self))  // no statement runs after this object is gone
  }

  private func committed(_ schema: UnsafePointer<CChar>, _ count: Int32) {
    if strcmp(schema, "main") == 0 {
      pageCount = count
      listener.onCommit?(Int(count))
      // A backup holds the log, which cannot restart. The backup runs the checkpoints.
      guard listener.onCommit == nil else { return }
    }
    guard count >= Self.usual else { return }
    _ = Checkpoint.passive(database, schema)
    guard count >= limit else { return }
    let moved = interruption.waitingBriefly {
      interruption.checkpoint(database, schema, SQLITE_CHECKPOINT_TRUNCATE)
    }
    // A higher limit, so that a long read does not delay every commit.
    limit = moved.code == SQLITE_OK ? Self.large : count > .max / 2 ? .max : count * 2
  }
}

/// Receives the number of pages in the log after each commit, until a backup ends.
final class LogListener: Sendable {
  // As the value of the mutex, a closure would get one more wrapper with each access: commits would
  // become slower and slower, and use more and more memory.
  private struct State {
    var onCommit: (@Sendable (Int) -> Void)?
  }
  private let state = Mutex(State())

  var onCommit: (@Sendable (Int) -> Void)? {
    get { state.withLock { $0.onCommit } }
    set { state.withLock { $0.onCommit = newValue } }
  }
}

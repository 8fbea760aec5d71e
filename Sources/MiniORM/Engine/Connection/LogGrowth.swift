import CSQLCipher

/// SQLite checkpoints the log after each thousand pages, and restarts the log when no reader uses
/// the log. With overlapping readers, the log would never restart. So when the log is four times as
/// long, the writer waits briefly for the readers: no write runs in this time, and new readers read
/// only the file.
///
/// See [Avoiding Excessively Large WAL
/// Files](https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
final class LogGrowth {
  /// SQLite's default, in pages.
  private static let usual: Int32 = 1_000
  private static let large: Int32 = 4_000

  private let database: OpaquePointer
  private let interruption: Interruption
  /// The number of pages at which a commit waits for the readers.
  private var limit = large

  init(_ database: OpaquePointer, _ interruption: Interruption) {
    (self.database, self.interruption) = (database, interruption)
    sqlite3_wal_hook(
      database,
      { growth, _, schema, count in
        guard let growth, let schema else { return SQLITE_OK }
        CallbackContext<LogGrowth>.object(growth).committed(schema, count)
        return SQLITE_OK  // the commit is complete in any case
      }, CallbackContext.borrowed(self))  // no statement runs after this object is gone
  }

  private func committed(_ schema: UnsafePointer<CChar>, _ count: Int32) {
    guard count >= Self.usual else { return }
    _ = Checkpoint.passive(database, schema)
    guard count >= limit else { return }
    let moved = interruption.waitingBriefly {
      interruption.checkpoint(database, schema, SQLITE_CHECKPOINT_TRUNCATE)
    }
    // Raise the limit, so that not every commit waits for a long read.
    limit = moved.code == SQLITE_OK ? Self.large : count > .max / 2 ? .max : count * 2
  }
}

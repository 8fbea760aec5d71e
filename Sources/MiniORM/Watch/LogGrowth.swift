import CSQLCipher

/// Keeps the write-ahead log from growing without end.
///
/// SQLite moves the log into the file after each thousand pages, as far as nobody reads an earlier state, and
/// begins the log anew when nobody reads in it. While there always is somebody who does, it never would. So
/// where it has become four times as long, the connection that writes waits a moment for those who read:
/// no write is made meanwhile, and who begins to read then reads the file.
///
/// See [Avoiding Excessively Large WAL Files](https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
final class LogGrowth {
  /// SQLite's own default, in pages.
  private static let usual: Int32 = 1_000
  private static let large: Int32 = 4_000

  private let database: OpaquePointer
  private let interruption: Interruption
  /// How long the log has to be, in pages, before this waits for those who read.
  private var limit = large

  init(_ database: OpaquePointer, _ interruption: Interruption) {
    (self.database, self.interruption) = (database, interruption)
    sqlite3_wal_hook(
      database,
      { growth, _, schema, count in
        guard let growth, let schema else { return SQLITE_OK }
        Unmanaged<LogGrowth>.fromOpaque(growth)._withUnsafeGuaranteedRef {
          $0.committed(schema, count)
        }
        return SQLITE_OK  // the commit has been made, whatever comes of this
      }, Unmanaged.passUnretained(self).toOpaque())  // no statement runs when it is gone
  }

  /// - Parameters:
  ///   - schema: The database that has the log.
  ///   - count: How many pages are in it.
  private func committed(_ schema: UnsafePointer<CChar>, _ count: Int32) {
    guard count >= Self.usual else { return }
    _ = Checkpoint.passive(database, schema)
    guard count >= limit else { return }
    let moved = interruption.waitingBriefly {
      interruption.checkpoint(database, schema, SQLITE_CHECKPOINT_TRUNCATE)
    }
    // A long read is not waited for at each commit.
    limit = moved.code == SQLITE_OK ? Self.large : count > .max / 2 ? .max : count * 2
  }
}

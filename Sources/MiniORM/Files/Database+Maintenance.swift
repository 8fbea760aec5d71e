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

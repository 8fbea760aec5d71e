import CSQLCipher

extension Database {
  /// Writes the database anew without its free pages, so that the file is as small as it can be.
  ///
  /// Writes wait meanwhile, as they do for ``withoutTransaction(_:)``, and reads go on. It is one
  /// transaction: a process that is killed leaves the file as it was or as it should be. The log is moved
  /// into the file as far as the readers of older states allow; the rest follows by itself later.
  ///
  /// SQLite keeps the new contents in memory until they are written, as all that is temporary is kept in
  /// memory: this takes about as much memory as the file has contents, and as much free space on the disk
  /// again. `VACUUM INTO` another file is ``export(to:key:progress:)``, which takes neither memory nor the lock,
  /// and gives the copy a key of its own.
  ///
  /// The rowids of a table without an `INTEGER PRIMARY KEY` may change.
  ///
  /// See [VACUUM](https://www.sqlite.org/lang_vacuum.html).
  /// - Throws: ``DatabaseError``; `CancellationError` when the task is cancelled before the commit. Nothing
  ///   has changed then.
  /// - Complexity: O(*n*) in the size of the file.
  public func vacuum() async throws {
    try await rewritingFreePages {
      try await withoutTransaction { db in
        try db.execute("VACUUM")
        try db.moveLogIntoFile()
      }
    }
  }

  /// Has SQLite look at the tables whose contents have changed a lot, and note what helps it to choose the
  /// right index. Call it now and then, such as once a day or before closing: mostly there is nothing to do.
  ///
  /// See [PRAGMA optimize](https://www.sqlite.org/pragma.html#pragma_optimize).
  /// - Throws: ``DatabaseError``; `CancellationError`.
  public func optimize() async throws {
    try await withoutTransaction { db in try db.execute("PRAGMA main.optimize") }
  }
}

extension Connection {
  /// Moves what the log has into the file, and empties it, as far as nobody has to be waited for.
  func moveLogIntoFile() throws(DatabaseError) {
    let database = try handle
    // What it follows is committed, and must not be called interrupted.
    state.interruption.shielding {
      // SQLite would wait for readers while it holds the lock for writing. The next use sets it again.
      sqlite3_busy_handler(database, nil, nil)
      _ = try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)
    }
  }
}

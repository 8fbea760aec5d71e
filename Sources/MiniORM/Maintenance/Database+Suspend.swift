extension Database {
  /// Gives every lock on the file back, and uses it no more until ``resume()``.
  ///
  /// iOS ends an app with 0xdead10cc that is suspended while it has a lock on a file in a shared container. Call it
  /// when the app goes to the background, and keep the app running until it returns.
  ///
  /// What runs is interrupted, and its transaction is rolled back; one whose COMMIT has begun is committed. What
  /// waits, and what is asked for meanwhile, throws ``DatabaseError`` with the code ``ResultCode/abort``. Who
  /// observes the database waits, and reads anew when it is resumed. The files are closed; the key stays in memory, so
  /// that nothing is derived again. A database in memory keeps its contents.
  ///
  /// Suspending twice is the same as once. A cancelled task suspends all the same.
  /// - Throws: ``DatabaseError`` with the operation `open` when the database is closed.
  public func suspend() async throws(DatabaseError) {
    guard pool.refuse(.suspended) else {
      throw DatabaseError(.open, code: .misuse, "The database is closed", path: path)
    }
    pool.refuseAll(.suspended)
    interruptAll(.suspended)
    _ = await endAll(.suspended) { connection in connection.reopenLater() }
    interruptAll(nil)
  }

  /// Allows a suspended database to be used again. The files are opened when they are next needed.
  ///
  /// Who observes the database reads anew: another process may have changed the file.
  public func resume() {
    if pool.allow(after: .suspended) { observationHub.publishEverything() }
  }
}

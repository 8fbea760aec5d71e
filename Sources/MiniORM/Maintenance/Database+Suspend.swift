extension Database {
  /// Releases every lock on the file, and does not use it until ``resume()``.
  ///
  /// iOS terminates an app with 0xdead10cc if it is suspended while it holds a lock on a file in a shared
  /// container. Call this method when the app enters the background, and keep the app running until it returns.
  ///
  /// Running statements are interrupted, and their transactions are rolled back; a transaction whose COMMIT has
  /// begun is committed. Waiting calls, and calls made while the database is suspended, throw ``DatabaseError``
  /// with the code ``ResultCode/abort``. Observers wait, and read again when the database is resumed. The files
  /// are closed; the key stays in memory, so that it need not be derived again. A database in memory keeps its
  /// contents.
  ///
  /// Suspending twice is the same as once. A cancelled task suspends the database too.
  /// - Throws: ``DatabaseError`` with the operation `open` if the database is closed.
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
  /// Observers read again, since another process may have changed the file.
  public func resume() {
    if pool.allow(after: .suspended) { observationHub.publishEverything() }
  }
}

extension Database {
  /// Releases all locks on the file, and stops using the file until ``resume()``.
  ///
  /// iOS terminates an app with 0xdead10cc if the app is suspended with a lock on a file in a
  /// shared container. Call this method when the app enters the background, and keep the app
  /// running until the method returns.
  ///
  /// Running statements are interrupted, and their transactions are rolled back, unless COMMIT has
  /// begun. Waiting calls, and calls during the suspension, throw ``DatabaseError`` with the code
  /// ``ResultCode/abort``. Observers wait, and fetch again after ``resume()``. The files are
  /// closed. The derived key stays in memory. An in-memory database keeps its contents.
  ///
  /// Suspending a suspended database has no further effect. The method also works in a cancelled
  /// task.
  /// - Throws: ``DatabaseError`` with the operation `open` if the database is closed.
  public func suspend() async throws(DatabaseError) {
    guard pool.refuse(.suspended) else {
      throw DatabaseError(
        .open, code: .misuse, "The database is closed: open a new Database", path: path)
    }
    pool.refuseAll(.suspended)
    interruptAll(.suspended)
    _ = await endAll(.suspended) { connection in connection.reopenLater() }
    interruptAll(nil)
  }

  /// Resumes a suspended database. The files are reopened on demand, and observers fetch again,
  /// since other processes may have changed the file.
  public func resume() {
    if pool.allow(after: .suspended) { observationHub.publishEverything() }
  }
}

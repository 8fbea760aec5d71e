extension Database {
  /// Releases all locks on the file, and closes the file until ``resume()``.
  ///
  /// iOS terminates a suspended app that holds a lock on a file in a shared container, with the
  /// code 0xdead10cc. Call this method when the app enters the background, and keep the app running
  /// until the method returns.
  ///
  /// Running statements are interrupted, and transactions are rolled back, unless COMMIT has begun.
  /// Waiting calls, and calls during the suspension, throw ``DatabaseError`` with
  /// ``ResultCode/abort``. Observers wait, and fetch again after ``resume()``. The derived key
  /// stays in memory. An in-memory database keeps its contents.
  ///
  /// Suspending a suspended database has no effect. Cancelling the task does not end the call.
  /// - Throws: ``DatabaseError`` with the operation `open` if the database is closed.
  public func suspend() async throws(DatabaseError) {
    guard pool.suspend() else {
      throw DatabaseError(
        .open, code: .misuse, "The database is closed: open a new Database", path: path)
    }
    _ = await endAll(.suspended) { connection in connection.reopenLater() }
    // Other processes may have changed the file since it was closed.
    if pool.endSuspension() { observationHub.publishEverything() }
  }

  /// Resumes a suspended database, also while ``suspend()`` still waits for running calls. The next use reopens the files. Observers fetch again, because
  /// other processes may have changed the file.
  public func resume() {
    if pool.allow(after: .suspended) { observationHub.publishEverything() }
  }
}

import CSQLCipher

extension Connection {
  /// How many of SQLite's virtual instructions run between two looks at the task: a few
  /// milliseconds' worth.
  private static let instructions: Int32 = 100_000

  /// Runs a closure whose statements end with the code `interrupt` once the task is cancelled.
  ///
  /// See [sqlite3_progress_handler](https://www.sqlite.org/c3ref/progress_handler.html).
  func whileCancellable<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try handle
    sqlite3_progress_handler(
      database, Self.instructions,
      { _ in withUnsafeCurrentTask { $0?.isCancelled ?? false } ? 1 : 0 }, nil)
    defer { sqlite3_progress_handler(database, 0, nil, nil) }
    return try body()
  }

  /// Runs a closure in which SQL cannot commit: a COMMIT in it fails and rolls back.
  ///
  /// See [sqlite3_commit_hook](https://www.sqlite.org/c3ref/commit_hook.html).
  func withoutCommits<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try handle
    sqlite3_commit_hook(database, { _ in 1 }, nil)
    defer { sqlite3_commit_hook(database, nil, nil) }
    return try body()
  }
}

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
    do throws(DatabaseError) {
      return try body()
    } catch {
      let hookRefused = SQLITE_CONSTRAINT | (2 << 8)  // SQLITE_CONSTRAINT_COMMITHOOK, a macro
      guard error.code.rawValue == hookRefused else { throw error }
      throw DatabaseError(
        error.operation, code: .misuse,
        "COMMIT is not for here: the transaction commits by itself, when all of it is done",
        sql: error.sql)
    }
  }

  /// Runs a closure that takes a lock, and waits for it as long as another connection holds it,
  /// whatever the configuration's limit. The task's cancellation ends the wait.
  ///
  /// See [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
  func whileWaiting<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let database = try handle
    sqlite3_busy_handler(
      database,
      { _, count in
        guard !withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) else { return 0 }
        sqlite3_sleep(min(count + 1, 25))
        return 1
      }, nil)
    defer { sqlite3_busy_timeout(database, configuration.busyMilliseconds) }
    while true {
      do throws(DatabaseError) {
        return try body()
      } catch {
        guard error.code.primary == .busy else { throw error }
        guard !Task.isCancelled else {
          throw DatabaseError(
            error.operation, code: .interrupt,
            "The task was cancelled while it waited for another connection's transaction")
        }
        // SQLite does not ask the handler everywhere.
        sqlite3_sleep(1)
      }
    }
  }
}

import CSQLCipher

extension Connection {
  /// Retries a closure while another connection holds the lock, until the task is cancelled.
  ///
  /// See [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
  func whileWaiting<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let interruption = state.interruption
    return try interruption.waitingWithoutLimit { () throws(DatabaseError) in
      while true {
        do throws(DatabaseError) {
          return try body()
        } catch {
          guard error.code.primary == .busy else { throw error }
          guard !Task.isCancelled, interruption.cause == nil else {
            throw DatabaseError(
              error.operation, code: .interrupt,
              "The call was interrupted while it waited for another connection's transaction")
          }
          // In some cases, SQLite returns SQLITE_BUSY without calling the busy handler.
          sqlite3_sleep(1)
        }
      }
    }
  }
}

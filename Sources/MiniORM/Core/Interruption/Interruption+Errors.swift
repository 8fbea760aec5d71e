import CSQLCipher

extension Interruption {
  func explained(_ error: any Error) -> any Error {
    if let cause { return self.error(cause) }
    guard let error = error as? DatabaseError else { return error }
    if error.code.rawValue == SQLITE_BUSY | (2 << 8) {  // SQLITE_BUSY_SNAPSHOT, a macro
      return error.adding(
        message:
          "another connection has written since this transaction began to read, so waiting would not help: begin the transaction as .immediate, which is the default"
      )
    }
    if let waited, error.code.primary == .busy { return error.waiting(waited) }
    // A migration also checks the task.
    if error.code.primary == .interrupt, Self.isTaskCancelled { return CancellationError() }
    return error
  }

  func error(_ cause: Cause) -> any Error {
    switch cause {
    case .cancelled: CancellationError()
    case .overTime, .ending: interrupting(cause)
    }
  }

  func interrupting(_ cause: Cause) -> DatabaseError {
    switch cause {
    case .overTime(let limit): limit.error
    case .ending(1):
      DatabaseError(
        .step, code: .interrupt, "The database was closed without waiting for this call")
    case .ending: .suspended(nil)
    case .cancelled: DatabaseError(.step, code: .interrupt, "The task was cancelled")
    }
  }
}

/// The pauses between attempts to take a lock: short at first, limited so that other waiting
/// connections do not always win, and randomized.
enum Backoff {
  static func pause(_ count: Int) -> Duration {
    let milliseconds = [1, 2, 5, 10, 15, 20][min(max(count, 0), 5)]
    return .milliseconds(milliseconds + Int.random(in: 0...(milliseconds / 4 + 1)))
  }
}

extension DatabaseError {
  static func suspended(_ path: String?) -> DatabaseError {
    DatabaseError(
      .step, code: .abort, "The database is suspended: call resume() first",
      path: path)
  }

  func waiting(_ waited: Duration) -> DatabaseError {
    adding(
      message:
        "another connection or process held the lock, and this call waited \(waited.inSeconds) for it. Shorten the other transaction, or raise Configuration.busyTimeout"
    )
  }
}

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

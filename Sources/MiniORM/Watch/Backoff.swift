/// How long to wait before a lock is asked for once more: little at first, never so long that others
/// who wait always come first, and never the same for all.
enum Backoff {
  static func pause(_ count: Int) -> Duration {
    let milliseconds = [1, 2, 5, 10, 15, 20][min(max(count, 0), 5)]
    return .milliseconds(milliseconds + Int.random(in: 0...(milliseconds / 4 + 1)))
  }
}

extension DatabaseError {
  /// Returns what is thrown while a database is suspended.
  static func suspended(_ path: String?) -> DatabaseError {
    DatabaseError(
      .step, code: .abort, "The database is suspended: it can be used again after resume()",
      path: path)
  }

  /// Returns the same error with how long a lock was waited for.
  func waiting(_ waited: Duration) -> DatabaseError {
    adding(
      message:
        "another connection or process held the lock, and this waited \(waited.inSeconds) for it")
  }
}

/// A moment after which calls to databases end.
///
/// An object: how an instant lies in memory is known only when the program runs, and each statement
/// looks whether there is a limit.
final class TimeLimit: Sendable {
  let duration: Duration
  let end: ContinuousClock.Instant

  @TaskLocal static var current: TimeLimit?

  init(_ duration: Duration) {
    self.duration = duration
    end = .now + duration.bounded
  }

  var isOver: Bool { ContinuousClock.now >= end }

  var error: DatabaseError {
    DatabaseError(
      .step, code: .interrupt, "The time limit of \(duration.inSeconds) is over, so this was ended")
  }
}

extension Duration {
  /// The same, or 30 years where it is longer: no clock can sleep until the end of all times, and somebody
  /// who wants no limit may say so.
  var bounded: Duration { min(max(self, .seconds(-1_000_000_000)), .seconds(1_000_000_000)) }

  /// In seconds, for an error.
  var inSeconds: String {
    let milliseconds = Int64(clamping: Int128((self / .milliseconds(1)).rounded()))
    let rest = String(abs(milliseconds % 1_000) + 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(rest) s"
  }
}

/// Sets a time limit for the calls to databases inside a closure.
///
/// ```swift
/// let found = try await withTimeLimit(.seconds(2)) {
///   try await companies.where { $0.name.like(pattern) }.fetchAll(in: database)
/// }
/// ```
/// The limit applies to all of them together, including the time that they wait for a connection or a lock.
/// When it is reached, the running statement is interrupted, its transaction is rolled back, and the call
/// throws. A wait for the next value of an observation throws too; ``DatabaseChanges``, which throws no errors,
/// ends. A write whose COMMIT has begun is committed. Of nested limits, the one that ends first applies. Code
/// that does not call a database is not interrupted.
/// - Parameters:
///   - duration: How long the calls may take.
///   - body: What to do.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws; a call that takes longer throws ``DatabaseError`` with the code
///   ``ResultCode/interrupt``.
public func withTimeLimit<Result>(
  _ duration: Duration, _ body: () async throws -> Result
) async rethrows -> Result {
  let limit = TimeLimit(duration)
  if let outer = TimeLimit.current, outer.end <= limit.end { return try await body() }
  return try await TimeLimit.$current.withValue(limit) { try await body() }
}

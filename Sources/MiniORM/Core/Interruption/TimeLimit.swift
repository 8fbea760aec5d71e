import CSQLCipher

/// A class: the layout of an instant is unknown at compile time, and each statement checks for a
/// limit.
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
      .step, code: .interrupt,
      "The call exceeded its time limit of \(duration.inSeconds) and was ended: raise the limit, or divide the work"
    )
  }
}

extension Duration {
  /// The duration, limited to about 30 years: clocks cannot sleep for arbitrary durations.
  var bounded: Duration { min(max(self, .seconds(-1_000_000_000)), .seconds(1_000_000_000)) }

  var inSeconds: String {
    let milliseconds = Int64(clamping: Int128((self / .milliseconds(1)).rounded()))
    let rest = String(abs(milliseconds % 1_000) + 1_000).dropFirst()
    return "\(milliseconds / 1_000).\(rest) s"
  }
}

/// Sets a time limit for the database calls inside a closure.
///
/// ```swift
/// let found = try await withTimeLimit(.seconds(2)) {
///   try await companies.where { $0.name.like(pattern) }.fetchAll(in: database)
/// }
/// ```
/// The limit applies to all calls together, including waits for connections and locks. At the
/// limit, the running statement is interrupted, its transaction is rolled back, and the call
/// throws. A wait for an observation's next value also throws; ``DatabaseChanges``, which cannot
/// throw, ends. If COMMIT has begun, the write is committed. Of nested limits, the earliest
/// applies. Other code is not interrupted.
/// - Parameters:
///   - duration: The maximum duration of the calls.
///   - body: The closure.
/// - Throws: The closure's error. At the limit, a call throws ``DatabaseError`` with the code
///   ``ResultCode/interrupt``.
public func withTimeLimit<Result>(
  _ duration: Duration, _ body: () async throws -> Result
) async rethrows -> Result {
  let limit = TimeLimit(duration)
  if let outer = TimeLimit.current, outer.end <= limit.end { return try await body() }
  return try await TimeLimit.$current.withValue(limit) { try await body() }
}

/// Cancellation and the time limit for long work on a connection outside a ``Database``.
package enum Ending {
  static var error: DatabaseError? {
    if withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) {
      return DatabaseError(.step, code: .interrupt, "The task was cancelled")
    }
    guard let limit = TimeLimit.current, limit.isOver else { return nil }
    return limit.error
  }

  package static func check() throws(DatabaseError) {
    if let error { throw error }
  }

  package static func watch(_ database: OpaquePointer) {
    sqlite3_progress_handler(database, 1_000, { _ in Ending.error == nil ? 0 : 1 }, nil)
  }

  package static func throwing<Result: Sendable>(
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as DatabaseError where error.code.primary == .interrupt {
      if !Task.isCancelled, let limit = TimeLimit.current, limit.isOver { throw limit.error }
      throw CancellationError()
    }
  }
}

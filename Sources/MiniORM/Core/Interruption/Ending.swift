import CSQLCipher

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
      if let limit = TimeLimit.current, limit.isOver { throw limit.error }
      throw CancellationError()
    }
  }
}

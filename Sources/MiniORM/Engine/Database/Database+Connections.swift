import Synchronization

// A call takes a connection from the pool, and returns it on the connection's thread.
extension Database {
  /// Runs a closure on a connection. The caller blocks no thread of Swift's pool.
  func withConnection<Result: Sendable>(
    _ role: Pool.Role, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    try Task.checkCancellation()
    if let connection = try pool.take(role) {
      return try await connection.use(by: self, role, limit, after: .zero, body)
    }
    return try await onWorkers {
      let began = ContinuousClock.now
      let connection = try await pool.wait(
        for: role, patience: role == .reader ? configuration.readerTimeout : nil, limit)
      return try await connection.use(by: self, role, limit, after: .now - began, body)
    }
  }

  /// Runs a closure that resumes even while all threads of Swift's pool are blocked.
  private func onWorkers<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    try await withTaskExecutorPreference(configuration.workers, operation: body)
  }

  /// Runs a closure while no other call uses a connection. Closes the readers other than the first.
  func withAllConnections<Result: Sendable>(
    _ body:
      @Sendable (_ reader: isolated Connection, _ writer: Connection) throws(DatabaseError) ->
      Result
  ) async throws -> Result {
    let limit = TimeLimit.current
    try pool.checkProcess()
    return try await onWorkers {
      try Task.checkCancellation()
      let writer = try await pool.wait(for: .writer, patience: nil, limit)
      if pool.isSingle {
        return try await writer.use(by: self, .writer, limit, after: .zero) { db in
          try body(db, db)
        }
      }
      defer { pool.give(back: writer) }
      _ = try await pool.wait(
        for: .allReaders, patience: nil, limit, evenIfRefused: true)
      for other in pool.removeOthers() { try? await other.close() }
      defer { pool.giveBackReaders(reader.sync { $0.template }) }
      return try await reader.interruptibly(limit) { reader in try body(reader, writer) }
    }
  }
}

extension Connection {
  /// Returns the connection to the pool at once: the caller may resume much later.
  /// - Parameter waited: The time that the caller waited for the connection.
  func use<Result: Sendable>(
    by database: Database, _ role: Pool.Role, _ limit: TimeLimit?, after waited: Duration,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    defer { database.pool.give(back: self) }
    cache?.tracer?.waited = waited
    return try await interruptibly(limit, body)
  }

  func interruptibly<Result: Sendable>(
    _ limit: TimeLimit?, _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    let interruption = state.interruption
    return try await withTaskCancellationHandler {
      try call(limit, isNotified: true, body)
    } onCancel: {
      interruption.interrupt()
    }
  }

  /// - Parameters:
  ///   - isNotified: True if a cancellation calls `interrupt()`; if false, each statement checks the
  ///     task.
  ///   - kind: The transaction in which to run the closure; nil for none.
  func call<Result>(
    _ limit: TimeLimit?, isNotified: Bool = false, in kind: TransactionKind? = nil,
    _ body: (isolated Connection) throws -> Result
  ) throws -> Result {
    let interruption = state.interruption
    defer {
      resetSession()
      interruption.end()
    }
    do {
      interruption.begin(limit, isNotified: isNotified, on: state.opened?.database)
      try interruption.check()
      let result = if let kind { try transaction(kind, body) } else { try body(self) }
      reopenWhereUnreadable()  // transactions have checked their pages
      return result
    } catch {
      if let error = error as? DatabaseError { reopenWhereUnreadable(after: error) }
      throw interruption.explained(error)
    }
  }
}

extension TimeLimit {
  func timer(_ body: @escaping @Sendable () -> Void) -> Timer { Timer(at: end, body) }
}

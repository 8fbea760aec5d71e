import CSQLCipher

extension Connection {
  /// Returns the rows of a statement that is not cached, because SQLCipher runs some PRAGMAs during
  /// compilation.
  static func rows(
    _ sql: String, _ database: OpaquePointer, _ operation: DatabaseError.Operation = .step
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(sql, database, operation) { rows.append($0) }
    return rows
  }

  /// Calls a closure with each row, up to an error.
  static func forEachRow(
    _ sql: String, _ database: OpaquePointer, _ operation: DatabaseError.Operation = .step,
    _ body: ([DatabaseValue]) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = SQLiteLibrary.trusting(on: database) {
      sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    }
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(operation, code: code, from: database, sql: sql)
    }
    while true {
      let code = SQLiteLibrary.trusting(on: database) {
        HotJournal.retrying { sqlite3_step(statement) }
      }
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else {
          throw DatabaseError(operation, code: code, from: database, sql: sql)
        }
        return
      }
      var row: [DatabaseValue] = []
      for index in 0..<sqlite3_column_count(statement) {
        row.append(try DatabaseValue(cell: Cell(statement, index)))
      }
      try body(row)
    }
  }
}

/// Cancellation and the time limit for long work on a connection outside a ``Database``.
enum Ending {
  static var error: DatabaseError? {
    if withUnsafeCurrentTask(body: { $0?.isCancelled ?? false }) {
      return DatabaseError(.step, code: .interrupt, "The task was cancelled")
    }
    guard let limit = TimeLimit.current, limit.isOver else { return nil }
    return limit.error
  }

  static func check() throws(DatabaseError) {
    if let error { throw error }
  }

  static func watch(_ database: OpaquePointer) {
    sqlite3_progress_handler(database, 1_000, { _ in Ending.error == nil ? 0 : 1 }, nil)
  }

  static func throwing<Result: Sendable>(
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

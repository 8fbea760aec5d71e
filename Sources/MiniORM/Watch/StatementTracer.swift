import CSQLCipher

/// Has SQLite tell of the statements of one connection.
///
/// It is touched only by code that is isolated to the connection, and by SQLite inside of that.
final class StatementTracer: @unchecked Sendable {
  private let trace: StatementTrace
  private let role: TracedStatement.Role
  /// How many rows the statements that are running have given.
  private var rowCounts: [OpaquePointer: Int] = [:]
  /// How long the call that is running had waited before it began.
  var waited = Duration.zero

  init(_ trace: StatementTrace, _ role: TracedStatement.Role) {
    (self.trace, self.role) = (trace, role)
  }

  /// Begins, for as long as the connection is open.
  func install(on database: OpaquePointer) {
    sqlite3_trace_v2(
      database, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { event, context, statement, value in
        guard let context, let statement else { return 0 }
        let pointer = OpaquePointer(statement)
        Unmanaged<StatementTracer>.fromOpaque(context)._withUnsafeGuaranteedRef {
          if event == UInt32(SQLITE_TRACE_ROW) {
            $0.gaveRow(pointer)
          } else {
            $0.ended(pointer, value?.load(as: Int64.self) ?? 0)
          }
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())  // the cache keeps it as long as its statements
  }

  /// A statement of the program's is about to run.
  func willRun(_ statement: OpaquePointer) { rowCounts[statement] = 0 }

  /// It is over, whether or not it has run.
  func didRun(_ statement: OpaquePointer) { rowCounts[statement] = nil }

  private func gaveRow(_ statement: OpaquePointer) { rowCounts[statement]? += 1 }

  private func ended(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    guard let rowCount = rowCounts[statement] else { return }
    rowCounts[statement] = 0
    let duration = Duration.nanoseconds(nanoseconds)
    guard duration >= trace.threshold, let text = sqlite3_sql(statement) else { return }
    let sql = String(cString: text)
    // What has a key in its text is not shown at all, and no value that may be one.
    let isSecret = SecretSQL.mayHoldKey(sql)
    var expanded: String?
    if trace.includesValues, !isSecret, let text = sqlite3_expanded_sql(statement) {
      expanded = String(cString: text)
      sqlite3_free(text)
    }
    trace.handler(
      TracedStatement(
        sql: isSecret ? "(SQL with a key)" : sql, expandedSQL: expanded, duration: duration,
        rowCount: rowCount, role: role, waited: waited))
  }
}

import CSQLCipher

/// Safe to send: all accesses are isolated to the connection.
final class StatementTracer: @unchecked Sendable {
  private let trace: StatementTrace
  private let role: TracedStatement.Role
  private var rowCounts: [OpaquePointer: Int] = [:]
  var waited = Duration.zero

  init(_ trace: StatementTrace, _ role: TracedStatement.Role) {
    (self.trace, self.role) = (trace, role)
  }

  func install(on database: OpaquePointer) {
    sqlite3_trace_v2(
      database, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
      { event, context, statement, value in
        guard let context, let statement else { return 0 }
        let pointer = OpaquePointer(statement)
        let tracer = CallbackContext<StatementTracer>.object(context)
        if event == UInt32(SQLITE_TRACE_ROW) {
          tracer.gaveRow(pointer)
        } else {
          tracer.ended(pointer, value?.load(as: Int64.self) ?? 0)
        }
        return 0
      }, CallbackContext.borrowed(self))  // the cache retains it
  }

  func willRun(_ statement: OpaquePointer) { rowCounts[statement] = 0 }

  func didRun(_ statement: OpaquePointer) { rowCounts[statement] = nil }

  private func gaveRow(_ statement: OpaquePointer) { rowCounts[statement]? += 1 }

  private func ended(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    guard let rowCount = rowCounts[statement] else { return }
    rowCounts[statement] = 0
    let duration = Duration.nanoseconds(nanoseconds)
    guard duration >= trace.threshold, let text = sqlite3_sql(statement) else { return }
    let sql = String(cString: text)
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

import CSQLCipher

/// Reports completed statements, for example for a log or to find slow queries.
///
/// ```swift
/// configuration.trace = StatementTrace(slowerThan: .milliseconds(50)) { statement in
///   print(statement)
/// }
/// ```
/// The trace reports the program's statements, and the surrounding BEGIN and COMMIT. The trace
/// omits statements that set up a connection, and SQLite's internal statements, such as the
/// statements of a full-text index.
///
/// See [sqlite3_trace_v2](https://www.sqlite.org/c3ref/trace_v2.html).
public struct StatementTrace: Sendable {
  let threshold: Duration
  let includesValues: Bool
  let handler: @Sendable (TracedStatement) -> Void

  /// Creates a trace.
  /// - Parameters:
  ///   - threshold: The minimum duration of a reported statement. By default, all are reported.
  ///   - includesValues: Whether ``TracedStatement/expandedSQL`` has the values. By default, values
  ///     are omitted, because values are often the reason to encrypt a file.
  ///   - handler: Called after a statement ends, synchronously on its thread. The handler cannot
  ///     use the database.
  public init(
    slowerThan threshold: Duration = .zero, includingValues includesValues: Bool = false,
    _ handler: @escaping @Sendable (TracedStatement) -> Void
  ) {
    (self.threshold, self.includesValues) = (threshold, includesValues)
    self.handler = handler
  }
}

/// A completed statement.
public struct TracedStatement: Sendable, CustomStringConvertible {
  /// The role of a connection.
  public enum Role: String, Sendable {
    /// A connection for reading.
    case reader
    /// A connection for writing.
    case writer
  }

  /// The SQL, with parameters in place of values.
  public let sql: String
  /// The SQL with the bound values; `nil` if the trace omits values, or if the SQL may have a key.
  ///
  /// See [sqlite3_expanded_sql](https://www.sqlite.org/c3ref/expanded_sql.html).
  public let expandedSQL: String?
  /// The duration from the first step to the end, including the program's time for each row.
  public let duration: Duration
  /// The number of returned rows.
  public let rowCount: Int
  /// The role of the connection.
  public let role: Role
  /// The time that the call waited for a connection, and for locks of other processes before a
  /// restart.
  public let waited: Duration

  /// The duration, number of rows, role and SQL.
  public var description: String {
    "\(duration.inSeconds), \(rowCount) \(rowCount == 1 ? "row" : "rows"), \(role): \(expandedSQL ?? sql)"
  }
}

final class StatementTracer {
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

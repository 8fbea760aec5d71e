/// Reports each statement that a database has run, for a log or to find slow ones.
///
/// ```swift
/// configuration.trace = StatementTrace(slowerThan: .milliseconds(50)) { statement in
///   print(statement)
/// }
/// ```
/// It reports the statements that MiniORM runs for the program: its queries and changes, raw SQL, and the BEGIN
/// and COMMIT around them. It does not report those that set up a connection, nor those that SQLite runs
/// internally, as for a full-text index.
///
/// See [sqlite3_trace_v2](https://www.sqlite.org/c3ref/trace_v2.html).
public struct StatementTrace: Sendable {
  let threshold: Duration
  let includesValues: Bool
  let handler: @Sendable (TracedStatement) -> Void

  /// Creates a trace.
  /// - Parameters:
  ///   - threshold: How long a statement has to run to be reported. By default, every statement is.
  ///   - includesValues: Whether ``TracedStatement/expandedSQL`` has the values. `false` by default: values are
  ///     often the reason for encrypting a file.
  ///   - handler: A closure that is called when a statement has ended, on the thread that ran it, which waits
  ///     for the closure. It cannot use the database.
  public init(
    slowerThan threshold: Duration = .zero, includingValues includesValues: Bool = false,
    _ handler: @escaping @Sendable (TracedStatement) -> Void
  ) {
    (self.threshold, self.includesValues) = (threshold, includesValues)
    self.handler = handler
  }
}

/// A statement that has run.
public struct TracedStatement: Sendable, CustomStringConvertible {
  /// What its connection is for.
  public enum Role: String, Sendable {
    /// It reads.
    case reader
    /// It writes.
    case writer
  }

  /// The SQL, with parameters in place of values.
  public let sql: String
  /// The SQL with the bound values; `nil` if the trace does not include values, or if one may be a key.
  ///
  /// See [sqlite3_expanded_sql](https://www.sqlite.org/c3ref/expanded_sql.html).
  public let expandedSQL: String?
  /// How long it ran, from its first step to its end, including the time that the program took for each row.
  public let duration: Duration
  /// How many rows it returned.
  public let rowCount: Int
  /// What its connection is for.
  public let role: Role
  /// How long its call waited for a connection, and for locks of other processes before it started again.
  public let waited: Duration

  /// The duration, how many rows, and the SQL.
  public var description: String {
    "\(duration.inSeconds), \(rowCount) \(rowCount == 1 ? "row" : "rows"), \(role): \(expandedSQL ?? sql)"
  }
}

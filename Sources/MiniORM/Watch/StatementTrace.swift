/// Tells of each statement that a database has run: for a log, for what is slow.
///
/// ```swift
/// configuration.trace = StatementTrace(slowerThan: .milliseconds(50)) { statement in
///   print(statement)
/// }
/// ```
/// It tells of the statements that MiniORM runs for the program: its queries and changes, raw SQL, and the BEGIN
/// and COMMIT around them. It does not tell of those that set up a connection, nor of those that SQLite runs
/// by itself, as for a full-text index.
///
/// See [sqlite3_trace_v2](https://www.sqlite.org/c3ref/trace_v2.html).
public struct StatementTrace: Sendable {
  let threshold: Duration
  let includesValues: Bool
  let handler: @Sendable (TracedStatement) -> Void

  /// Describes what is told to whom.
  /// - Parameters:
  ///   - threshold: How long a statement has to run to be told of. By default each is.
  ///   - includesValues: Whether ``TracedStatement/expandedSQL`` is there. `false` by default: values are
  ///     often what a file is encrypted for.
  ///   - handler: Is called when a statement has ended, on the thread that ran it, which waits for it. It
  ///     cannot use the database.
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
  /// The SQL with the values that were bound; `nil` where they were not asked for, or where one may be a key.
  ///
  /// See [sqlite3_expanded_sql](https://www.sqlite.org/c3ref/expanded_sql.html).
  public let expandedSQL: String?
  /// How long it ran, from its first step to its end. What is done with each row in between counts.
  public let duration: Duration
  /// How many rows it gave.
  public let rowCount: Int
  /// What its connection is for.
  public let role: Role
  /// How long the call that it belongs to had waited for a connection, and for locks of other processes
  /// before it began anew.
  public let waited: Duration

  /// The duration, how many rows, and the SQL.
  public var description: String {
    "\(duration.inSeconds), \(rowCount) \(rowCount == 1 ? "row" : "rows"), \(role): \(expandedSQL ?? sql)"
  }
}

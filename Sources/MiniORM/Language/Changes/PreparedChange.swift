/// A change whose SQL is built once, and whose values are bound by each run.
///
/// ```swift
/// let hire = PreparedChange(Company.ID.self, Int.self) { id, count in
///   companies.where { $0.id == id }.update { $0.employeeCount += count }
/// }
/// try await hire.run(acme.id, 3, in: database)
/// ```
///
/// Store a prepared change where it outlives its runs, such as in a static property. Values that
/// the closure captures are fixed when the change is created. For a change that returns rows, use
/// ``PreparedReturning``.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public struct PreparedChange<each Argument: ColumnValue>: Sendable {
  @usableFromInline let parts: PreparedParts

  /// Creates a prepared change and builds its SQL.
  /// - Parameters:
  ///   - types: The type of each value that a run passes, in order.
  ///   - change: A closure that takes a placeholder for each value, and returns the change.
  public init<C: Change>(
    _ types: repeat (each Argument).Type, change: (repeat SQLExpression<each Argument>) -> C
  ) {
    let (change, owner, count) = PreparedArgument.placing(change)
    parts = PreparedParts(change.asStatement.content, argumentsOf: owner, count: count)
  }

  /// Returns the SQL with the values of a run, or an empty text if there is nothing to do.
  public func sql(_ arguments: repeat each Argument) -> SQL {
    .joined(parts.all.map { $0.sql(repeat each arguments) }, separator: "; ")
  }
}

/// A change that returns a result for each changed row, and whose SQL is built once.
///
/// ```swift
/// let rename = PreparedReturning(Company.ID.self, String.self) { id, name in
///   companies.where { $0.id == id }.update { $0.name = name }.returning()
/// }
/// let renamed: Company? = try await rename.fetchOne(acme.id, "Acme", in: database)
/// ```
///
/// See also ``PreparedChange`` and ``Returning``.
public struct PreparedReturning<Output: Sendable, each Argument: ColumnValue>: Sendable {
  let parts: PreparedParts
  let returning: Returning<Output>

  /// Creates a prepared change and builds its SQL. See ``PreparedChange/init(_:change:)``.
  public init(
    _ types: repeat (each Argument).Type,
    change: (repeat SQLExpression<each Argument>) -> Returning<Output>
  ) {
    let (returning, owner, count) = PreparedArgument.placing(change)
    self.returning = returning
    parts = PreparedParts(returning.content, argumentsOf: owner, count: count)
  }

  /// Returns the SQL with the values of a run, or an empty text if there is nothing to do.
  public func sql(_ arguments: repeat each Argument) -> SQL {
    .joined(parts.all.map { $0.sql(repeat each arguments) }, separator: "; ")
  }
}

@usableFromInline
struct PreparedParts: Sendable {
  let all: [PreparedSQL]
  /// The only statement, if there is no error. A single statement is atomic without a transaction.
  @usableFromInline let only: PreparedSQL?
  let resolution: ConflictResolution?
  private let problem: DatabaseError?

  init(_ change: ChangeContent, argumentsOf owner: PreparedArgument.Owner, count: Int) {
    all = change.parts.map { PreparedSQL($0, argumentsOf: owner, count: count) }
    resolution = change.resolution
    problem = change.problem?.adding(sql: change.sql.text)
    only = problem == nil && all.count == 1 && all[0].isSound ? all[0] : nil
  }

  func check() throws(DatabaseError) {
    if let problem { throw problem }
    for part in all { try part.check() }
  }
}

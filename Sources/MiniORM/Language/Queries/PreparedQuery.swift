/// A query whose SQL is built once, and whose values are bound by each run.
///
/// ```swift
/// let byCity = PreparedQuery(City.ID.self, Int.self) { cityID, least in
///   companies.where { $0.cityID == cityID && $0.employeeCount >= least }
/// }
/// let large = try await byCity.fetchAll(reims.id, 100, in: database)
/// ```
///
/// Store a prepared query where it outlives its runs, such as in a static property. Values that the
/// closure captures are fixed when the query is created.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public struct PreparedQuery<Output: Sendable, each Argument: ColumnValue>: Sendable {
  let prepared: PreparedSQL
  let reader: RowReader<Output>

  /// Creates a prepared query and builds its SQL.
  /// - Parameters:
  ///   - types: The type of each value that a run passes, in order.
  ///   - query: A closure that takes a placeholder for each value, and returns the query.
  public init<Q: SelectStatement>(
    _ types: repeat (each Argument).Type, query: (repeat SQLExpression<each Argument>) -> Q
  ) where Q.Output == Output {
    let (query, owner, count) = PreparedArgument.placing(query)
    let select = query.asSelect
    prepared = PreparedSQL(select.clauses.sql, argumentsOf: owner, count: count)
    reader = select.reader
  }

  /// Returns the SQL and the bound values of a run.
  /// - Parameter arguments: The values of the run, in the order of the closure's parameters.
  public func sql(_ arguments: repeat each Argument) -> SQL {
    prepared.sql(repeat each arguments)
  }
}

extension PreparedArgument {
  /// Calls a closure with a placeholder for each value that a run passes.
  static func placing<each Argument: ColumnValue, Result>(
    _ body: (repeat SQLExpression<each Argument>) -> Result
  ) -> (result: Result, owner: Owner, count: Int) {
    let owner = Owner()
    var count = 0
    func next() -> Int {
      defer { count += 1 }
      return count
    }
    let result = body(repeat SQLExpression<each Argument>(argument: next(), of: owner))
    return (result, owner, count)
  }
}

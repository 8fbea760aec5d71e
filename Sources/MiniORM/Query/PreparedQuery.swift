/// A query whose SQL is built once, and which takes its values each time it runs.
///
/// ```swift
/// let byCity = PreparedQuery(City.ID.self, Int.self) { cityID, least in
///   companies.where { $0.cityID == cityID && $0.employeeCount >= least }
/// }
/// let large = try await byCity.fetchAll(reims.id, 100, in: database)
/// ```
///
/// Keep it where it outlives its runs, such as in a static property: a run then only binds its
/// values and steps, like a hand-written prepared statement. Values that the closure captures are
/// bound as they were when the query was created.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public struct PreparedQuery<Output: Sendable, each Argument: ColumnValue>: Sendable {
  let text: StatementText
  private let template: SQL
  let reader: RowReader<Output>
  /// The values that are the same in each run, by the numbers of their parameters.
  let constants: [(index: Int32, value: any ColumnValue)]
  /// Where each argument is bound. This array is not generic: otherwise the layout of this struct,
  /// and with it each use of a property, would depend on the pack, and a run would take half as
  /// long again.
  let places: [ArgumentPlaces]
  private let problem: DatabaseError?

  /// Creates a prepared query and builds its SQL.
  /// - Parameters:
  ///   - types: The types of the values that a run is given.
  ///   - query: A closure from expressions, which stand for those values, to the query.
  public init<Q: SelectStatement>(
    _ types: repeat (each Argument).Type, query: (repeat SQLExpression<each Argument>) -> Q
  ) where Q.Output == Output {
    var count = 0
    func next() -> Int {
      defer { count += 1 }
      return count
    }
    let select = query(repeat SQLExpression<each Argument>(argument: next())).asSelect
    let sql = select.clauses.sql.statement
    (template, text) = (sql, .shared(sql.text))
    reader = select.reader
    problem = sql.problem?.adding(sql: sql.text)
    var constants: [(Int32, any ColumnValue)] = []
    var arguments: [[(index: Int32, argument: PreparedArgument)]] = Array(
      repeating: [], count: count)
    var index: Int32 = 0
    for segment in sql.segments {
      switch segment {
      case .value(let value): constants.append((index + 1, value))
      case .list(let list): constants.append((index + 1, list))
      case .argument(let argument): arguments[argument.number].append((index + 1, argument))
      default: continue
      }
      index += 1
    }
    self.constants = constants
    places = arguments.map(ArgumentPlaces.init)
  }

  /// Returns the SQL of a run and the values bound to it, without running it.
  /// - Parameter arguments: The values of the run, in the order of the closure's parameters.
  public func sql(_ arguments: repeat each Argument) -> SQL {
    var values: [Int32: any ColumnValue] = [:]
    var places = places.makeIterator()
    for argument in repeat each arguments { places.next()?.collect(argument, into: &values) }
    var index: Int32 = 0
    return SQL(
      segments: template.segments.map { segment in
        switch segment {
        case .value, .list, .argument:
          index += 1
          return values[index].map { .value($0) } ?? segment
        default: return segment
        }
      })
  }

  /// Throws if the query contains a mistake that the type system cannot catch.
  func check() throws(DatabaseError) {
    if let problem { throw problem }
  }
}

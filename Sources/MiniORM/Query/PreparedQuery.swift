/// A query whose text is built once, and which takes its values anew each time it is run.
///
/// ```swift
/// let byCity = PreparedQuery(City.ID.self, Int.self) { cityID, least in
///   companies.where { $0.cityID == cityID && $0.employeeCount >= least }
/// }
/// let large = try await byCity.fetchAll(reims.id, 100, in: database)
/// ```
///
/// Keep it where it outlives its runs, in a static property for example: a run then binds its
/// values and steps, as a prepared statement by hand does. What the closure itself takes from around
/// it is bound to what it was when the query was made.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public struct PreparedQuery<Output: Sendable, each Argument: ColumnValue>: Sendable {
  let text: StatementText
  private let template: SQL
  let reader: RowReader<Output>
  /// What is the same in each run, by the numbers of the parameters.
  let constants: [(index: Int32, value: any ColumnValue)]
  /// Where each argument is bound. Not typed by it: the layout of this struct, and with it each use
  /// of a property, would then depend on the pack, which costs a run half as much again.
  let places: [ArgumentPlaces]
  private let problem: DatabaseError?

  /// Builds the text of a query.
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

  /// The SQL of a run and the values bound to it, without running it.
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

  /// Throws for a mistake that no type could tell.
  func check() throws(DatabaseError) {
    if let problem { throw problem }
  }
}

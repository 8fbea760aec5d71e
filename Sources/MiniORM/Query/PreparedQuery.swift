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

/// What a run gives to the parameters of one argument.
struct ArgumentPlaces: Sendable {
  /// Where the value is bound as it is.
  private var indices: [Int32] = []
  /// Where it is bound as a column stores its values.
  private var encoded: [(index: Int32, coding: any ArgumentCoding)] = []

  init(_ places: [(index: Int32, argument: PreparedArgument)]) {
    for (index, argument) in places {
      if let coding = argument.coding {
        encoded.append((index, coding))
      } else {
        indices.append(index)
      }
    }
  }

  /// The value by the numbers of its parameters.
  func collect(_ value: some ColumnValue, into values: inout [Int32: any ColumnValue]) {
    for index in indices { values[index] = value }
    for (index, coding) in encoded { values[index] = coding.encode(argument: value) }
  }

  func bind(_ value: some ColumnValue, to statement: borrowing Statement) throws(DatabaseError) {
    for index in indices { try value.bind(to: statement.parameter(index)) }
    for (index, coding) in encoded {
      try coding.encode(argument: value).bind(to: statement.parameter(index))
    }
  }
}

/// A ``Coding`` of values of a type that is not known here.
protocol ArgumentCoding: Sendable {
  /// What stands for a value that is a column's, or an optional of one.
  func encode(argument: some ColumnValue) -> any ColumnValue
}

extension Coding: ArgumentCoding {
  func encode(argument: some ColumnValue) -> any ColumnValue {
    // What is nil where the column knows none is NULL, however the column stores its values.
    (argument as? Value).map(encode) ?? argument
  }
}

/// Stands in SQL for a value that is given when it is run.
struct PreparedArgument: ColumnValue {
  let number: Int
  /// How the column beside it stores its values, a ``Coding``; nil where that is the way of their
  /// type.
  let coding: (any ArgumentCoding)?

  static var columnType: ColumnType { .any }

  init(number: Int, coding: (any ArgumentCoding)? = nil) {
    (self.number, self.coding) = (number, coding)
  }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("The argument of a prepared query cannot be read")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    throw parameter.invalid("The argument of a prepared query has a value only when that is run")
  }
}

extension SQLExpression where Value: ColumnValue {
  fileprivate init(argument number: Int) {
    self.init(SQL(segments: [.argument(PreparedArgument(number: number))]), Coding())
  }
}

extension SQLExpression {
  /// The number of the argument, where the expression is nothing but one.
  private var argument: Int? {
    guard sql.segments.count == 1, case .argument(let argument) = sql.segments[0] else {
      return nil
    }
    return argument.number
  }

  /// An argument of a prepared query, bound as the values beside it are; nil for anything else.
  func argument<Other>(like other: Coding<Other>) -> SQL? {
    argument.map { number in
      let isSame = coding.isStored(like: other)
      return SQL(segments: [
        .argument(PreparedArgument(number: number, coding: isSame ? nil : other))
      ])
    }
  }
}

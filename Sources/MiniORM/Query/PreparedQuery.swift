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
  let places: (repeat ArgumentPlaces<each Argument>)
  private let problem: DatabaseError?

  /// Builds the text of a query.
  /// - Parameters:
  ///   - types: The types of the values that a run is given.
  ///   - query: A closure from expressions, which stand for those values, to the query.
  public init<Q: Query>(
    _ types: repeat (each Argument).Type, query: (repeat Expression<each Argument>) -> Q
  ) where Q.Output == Output {
    var count = 0
    func next() -> Int {
      defer { count += 1 }
      return count
    }
    let select = query(repeat Expression<each Argument>(argument: next())).asSelect
    let sql = select.clauses.sql.statement
    (template, text) = (sql, .shared(sql.text))
    reader = select.reader
    problem = sql.problem?.adding(sql: sql.text)
    var constants: [(Int32, any ColumnValue)] = []
    var arguments: [[(index: Int32, argument: PreparedArgument)]] = Array(
      repeating: [], count: count)
    for (index, value) in zip(Int32(1)..., sql.bindings) {
      if let argument = value as? PreparedArgument {
        arguments[argument.number].append((index, argument))
      } else {
        constants.append((index, value))
      }
    }
    self.constants = constants
    var number = 0
    func nextPlaces<Value>(_: Value.Type) -> ArgumentPlaces<Value> {
      defer { number += 1 }
      return ArgumentPlaces(arguments[number])
    }
    places = (repeat nextPlaces((each Argument).self))
  }

  /// The SQL of a run and the values bound to it, without running it.
  /// - Parameter arguments: The values of the run, in the order of the closure's parameters.
  public func sql(_ arguments: repeat each Argument) -> SQL {
    var values: [Int32: any ColumnValue] = [:]
    repeat (each places).collect(each arguments, into: &values)
    return template.binding(values)
  }

  /// Throws for a mistake that no type could tell.
  func check() throws(DatabaseError) {
    if let problem { throw problem }
  }
}

/// What a run gives to the parameters of one argument.
struct ArgumentPlaces<Value: ColumnValue>: Sendable {
  /// Where the value is bound as it is.
  private var indices: [Int32] = []
  /// Where it is bound as a column stores its values.
  private var encoded: [(index: Int32, encode: @Sendable (Value) -> any ColumnValue)] = []

  init(_ places: [(index: Int32, argument: PreparedArgument)]) {
    for (index, argument) in places {
      if let coding = argument.coding as? Coding<Value> {
        encoded.append((index, coding.encode))
      } else if let coding = argument.coding as? Coding<Value?> {
        encoded.append((index, { coding.encode($0) }))
      } else if let coding = (argument.coding as? any OptionalCoding)?.asOptional as? Coding<Value>
      {
        encoded.append((index, coding.encode))
      } else {
        indices.append(index)
      }
    }
  }

  /// The value by the numbers of its parameters.
  func collect(_ value: Value, into values: inout [Int32: any ColumnValue]) {
    for index in indices { values[index] = value }
    for (index, encode) in encoded { values[index] = encode(value) }
  }

  func bind(_ value: Value, to statement: borrowing Statement) throws(DatabaseError) {
    for index in indices { try value.bind(to: statement.parameter(index)) }
    for (index, encode) in encoded { try encode(value).bind(to: statement.parameter(index)) }
  }
}

/// A ``Coding`` of a type that is not known.
private protocol OptionalCoding {
  /// The same with NULL as nil.
  var asOptional: any Sendable { get }
}

extension Coding: OptionalCoding {
  fileprivate var asOptional: any Sendable { optional }
}

/// Stands in SQL for a value that is given when it is run.
struct PreparedArgument: ColumnValue {
  let number: Int
  /// How the column beside it stores its values, a ``Coding``; nil where that is the way of their
  /// type.
  let coding: (any Sendable)?

  static var columnType: ColumnType { .any }

  init(number: Int, coding: (any Sendable)? = nil) { (self.number, self.coding) = (number, coding) }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("The argument of a prepared query cannot be read")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    throw parameter.invalid("The argument of a prepared query has a value only when that is run")
  }
}

extension Expression where Value: ColumnValue {
  fileprivate init(argument number: Int) {
    self.init(SQL(binding: PreparedArgument(number: number)), Coding())
  }
}

extension Expression {
  /// The number of the argument, where the expression is nothing but one.
  private var argument: Int? {
    guard sql.text == "?", let argument = sql.bindings.first as? PreparedArgument else {
      return nil
    }
    return argument.number
  }

  /// An argument of a prepared query, bound as the values beside it are; nil for anything else.
  func argument<Other>(like other: Coding<Other>) -> SQL? {
    argument.map { SQL(binding: PreparedArgument(number: $0, coding: other)) }
  }
}

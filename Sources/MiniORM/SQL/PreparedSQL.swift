/// SQL whose text is made once, and the places of the values that each run gives.
///
/// An object, so that what has one is copied by counting one reference.
final class PreparedSQL: Sendable {
  let text: StatementText
  /// Keeps the text for others that are equal.
  private let shared: SharedText
  private let template: SQL
  /// The values that are the same in each run, by the numbers of their parameters.
  private let constants: [(index: Int32, value: any ColumnValue)]
  /// Where each argument is bound. This array is not generic: otherwise the layout of what has it,
  /// and with it each use of a property, would depend on the pack, and a run would take half as
  /// long again.
  let places: [ArgumentPlaces]
  /// The number of the parameter where an argument is bound once and as it is, which is mostly so; else 0.
  private let only: [Int32]
  /// Whether each argument is bound once and as it is, the first one to the first parameter and so on.
  let isInOrder: Bool
  private let problem: DatabaseError?

  /// - Parameters:
  ///   - sql: The SQL, with arguments among its segments.
  ///   - owner: What the arguments are those of.
  ///   - count: How many arguments there are.
  init(_ sql: SQL, argumentsOf owner: PreparedArgument.Owner, count: Int) {
    var failure: DatabaseError?
    let sql = sql.statement.withStoredRows(&failure)
    (template, shared) = (sql, .of(sql.text))
    text = shared.text
    problem = (sql.problem ?? failure)?.adding(sql: sql.text)
    var constants: [(Int32, any ColumnValue)] = []
    var arguments: [[(index: Int32, argument: PreparedArgument)]] = Array(
      repeating: [], count: count)
    var index: Int32 = 0
    for segment in sql.segments {
      guard case .parameter(let parameter) = segment else { continue }
      index += 1
      // Binding the argument of a different prepared query throws.
      if case .argument(let argument) = parameter, argument.owner === owner {
        arguments[argument.number].append((index, argument))
      } else {
        constants += parameter.values.map { (index, $0) }
      }
    }
    self.constants = constants
    places = arguments.map(ArgumentPlaces.init)
    only = places.map(\.only)
    isInOrder = only.elementsEqual((0..<count).map { Int32($0) + 1 })
  }

  /// Returns the SQL with the values bound to it.
  func sql<each Argument: ColumnValue>(_ arguments: repeat each Argument) -> SQL {
    var values: [Int32: any ColumnValue] = [:]
    var places = places.makeIterator()
    for argument in repeat each arguments { places.next()?.collect(argument, into: &values) }
    var index: Int32 = 0
    return SQL(
      segments: template.segments.map { segment in
        guard case .parameter = segment else { return segment }
        index += 1
        return values[index].map { .parameter(.value($0)) } ?? segment
      })
  }

  /// Returns the rows that a run reads, where it can read no others.
  func chosen<each Argument: ColumnValue>(by arguments: repeat each Argument) -> ChosenRows? {
    var values: [any ColumnValue] = []
    repeat values.append(each arguments)
    return SingleTableQuery(template, arguments: values)?.chosen
  }

  /// Whether it contains no mistake.
  var isSound: Bool { problem == nil }

  /// Throws if the SQL contains a mistake.
  func check() throws(DatabaseError) {
    if let problem { throw problem }
  }

  // Whoever has the arguments calls these for each: a pack that is handed on becomes a tuple, whose type is
  // looked up each time.

  var hasConstants: Bool { !constants.isEmpty }

  /// Binds the values that are the same in each run.
  func bindConstants(to statement: borrowing Statement) throws(DatabaseError) {
    guard !constants.isEmpty else { return }
    for (index, value) in constants { try value.bind(to: statement.parameter(index)) }
  }

  /// Binds the value of an argument.
  /// - Parameter number: Which one it is, from 0; then that of the next.
  func bind(
    _ argument: some ColumnValue, number: inout Int, to statement: borrowing Statement
  ) throws(DatabaseError) {
    if only[number] > 0 {
      try argument.bind(to: statement.parameter(only[number]))
    } else {
      try places[number].bind(argument, to: statement)
    }
    number += 1
  }
}

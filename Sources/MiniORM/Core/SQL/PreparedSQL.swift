/// SQL whose text is built once, with the parameters for the values of each run.
///
/// A class, so that copying a containing value retains a single reference.
@usableFromInline
final class PreparedSQL: Sendable {
  let text: StatementText
  private let template: SQL
  private let owner: PreparedArgument.Owner
  private let constants: [(index: Int32, parameter: SQLParameter)]
  /// The parameters of each argument. Not generic: a stored property whose type depends on the pack
  /// would make every access slower.
  let places: [ArgumentPlaces]
  private let problem: DatabaseError?

  init(_ sql: SQL, argumentsOf owner: PreparedArgument.Owner, count: Int) {
    var failure: DatabaseError?
    let sql = sql.statement.withStoredRows(&failure)
    let rendered = RenderedSQL(sql)
    (template, self.owner) = (sql, owner)
    text = StatementText(rendered.text)
    problem = (sql.problem ?? failure)?.adding(sql: rendered.text)
    var constants: [(Int32, SQLParameter)] = []
    var arguments: [[(index: Int32, argument: PreparedArgument)]] = Array(
      repeating: [], count: count)
    var index: Int32 = 1
    for parameter in rendered.parameters {
      // Binding the argument of a different prepared query throws.
      if case .argument(let argument) = parameter, argument.owner === owner {
        arguments[argument.number].append((index, argument))
      } else {
        constants.append((index, parameter))
      }
      index += Int32(parameter.count)
    }
    self.constants = constants
    places = arguments.map(ArgumentPlaces.init)
  }

  func sql<each Argument: ColumnValue>(_ arguments: repeat each Argument) -> SQL {
    var values: [any ColumnValue] = []
    repeat values.append(each arguments)
    return SQL(
      segments: template.segments.map { segment in
        guard case .parameter(.argument(let argument)) = segment, argument.owner === owner,
          let value = argument.value(among: values)
        else { return segment }
        return .parameter(.value(value))
      })
  }

  func chosen<each Argument: ColumnValue>(by arguments: repeat each Argument) -> ChosenRows? {
    var values: [any ColumnValue] = []
    repeat values.append(each arguments)
    return SingleTableQuery(template, arguments: values)?.chosen
  }

  var isSound: Bool { problem == nil }

  func check() throws(DatabaseError) {
    if let problem { throw problem }
  }

  // The caller binds the arguments singly: a forwarded pack becomes a tuple, whose type is looked
  // up on each call.

  func bindConstants(to statement: borrowing Statement) throws(DatabaseError) {
    for (index, parameter) in constants { try parameter.bind(to: statement, at: index) }
  }

  @usableFromInline
  func bind(
    _ argument: some ColumnValue, number: inout Int, to statement: borrowing Statement
  ) throws(DatabaseError) {
    try places[number].bind(argument, to: statement)
    number += 1
  }
}

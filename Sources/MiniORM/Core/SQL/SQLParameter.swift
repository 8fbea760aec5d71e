enum SQLParameter: Sendable {
  case value(any ColumnValue)
  /// The values of IN.
  case list(ValueList)
  indirect case argument(PreparedArgument)
  case row(any InsertedValues)

  var text: String {
    switch self {
    case .value, .argument: "?"
    case .list(let list): list.sql
    case .row(let row): row.text
    }
  }

  var count: Int {
    switch self {
    case .value, .argument: 1
    case .list(let list): list.parameterCount
    case .row(let row): row.count
    }
  }

  func bind(to statement: borrowing Statement, at index: Int32) throws(DatabaseError) {
    switch self {
    case .value(let value): try value.bind(to: statement.parameter(index))
    case .list(let list):
      for (offset, value) in list.parameters.enumerated() {
        try value.bind(to: statement.parameter(index + Int32(offset)))
      }
    case .argument(let argument): try argument.bind(to: statement.parameter(index))
    case .row(let row): try row.bind(to: statement, at: index)
    }
  }

  var values: [any ColumnValue] {
    switch self {
    case .value(let value): [value]
    case .list(let list): list.parameters
    case .argument(let argument): [argument]
    case .row(let row):
      (try? row.segments).map { SQL(segments: $0).bindings }
        ?? Array(repeating: DatabaseValue.null, count: row.count)
    }
  }
}

protocol InsertedValues: AnyObject, Sendable {
  var count: Int { get }
  var text: String { get }
  /// The row's stored values as separate parameters, for SQL that does not bind the row itself.
  var segments: [SQL.Segment] { get throws(DatabaseError) }
  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError)
}

struct ArgumentPlaces: Sendable {
  private var indices: [Int32] = []
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

  func bind(_ value: some ColumnValue, to statement: borrowing Statement) throws(DatabaseError) {
    for index in indices { try value.bind(to: statement.parameter(index)) }
    for (index, coding) in encoded {
      try coding.encode(argument: value).bind(to: statement.parameter(index))
    }
  }
}

protocol ArgumentCoding: Sendable {
  func encode(argument: some ColumnValue) -> any ColumnValue
}

extension Coding: ArgumentCoding {
  func encode(argument: some ColumnValue) -> any ColumnValue {
    // nil binds NULL, whatever the storage format is.
    (argument as? Value).map(encode) ?? argument
  }
}

struct ComparedCoding<Value>: ArgumentCoding {
  let coding: Coding<Value>

  func encode(argument: some ColumnValue) -> any ColumnValue {
    (argument as? Value).map(coding.encodeCompared) ?? argument
  }
}

struct PreparedArgument: ColumnValue {
  /// The identity of a prepared query: placeholders of a different query are rejected.
  final class Owner: Sendable {}

  let number: Int
  let owner: Owner
  /// The storage format of the compared column; nil for the type's default format.
  let coding: (any ArgumentCoding)?

  static var columnType: ColumnType { .any }

  static let noValue =
    "The argument of a prepared query has a value only when the query runs: write a value here, or run the prepared query with its arguments"

  init(number: Int, of owner: Owner, coding: (any ArgumentCoding)? = nil) {
    (self.number, self.owner, self.coding) = (number, owner, coding)
  }

  func stored(_ coding: (any ArgumentCoding)?) -> PreparedArgument {
    PreparedArgument(number: number, of: owner, coding: coding)
  }

  func value(among arguments: [any ColumnValue]) -> (any ColumnValue)? {
    guard arguments.indices.contains(number) else { return nil }
    return coding?.encode(argument: arguments[number]) ?? arguments[number]
  }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("A placeholder of a prepared query cannot be read from a result")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    throw parameter.invalid(Self.noValue)
  }
}

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

  /// The number of the parameter, where there is one and the value is bound as it is; else 0.
  var only: Int32 { encoded.isEmpty && indices.count == 1 ? indices[0] : 0 }

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
  /// Returns what stands for a value that is a column's, or an optional of one.
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
  /// What is prepared, which alone has a value for it.
  final class Owner: Sendable {}

  let number: Int
  let owner: Owner
  /// How the column beside it stores its values, a ``Coding``; nil where that is the way of their
  /// type.
  let coding: (any ArgumentCoding)?

  static var columnType: ColumnType { .any }

  init(number: Int, of owner: Owner, coding: (any ArgumentCoding)? = nil) {
    (self.number, self.owner, self.coding) = (number, owner, coding)
  }

  /// Returns the same argument, stored as a column does it.
  func stored(_ coding: (any ArgumentCoding)?) -> PreparedArgument {
    PreparedArgument(number: number, of: owner, coding: coding)
  }

  /// Returns the value of this argument, as it is bound, where those of a run are given.
  func value(among arguments: [any ColumnValue]) -> (any ColumnValue)? {
    guard arguments.indices.contains(number) else { return nil }
    return coding?.encode(argument: arguments[number]) ?? arguments[number]
  }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("The argument of a prepared query cannot be read")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    throw parameter.invalid("The argument of a prepared query has a value only when that is run")
  }
}

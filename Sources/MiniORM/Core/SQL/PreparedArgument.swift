/// The parameters to which a run binds an argument.
struct ArgumentPlaces: Sendable {
  private var indices: [Int32] = []
  /// The parameters that take the value in a column's storage format.
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

  /// The only parameter, if it takes the value unconverted, or 0.
  var only: Int32 { encoded.isEmpty && indices.count == 1 ? indices[0] : 0 }

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

/// A ``Coding`` whose value type is erased.
protocol ArgumentCoding: Sendable {
  /// Returns the stored form of a value of the column's type, or of an optional of that type.
  func encode(argument: some ColumnValue) -> any ColumnValue
}

extension Coding: ArgumentCoding {
  func encode(argument: some ColumnValue) -> any ColumnValue {
    // nil for a column that is not optional binds NULL, whatever the storage format is.
    (argument as? Value).map(encode) ?? argument
  }
}

/// A ``Coding`` for an argument that is compared with stored values.
struct ComparedCoding<Value>: ArgumentCoding {
  let coding: Coding<Value>

  func encode(argument: some ColumnValue) -> any ColumnValue {
    (argument as? Value).map(coding.encodeCompared) ?? argument
  }
}

/// A placeholder in SQL for a value that each run gives.
struct PreparedArgument: ColumnValue {
  /// The identity of a prepared query, so that a placeholder in a different query is rejected.
  final class Owner: Sendable {}

  let number: Int
  let owner: Owner
  /// The storage format of the column in the comparison; nil for the default format of the type.
  let coding: (any ArgumentCoding)?

  static var columnType: ColumnType { .any }

  init(number: Int, of owner: Owner, coding: (any ArgumentCoding)? = nil) {
    (self.number, self.owner, self.coding) = (number, owner, coding)
  }

  /// Returns the same argument in a column's storage format.
  func stored(_ coding: (any ArgumentCoding)?) -> PreparedArgument {
    PreparedArgument(number: number, of: owner, coding: coding)
  }

  /// Returns the value of this argument among a run's values, in its storage format.
  func value(among arguments: [any ColumnValue]) -> (any ColumnValue)? {
    guard arguments.indices.contains(number) else { return nil }
    return coding?.encode(argument: arguments[number]) ?? arguments[number]
  }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("The argument of a prepared query cannot be read")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    throw parameter.invalid("The argument of a prepared query has a value only when the query runs")
  }
}

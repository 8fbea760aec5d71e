extension SQLExpression where Value: ColumnValue {
  /// What stands in the closure of a prepared query for a value that a run gives.
  init(argument number: Int) {
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

extension SQLExpression where Value: ColumnValue {
  /// What stands in the closure of a prepared query for a value that a run gives.
  init(argument number: Int, of owner: PreparedArgument.Owner) {
    self.init(SQL(segments: [.parameter(.argument(PreparedArgument(number: number, of: owner)))]), Coding())
  }
}

extension SQLExpression {
  /// The argument, where the expression is nothing but one.
  private var argument: PreparedArgument? {
    guard sql.segments.count == 1, case .parameter(.argument(let argument)) = sql.segments[0]
    else { return nil }
    return argument
  }

  /// Returns an argument of a prepared query, bound as the values beside it are; nil for anything
  /// else.
  func argument<Other>(like other: Coding<Other>) -> SQL? {
    argument.map { argument in
      let isSame = coding.isStored(like: other)
      return SQL(segments: [.parameter(.argument(argument.stored(isSame ? nil : other)))])
    }
  }
}

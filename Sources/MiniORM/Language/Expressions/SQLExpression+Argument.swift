extension SQLExpression where Value: ColumnValue {
  init(argument number: Int, of owner: PreparedArgument.Owner) {
    let argument = PreparedArgument(number: number, of: owner)
    self.init(SQL(segments: [.parameter(.argument(argument))]), Coding())
  }
}

extension SQLExpression {
  private var argument: PreparedArgument? {
    guard sql.segments.count == 1, case .parameter(.argument(let argument)) = sql.segments[0]
    else { return nil }
    return argument
  }

  /// Returns an argument of a prepared query in the other operand's format; nil for other
  /// expressions.
  /// - Parameter isCompared: True if the argument is compared with the other operand.
  func argument<Other>(like other: Coding<Other>, compared isCompared: Bool = false) -> SQL? {
    argument.map { argument in
      let isSame = coding.stored == nil || other.stored == nil || coding.stored == other.stored
      let coding: any ArgumentCoding = isCompared ? ComparedCoding(coding: other) : other
      return SQL(segments: [.parameter(.argument(argument.stored(isSame ? nil : coding)))])
    }
  }
}

// Arithmetic with two expressions that do not fit, if no other operator applies.
//
// The compiler takes an operator that is unavailable, or whose conformance is, only after it has
// tried all others: deep in arithmetic that takes 5 s, and then it gives up. It takes these at once,
// since it looks at isolation after it knows the types. So the advice stands in the name of an actor
// to which nothing else belongs.

/// The actor of operators that must not be called.
@_documentation(visibility: internal)
@globalActor
public actor
  `operands of two types: cast(to:) converts one, ?? replaces NULL`
{
  /// The only one.
  public static let shared =
    `operands of two types: cast(to:) converts one, ?? replaces NULL`()
}

// These results are never less optional than the right operator's: where a value that cannot be NULL
// is easier to use, they would be taken in its place.

// Numbers that cannot be NULL: the result can be assigned to a column of the left one's type.
extension SQLExpression where Value: SQLNumeric, Value.Unwrapped == Value {
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func + <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func - <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func * <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
}

extension SQLExpression {
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func + <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func - <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func * <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func / <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Refused: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL`
  public static func % <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }

  /// Returns an expression that throws when it is used, for who calls an operator on the actor.
  func refused<Result>(_ coding: Coding<Result>) -> SQLExpression<Result> {
    var sql = sql
    sql.record(.query("An operator has operands of two types: 'cast(to:)' converts one"))
    return SQLExpression<Result>(sql, coding)
  }
}

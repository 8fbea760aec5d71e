// Arithmetic with expressions of different types, if no other operator applies.
//
// The compiler considers an unavailable operator or conformance only after all other candidates.
// Deep in arithmetic, this takes seconds, and then the compiler gives up. The compiler chooses
// these operators immediately, because it checks isolation after it knows the types. So the advice
// is the name of an actor without other members.

/// The actor of these operators, which must not be called.
@_documentation(visibility: internal)
@globalActor
public actor
  `operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
{
  /// The shared instance.
  public static let shared =
    `operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`()
}

// The results are at least as optional as the results of the valid operators, so that the compiler
// does not prefer these overloads where a non-optional value is easier to use.

// For non-optional numbers, the result can be assigned to a column of the left operand's type.
extension SQLExpression where Value: SQLNumeric, Value.Unwrapped == Value {
  /// Unavailable: SQL calculates with numbers of the same type.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func + <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func - <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func * <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
}

extension SQLExpression {
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func + <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func - <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func * <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func / <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  @_documentation(visibility: internal)
  @`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
  public static func % <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }

  /// Returns an expression whose query throws, for code that calls an operator on the actor.
  func refused<Result>(_ coding: Coding<Result>) -> SQLExpression<Result> {
    var sql = sql
    sql.record(.query("The operands have different types: convert one with 'cast(to:)'"))
    return SQLExpression<Result>(sql, coding)
  }
}

// Arithmetic with expressions of different types, if no other operator applies.
// The compiler considers an unavailable operator or conformance after all other candidates. Deep in
// arithmetic, this takes seconds before the compiler gives up. These operators are chosen at once,
// because isolation is checked after the types are known. The advice is therefore the name of an
// actor.

/// An actor whose name the compiler shows in an error at these operators.
@_documentation(visibility: internal)
@globalActor
public actor
  `operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
{
  /// The shared instance.
  public static let shared =
    `operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`()
}

// The results are at least as optional as the results of the valid operators. Otherwise the
// compiler would prefer these overloads where a non-optional value is easier to use.

// With non-optional numbers, the result has the type of the left operand, to which it may be
// assigned.
@_documentation(visibility: internal)
@`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
extension SQLExpression where Value: SQLNumeric, Value.Unwrapped == Value {
  /// Unavailable: SQL calculates with numbers of the same type.
  public static func + <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Unavailable.
  public static func - <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
  /// Unavailable.
  public static func * <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>) -> Self
  where Other.Unwrapped == Other { left.refused(left.coding) }
}

@_documentation(visibility: internal)
@`operands of two types: cast(to:) converts one, ?? replaces NULL; Decimal has no arithmetic in SQL`
extension SQLExpression {
  /// Unavailable.
  public static func + <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  public static func - <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  public static func * <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  public static func / <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }
  /// Unavailable.
  public static func % <Other>(left: Self, right: SQLExpression<Other>) -> SQLExpression<Value?> {
    left.refused(left.coding.optional)
  }

  /// Returns an expression that throws when its query runs, for callers on the actor.
  func refused<Result>(_ coding: Coding<Result>) -> SQLExpression<Result> {
    var sql = sql
    sql.record(.query("The operands have different types: convert one with 'cast(to:)'"))
    return SQLExpression<Result>(sql, coding)
  }
}

// Without this overload, `$0.name == "\($0.age)"` would compare with the description of a Swift
// value. The compiler would prefer the standard library's overload to an unavailable overload.

/// An actor whose name the compiler shows in an error at the interpolation.
@_documentation(visibility: internal)
@globalActor
public actor `no SQL expression in a String: join with appending(_:), convert with cast(to:)` {
  /// The shared instance.
  public static let shared =
    `no SQL expression in a String: join with appending(_:), convert with cast(to:)`()
}

extension DefaultStringInterpolation {
  /// Unavailable: the text would contain the description of a Swift value instead of SQL.
  @_documentation(visibility: internal)
  @`no SQL expression in a String: join with appending(_:), convert with cast(to:)`
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {}
}

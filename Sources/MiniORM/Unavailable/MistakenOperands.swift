// Operators for operands of different types, if no other operator applies. Without these, a single
// wrong operand among ten terms takes the compiler seconds, and then it gives up. With these, the
// compiler matches immediately, and rejects the unavailable conformance with a message at the
// operand.

/// A type that is not a valid operand: both operands of an operator must have the same type.
public protocol SQLOperand {}
/// A type that is neither a valid operand nor an expression.
public protocol SQLOperandValue: SQLOperand {}

@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts, '??' replaces NULL"
)
extension SQLExpression: SQLOperand {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Optional: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Bool: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Int: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Int8: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Int16: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Int32: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Int64: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension UInt: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension UInt8: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension UInt16: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension UInt32: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension UInt64: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Double: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column"
)
extension Float: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "an operator takes two of one type, or one and its optional: 'cast(to:)' converts a column, and 'appending(_:)' joins texts"
)
extension String: SQLOperandValue {}

extension SQLExpression {
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func == <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func != <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func < <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func <= <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func > <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func >= <Other: SQLOperand>(left: Self, right: Other) -> SQLExpression<Bool?> {
    left.isNil.condition
  }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func + <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func + <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func - <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func - <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func * <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func * <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func / <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func / <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func % <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable: SQL calculates with numbers of the same type.
  @_disfavoredOverload
  @_documentation(visibility: internal)
  public static func % <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
}

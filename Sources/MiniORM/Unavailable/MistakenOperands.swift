// Operators for operands of different types. Without these, the compiler needs seconds to give up
// on a wrong operand among ten terms. With these, the compiler matches at once, and rejects the
// unavailable conformance with a message at the operand.

/// A type that is not a valid operand. Both operands of an operator must have the same type.
@_documentation(visibility: internal)
public protocol SQLOperand {}
/// A type that is neither a valid operand nor an expression.
@_documentation(visibility: internal)
public protocol SQLOperandValue: SQLOperand {}

@available(
  *, unavailable,
  message:
    "both sides must have the same type, optional or not: convert with 'cast(to:)', replace NULL with '??'"
)
extension SQLExpression: SQLOperand {}
@available(
  *, unavailable,
  message: "the column is not optional: unwrap this value, or write '.optional' after the column"
)
extension Optional: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Bool: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Int: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Int8: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Int16: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Int32: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Int64: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension UInt: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension UInt8: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension UInt16: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension UInt32: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension UInt64: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Double: SQLOperandValue {}
@available(*, unavailable, message: "both sides must have the same type: convert with 'cast(to:)'")
extension Float: SQLOperandValue {}
@available(
  *, unavailable,
  message:
    "both sides must have the same type, optional or not: convert a column with 'cast(to:)', join texts with 'appending(_:)'"
)
extension String: SQLOperandValue {}

@_documentation(visibility: internal)
extension SQLExpression {
  private var null: SQLExpression<Bool?> { isNil.condition }

  /// Unavailable: only values of the same type can be compared.
  @_disfavoredOverload
  public static func == (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func != (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func < (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func <= (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func > (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func >= (left: Self, right: some SQLOperand) -> SQLExpression<Bool?> { left.null }
  /// Unavailable.
  @_disfavoredOverload
  public static func + <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable.
  @_disfavoredOverload
  public static func + <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable.
  @_disfavoredOverload
  public static func - <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable.
  @_disfavoredOverload
  public static func - <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable.
  @_disfavoredOverload
  public static func * <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable.
  @_disfavoredOverload
  public static func * <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable.
  @_disfavoredOverload
  public static func / <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable.
  @_disfavoredOverload
  public static func / <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
  /// Unavailable.
  @_disfavoredOverload
  public static func % <Other: SQLOperandValue>(left: Self, right: Other) -> Self { left }
  /// Unavailable.
  @_disfavoredOverload
  public static func % <Other: SQLOperandValue>(left: Other, right: Self) -> Self { right }
}

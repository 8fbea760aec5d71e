#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A number that SQL can add up: what it can calculate with, and `Decimal`.
public protocol SQLSummable: ColumnValue {
  /// The number itself, where this is an optional.
  associatedtype Unwrapped: ColumnValue = Self
}

extension Decimal: SQLSummable {}
extension Optional: SQLSummable where Wrapped: SQLSummable {
  /// The number's own type, however often it is wrapped.
  public typealias Unwrapped = Wrapped.Unwrapped
}

/// A number that SQL can calculate with: the integers, `Double`, `Float` and their optionals.
public protocol SQLNumeric: SQLSummable {}

extension Int: SQLNumeric {}
extension Int8: SQLNumeric {}
extension Int16: SQLNumeric {}
extension Int32: SQLNumeric {}
extension Int64: SQLNumeric {}
extension UInt: SQLNumeric {}
extension UInt8: SQLNumeric {}
extension UInt16: SQLNumeric {}
extension UInt32: SQLNumeric {}
extension UInt64: SQLNumeric {}
extension Double: SQLNumeric {}
extension Float: SQLNumeric {}
extension Optional: SQLNumeric where Wrapped: SQLNumeric {}

// Integers divide as in C. An addition beyond 64 bits becomes a REAL in SQLite, which then does not
// read as an integer: an error, not a wrong number.
extension Expression where Value: SQLNumeric {
  /// The sum of two expressions.
  public static func + (left: Self, right: Self) -> Self { infix(left, "+", right, left.coding) }
  /// The sum of an expression and a value.
  public static func + (left: Self, right: Value) -> Self {
    left.infix("+", left.binding(right), left.coding)
  }
  /// The sum of a value and an expression.
  public static func + (left: Value, right: Self) -> Self {
    Expression(right.binding(left), right.coding).infix("+", right.sql, right.coding)
  }
  /// The difference of two expressions.
  public static func - (left: Self, right: Self) -> Self { infix(left, "-", right, left.coding) }
  /// The difference of an expression and a value.
  public static func - (left: Self, right: Value) -> Self {
    left.infix("-", left.binding(right), left.coding)
  }
  /// The difference of a value and an expression.
  public static func - (left: Value, right: Self) -> Self {
    Expression(right.binding(left), right.coding).infix("-", right.sql, right.coding)
  }
  /// The product of two expressions.
  public static func * (left: Self, right: Self) -> Self { infix(left, "*", right, left.coding) }
  /// The product of an expression and a value.
  public static func * (left: Self, right: Value) -> Self {
    left.infix("*", left.binding(right), left.coding)
  }
  /// The product of a value and an expression.
  public static func * (left: Value, right: Self) -> Self {
    Expression(right.binding(left), right.coding).infix("*", right.sql, right.coding)
  }
  /// The quotient of two expressions.
  ///
  /// Dividing by zero gives NULL, also where the numbers cannot be NULL: a comparison with it finds
  /// no row, an aggregate leaves it out, and assigning it to a column that is not optional throws.
  public static func / (left: Self, right: Self) -> Self { infix(left, "/", right, left.coding) }
  /// The quotient of an expression and a value. Dividing by zero gives NULL, as for two expressions.
  public static func / (left: Self, right: Value) -> Self {
    left.infix("/", left.binding(right), left.coding)
  }
  /// The quotient of a value and an expression. Dividing by zero gives NULL, as for two expressions.
  public static func / (left: Value, right: Self) -> Self {
    Expression(right.binding(left), right.coding).infix("/", right.sql, right.coding)
  }
  /// The remainder of a division by a value, both taken as integers. Dividing by zero gives NULL.
  public static func % (left: Self, right: Value) -> Self {
    left.infix("%", left.binding(right), left.coding)
  }
  /// The remainder of a division of two expressions, both taken as integers. Dividing by zero gives
  /// NULL.
  public static func % (left: Self, right: Self) -> Self { infix(left, "%", right, left.coding) }
  /// The number with the other sign.
  public static prefix func - (operand: Self) -> Self { operand.prefixed("-") }
}

extension Expression {
  /// `operator operand`, in parentheses.
  func prefixed(_ name: String) -> Self {
    var text = SQL(raw: "(\(name)")
    text.append(sql)
    text.append(")")
    return Expression(text, coding)
  }
}

// SQLite has no exclusive or: it is (a | b) - (a & b).
extension Expression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
  /// The bits that are set in both.
  public static func & (left: Self, right: Self) -> Self { infix(left, "&", right, left.coding) }
  /// The bits that are set in both.
  public static func & (left: Self, right: Value) -> Self {
    left.infix("&", left.binding(right), left.coding)
  }
  /// The bits that are set in one or both.
  public static func | (left: Self, right: Self) -> Self { infix(left, "|", right, left.coding) }
  /// The bits that are set in one or both.
  public static func | (left: Self, right: Value) -> Self {
    left.infix("|", left.binding(right), left.coding)
  }
  /// The bits moved to the left, those of 64.
  public static func << (left: Self, right: Self) -> Self { infix(left, "<<", right, left.coding) }
  /// The bits moved to the left, those of 64.
  public static func << (left: Self, right: Value) -> Self {
    left.infix("<<", left.binding(right), left.coding)
  }
  /// The bits moved to the right; the sign stays.
  public static func >> (left: Self, right: Self) -> Self { infix(left, ">>", right, left.coding) }
  /// The bits moved to the right; the sign stays.
  public static func >> (left: Self, right: Value) -> Self {
    left.infix(">>", left.binding(right), left.coding)
  }
  /// The bits inverted, all 64 of them: of an unsigned column the result is negative.
  public static prefix func ~ (operand: Self) -> Self { operand.prefixed("~") }
}

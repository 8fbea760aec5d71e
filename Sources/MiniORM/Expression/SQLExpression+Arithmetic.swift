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
extension SQLExpression where Value: SQLNumeric {
  /// The sum of two expressions.
  public static func + (left: Self, right: Self) -> Self { infix(left, "+", right, left.coding) }
  /// The sum of an expression and a value.
  public static func + (left: Self, right: Value) -> Self {
    left.infix("+", left.binding(right), left.coding)
  }
  /// The sum of a value and an expression.
  public static func + (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("+", right.sql, right.coding)
  }
  /// The difference of two expressions.
  public static func - (left: Self, right: Self) -> Self { infix(left, "-", right, left.coding) }
  /// The difference of an expression and a value.
  public static func - (left: Self, right: Value) -> Self {
    left.infix("-", left.binding(right), left.coding)
  }
  /// The difference of a value and an expression.
  public static func - (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("-", right.sql, right.coding)
  }
  /// The product of two expressions.
  public static func * (left: Self, right: Self) -> Self { infix(left, "*", right, left.coding) }
  /// The product of an expression and a value.
  public static func * (left: Self, right: Value) -> Self {
    left.infix("*", left.binding(right), left.coding)
  }
  /// The product of a value and an expression.
  public static func * (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("*", right.sql, right.coding)
  }
  /// The quotient of two expressions: NULL for a division by zero.
  public static func / (left: Self, right: Self) -> SQLExpression<Value.Unwrapped?> {
    infix(left, "/", right, Coding())
  }
  /// The quotient of an expression and a value. Dividing by the value 0 throws
  /// when the query runs, or gives NULL where the expression can be NULL.
  public static func / (left: Self, right: Value) -> Self {
    left.infix("/", left.divisor(right), left.coding)
  }
  /// The quotient of a value and an expression: NULL for a division by zero.
  public static func / (left: Value, right: Self) -> SQLExpression<Value.Unwrapped?> {
    SQLExpression(right.binding(left), right.coding).infix("/", right.sql, Coding())
  }
  /// The remainder of a division by a value, both taken as integers. Dividing by the value 0
  /// throws when the query runs, or gives NULL where the expression can be NULL.
  public static func % (left: Self, right: Value) -> Self {
    left.infix("%", left.divisor(right, isWhole: true), left.coding)
  }
  /// The remainder of a division of two expressions, both taken as integers: NULL for a division by
  /// zero.
  public static func % (left: Self, right: Self) -> SQLExpression<Value.Unwrapped?> {
    infix(left, "%", right, Coding())
  }
  /// The number with the other sign.
  public static prefix func - (operand: Self) -> Self { operand.prefixed("-") }
}

// A number that can be NULL beside one that cannot: what is made of them can.
extension SQLExpression where Value: SQLNumeric {
  /// The sum of two expressions, of which the first can be NULL.
  public static func + <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "+", right, left.coding) }
  /// The sum of two expressions, of which the second can be NULL.
  public static func + <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "+", right, right.coding) }
  /// The difference of two expressions, of which the first can be NULL.
  public static func - <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "-", right, left.coding) }
  /// The difference of two expressions, of which the second can be NULL.
  public static func - <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "-", right, right.coding) }
  /// The product of two expressions, of which the first can be NULL.
  public static func * <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "*", right, left.coding) }
  /// The product of two expressions, of which the second can be NULL.
  public static func * <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "*", right, right.coding) }
  /// The quotient of two expressions, of which the first can be NULL.
  public static func / <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "/", right, left.coding) }
  /// The quotient of two expressions, of which the second can be NULL.
  public static func / <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "/", right, right.coding) }
  /// The remainder of a division of two expressions, of which the first can be NULL.
  public static func % <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "%", right, left.coding) }
  /// The remainder of a division of two expressions, of which the second can be NULL.
  public static func % <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "%", right, right.coding) }

  /// A value to divide by, with a mistake where it is 0: SQLite's answer would be NULL, and that is no
  /// value of this type.
  /// - Parameter isWhole: Whether SQLite divides by the whole part of it.
  private func divisor(_ value: Value, isWhole: Bool = false) -> SQL {
    var sql = binding(value)
    let isZero =
      switch try? DatabaseValue(coding.encode(value)) {
      case .integer(let number): number == 0
      case .real(let number): isWhole ? number.magnitude < 1 : number == 0
      default: false
      }
    if isZero, !coding.isNullable {
      sql.record(.query("A division by the value 0 is NULL, which is no number"))
    }
    return sql
  }
}

extension SQLExpression {
  /// `operator operand`, in parentheses.
  func prefixed(_ name: String) -> Self {
    var text = SQL(raw: "(\(name)")
    text.append(sql)
    text.append(")")
    return SQLExpression(text, coding)
  }
}

// SQLite has no exclusive or: it is (a | b) - (a & b).
extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
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

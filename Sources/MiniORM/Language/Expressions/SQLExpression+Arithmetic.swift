#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A number type whose values SQL can add: ``SQLNumeric``, or `Decimal`.
public protocol SQLSummable: ColumnValue {
  /// The number type without optionals.
  associatedtype Unwrapped: ColumnValue = Self
}

extension Decimal: SQLSummable {}
extension Optional: SQLSummable where Wrapped: SQLSummable {
  /// The innermost number type.
  @_documentation(visibility: internal)
  public typealias Unwrapped = Wrapped.Unwrapped
}

/// A number type for SQL arithmetic: an integer, `Double`, `Float`, or an optional number.
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

// Integers divide as in C. If a result exceeds 64 bits, SQLite returns a REAL, and reading the REAL
// as an integer throws.
extension SQLExpression where Value: SQLNumeric {
  /// Returns the sum of two expressions.
  public static func + (left: consuming Self, right: consuming Self) -> Self {
    let coding = left.coding
    return infix(left, "+", right, coding)
  }
  /// Returns the sum of an expression and a value.
  public static func + (left: consuming Self, right: Value) -> Self {
    let coding = left.coding
    return left.infix("+", value: right, coding)
  }
  /// Returns the sum of a value and an expression.
  public static func + (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("+", right.sql, right.coding)
  }
  /// Returns the difference of two expressions.
  public static func - (left: consuming Self, right: consuming Self) -> Self {
    let coding = left.coding
    return infix(left, "-", right, coding)
  }
  /// Returns the difference of an expression and a value.
  public static func - (left: consuming Self, right: Value) -> Self {
    let coding = left.coding
    return left.infix("-", value: right, coding)
  }
  /// Returns the difference of a value and an expression.
  public static func - (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("-", right.sql, right.coding)
  }
  /// Returns the product of two expressions.
  public static func * (left: consuming Self, right: consuming Self) -> Self {
    let coding = left.coding
    return infix(left, "*", right, coding)
  }
  /// Returns the product of an expression and a value.
  public static func * (left: consuming Self, right: Value) -> Self {
    let coding = left.coding
    return left.infix("*", value: right, coding)
  }
  /// Returns the product of a value and an expression.
  public static func * (left: Value, right: Self) -> Self {
    SQLExpression(right.binding(left), right.coding).infix("*", right.sql, right.coding)
  }
  /// Returns the quotient of two expressions. Division by zero or a NULL operand gives NULL.
  public static func / <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Value.Unwrapped?> where Other.Unwrapped == Value.Unwrapped
  { infix(left.asReal, "/", right, Coding()) }
  /// Returns the quotient of an expression and a value.
  ///
  /// Division by the value 0 throws when the query runs, or gives NULL if the expression can be
  /// NULL.
  public static func / (left: Self, right: Value) -> Self {
    left.infix("/", left.divisor(right), left.coding)
  }
  /// Returns the quotient of a value and an expression, or NULL for a division by zero.
  public static func / (left: Value, right: Self) -> SQLExpression<Value.Unwrapped?> {
    SQLExpression(right.binding(left), right.coding).infix("/", right.sql, Coding())
  }
  /// Returns the remainder of a division by a value. Both operands are converted to integers.
  ///
  /// Division by a value whose integer part is 0 throws when the query runs, or gives NULL if the
  /// expression can be NULL.
  public static func % (left: Self, right: Value) -> Self {
    left.infix("%", left.divisor(right, isWhole: true), left.coding)
  }
  /// Returns the remainder of two expressions, converted to integers. Division by zero or a NULL
  /// operand gives NULL.
  public static func % <Other: SQLNumeric>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Value.Unwrapped?> where Other.Unwrapped == Value.Unwrapped
  { infix(left, "%", right, Coding()) }
  /// Returns the number with the opposite sign.
  public static prefix func - (operand: Self) -> Self { operand.prefixed("-") }
}

// A nullable number with a number that is not nullable: the result is nullable.
extension SQLExpression where Value: SQLNumeric {
  /// Returns the sum of two expressions, or NULL if an operand is NULL.
  public static func + <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "+", right, left.coding) }
  /// Returns the sum of two expressions, or NULL if an operand is NULL.
  public static func + <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "+", right, right.coding) }
  /// Returns the difference of two expressions, or NULL if an operand is NULL.
  public static func - <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "-", right, left.coding) }
  /// Returns the difference of two expressions, or NULL if an operand is NULL.
  public static func - <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "-", right, right.coding) }
  /// Returns the product of two expressions, or NULL if an operand is NULL.
  public static func * <Wrapped>(left: Self, right: SQLExpression<Wrapped>) -> Self
  where Value == Wrapped? { infix(left, "*", right, left.coding) }
  /// Returns the product of two expressions, or NULL if an operand is NULL.
  public static func * <Wrapped>(left: SQLExpression<Wrapped>, right: Self) -> Self
  where Value == Wrapped? { SQLExpression<Wrapped>.infix(left, "*", right, right.coding) }

  /// A divisor of 0 is an error if the type of the result does not include NULL.
  /// - Parameter isWhole: Whether SQLite uses only the integer part of the divisor.
  private func divisor(_ value: Value, isWhole: Bool = false) -> SQL {
    var sql = binding(value)
    let isZero =
      switch try? DatabaseValue(storing: coding.encode(value)) {
      case .integer(let number): number == 0
      case .real(let number): isWhole ? number.magnitude < 1 : number == 0
      default: false
      }
    if isZero, !coding.isNullable {
      sql.record(
        .query(
          "A division by 0 is NULL in SQL, but the result is not optional: divide by another value")
      )
    }
    return sql
  }
}

extension SQLExpression {
  /// The operand of a division or a sum. A column whose declared type is NUMERIC or DECIMAL stores
  /// whole Doubles as integers, which would divide as in C, and whose sum could overflow.
  var asReal: Self {
    guard coding.type == .real else { return self }
    return SQLExpression(SQLPart(SQL(raw: "1.0 * ").appending(sql)), coding)
  }

  func prefixed(_ name: String) -> Self {
    var text = SQL(raw: "(\(name)")
    text.append(sql)
    text.append(")")
    return SQLExpression(text, coding)
  }
}

// SQLite has no exclusive or: write (a | b) - (a & b).
extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: FixedWidthInteger {
  /// Returns the bits that are set in both expressions.
  public static func & (left: Self, right: Self) -> Self { infix(left, "&", right, left.coding) }
  /// Returns the bits that are set in both the expression and a value.
  public static func & (left: Self, right: Value) -> Self {
    left.infix("&", value: right, left.coding)
  }
  /// Returns the bits that are set in either expression.
  public static func | (left: Self, right: Self) -> Self { infix(left, "|", right, left.coding) }
  /// Returns the bits that are set in either the expression or a value.
  public static func | (left: Self, right: Value) -> Self {
    left.infix("|", value: right, left.coding)
  }
  /// Returns the 64 bits shifted to the left.
  public static func << (left: Self, right: Self) -> Self { infix(left, "<<", right, left.coding) }
  /// Returns the 64 bits shifted to the left.
  public static func << (left: Self, right: Value) -> Self {
    left.infix("<<", value: right, left.coding)
  }
  /// Returns the bits shifted to the right, keeping the sign.
  public static func >> (left: Self, right: Self) -> Self { infix(left, ">>", right, left.coding) }
  /// Returns the bits shifted to the right, keeping the sign.
  public static func >> (left: Self, right: Value) -> Self {
    left.infix(">>", value: right, left.coding)
  }
  /// Returns all 64 bits inverted. For an unsigned column, the result is negative.
  public static prefix func ~ (operand: Self) -> Self { operand.prefixed("~") }
}

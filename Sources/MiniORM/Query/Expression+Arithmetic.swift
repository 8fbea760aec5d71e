/// A number that SQL can calculate with: the integers, `Double`, `Float` and their optionals.
public protocol SQLNumeric: ColumnValue {
  /// The number itself, where this is an optional.
  associatedtype Unwrapped: ColumnValue
}

extension Int: SQLNumeric { public typealias Unwrapped = Int }
extension Int8: SQLNumeric { public typealias Unwrapped = Int8 }
extension Int16: SQLNumeric { public typealias Unwrapped = Int16 }
extension Int32: SQLNumeric { public typealias Unwrapped = Int32 }
extension Int64: SQLNumeric { public typealias Unwrapped = Int64 }
extension UInt: SQLNumeric { public typealias Unwrapped = UInt }
extension UInt8: SQLNumeric { public typealias Unwrapped = UInt8 }
extension UInt16: SQLNumeric { public typealias Unwrapped = UInt16 }
extension UInt32: SQLNumeric { public typealias Unwrapped = UInt32 }
extension UInt64: SQLNumeric { public typealias Unwrapped = UInt64 }
extension Double: SQLNumeric { public typealias Unwrapped = Double }
extension Float: SQLNumeric { public typealias Unwrapped = Float }
extension Optional: SQLNumeric where Wrapped: SQLNumeric {
  public typealias Unwrapped = Wrapped.Unwrapped
}

// Integers divide as in C. An addition beyond 64 bits becomes a REAL in SQLite, which then does not
// read as an integer: an error, not a wrong number.
extension Expression where Value: SQLNumeric {
  /// The sum of two expressions.
  public static func + (left: Self, right: Self) -> Self { infix(left, "+", right, left.coding) }
  /// The sum of an expression and a value.
  public static func + (left: Self, right: Value) -> Self {
    left.infix("+", left.binding(right), left.coding)
  }
  /// The difference of two expressions.
  public static func - (left: Self, right: Self) -> Self { infix(left, "-", right, left.coding) }
  /// The difference of an expression and a value.
  public static func - (left: Self, right: Value) -> Self {
    left.infix("-", left.binding(right), left.coding)
  }
  /// The product of two expressions.
  public static func * (left: Self, right: Self) -> Self { infix(left, "*", right, left.coding) }
  /// The product of an expression and a value.
  public static func * (left: Self, right: Value) -> Self {
    left.infix("*", left.binding(right), left.coding)
  }
  /// The quotient of two expressions. Dividing by zero gives NULL.
  public static func / (left: Self, right: Self) -> Self { infix(left, "/", right, left.coding) }
  /// The quotient of an expression and a value. Dividing by zero gives NULL.
  public static func / (left: Self, right: Value) -> Self {
    left.infix("/", left.binding(right), left.coding)
  }
  /// The remainder of a division by a value, both taken as integers.
  public static func % (left: Self, right: Value) -> Self {
    left.infix("%", left.binding(right), left.coding)
  }

  /// The absolute value: `abs`.
  public func abs() -> Self { function("abs", [], coding) }
}

extension Expression<Double> {
  /// The number rounded: `round`.
  /// - Parameter digits: How many digits to keep after the point.
  public func round(_ digits: Int = 0) -> Self { function("round", [SQL(binding: digits)], coding) }
}

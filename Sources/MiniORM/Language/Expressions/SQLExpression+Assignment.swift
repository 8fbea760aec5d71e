// In `update { $0.count += 1 }`, the compiler considers non-generic operators first, finds `Int`'s
// own operator and stops. So these operators are written out for frequent types, and repetitive
// overloads are excluded from the documentation. Optionals use the generic overloads at the end.

/// Adds a value to a column in ``Table/update(_:)``: `Int`, `Int64` or `Double`. For other numbers,
/// write `$0.count = $0.count + 1`.
public func += (column: inout SQLExpression<Int>, value: Int) { column = column + value }
/// Subtracts a value from a column in ``Table/update(_:)``, as for `+=`.
public func -= (column: inout SQLExpression<Int>, value: Int) { column = column - value }
/// Multiplies a column by a value in ``Table/update(_:)``, as for `+=`.
public func *= (column: inout SQLExpression<Int>, value: Int) { column = column * value }

@_documentation(visibility: internal)
extension Int64 {
  /// Adds a value to a column.
  public static func += (a: inout SQLExpression<Self>, b: Self) { a = a + b }
  /// Subtracts a value from a column.
  public static func -= (a: inout SQLExpression<Self>, b: Self) { a = a - b }
  /// Multiplies a column by a value.
  public static func *= (a: inout SQLExpression<Self>, b: Self) { a = a * b }
}
@_documentation(visibility: internal)
extension Double {
  /// Adds a value to a column.
  public static func += (a: inout SQLExpression<Self>, b: Self) { a = a + b }
  /// Subtracts a value from a column.
  public static func -= (a: inout SQLExpression<Self>, b: Self) { a = a - b }
  /// Multiplies a column by a value.
  public static func *= (a: inout SQLExpression<Self>, b: Self) { a = a * b }
}

// Both sides are columns of the same table, which also has overloads for values. Columns of a
// different table, such as `excluded`, use the generic overloads.

/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (a: inout SQLExpression<Int>, b: SQLExpression<Int>) { a = a + b }
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (a: inout SQLExpression<Int>, b: SQLExpression<Int>) { a = a - b }
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (a: inout SQLExpression<Int>, b: SQLExpression<Int>) { a = a * b }
/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (a: inout SQLExpression<Int64>, b: SQLExpression<Int64>) { a = a + b }
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (a: inout SQLExpression<Int64>, b: SQLExpression<Int64>) { a = a - b }
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (a: inout SQLExpression<Int64>, b: SQLExpression<Int64>) { a = a * b }
/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (a: inout SQLExpression<Double>, b: SQLExpression<Double>) { a = a + b }
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (a: inout SQLExpression<Double>, b: SQLExpression<Double>) { a = a - b }
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (a: inout SQLExpression<Double>, b: SQLExpression<Double>) { a = a * b }

/// Appends a value to a text column in ``Table/update(_:)``, with `||`.
public func += (column: inout SQLExpression<String>, value: String) {
  column = column.appending(value)
}
/// Appends a value to a nullable text column. NULL stays NULL.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<String?>, value: String) {
  column = column.appending(value)
}

extension SQLExpression where Value: SQLNumeric {
  /// Adds a value to a nullable column in ``Table/update(_:)``. NULL stays NULL.
  public static func += <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column + value
  }
  /// Subtracts a value from a nullable column in ``Table/update(_:)``. NULL stays NULL.
  public static func -= <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column - value
  }
  /// Multiplies a nullable column by a value in ``Table/update(_:)``. NULL stays NULL.
  public static func *= <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column * value
  }
  /// Adds an expression to a column in ``Table/update(_:)``. NULL stays NULL.
  public static func += (column: inout Self, value: Self) { column = column + value }
  /// Subtracts an expression from a column in ``Table/update(_:)``. NULL stays NULL.
  public static func -= (column: inout Self, value: Self) { column = column - value }
  /// Multiplies a column by an expression in ``Table/update(_:)``. NULL stays NULL.
  public static func *= (column: inout Self, value: Self) { column = column * value }
}

extension SQLExpression where Value: SQLText {
  /// Appends an expression to a text column in ``Table/update(_:)``: `||`. NULL stays NULL.
  public static func += (column: inout Self, value: Self) { column = column.appending(value) }
}

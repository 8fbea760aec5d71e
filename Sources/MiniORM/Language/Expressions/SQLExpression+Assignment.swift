// In `update { $0.count += 1 }`, the compiler considers non-generic operators first, finds `Int`'s
// own operator and stops. So these operators are written out per type, and repetitive overloads are
// excluded from the documentation. Optionals use the generic overloads at the end.

/// Adds a value to a column in ``Table/update(_:)``: `Int`, any other integer type, `Float` or
/// `Double`.
public func += (column: inout SQLExpression<Int>, value: Int) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int8>, value: Int8) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int16>, value: Int16) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int32>, value: Int32) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int64>, value: Int64) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<UInt>, value: UInt) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<UInt8>, value: UInt8) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<UInt16>, value: UInt16) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<UInt32>, value: UInt32) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<UInt64>, value: UInt64) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Float>, value: Float) { column = column + value }
/// Adds a value to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Double>, value: Double) { column = column + value }

/// Subtracts a value from a column in ``Table/update(_:)``: `Int`, any other integer type, `Float`
/// or `Double`.
public func -= (column: inout SQLExpression<Int>, value: Int) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int8>, value: Int8) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int16>, value: Int16) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int32>, value: Int32) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int64>, value: Int64) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<UInt>, value: UInt) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<UInt8>, value: UInt8) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<UInt16>, value: UInt16) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<UInt32>, value: UInt32) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<UInt64>, value: UInt64) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Float>, value: Float) { column = column - value }
/// Subtracts a value from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Double>, value: Double) { column = column - value }

/// Multiplies a column by a value in ``Table/update(_:)``: `Int`, any other integer type, `Float` or
/// `Double`.
public func *= (column: inout SQLExpression<Int>, value: Int) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int8>, value: Int8) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int16>, value: Int16) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int32>, value: Int32) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int64>, value: Int64) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<UInt>, value: UInt) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<UInt8>, value: UInt8) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<UInt16>, value: UInt16) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<UInt32>, value: UInt32) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<UInt64>, value: UInt64) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Float>, value: Float) { column = column * value }
/// Multiplies a column by a value.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Double>, value: Double) { column = column * value }

// Both sides are columns of the same table, which also has overloads for values. Columns of a
// different table, such as `excluded`, use the generic overloads.

/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int>, value: SQLExpression<Int>) {
  column = column + value
}
/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int32>, value: SQLExpression<Int32>) {
  column = column + value
}
/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Int64>, value: SQLExpression<Int64>) {
  column = column + value
}
/// Adds an expression to a column.
@_documentation(visibility: internal)
public func += (column: inout SQLExpression<Double>, value: SQLExpression<Double>) {
  column = column + value
}

/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int>, value: SQLExpression<Int>) {
  column = column - value
}
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int32>, value: SQLExpression<Int32>) {
  column = column - value
}
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Int64>, value: SQLExpression<Int64>) {
  column = column - value
}
/// Subtracts an expression from a column.
@_documentation(visibility: internal)
public func -= (column: inout SQLExpression<Double>, value: SQLExpression<Double>) {
  column = column - value
}

/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int>, value: SQLExpression<Int>) {
  column = column * value
}
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int32>, value: SQLExpression<Int32>) {
  column = column * value
}
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Int64>, value: SQLExpression<Int64>) {
  column = column * value
}
/// Multiplies a column by an expression.
@_documentation(visibility: internal)
public func *= (column: inout SQLExpression<Double>, value: SQLExpression<Double>) {
  column = column * value
}

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

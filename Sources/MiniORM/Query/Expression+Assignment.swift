// In `update { $0.count += 1 }` the compiler looks at operators that are not generic first, finds
// that of `Int` itself, and stops there: a generic `+=` for every column is not even considered. So
// these are written out for the types that people count with; for another, write `$0.size = $0.size
// + 1`. Optionals have no such operators of their own, and get the generic ones at the end.

/// Adds to a column of type `Int` in ``Table/update(_:)``.
public func += (column: inout Expression<Int>, value: Int) { column = column + value }
/// Adds to a column of type `Int32` in ``Table/update(_:)``.
public func += (column: inout Expression<Int32>, value: Int32) { column = column + value }
/// Adds to a column of type `Int64` in ``Table/update(_:)``.
public func += (column: inout Expression<Int64>, value: Int64) { column = column + value }
/// Adds to a column of type `Double` in ``Table/update(_:)``.
public func += (column: inout Expression<Double>, value: Double) { column = column + value }

/// Subtracts from a column of type `Int` in ``Table/update(_:)``.
public func -= (column: inout Expression<Int>, value: Int) { column = column - value }
/// Subtracts from a column of type `Int32` in ``Table/update(_:)``.
public func -= (column: inout Expression<Int32>, value: Int32) { column = column - value }
/// Subtracts from a column of type `Int64` in ``Table/update(_:)``.
public func -= (column: inout Expression<Int64>, value: Int64) { column = column - value }
/// Subtracts from a column of type `Double` in ``Table/update(_:)``.
public func -= (column: inout Expression<Double>, value: Double) { column = column - value }

/// Multiplies a column of type `Int` in ``Table/update(_:)``.
public func *= (column: inout Expression<Int>, value: Int) { column = column * value }
/// Multiplies a column of type `Int32` in ``Table/update(_:)``.
public func *= (column: inout Expression<Int32>, value: Int32) { column = column * value }
/// Multiplies a column of type `Int64` in ``Table/update(_:)``.
public func *= (column: inout Expression<Int64>, value: Int64) { column = column * value }
/// Multiplies a column of type `Double` in ``Table/update(_:)``.
public func *= (column: inout Expression<Double>, value: Double) { column = column * value }

extension Expression where Value: SQLNumeric {
  /// Adds to an optional column in ``Table/update(_:)``: NULL stays NULL.
  public static func += <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column + value
  }
  /// Subtracts from an optional column in ``Table/update(_:)``: NULL stays NULL.
  public static func -= <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column - value
  }
  /// Multiplies an optional column in ``Table/update(_:)``: NULL stays NULL.
  public static func *= <Wrapped>(column: inout Self, value: Wrapped) where Value == Wrapped? {
    column = column * value
  }
}

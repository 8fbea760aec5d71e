/// If SQLite was built without these functions, a query that uses them throws `no such function`.
///
/// See [Built-In Mathematical SQL Functions](https://www.sqlite.org/lang_mathfunc.html).
extension SQLExpression where Value: SQLNumeric {
  /// Returns the absolute value: `abs`.
  public func abs() -> Self { function("abs", [], coding) }
  /// Returns the greatest whole number that does not exceed this number: `floor`.
  public func floor() -> Self { function("floor", [], coding) }
  /// Returns the smallest whole number that is not less than this number: `ceil`.
  public func ceil() -> Self { function("ceil", [], coding) }
  /// Returns the integer part: `trunc`.
  public func trunc() -> Self { function("trunc", [], coding) }
  /// Returns -1, 0 or 1 for a negative number, zero or a positive number: `sign`.
  public func sign() -> SQLExpression<Int?> { function("sign", [], Coding()) }

  /// Returns the number raised to a power, or NULL if the result is not a real number: `pow`.
  public func pow(_ exponent: Double) -> SQLExpression<Double?> {
    function("pow", [SQL(binding: exponent)], Coding())
  }
  /// Returns the number raised to the power of an expression: `pow`.
  public func pow<Exponent: SQLNumeric>(_ exponent: SQLExpression<Exponent>) -> SQLExpression<
    Double?
  > {
    function("pow", [exponent.sql], Coding())
  }
  /// Returns the logarithm to a base, or NULL if it is undefined: `log`.
  public func log(base: Double) -> SQLExpression<Double?> {
    SQLExpression<Double?>(SQL.call("log", [SQL(binding: base), sql]), Coding())
  }
  /// Returns the remainder of a division, with fractions, or NULL for a division by zero: `mod`.
  public func mod(_ divisor: Double) -> SQLExpression<Double?> {
    function("mod", [SQL(binding: divisor)], Coding())
  }
  /// Returns the angle of the point (`x`, this number), in radians: `atan2`.
  public func atan2<Other: SQLNumeric>(_ x: SQLExpression<Other>) -> SQLExpression<Double?> {
    function("atan2", [x.sql], Coding())
  }

  /// Returns a mathematical function of the number, or NULL if it is undefined:
  /// `$0.area.apply(.sqrt)`.
  public func apply(_ function: MathFunction) -> SQLExpression<Double?> {
    self.function(function.rawValue, [], Coding())
  }
}

extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: BinaryFloatingPoint {
  /// Returns the number rounded: `round`.
  /// - Parameter digits: The number of digits after the decimal point.
  public func round(_ digits: Int = 0) -> Self { function("round", [SQL(binding: digits)], coding) }
}

/// A mathematical function with a single argument, for ``SQLExpression/apply(_:)``.
///
/// See [Built-In Mathematical SQL Functions](https://www.sqlite.org/lang_mathfunc.html).
public enum MathFunction: String, Sendable, CaseIterable {
  /// The square root.
  case sqrt
  /// *e* raised to a power.
  case exp
  /// The natural logarithm.
  case ln
  /// The logarithm to base 10.
  case log10
  /// The logarithm to base 2.
  case log2
  /// The sine of radians.
  case sin
  /// The cosine of radians.
  case cos
  /// The tangent of radians.
  case tan
  /// The arcsine, in radians.
  case asin
  /// The arccosine, in radians.
  case acos
  /// The arctangent, in radians.
  case atan
  /// The hyperbolic sine.
  case sinh
  /// The hyperbolic cosine.
  case cosh
  /// The hyperbolic tangent.
  case tanh
  /// The inverse hyperbolic sine.
  case asinh
  /// The inverse hyperbolic cosine.
  case acosh
  /// The inverse hyperbolic tangent.
  case atanh
  /// Radians converted to degrees.
  case degrees
  /// Degrees converted to radians.
  case radians
}

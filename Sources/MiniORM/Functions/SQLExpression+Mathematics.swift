/// See [Built-In Mathematical SQL Functions](https://www.sqlite.org/lang_mathfunc.html). A library
/// built without them says so at the first use: `no such function`.
extension SQLExpression where Value: SQLNumeric {
  /// The absolute value: `abs`.
  public func abs() -> Self { function("abs", [], coding) }
  /// The greatest whole number that is not greater: `floor`.
  public func floor() -> Self { function("floor", [], coding) }
  /// The least whole number that is not less: `ceil`.
  public func ceil() -> Self { function("ceil", [], coding) }
  /// The whole part: `trunc`.
  public func trunc() -> Self { function("trunc", [], coding) }
  /// -1, 0 or 1, as the number is negative, zero or positive: `sign`. That of NULL is NULL.
  public func sign() -> SQLExpression<Int?> { function("sign", [], Coding()) }

  /// The number to a power: `pow`. NULL where there is no such real number.
  /// - Parameter exponent: The power.
  public func pow(_ exponent: Double) -> SQLExpression<Double?> {
    function("pow", [SQL(binding: exponent)], Coding())
  }
  /// The number to a power: `pow`. NULL where there is no such real number.
  /// - Parameter exponent: The power.
  public func pow<Exponent: SQLNumeric>(_ exponent: SQLExpression<Exponent>) -> SQLExpression<
    Double?
  > {
    function("pow", [exponent.sql], Coding())
  }
  /// The logarithm to a base: `log`. NULL where there is none.
  /// - Parameter base: The base.
  public func log(base: Double) -> SQLExpression<Double?> {
    SQLExpression<Double?>(SQL.call("log", [SQL(binding: base), sql]), Coding())
  }
  /// The remainder of a division, with fractions: `mod`. NULL for a division by zero.
  /// - Parameter divisor: The divisor.
  public func mod(_ divisor: Double) -> SQLExpression<Double?> {
    function("mod", [SQL(binding: divisor)], Coding())
  }
  /// The angle of a point, whose y this is, in radians: `atan2`.
  /// - Parameter x: The other coordinate.
  public func atan2<Other: SQLNumeric>(_ x: SQLExpression<Other>) -> SQLExpression<Double?> {
    function("atan2", [x.sql], Coding())
  }

  /// A function of one number: `$0.area.apply(.sqrt)`.
  /// - Parameter function: The function.
  /// - Returns: Its value, NULL where it has none, as for the root of a negative number.
  public func apply(_ function: MathFunction) -> SQLExpression<Double?> {
    self.function(function.rawValue, [], Coding())
  }
}

extension SQLExpression where Value: SQLNumeric, Value.Unwrapped: BinaryFloatingPoint {
  /// The number rounded: `round`.
  /// - Parameter digits: How many digits to keep after the point.
  public func round(_ digits: Int = 0) -> Self { function("round", [SQL(binding: digits)], coding) }
}

/// A mathematical function of one number, for ``SQLExpression/apply(_:)``.
///
/// See [Built-In Mathematical SQL Functions](https://www.sqlite.org/lang_mathfunc.html).
public enum MathFunction: String, Sendable, CaseIterable {
  /// The square root.
  case sqrt
  /// *e* to the power.
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
  /// The inverse of the hyperbolic sine.
  case asinh
  /// The inverse of the hyperbolic cosine.
  case acosh
  /// The inverse of the hyperbolic tangent.
  case atanh
  /// Radians as degrees.
  case degrees
  /// Degrees as radians.
  case radians
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A decimal number stored as a whole number of its smallest units: `@Column(as: .decimal(scale:
/// 2))`.
///
/// With a scale of 2, 9.99 is the INTEGER 999. The database compares, orders and adds these numbers
/// exactly, which suits money. With a scale of 2, the largest number is 92,233,720,368,547,758.07.
/// A larger scale reduces this range.
///
/// A number with more decimals than the scale, or with units beyond 64 bits, throws. A literal such
/// as `0.07` is a `Double` before conversion to `Decimal`, and may have extra digits. Such a number
/// is stored as the literal's value.
public struct ScaledDecimal<Scale: DecimalScale>: ColumnRepresentation {
  /// The number.
  public let value: Decimal

  /// Creates a wrapper around a number.
  public init(_ value: Decimal) { self.value = value }

  /// The declared type: INTEGER.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .integer }

  /// Reads an INTEGER of units.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard Self.isScale else { throw cell.invalid(Self.wrongScale) }
    value = Decimal(
      sign: .plus, exponent: -Scale.digits, significand: Decimal(try cell.integer()))
  }

  /// Binds the number of units.
  /// - Throws: ``DatabaseError`` with the operation `bind` for NaN, for more decimals than the
  ///   scale, and for units beyond 64 bits.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard Self.isScale else { throw parameter.invalid(Self.wrongScale) }
    guard !value.isNaN else {
      throw parameter.invalid("Decimal.nan cannot be stored: use an Optional for a missing number")
    }
    let units: Int64
    do throws(DecimalMisfit) {
      units = try Self.units(of: value)
    } catch {
      throw parameter.invalid(
        error == .range
          ? "The number is too large: a decimal of scale \(Scale.digits) is stored in 64 bits. Use a smaller scale"
          : "The number has more than \(Scale.digits) digits after the point: round it first")
    }
    try parameter.bind(units)
  }

  private static var isScale: Bool { (0...127).contains(Scale.digits) }
  private static var wrongScale: String {
    "The scale of \(Scale.self) must be from 0 to 127, not \(Scale.digits)"
  }

  private static func units(of value: Decimal) throws(DecimalMisfit) -> Int64 {
    guard let text = DecimalText(value.description.utf8) else { throw .range }
    do throws(DecimalMisfit) {
      return try text.units(scale: Scale.digits)
    } catch {
      // Converted from a Double, the literal 0.07 is 0.07000000000000001024.
      guard error == .decimals else { throw error }
      let units = try text.nearestUnits(scale: Scale.digits)
      guard let literal = Double("\(units)e-\(Scale.digits)"), Decimal(literal) == value else {
        throw error
      }
      return units
    }
  }
}

/// The number of digits after the point of a ``ScaledDecimal``: a type of ``DecimalScales``.
public protocol DecimalScale: Sendable {
  /// The number of digits after the decimal point, from 0 to 127. With any other number, reading
  /// and binding values throws.
  static var digits: Int { get }
}

/// The scales of ``ScaledDecimal``, from `DecimalScales.S0` to `DecimalScales.S18`.
///
/// `@Column(as: .decimal(scale: 2))` is `ScaledDecimal<DecimalScales.S2>`. A program rarely names
/// these types.
public enum DecimalScales {}

@_documentation(visibility: internal)
extension DecimalScales {
  /// No digits after the point.
  public enum S0: DecimalScale {
    /// The number of digits: 0.
    public static var digits: Int { 0 }
  }
  /// 1 digit after the point.
  public enum S1: DecimalScale {
    /// The number of digits: 1.
    public static var digits: Int { 1 }
  }
  /// 2 digits after the point.
  public enum S2: DecimalScale {
    /// The number of digits: 2.
    public static var digits: Int { 2 }
  }
  /// 3 digits after the point.
  public enum S3: DecimalScale {
    /// The number of digits: 3.
    public static var digits: Int { 3 }
  }
  /// 4 digits after the point.
  public enum S4: DecimalScale {
    /// The number of digits: 4.
    public static var digits: Int { 4 }
  }
  /// 5 digits after the point.
  public enum S5: DecimalScale {
    /// The number of digits: 5.
    public static var digits: Int { 5 }
  }
  /// 6 digits after the point.
  public enum S6: DecimalScale {
    /// The number of digits: 6.
    public static var digits: Int { 6 }
  }
  /// 7 digits after the point.
  public enum S7: DecimalScale {
    /// The number of digits: 7.
    public static var digits: Int { 7 }
  }
  /// 8 digits after the point.
  public enum S8: DecimalScale {
    /// The number of digits: 8.
    public static var digits: Int { 8 }
  }
  /// 9 digits after the point.
  public enum S9: DecimalScale {
    /// The number of digits: 9.
    public static var digits: Int { 9 }
  }
  /// 10 digits after the point.
  public enum S10: DecimalScale {
    /// The number of digits: 10.
    public static var digits: Int { 10 }
  }
  /// 11 digits after the point.
  public enum S11: DecimalScale {
    /// The number of digits: 11.
    public static var digits: Int { 11 }
  }
  /// 12 digits after the point.
  public enum S12: DecimalScale {
    /// The number of digits: 12.
    public static var digits: Int { 12 }
  }
  /// 13 digits after the point.
  public enum S13: DecimalScale {
    /// The number of digits: 13.
    public static var digits: Int { 13 }
  }
  /// 14 digits after the point.
  public enum S14: DecimalScale {
    /// The number of digits: 14.
    public static var digits: Int { 14 }
  }
  /// 15 digits after the point.
  public enum S15: DecimalScale {
    /// The number of digits: 15.
    public static var digits: Int { 15 }
  }
  /// 16 digits after the point.
  public enum S16: DecimalScale {
    /// The number of digits: 16.
    public static var digits: Int { 16 }
  }
  /// 17 digits after the point.
  public enum S17: DecimalScale {
    /// The number of digits: 17.
    public static var digits: Int { 17 }
  }
  /// 18 digits after the point.
  public enum S18: DecimalScale {
    /// The number of digits: 18.
    public static var digits: Int { 18 }
  }
}

protocol ScaledStorage {
  static var digits: Int { get }
}

extension ScaledDecimal: ScaledStorage {
  static var digits: Int { Scale.digits }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Collation {
  /// Compares texts as decimal numbers: 9 is less than 10, and 1.5 equals 1.50. Other texts sort
  /// after all numbers, in byte order. Every connection has this collation.
  static let decimalText = Collation("miniorm_decimal") { left, right in
    switch (DecimalText(left.utf8), DecimalText(right.utf8)) {
    case (let left?, let right?): left == right ? .orderedSame : order(left < right)
    case (_?, nil): .orderedAscending
    case (nil, _?): .orderedDescending
    case (nil, nil):
      left.utf8.elementsEqual(right.utf8)
        ? .orderedSame : order(left.utf8.lexicographicallyPrecedes(right.utf8))
    }
  }

  private static func order(_ isLess: Bool) -> ComparisonResult {
    isLess ? .orderedAscending : .orderedDescending
  }
}

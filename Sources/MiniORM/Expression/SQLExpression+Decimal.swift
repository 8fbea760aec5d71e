#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A Decimal without @Column(as:) is text, whose characters SQLite would compare.
extension Coding {
  /// Returns the coding that their sum is read with: in units, if they are decimals stored in
  /// units.
  func summed<Sum: ColumnValue>() -> Coding<Sum?> {
    guard Sum.self == Decimal.self else { return Coding<Sum?>() }
    return optional as? Coding<Sum?> ?? self as? Coding<Sum?> ?? Coding<Sum?>()
  }
}

extension SQLExpression {
  /// The SQL for a place where it is compared or ordered.
  var compared: SQL { SQL(comparedPart()) }

  /// Returns the same as a part.
  consuming func comparedPart() -> SQLPart {
    guard coding.isDecimalText else { return part }
    return SQLPart(part, SQLPart.collate, SQLPart(SQL(raw: Collation.decimalText.name)))
  }

  /// The name of the function that adds the values.
  var sumName: String { coding.isDecimalText ? DecimalSum.name : "sum" }
}

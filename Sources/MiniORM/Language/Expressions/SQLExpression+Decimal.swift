#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Without @Column(as:), a Decimal is stored as text, which SQLite would compare by characters.
extension Coding {
  func summed<Sum: ColumnValue>() -> Coding<Sum?> {
    guard Sum.self == Decimal.self else { return Coding<Sum?>() }
    return optional as? Coding<Sum?> ?? self as? Coding<Sum?> ?? Coding<Sum?>()
  }
}

extension SQLExpression {
  var compared: SQL { SQL(comparedPart()) }

  consuming func comparedPart() -> SQLPart {
    guard coding.isDecimalText else { return part }
    return SQLPart(part, SQLPart.collate, SQLPart(SQL(raw: Collation.decimalText.name)))
  }

  var sumName: String { coding.isDecimalText ? DecimalSum.name : "sum" }
}

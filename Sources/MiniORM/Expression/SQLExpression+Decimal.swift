#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A Decimal without @Column(as:) is text, of which SQLite would compare the characters.
extension Coding {
  /// Whether the values are decimal numbers that are stored as text.
  var isDecimalText: Bool { stored.map { $0 == Decimal.self } ?? false }

  /// What their sum is read as: in units where they are decimals that are stored so.
  func summed<Sum: ColumnValue>() -> Coding<Sum?> {
    guard Sum.self == Decimal.self else { return Coding<Sum?>() }
    return optional as? Coding<Sum?> ?? self as? Coding<Sum?> ?? Coding<Sum?>()
  }
}

extension SQLExpression {
  /// The SQL where it is compared or ordered.
  var compared: SQL {
    guard coding.isDecimalText else { return sql }
    return SQL(raw: "(").appending(sql, SQL(raw: " COLLATE \(Collation.decimalText.name))"))
  }

  /// The function that adds the values.
  var sumName: String { coding.isDecimalText ? DecimalSum.name : "sum" }
}

/// The sum of decimal numbers that are stored as text, which every connection of MiniORM's has.
enum DecimalSum {
  static let name = "miniorm_decimal_sum"

  static let function = SQLAggregate(
    name, deterministic: true, innocuous: true, initial: (total: Decimal(0), count: 0)
  ) { (state: inout (total: Decimal, count: Int), value: Decimal?) in
    guard let value else { return }
    state = (try sum(state.total, value), state.count + 1)
  } inverse: { (state: inout (total: Decimal, count: Int), value: Decimal?) in
    guard let value else { return }
    state = (try sum(state.total, -value), state.count - 1)
  } result: {
    $0.count == 0 ? nil : $0.total
  }

  /// A Decimal has 38 digits, and would drop the others.
  private static func sum(_ left: Decimal, _ right: Decimal) throws(DatabaseError) -> Decimal {
    let sum = left + right
    guard !sum.isNaN, sum - left == right, sum - right == left else {
      throw DatabaseError(.step, code: .mismatch, "\(name): the sum has more digits than a Decimal")
    }
    return sum
  }
}

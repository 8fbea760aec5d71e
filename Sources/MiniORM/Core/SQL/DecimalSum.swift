#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// Throws if the sum loses digits: a Decimal holds 38.
  private static func sum(_ left: Decimal, _ right: Decimal) throws(DatabaseError) -> Decimal {
    let sum = left + right
    guard !sum.isNaN, sum - left == right, sum - right == left else {
      throw DatabaseError(
        .step, code: .mismatch,
        "\(name): the sum has more digits than a Decimal. Sum fewer rows, or cast the values to Double"
      )
    }
    return sum
  }
}

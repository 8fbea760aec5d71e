#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum NumberFunctions {
  /// A function that returns a number as its type stores it, and throws for an integer out of
  /// range.
  static let checked = "miniorm_number"
  /// A function that returns the text of a decimal number, given its units and number of decimals.
  static let decimal = "miniorm_decimal"

  static let all: [any SQLFunctionProtocol] = [
    SQLFunction(decimal, deterministic: true, innocuous: true) {
      (units: Int64?, digits: Int) -> Decimal? in
      units.map { Decimal(sign: .plus, exponent: -digits, significand: Decimal($0)) }
    },
    CheckedNumber(),
  ]

  private static let types: [any ColumnValue.Type] = [
    Int8.self, UInt8.self, Int16.self, UInt16.self, Int32.self, UInt32.self, UInt.self, UInt64.self,
    Float.self,
  ]
  private static let named = Dictionary(uniqueKeysWithValues: types.map { ("\($0)", $0) })
  private static let known = Set(types.map { ObjectIdentifier($0) })

  static func check(_ sql: @autoclosure () -> SQL, for type: (any Any.Type)?) -> SQL? {
    guard let type, known.contains(ObjectIdentifier(type)) else { return nil }
    return .call(checked, [sql(), SQL(raw: "'\(type)'")])
  }

  private struct CheckedNumber: SQLFunctionProtocol {
    let definition = SQLFunctionDefinition(
      name: checked, argumentCount: 2, isDeterministic: true, isInnocuous: true,
      kind: .scalar { arguments in
        func stored<Value: ColumnValue>(_ type: Value.Type) throws(DatabaseError) -> DatabaseValue {
          guard let value = try arguments.value(Value?.self, at: 0) else { return .null }
          return try DatabaseValue(storing: value)
        }
        let type = named[try arguments.value(String.self, at: 1)] ?? DatabaseValue.self
        return try stored(type)
      })
  }
}

/// The number that `JSONEncoder` writes: the shortest digits for the same REAL. SQLite's own JSON
/// has 15 digits.
enum JSONNumber {
  static let name = "miniorm_json_number"

  static let definition = SQLFunctionDefinition(
    name: name, argumentCount: 1, isDeterministic: true, isInnocuous: true,
    kind: .scalar { arguments in
      let value = try arguments.value(DatabaseValue.self, at: 0)
      guard case .real(let number) = value else { return value }
      guard number.isFinite else {
        throw DatabaseError(
          .step, code: .mismatch,
          "JSON cannot contain an infinite number: replace it with a finite number or NULL")
      }
      // Whole numbers without a point; 0 for −0.0.
      if number.magnitude < 0x1p53, let whole = Int64(exactly: number) { return .integer(whole) }
      return .text(number.description)
    })
}

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

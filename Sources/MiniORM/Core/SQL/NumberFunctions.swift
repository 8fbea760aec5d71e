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

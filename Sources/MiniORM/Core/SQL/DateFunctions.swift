#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts dates between storage formats, as reading and binding does. SQLite's own functions
/// round to the millisecond, and return NULL outside the years 0 to 9999.
enum DateFunctions {
  /// Converts a stored date to a different format. Throws if the format has no such date.
  static let convert = "miniorm_date"
  /// Converts a stored date to a count of units, or to a number halfway between two counts.
  static let position = "miniorm_date_position"

  static let all: [any SQLFunctionProtocol] = [
    SQLDateFunction(convert) { date, storage throws(DatabaseError) in
      switch storage {
      case .text: try DatabaseValue(storing: date)
      case .iso8601: try DatabaseValue(storing: ISO8601Date(date))
      case .textSeconds: try DatabaseValue(storing: TextSeconds(date))
      case .seconds: try DatabaseValue(storing: UnixSeconds(date))
      case .milliseconds: try DatabaseValue(storing: UnixMilliseconds(date))
      case .real: try DatabaseValue(storing: UnixSecondsReal(date))
      case .reference: try DatabaseValue(storing: JSONDate(date))
      }
    },
    SQLDateFunction(position) { date, storage throws(DatabaseError) in
      storage.unitsPerSecond.flatMap { date.count(comparedIn: $0) } ?? .null
    },
  ]
}

private struct SQLDateFunction: SQLFunctionProtocol {
  let definition: SQLFunctionDefinition

  init(
    _ name: String,
    _ body: @escaping @Sendable (Date, DateStorage) throws(DatabaseError) -> DatabaseValue
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: 3, isDeterministic: true, isInnocuous: true,
      kind: .scalar { arguments in
        guard let from = DateStorage(rawValue: try arguments.value(String.self, at: 1)),
          let storage = DateStorage(rawValue: try arguments.value(String.self, at: 2)),
          let date = try Self.date(arguments, from)
        else { return .null }
        return try body(date, storage)
      })
  }

  private static func date(_ arguments: FunctionArguments, _ storage: DateStorage)
    throws(DatabaseError) -> Date?
  {
    switch storage {
    case .text, .iso8601, .textSeconds: try arguments.value(Date?.self, at: 0)
    case .seconds: try arguments.value(UnixSeconds?.self, at: 0)?.value
    case .milliseconds: try arguments.value(UnixMilliseconds?.self, at: 0)?.value
    case .real: try arguments.value(UnixSecondsReal?.self, at: 0)?.value
    case .reference: try arguments.value(JSONDate?.self, at: 0)?.value
    }
  }
}

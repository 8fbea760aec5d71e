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
      try stored(date, as: storage)
    },
    SQLDateFunction(position) { date, storage throws(DatabaseError) in
      storage.unitsPerSecond.flatMap { date.count(comparedIn: $0) } ?? .null
    },
  ]

  private static func stored<Format: TimeStored>(
    _ date: Date, as format: Format.Type
  ) throws(DatabaseError) -> DatabaseValue { try DatabaseValue(storing: Format(date: date)) }
}

private struct SQLDateFunction: SQLFunctionProtocol {
  private static let formats: [any TimeStored.Type] = [
    Date.self, ISO8601Date.self, TextSeconds.self, UnixSeconds.self, UnixMilliseconds.self,
    UnixSecondsReal.self, JSONDate.self,
  ]

  let definition: SQLFunctionDefinition

  init(
    _ name: String,
    _ body: @escaping @Sendable (Date, any TimeStored.Type) throws(DatabaseError) -> DatabaseValue
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: 3, isDeterministic: true, isInnocuous: true,
      kind: .scalar { arguments in
        func format(_ index: Int) throws(DatabaseError) -> (any TimeStored.Type)? {
          let name = try arguments.value(String.self, at: index)
          return Self.formats.first { $0.dates.rawValue == name }
        }
        func date<Format: TimeStored>(_ format: Format.Type) throws(DatabaseError) -> Date? {
          try arguments.value(Format?.self, at: 0)?.date
        }
        guard let from = try format(1), let to = try format(2), let date = try date(from) else {
          return .null
        }
        return try body(date, to)
      })
  }
}

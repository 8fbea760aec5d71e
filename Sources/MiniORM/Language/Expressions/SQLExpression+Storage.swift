#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Conversion of an expression to the storage format of the other operand.
extension SQLExpression {
  /// The time-value arguments of a date function for this date.
  var timeValue: [SQL] {
    switch coding.dates {
    case .seconds: [sql, SQL(raw: "'unixepoch'")]
    case .milliseconds: [sql.appending(SQL(raw: " / 1000.0")), SQL(raw: "'unixepoch'")]
    case .reference:
      [sql.appending(SQL(raw: " + \(Date.referenceOffset)")), SQL(raw: "'unixepoch'")]
    case .text, nil: [sql]
    }
  }

  /// Returns the SQL converted to a different coding, or nil if the values cannot be converted.
  ///
  /// Only dates are converted, for example from seconds to text. All other values must have the
  /// same storage format.
  func converted<Other>(to other: Coding<Other>) -> SQL? {
    convertedPart(to: other).map { SQL($0) }
  }

  consuming func convertedPart<Other>(to other: Coding<Other>) -> SQLPart? {
    if coding.isSame(as: other) { return part }
    if let argument = argument(like: other) { return SQLPart(argument) }
    if coding.dates != nil, let dates = other.dates { return SQLPart(date(storedAs: dates)) }
    return coding.isStored(like: other) ? part : nil
  }

  /// Returns the SQL converted to the coding of the other operand, as in a comparison or a CASE. If
  /// conversion is impossible, the SQL carries an error.
  func unified<Other>(with other: Coding<Other>) -> SQL { SQL(unifiedPart(with: other)) }

  consuming func unifiedPart<Other>(with other: Coding<Other>) -> SQLPart {
    if coding.isSame(as: other) { return part }
    if let converted = (copy self).convertedPart(to: other) { return converted }
    var sql = sql
    sql.record(coding.mistake(beside: other))
    return SQLPart(sql)
  }

  /// Returns the SQL of the date in a storage format, after modifiers.
  func date(storedAs storage: DateStorage?, _ modifiers: [DateModifier] = []) -> SQL {
    guard storage != coding.dates || !modifiers.isEmpty else { return sql }
    let subsecond = DateModifier.subsecond.sql
    let arguments = timeValue + modifiers.map(\.sql)
    switch storage {
    // Rounds to the nearest unit, as binding a value does.
    case .seconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: ") AS INTEGER)"))
    case .milliseconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " * 1000) AS INTEGER)"))
    case .reference:
      return SQL(raw: "(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " - \(Date.referenceOffset))"))
    // The text format that MiniORM stores for a date of whole milliseconds.
    case .text, nil: return .call("datetime", arguments + [subsecond])
    }
  }
}

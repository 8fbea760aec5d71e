#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How an expression stands beside one whose values are stored in another way.
extension SQLExpression {
  /// The arguments that say to a date function which time this is.
  var timeValue: [SQL] {
    switch coding.dates {
    case .seconds: [sql, SQL(raw: "'unixepoch'")]
    case .milliseconds: [sql.appending(SQL(raw: " / 1000.0")), SQL(raw: "'unixepoch'")]
    case .reference:
      [sql.appending(SQL(raw: " + \(Date.referenceOffset)")), SQL(raw: "'unixepoch'")]
    case .text, nil: [sql]
    }
  }

  /// Returns the SQL of the values as another coding stores them, or nil if they do not become that.
  ///
  /// Only dates are converted: one in seconds is none in text. Other values must be stored alike.
  func converted<Other>(to other: Coding<Other>) -> SQL? {
    convertedPart(to: other).map { SQL($0) }
  }

  /// Returns the same as a part.
  consuming func convertedPart<Other>(to other: Coding<Other>) -> SQLPart? {
    if coding.isSame(as: other) { return part }
    if let argument = argument(like: other) { return SQLPart(argument) }
    if coding.dates != nil, let dates = other.dates { return SQLPart(date(storedAs: dates)) }
    return coding.isStored(like: other) ? part : nil
  }

  /// Returns the SQL for a place beside a value of another coding, as in a comparison or another
  /// branch of a CASE. Values that do not become the other's are a mistake, which travels with it.
  func unified<Other>(with other: Coding<Other>) -> SQL { SQL(unifiedPart(with: other)) }

  /// Returns the same as a part.
  consuming func unifiedPart<Other>(with other: Coding<Other>) -> SQLPart {
    if coding.isSame(as: other) { return part }
    if let converted = (copy self).convertedPart(to: other) { return converted }
    var sql = sql
    sql.record(coding.mistake(beside: other))
    return SQLPart(sql)
  }

  /// Returns the SQL of the date in a form of storage, after modifiers.
  func date(storedAs storage: DateStorage?, _ modifiers: [DateModifier] = []) -> SQL {
    guard storage != coding.dates || !modifiers.isEmpty else { return sql }
    let subsecond = DateModifier.subsecond.sql
    let arguments = timeValue + modifiers.map(\.sql)
    switch storage {
    // The nearest unit, as where a value is bound.
    case .seconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: ") AS INTEGER)"))
    case .milliseconds:
      return SQL(raw: "CAST(round(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " * 1000) AS INTEGER)"))
    case .reference:
      return SQL(raw: "(").appending(
        .call("unixepoch", arguments + [subsecond]), SQL(raw: " - \(Date.referenceOffset))"))
    // The form in which MiniORM stores a date of whole milliseconds.
    case .text, nil: return .call("datetime", arguments + [subsecond])
    }
  }
}

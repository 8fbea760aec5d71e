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

  /// The SQL, for a place beside a value of another coding: a date in seconds is no date in text
  /// unless it is converted.
  func stored<Other>(like other: Coding<Other>) -> SQL {
    if let argument = argument(like: other) { return argument }
    if coding.dates != nil, let storage = other.dates { return stored(as: storage) }
    guard !coding.isStored(like: other) else { return sql }
    var sql = sql
    sql.record(
      .query(
        "Values that are stored in two ways, as \(coding.difference(from: other)), are not equal in the file"
      ))
    return sql
  }

  /// The SQL, for storing it in a column; `nil` where the column stores its values in a way that this
  /// does not become.
  func stored<Other>(asIn column: Coding<Other>) -> SQL? {
    argument(like: column) ?? (column.accepts(coding) ? stored(like: column) : nil)
  }

  /// The date as it is stored another way.
  func stored(as storage: DateStorage?, _ modifiers: [DateModifier] = []) -> SQL {
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

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// `Date`, or an optional one.
public protocol SQLDate: ColumnValue {}
extension Date: SQLDate {}
extension Optional: SQLDate where Wrapped: SQLDate {}

/// See [Date And Time Functions](https://www.sqlite.org/lang_datefunc.html). They take the column as
/// it is stored, as text, as seconds or as milliseconds, and give NULL for NULL and beyond the years
/// 0 to 9999.
extension SQLExpression where Value: SQLDate {
  private func dated(_ name: String, before: [SQL] = [], _ modifiers: [DateModifier]) -> SQL {
    .call(name, before + timeValue + modifiers.map(\.sql))
  }

  /// The day as a text such as `2026-11-21`: `date`.
  /// - Parameter modifiers: What to do to the date first.
  public func date(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("date", modifiers), Coding())
  }
  /// The time of the day as a text such as `10:04:58`: `time`.
  /// - Parameter modifiers: What to do to the date first.
  public func time(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("time", modifiers), Coding())
  }
  /// The day and the time as a text such as `2026-11-21 10:04:58`: `datetime`.
  /// - Parameter modifiers: What to do to the date first.
  public func datetime(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("datetime", modifiers), Coding())
  }
  /// The days since noon in Greenwich on November 24, 4714 B.C.: `julianday`.
  /// - Parameter modifiers: What to do to the date first.
  public func julianDay(_ modifiers: DateModifier...) -> SQLExpression<Double?> {
    SQLExpression<Double?>(dated("julianday", modifiers), Coding())
  }
  /// The whole seconds since 1970: `unixepoch`.
  /// - Parameter modifiers: What to do to the date first; not `.subsecond`, which makes a fraction.
  public func unixEpoch(_ modifiers: DateModifier...) -> SQLExpression<Int64?> {
    SQLExpression<Int64?>(dated("unixepoch", modifiers), Coding())
  }
  /// The date in a form of your own: `strftime`.
  /// - Parameters:
  ///   - format: The form, such as `%Y-%m` or `%H:%M`.
  ///   - modifiers: What to do to the date first.
  public func strftime(_ format: String, _ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(
      dated("strftime", before: [SQL(binding: format)], modifiers), Coding())
  }

  /// What to add to another date to get this one, such as `+0000-00-01 02:30:00.000`: `timediff`.
  /// - Parameter other: The other date.
  public func timediff<Other: SQLDate>(_ other: SQLExpression<Other>) -> SQLExpression<String?> {
    // It takes two time values and no modifiers, so each is a text first.
    SQLExpression<String?>(
      .call("timediff", [stored(as: .text), other.stored(as: .text)]), Coding())
  }
}

extension SQLExpression<Date> {
  /// The date after some changes, stored as this one is, to the millisecond.
  ///
  /// ```swift
  /// invoices.where { $0.sent.applying(.days(30)) < Date() }
  /// ```
  /// - Parameter modifiers: The changes, from left to right.
  public func applying(_ modifiers: DateModifier...) -> SQLExpression<Date?> {
    SQLExpression<Date?>(stored(as: coding.dates, modifiers), coding.optional)
  }
}

extension SQLExpression<Date?> {
  /// The date after some changes, stored as this one is, to the millisecond.
  /// - Parameter modifiers: The changes, from left to right.
  public func applying(_ modifiers: DateModifier...) -> Self {
    SQLExpression(stored(as: coding.dates, modifiers), coding)
  }
}

extension DateModifier {
  var sql: SQL {
    var sql = SQL(raw: text.quotedLiteral)
    sql.record(problem)
    return sql
  }
}

extension SQLExpression {
  /// The arguments that say to a date function which time this is.
  fileprivate var timeValue: [SQL] {
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

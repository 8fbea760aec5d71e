#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A date type for SQL functions: `Date`, or an optional date.
public protocol SQLDate: ColumnValue {}
extension Date: SQLDate {}
extension Optional: SQLDate where Wrapped: SQLDate {}

/// The functions accept every storage format of a date. For NULL, and for dates outside the years 0
/// to 9999, the result is NULL.
///
/// See [Date And Time Functions](https://www.sqlite.org/lang_datefunc.html).
extension SQLExpression where Value: SQLDate {
  private func dated(_ name: String, before: [SQL] = [], _ modifiers: [DateModifier]) -> SQL {
    .call(name, before + timeValue + modifiers.map(\.sql))
  }

  /// Returns the day as a text such as `2026-11-21`: `date`.
  ///
  /// ```swift
  /// invoices.group { $0.sent.date(.startOfMonth) }
  /// ```
  /// - Parameter modifiers: The modifiers, which change the date first.
  public func date(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("date", modifiers), Coding())
  }
  /// Returns the time of day as a text such as `10:04:58`: `time`.
  public func time(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("time", modifiers), Coding())
  }
  /// Returns the day and time as a text such as `2026-11-21 10:04:58`: `datetime`.
  public func datetime(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("datetime", modifiers), Coding())
  }
  /// Returns the number of days since noon in Greenwich on November 24, 4714 B.C.: `julianday`.
  public func julianDay(_ modifiers: DateModifier...) -> SQLExpression<Double?> {
    SQLExpression<Double?>(dated("julianday", modifiers), Coding())
  }
  /// Returns the whole seconds since 1970: `unixepoch`.
  /// - Parameter modifiers: The modifiers, without `.subsecond`, which gives a fraction.
  public func unixEpoch(_ modifiers: DateModifier...) -> SQLExpression<Int64?> {
    SQLExpression<Int64?>(dated("unixepoch", modifiers), Coding())
  }
  /// Returns the date in a custom format, such as `%Y-%m` or `%H:%M`: `strftime`.
  public func strftime(_ format: String, _ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(
      dated("strftime", before: [SQL(binding: format)], modifiers), Coding())
  }

  /// Returns this date minus `other`, such as `+0000-00-01 02:30:00.000`: `timediff`.
  public func timediff<Other: SQLDate>(_ other: SQLExpression<Other>) -> SQLExpression<String?> {
    // timediff takes two time values without modifiers, so both are converted to text first.
    SQLExpression<String?>(.call("timediff", [dateText, other.dateText]), Coding())
  }

  private var dateText: SQL {
    coding.dates == .text ? sql : dated("datetime", [DateModifier.subsecond])
  }

  /// Returns the date after modifiers, to the millisecond, in the same storage format.
  ///
  /// ```swift
  /// invoices.where { $0.sent.applying(.days(30)) < Date() }
  /// ```
  /// - Parameter modifiers: The modifiers, applied from left to right.
  public func applying(_ modifiers: DateModifier...) -> SQLExpression<Value.SQLUnwrapped?> {
    SQLExpression<Value.SQLUnwrapped?>(date(storedAs: coding.dates, modifiers), coding.nullable())
  }
}

extension SQL {
  /// Converts a date in JSON to seconds since 2001. The JSON has such a number, or a text that SQL
  /// wrote.
  var jsonDate: SQL {
    .call(
      "iif",
      [
        SQL.call("typeof", [self]).appending(SQL(raw: " = 'text'")),
        SQL.call("unixepoch", [self, SQL(raw: "'subsec'")])
          .appending(SQL(raw: " - \(Date.referenceOffset)")),
        self,
      ])
  }
}

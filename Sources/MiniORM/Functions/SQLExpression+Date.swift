#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// `Date`, or an optional date.
public protocol SQLDate: ColumnValue {}
extension Date: SQLDate {}
extension Optional: SQLDate where Wrapped: SQLDate {}

/// See [Date And Time Functions](https://www.sqlite.org/lang_datefunc.html). They take the column
/// as it is stored, as text, as seconds or as milliseconds. They return NULL for NULL, and for
/// dates outside the years 0 to 9999.
extension SQLExpression where Value: SQLDate {
  private func dated(_ name: String, before: [SQL] = [], _ modifiers: [DateModifier]) -> SQL {
    .call(name, before + timeValue + modifiers.map(\.sql))
  }

  /// Returns the day as a text such as `2026-11-21`: `date`.
  /// - Parameter modifiers: The changes to make to the date first.
  public func date(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("date", modifiers), Coding())
  }
  /// Returns the time of day as a text such as `10:04:58`: `time`.
  /// - Parameter modifiers: The changes to make to the date first.
  public func time(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("time", modifiers), Coding())
  }
  /// Returns the day and time as a text such as `2026-11-21 10:04:58`: `datetime`.
  /// - Parameter modifiers: The changes to make to the date first.
  public func datetime(_ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(dated("datetime", modifiers), Coding())
  }
  /// Returns the number of days since noon in Greenwich on November 24, 4714 B.C.: `julianday`.
  /// - Parameter modifiers: The changes to make to the date first.
  public func julianDay(_ modifiers: DateModifier...) -> SQLExpression<Double?> {
    SQLExpression<Double?>(dated("julianday", modifiers), Coding())
  }
  /// Returns the whole seconds since 1970: `unixepoch`.
  /// - Parameter modifiers: The changes to make to the date first, except `.subsecond`, which would
  ///   give a fraction.
  public func unixEpoch(_ modifiers: DateModifier...) -> SQLExpression<Int64?> {
    SQLExpression<Int64?>(dated("unixepoch", modifiers), Coding())
  }
  /// Returns the date in a format of your own: `strftime`.
  /// - Parameters:
  ///   - format: The format, such as `%Y-%m` or `%H:%M`.
  ///   - modifiers: The changes to make to the date first.
  public func strftime(_ format: String, _ modifiers: DateModifier...) -> SQLExpression<String?> {
    SQLExpression<String?>(
      dated("strftime", before: [SQL(binding: format)], modifiers), Coding())
  }

  /// Returns the time to add to another date to get this one, such as `+0000-00-01 02:30:00.000`:
  /// `timediff`.
  /// - Parameter other: The other date.
  public func timediff<Other: SQLDate>(_ other: SQLExpression<Other>) -> SQLExpression<String?> {
    // It takes two time values and no modifiers, so each is turned into text first.
    SQLExpression<String?>(
      .call("timediff", [date(storedAs: .text), other.date(storedAs: .text)]), Coding())
  }
}

extension SQLExpression<Date> {
  /// Returns the date after some changes, stored in the same way as this one, to the millisecond.
  ///
  /// ```swift
  /// invoices.where { $0.sent.applying(.days(30)) < Date() }
  /// ```
  /// - Parameter modifiers: The changes, from left to right.
  public func applying(_ modifiers: DateModifier...) -> SQLExpression<Date?> {
    SQLExpression<Date?>(date(storedAs: coding.dates, modifiers), coding.optional)
  }
}

extension SQLExpression<Date?> {
  /// Returns the date after some changes, stored in the same way as this one, to the millisecond.
  /// - Parameter modifiers: The changes, from left to right.
  public func applying(_ modifiers: DateModifier...) -> Self {
    SQLExpression(date(storedAs: coding.dates, modifiers), coding)
  }
}

extension SQL {
  /// A date in JSON as its seconds since 2001, also where SQL has built it, and it is a text.
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

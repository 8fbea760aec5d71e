/// A modifier of a date function, which changes the date before formatting.
///
/// Modifiers apply from left to right: `.startOfMonth, .months(1), .days(-1)` gives the last day of
/// the month.
///
/// See [Modifiers](https://www.sqlite.org/lang_datefunc.html#modifiers).
public struct DateModifier: Sendable {
  let text: String
  /// An error for a modifier for which SQLite would return NULL.
  let problem: DatabaseError?

  private init(_ text: String, problem: String? = nil) {
    self.text = text
    self.problem = problem.map { .query($0) }
  }

  private static func shift(_ count: Int, _ unit: String) -> DateModifier {
    DateModifier("\(count < 0 ? "" : "+")\(count) \(unit)")
  }

  /// Returns a modifier that moves the date by years. A day that does not exist in the month
  /// becomes a day of the next month.
  /// - Parameter count: The number of years; negative for earlier.
  public static func years(_ count: Int) -> DateModifier { shift(count, "years") }
  /// Returns a modifier that moves the date by months. A day that does not exist in the month
  /// becomes a day of the next month.
  /// - Parameter count: The number of months; negative for earlier.
  public static func months(_ count: Int) -> DateModifier { shift(count, "months") }
  /// Returns a modifier that moves the date by days.
  /// - Parameter count: The number of days; negative for earlier.
  public static func days(_ count: Int) -> DateModifier { shift(count, "days") }
  /// Returns a modifier that moves the date by hours.
  /// - Parameter count: The number of hours; negative for earlier.
  public static func hours(_ count: Int) -> DateModifier { shift(count, "hours") }
  /// Returns a modifier that moves the date by minutes.
  /// - Parameter count: The number of minutes; negative for earlier.
  public static func minutes(_ count: Int) -> DateModifier { shift(count, "minutes") }
  /// Returns a modifier that moves the date by seconds.
  /// - Parameter count: The number of seconds, to the millisecond; negative for earlier.
  public static func seconds(_ count: Double) -> DateModifier {
    DateModifier(
      "\(count < 0 ? "" : "+")\(count) seconds",
      problem: count.isFinite
        ? nil : "The number of seconds is infinite or not a number: give a finite number")
  }

  /// The first moment of the year.
  public static let startOfYear = DateModifier("start of year")
  /// The first moment of the month.
  public static let startOfMonth = DateModifier("start of month")
  /// The first moment of the day.
  public static let startOfDay = DateModifier("start of day")
  /// Returns a modifier that moves the date forward to a weekday. A date on that weekday stays.
  /// - Parameter day: 0 for Sunday, to 6 for Saturday.
  public static func weekday(_ day: Int) -> DateModifier {
    DateModifier(
      "weekday \(day)",
      problem: (0...6).contains(day)
        ? nil : "There is no weekday \(day): give 0 for Sunday to 6 for Saturday")
  }

  /// A conversion from UTC to the machine's time zone.
  public static let localTime = DateModifier("localtime")
  /// A conversion from the machine's time zone to UTC.
  public static let utc = DateModifier("utc")
  /// Keeps milliseconds in the result, which otherwise has whole seconds.
  public static let subsecond = DateModifier("subsec")

  var sql: SQL {
    var sql = SQL(raw: text.quotedLiteral)
    sql.record(problem)
    return sql
  }
}

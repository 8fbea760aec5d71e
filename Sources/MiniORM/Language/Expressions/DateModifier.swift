/// A modifier of a date function, which changes the date before formatting.
///
/// Modifiers apply from left to right: `.startOfMonth, .months(1), .days(-1)` gives the last day of
/// the month. A negative count moves the date back.
///
/// See [Modifiers](https://www.sqlite.org/lang_datefunc.html#modifiers).
public struct DateModifier: Sendable {
  let text: String
  let problem: DatabaseError?

  private init(_ text: String, problem: String? = nil) {
    self.text = text
    self.problem = problem.map { .query($0) }
  }

  private static func shift(_ count: Int, _ unit: String) -> DateModifier {
    DateModifier("\(count < 0 ? "" : "+")\(count) \(unit)")
  }

  /// Moves the date by years. A day that does not exist in the month becomes a day of the next
  /// month.
  public static func years(_ count: Int) -> DateModifier { shift(count, "years") }
  /// Moves the date by months. A day that does not exist in the month becomes a day of the next
  /// month.
  public static func months(_ count: Int) -> DateModifier { shift(count, "months") }
  /// Moves the date by days.
  public static func days(_ count: Int) -> DateModifier { shift(count, "days") }
  /// Moves the date by hours.
  public static func hours(_ count: Int) -> DateModifier { shift(count, "hours") }
  /// Moves the date by minutes.
  public static func minutes(_ count: Int) -> DateModifier { shift(count, "minutes") }
  /// Moves the date by seconds, with the precision of a millisecond.
  public static func seconds(_ count: Double) -> DateModifier {
    DateModifier(
      "\(count < 0 ? "" : "+")\(count) seconds",
      problem: count.isFinite
        ? nil : "The number of seconds is infinite or not a number: give a finite number")
  }

  /// Moves the date back to the first moment of the year.
  public static let startOfYear = DateModifier("start of year")
  /// Moves the date back to the first moment of the month.
  public static let startOfMonth = DateModifier("start of month")
  /// Moves the date back to the first moment of the day.
  public static let startOfDay = DateModifier("start of day")
  /// Moves the date forward to a weekday. A date on that weekday stays.
  /// - Parameter day: 0 for Sunday, to 6 for Saturday.
  public static func weekday(_ day: Int) -> DateModifier {
    DateModifier(
      "weekday \(day)",
      problem: (0...6).contains(day)
        ? nil : "There is no weekday \(day): give 0 for Sunday to 6 for Saturday")
  }

  /// Converts UTC to the machine's time zone.
  public static let localTime = DateModifier("localtime")
  /// Converts the machine's time zone to UTC.
  public static let utc = DateModifier("utc")
  /// Keeps milliseconds in the result, which otherwise has whole seconds.
  public static let subsecond = DateModifier("subsec")

  var sql: SQL {
    var sql = SQL(raw: text.quotedLiteral)
    sql.record(problem)
    return sql
  }
}

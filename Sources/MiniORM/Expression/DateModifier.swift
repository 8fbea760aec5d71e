/// What a date function does to a date before it gives its result.
///
/// Modifiers apply from left to right: `.startOfMonth, .months(1), .days(-1)` is the month's last day.
///
/// See [Modifiers](https://www.sqlite.org/lang_datefunc.html#modifiers).
public struct DateModifier: Sendable {
  let text: String
  /// A mistake, of which SQLite would make NULL.
  let problem: DatabaseError?

  private init(_ text: String, problem: String? = nil) {
    self.text = text
    self.problem = problem.map { .query($0) }
  }

  private static func shift(_ count: Int, _ unit: String) -> DateModifier {
    DateModifier("\(count < 0 ? "" : "+")\(count) \(unit)")
  }

  /// Years later, or earlier. A day that the month lacks becomes one of the next month.
  /// - Parameter count: How many; negative for earlier.
  public static func years(_ count: Int) -> DateModifier { shift(count, "years") }
  /// Months later, or earlier. A day that the month lacks becomes one of the next month.
  /// - Parameter count: How many; negative for earlier.
  public static func months(_ count: Int) -> DateModifier { shift(count, "months") }
  /// Days later, or earlier.
  /// - Parameter count: How many; negative for earlier.
  public static func days(_ count: Int) -> DateModifier { shift(count, "days") }
  /// Hours later, or earlier.
  /// - Parameter count: How many; negative for earlier.
  public static func hours(_ count: Int) -> DateModifier { shift(count, "hours") }
  /// Minutes later, or earlier.
  /// - Parameter count: How many; negative for earlier.
  public static func minutes(_ count: Int) -> DateModifier { shift(count, "minutes") }
  /// Seconds later, or earlier.
  /// - Parameter count: How many, to the millisecond; negative for earlier.
  public static func seconds(_ count: Double) -> DateModifier {
    DateModifier(
      "\(count < 0 ? "" : "+")\(count) seconds",
      problem: count.isFinite ? nil : "A date is not moved by a number of seconds that is none")
  }

  /// The first moment of the year.
  public static let startOfYear = DateModifier("start of year")
  /// The first moment of the month.
  public static let startOfMonth = DateModifier("start of month")
  /// The first moment of the day.
  public static let startOfDay = DateModifier("start of day")
  /// The next day that is this weekday, or the day itself.
  /// - Parameter day: 0 for Sunday, to 6 for Saturday.
  public static func weekday(_ day: Int) -> DateModifier {
    DateModifier(
      "weekday \(day)",
      problem: (0...6).contains(day) ? nil : "There is no weekday \(day): 0 is Sunday, 6 Saturday")
  }

  /// From UTC to the time of the machine's zone.
  public static let localTime = DateModifier("localtime")
  /// From the time of the machine's zone to UTC.
  public static let utc = DateModifier("utc")
  /// With the milliseconds in the result, which they are otherwise left out of.
  public static let subsecond = DateModifier("subsec")

  /// The modifier as an argument.
  var sql: SQL {
    var sql = SQL(raw: text.quotedLiteral)
    sql.record(problem)
    return sql
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Date: ColumnValue, TimeStored {
  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT such as `2026-11-21 10:04:58.123`, with `T` or a space as the separator. The
  /// time, or its seconds, may be missing. Without a zone (`Z`, `+01:00`), the time is UTC.
  ///
  /// See [Time Values](https://www.sqlite.org/lang_datefunc.html#time_values).
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    if let date = try cell.withTextBytes({ Date(plainText: $0) }) {
      self = date
      return
    }
    guard let date = Date(iso8601: try cell.text()) else {
      throw cell.invalid("The text is not an ISO 8601 date")
    }
    self = date
  }

  /// Binds ISO 8601 text in UTC, as SQLite's own functions write dates: three decimals of a second,
  /// and more if an equal date requires them. Texts sort in the order of their dates.
  /// - Throws: ``DatabaseError`` with the operation `bind` for a date outside the years 0000 to
  ///   9999.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard let text = plainText ?? iso8601 else {
      throw parameter.invalid(Self.noText)
    }
    try parameter.bind(text)
  }

  static let noText =
    "A date outside the years 0 to 9999 has no ISO 8601 text: store it with @Column(as: .unixSeconds)"

  static var currentTime: String { "strftime('%Y-%m-%d %H:%M:%f', 'now')" }

  var iso8601: String? {
    guard let (whole, fraction) = Self.split(timeIntervalSinceReferenceDate) else { return nil }
    let (days, second) = (whole + Self.referenceOffset).floorDivided(by: 86_400)
    let (year, month, day) = Self.civil(fromDays: days)
    guard (0...9999).contains(year) else { return nil }
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + " "
      + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
      + "."
      + fraction + String(repeating: "0", count: max(0, 3 - fraction.count))
  }

  private static let afterLast = days(fromCivil: (10_000, 1, 1)) * 86_400 - referenceOffset

  init?(iso8601 text: String) {
    var scanner = Scanner(text)
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2),
      scanner.skip("-"),
      let day = scanner.digits(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let days = Self.days(fromCivil: (year, month, day))
    guard Self.civil(fromDays: days) == (year, month, day) else { return nil }
    var second: Int64 = 0
    var fraction = ""
    if scanner.skip("T") || scanner.skip(" ") {
      guard let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2),
        hour < 24, minute < 60
      else { return nil }
      second = hour * 3600 + minute * 60
      if scanner.skip(":") {
        guard let seconds = scanner.digits(2), seconds < 60 else { return nil }
        second += seconds
        if scanner.skip(".") {
          fraction = scanner.allDigits()
          guard !fraction.isEmpty else { return nil }
        }
      }
      let sign: Int64 = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
      if sign != 0 {
        guard let hours = scanner.digits(2), scanner.skip(":"), let minutes = scanner.digits(2),
          hours < 24,
          minutes < 60
        else { return nil }
        second -= sign * (hours * 3600 + minutes * 60)
      } else {
        _ = scanner.skip("Z")
      }
    }
    guard scanner.isAtEnd else { return nil }
    let whole = days * 86_400 + second - Self.referenceOffset
    guard let interval = Self.join(whole, fraction) else { return nil }
    // Rounding could give the start of the year 10000, which has no text.
    self.init(
      timeIntervalSinceReferenceDate: whole < Self.afterLast
        ? min(interval, Double(Self.afterLast).nextDown) : interval)
  }

  // A Double's description is the shortest decimal text for the same Double, so this conversion is
  // exact: the whole seconds become a calendar date, and the fraction stays as digits.

  private static func split(_ interval: Double) -> (Int64, String)? {
    guard interval.isFinite, interval.magnitude < 1e12 else { return nil }
    guard let (digits, point) = decimal(interval.magnitude), let whole = Int64(digits.prefix(point))
    else { return nil }
    var fraction = Array(digits.dropFirst(point))
    while fraction.last == "0" { fraction.removeLast() }
    guard interval < 0 else { return (whole, String(fraction)) }
    guard !fraction.isEmpty else { return (-whole, "") }
    // -(w + f) = -(w + 1) + (1 - f): ten's complement of the fraction.
    var carry = 10
    for index in fraction.indices.reversed() {
      let digit = carry - (fraction[index].wholeNumberValue ?? 0)
      fraction[index] = Character(String(digit % 10))
      carry = 9
    }
    return (-whole - 1, String(fraction))
  }

  private static func join(_ whole: Int64, _ fraction: String) -> Double? {
    guard whole < 0, fraction.contains(where: { $0 != "0" }) else {
      return Double("\(whole).\(fraction)0")
    }
    var digits = Array(fraction)
    while digits.last == "0" { digits.removeLast() }
    var carry = 10
    for index in digits.indices.reversed() {
      digits[index] = Character(String((carry - (digits[index].wholeNumberValue ?? 0)) % 10))
      carry = 9
    }
    return Double("-\(-(whole + 1)).\(String(digits))")
  }

  private static func decimal(_ number: Double) -> (digits: String, point: Int)? {
    let parts = number.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var digits = String(mantissa[0]) + (mantissa.count > 1 ? String(mantissa[1]) : "")
    var point = mantissa[0].count + exponent
    if point < 1 {
      digits = String(repeating: "0", count: 1 - point) + digits
      point = 1
    }
    if digits.count < point { digits += String(repeating: "0", count: point - digits.count) }
    return (digits, point)
  }

  // The proleptic Gregorian calendar, counted from 0000-03-01 in eras of 400 years.

  static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
    let (era, day) = (days + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }

  static func days(fromCivil date: (year: Int64, month: Int64, day: Int64)) -> Int64 {
    let (era, yearOfEra) = (date.month <= 2 ? date.year - 1 : date.year).floorDivided(by: 400)
    let shifted = date.month > 2 ? date.month - 3 : date.month + 9
    let dayOfYear = (153 * shifted + 2) / 5 + date.day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private struct Scanner {
    private var rest: Substring.UTF8View
    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    mutating func digits(_ count: Int) -> Int64? {
      let text = rest.prefix(count)
      guard text.count == count, text.allSatisfy(Self.isDigit) else { return nil }
      rest.removeFirst(count)
      return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    mutating func allDigits() -> String {
      let text = rest.prefix(while: Self.isDigit)
      rest = rest.dropFirst(text.count)
      return String(decoding: text, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// A text with at most three decimals of a second is the date that Date(timeIntervalSince1970:)
// creates from the milliseconds, as other programs and JSON decoders create it. A date that differs
// from this date by the rounding of a Double has at least four decimals, and they are the exact
// decimals of its interval since 2001. So each date is read back equal, and dates of whole
// milliseconds equal the texts of other programs.
extension Date {
  /// Reads a date, optionally with a time, whose separator is `T` or a space, and a zone.
  init?(iso8601 text: UnsafeBufferPointer<UInt8>) {
    var scanner = Scanner(text)
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2),
      scanner.skip("-"), let day = scanner.digits(2), (1...12).contains(month),
      (1...31).contains(day)
    else { return nil }
    let days = Self.days(fromCivil: (year, month, day))
    guard Self.civil(fromDays: days) == (year, month, day) else { return nil }
    var seconds = days * 86_400
    var decimals = text[0..<0]
    if scanner.skip("T") || scanner.skip(" ") {
      guard let time = scanner.hoursAndMinutes() else { return nil }
      seconds += time
      if scanner.skip(":") {
        guard let second = scanner.digits(2), second < 60 else { return nil }
        seconds += second
        if scanner.skip(".") {
          decimals = scanner.allDigits()
          guard !decimals.isEmpty else { return nil }
        }
      }
      let sign: Int64 = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
      if sign != 0 {
        guard let offset = scanner.hoursAndMinutes() else { return nil }
        seconds -= sign * offset
      } else {
        _ = scanner.skip("Z")
      }
    }
    guard scanner.isAtEnd, let date = Self.date(seconds, decimals) else { return nil }
    self = date
  }

  private static func date(_ since1970: Int64, _ decimals: Slice<UnsafeBufferPointer<UInt8>>)
    -> Date?
  {
    var fraction: Int64 = 0
    var scale: Int64 = 1
    for digit in decimals.prefix(9) {
      fraction = fraction * 10 + Int64(digit - UInt8(ascii: "0"))
      scale *= 10
    }
    if decimals.count <= 3 {
      return Date(milliseconds: since1970 * 1000 + fraction * (1000 / scale))
    }
    let whole = since1970 - referenceOffset
    let (product, isTooLarge) = whole.multipliedReportingOverflow(by: scale)
    if decimals.count <= 9, !isTooLarge, product.magnitude < 1 << 52 {
      // For integers that a Double represents exactly, division gives the nearest Double.
      return Date(timeIntervalSinceReferenceDate: Double(product + fraction) / Double(scale))
    }
    guard let interval = interval(whole, Array(decimals)) else { return nil }
    // Rounding could give the start of the year 10000, which has no text.
    return Date(
      timeIntervalSinceReferenceDate: whole < afterLast
        ? min(interval, Double(afterLast).nextDown) : interval)
  }

  private static let afterLast = days(fromCivil: (10_000, 1, 1)) * 86_400 - referenceOffset

  /// Returns the nearest Double of a number of seconds and its decimals.
  private static func interval(_ whole: Int64, _ decimals: [UInt8]) -> Double? {
    let zero = UInt8(ascii: "0")
    guard whole < 0, let last = decimals.lastIndex(where: { $0 != zero }) else {
      return Double("\(whole).\(String(decoding: decimals, as: UTF8.self))")
    }
    // -w + 0.f = -((w - 1) + (1 - 0.f)): the ten's complement of the decimals.
    var complement = decimals[...last].map { zero + 9 - ($0 - zero) }
    complement[last] += 1
    return Double("-\(-(whole + 1)).\(String(decoding: complement, as: UTF8.self))")
  }

  /// The text in UTC, with at least three decimals of a second; nil outside the years 0 to 9999.
  var iso8601: String? {
    if let count = count(unitsPerSecond: 1000), Date(milliseconds: count) == self {
      let (seconds, rest) = count.floorDivided(by: 1000)
      return Self.text(seconds, Decimals(value: rest, count: 3))
    }
    guard var (whole, decimals) = Decimals.of(timeIntervalSinceReferenceDate.magnitude) else {
      return nil
    }
    if timeIntervalSinceReferenceDate < 0 {
      whole = decimals.value == 0 ? -whole : -whole - 1
      decimals.complement()
    }
    // Three decimals would be read as whole milliseconds since 1970.
    if decimals.count < 4 {
      for _ in decimals.count..<4 { decimals.value *= 10 }
      decimals.count = 4
    }
    return Self.text(whole + Self.referenceOffset, decimals)
  }

  private static func text(_ since1970: Int64, _ decimals: Decimals) -> String? {
    let (days, second) = since1970.floorDivided(by: 86_400)
    let (year, month, day) = civil(fromDays: days)
    guard (0...9999).contains(year) else { return nil }
    return String(unsafeUninitializedCapacity: 20 + decimals.count) { text in
      var end = 0
      func append(_ number: Int64, _ width: Int) {
        var rest = number
        for index in (end..<(end + width)).reversed() {
          text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        end += width
      }
      func append(_ sign: Unicode.Scalar) {
        text[end] = UInt8(ascii: sign)
        end += 1
      }
      append(year, 4)
      append("-")
      append(month, 2)
      append("-")
      append(day, 2)
      append(" ")
      append(second / 3600, 2)
      append(":")
      append(second / 60 % 60, 2)
      append(":")
      append(second % 60, 2)
      append(".")
      for _ in 0..<max(0, decimals.count - 18) { append(decimals.isComplement ? "9" : "0") }
      append(decimals.value, min(18, decimals.count))
      return end
    }
  }

  /// Decimals of a second: the last 18 digits, after nines for a complement, and else after zeros.
  private struct Decimals {
    var value: Int64
    var count: Int
    var isComplement = false

    init(value: Int64, count: Int) { (self.value, self.count) = (value, count) }

    /// Returns the shortest decimal number whose nearest Double is the magnitude of a number.
    static func of(_ number: Double) -> (whole: Int64, decimals: Decimals)? {
      guard number.magnitude < 1e12 else { return nil }
      let (digits, exponent) = number.shortestDecimal
      guard exponent >= -18 else { return (0, Decimals(value: digits, count: -exponent)) }
      let one = (exponent..<0).reduce(Int64(1)) { power, _ in power * 10 }
      return (digits / one, Decimals(value: digits % one, count: -exponent))
    }

    mutating func complement() {
      guard value != 0 else { return }
      var one: Int64 = 1
      for _ in 0..<min(18, count) { one *= 10 }
      (value, isComplement) = (one - value, true)
    }
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
    private let text: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var isAtEnd: Bool { index == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func digits(_ count: Int) -> Int64? {
      guard text.count - index >= count else { return nil }
      var number: Int64 = 0
      for place in index..<(index + count) {
        let digit = text[place] &- UInt8(ascii: "0")
        guard digit <= 9 else { return nil }
        number = number * 10 + Int64(digit)
      }
      index += count
      return number
    }

    mutating func hoursAndMinutes() -> Int64? {
      guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60
      else { return nil }
      return hours * 3600 + minutes * 60
    }

    mutating func allDigits() -> Slice<UnsafeBufferPointer<UInt8>> {
      let start = index
      while index < text.count, text[index] &- UInt8(ascii: "0") <= 9 { index += 1 }
      return text[start..<index]
    }
  }
}

extension Date {
  init?(iso8601 text: String) {
    var text = text
    guard let date = text.withUTF8({ Date(iso8601: $0) }) else { return nil }
    self = date
  }
}

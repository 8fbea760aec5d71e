#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Fast paths for the usual date texts, without a String. DateTextTests check that the results equal
// `Date(iso8601:)` and `Date.iso8601`.
extension Date {
  /// Reads `2026-11-22 07:30:00.125`, optionally with `T` or `Z`. Nil for other texts, and for too
  /// many digits for an exact result.
  init?(plainText text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { return nil }
    var isPlain = true
    func digit(_ index: Int) -> Int64 {
      let digit = text[index] &- UInt8(ascii: "0")
      if digit > 9 { isPlain = false }
      return Int64(digit)
    }
    func two(_ index: Int) -> Int64 { digit(index) * 10 + digit(index + 1) }
    let (year, month, day) = (two(0) * 100 + two(2), two(5), two(8))
    let (hour, minute, second) = (two(11), two(14), two(17))
    guard isPlain, (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var end = text.count
    if end > 19, text[end - 1] == UInt8(ascii: "Z") { end -= 1 }
    let whole =
      Self.days(fromCivil: (year, month, day)) * 86_400 + hour * 3600 + minute * 60 + second
      - Self.referenceOffset
    guard end > 19 else {
      self.init(timeIntervalSinceReferenceDate: Double(whole))
      return
    }
    // The fraction has 1 to 9 digits.
    guard text[19] == UInt8(ascii: "."), end > 20, end <= 29 else { return nil }
    var (fraction, scale): (Int64, Int64) = (0, 1)
    for index in 20..<end {
      fraction = fraction * 10 + digit(index)
      scale *= 10
    }
    let (product, isTooLarge) = whole.multipliedReportingOverflow(by: scale)
    // For integers that a Double represents exactly, division gives the nearest Double.
    guard isPlain, !isTooLarge, product.magnitude < 1 << 52 else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(product + fraction) / Double(scale))
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  var plainText: String? {
    let interval = timeIntervalSinceReferenceDate
    guard interval.isFinite, interval.magnitude < 1e11 else { return nil }
    var (whole, fraction, scale): (Int64, Int64, Int64) = (0, 0, 1)
    var (count, isFraction) = (0, false)
    for byte in interval.magnitude.description.utf8 {
      guard byte != UInt8(ascii: ".") else {
        isFraction = true
        continue
      }
      let digit = Int64(byte &- UInt8(ascii: "0"))
      guard digit <= 9, count < 17 else { return nil }
      if isFraction {
        (fraction, scale, count) = (fraction * 10 + digit, scale * 10, count + 1)
      } else {
        whole = whole * 10 + digit
      }
    }
    if fraction == 0 { (scale, count) = (1, 0) }
    if interval < 0 {
      (whole, fraction) = fraction == 0 ? (-whole, 0) : (-whole - 1, scale - fraction)
    }
    let (days, second) = (whole + Self.referenceOffset).floorDivided(by: 86_400)
    let (year, month, day) = Self.civil(fromDays: days)
    guard (0...9999).contains(year) else { return nil }
    return String(unsafeUninitializedCapacity: 20 + max(3, count)) { text in
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
      append(fraction, count)
      if count < 3 { append(0, 3 - count) }
      return end
    }
  }
}

struct DecimalText: Equatable {
  let isNegative: Bool
  let digits: [UInt8]
  /// The number of digits before the point, negative for leading zeros: -2 for 0.001.
  let point: Int

  init?(_ text: some Sequence<UInt8>) {
    var text = Array(text)[...]
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    func sign() -> Bool {
      guard let first = text.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else {
        return false
      }
      text.removeFirst()
      return first == UInt8(ascii: "-")
    }
    let isNegative = sign()
    let whole = text.prefix(while: isDigit)
    text = text.dropFirst(whole.count)
    var digits = whole
    if text.first == UInt8(ascii: ".") {
      let fraction = text.dropFirst().prefix(while: isDigit)
      digits += fraction
      text = text.dropFirst(fraction.count + 1)
    }
    guard !digits.isEmpty else { return nil }
    var exponent = 0
    if text.first == UInt8(ascii: "e") || text.first == UInt8(ascii: "E") {
      text.removeFirst()
      let isDown = sign()
      guard !text.isEmpty, text.allSatisfy(isDigit) else { return nil }
      // An exponent that overflows exceeds every digit position.
      let count = Int(String(decoding: text, as: UTF8.self)) ?? .max
      exponent = Swift.min(count, 1 << 30) * (isDown ? -1 : 1)
      text = []
    }
    guard text.isEmpty else { return nil }
    let zero = UInt8(ascii: "0")
    var significant = digits.drop { $0 == zero }
    let leading = digits.count - significant.count
    while significant.last == zero { significant.removeLast() }
    self.digits = Array(significant)
    self.isNegative = isNegative && !significant.isEmpty
    point = significant.isEmpty ? 0 : whole.count + exponent - leading
  }

  /// Returns the number in units of 10⁻ˢᶜᵃˡᵉ, or throws if the result is not a 64-bit integer.
  func units(scale: Int) throws(DecimalMisfit) -> Int64 {
    guard digits.count <= point + scale || digits.isEmpty else { throw .decimals }
    var units: Int64 = 0
    func append(_ digit: UInt8) throws(DecimalMisfit) {
      let (tenfold, isBeyond) = units.multipliedReportingOverflow(by: 10)
      // The range has an extra value below zero.
      let value = Int64(digit) * (isNegative ? -1 : 1)
      let (sum, isBeyondToo) = tenfold.addingReportingOverflow(value)
      guard !isBeyond, !isBeyondToo else { throw .range }
      units = sum
    }
    for digit in digits { try append(digit - UInt8(ascii: "0")) }
    guard units != 0 else { return 0 }
    for _ in digits.count..<(point + scale) { try append(0) }
    return units
  }
}

extension DecimalText: CustomStringConvertible {
  var description: String {
    let sign = isNegative ? "-" : ""
    return digits.isEmpty
      ? "0" : "\(sign)0.\(String(decoding: digits, as: UTF8.self))e\(point)"
  }
}

extension DecimalText {
  private init(_ digits: [UInt8], point: Int, isNegative: Bool) {
    (self.digits, self.point, self.isNegative) = (digits, point, isNegative)
  }

  func nearestUnits(scale: Int) throws(DecimalMisfit) -> Int64 {
    let place = point + scale
    guard digits.indices.contains(place) else { return place < 0 ? 0 : try units(scale: scale) }
    let whole = DecimalText(Array(digits[..<place]), point: point, isNegative: isNegative)
    let units = try whole.units(scale: scale)
    guard digits[place] >= UInt8(ascii: "5") else { return units }
    let (next, isBeyond) = units.addingReportingOverflow(isNegative ? -1 : 1)
    guard !isBeyond else { throw .range }
    return next
  }
}

enum DecimalMisfit: Error {
  case decimals
  case range
}

extension DecimalText: Comparable {
  static func < (left: DecimalText, right: DecimalText) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative ? right.isNearerToZero(than: left) : left.isNearerToZero(than: right)
  }

  private func isNearerToZero(than other: DecimalText) -> Bool {
    // Zero has neither digits nor a position.
    guard !digits.isEmpty, !other.digits.isEmpty else { return !other.digits.isEmpty }
    guard point == other.point else { return point < other.point }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}

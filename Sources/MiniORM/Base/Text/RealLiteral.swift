extension Double {
  /// The number as SQL that SQLite reads back to the same bits.
  ///
  /// SQLite's parser rounds several times, and reads some numbers with 16 or 17 digits as a
  /// neighbor. So the shortest digits are used only if clearly closest to this number. Other
  /// numbers become an integer and powers of two, for which SQLite's arithmetic is exact.
  ///
  /// See [Floating Point Numbers](https://www.sqlite.org/floatingpoint.html).
  var sqlLiteral: String {
    // SQL has no infinity; a literal beyond the largest double is infinite.
    guard isFinite else { return isNaN ? "NULL" : self < 0 ? "-9e999" : "9e999" }
    let value = self + 0  // 0.0 for −0.0
    return value.hasSafeDigits ? value.description : value.product
  }

  private var hasSafeDigits: Bool {
    var (digits, exponent) = shortestDecimal
    while digits > 0, digits.isMultiple(of: 10) { (digits, exponent) = (digits / 10, exponent + 1) }
    // 10²² is the largest power of ten that is an exact double.
    guard digits < 1 << 53, exponent.magnitude <= 22 else { return false }
    let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
    // The exact difference between digits and number. The parser multiplies once per digit or per
    // ten digits, each with an error of up to 2⁻¹⁰ units in the last place.
    let isWhole = exponent >= 0
    let error =
      isWhole
      ? (-magnitude).addingProduct(Double(digits), power)
      : Double(digits).addingProduct(-magnitude, power) / power
    return error.magnitude <= (0.5 - Double(exponent.magnitude) / 1024) * magnitude.ulp
  }

  /// The shortest decimal number whose nearest Double is the magnitude: digits × 10^exponent.
  var shortestDecimal: (digits: Int64, exponent: Int) {
    func integer(_ digits: some Sequence<UInt8>) -> Int64 {
      Int64(String(decoding: Array(digits), as: UTF8.self)) ?? 0
    }
    let parts = magnitude.description.utf8.split(separator: UInt8(ascii: "e"))
    let number = parts[0].split(separator: UInt8(ascii: "."))
    let exponent = parts.count > 1 ? Int(integer(parts[1])) : 0
    return (integer(number.joined()), exponent - (number.count > 1 ? number[1].count : 0))
  }

  private var product: String {
    var (factor, exponent) = (significandBitPattern, Int(exponentBitPattern) - 1075)
    if isNormal { factor |= 1 << Double.significandBitCount } else { exponent += 1 }
    let zeros = factor.trailingZeroBitCount
    (factor, exponent) = (factor >> UInt64(zeros), exponent + zeros)
    var text = "(\(sign == .minus ? "-" : "")\(factor) * 1.0"
    let step = exponent < 0 ? " / " : " * "
    var remaining = exponent.magnitude
    while remaining > 0 {
      let part = Swift.min(remaining, 62)
      text += "\(step)\(UInt64(1) << UInt64(part))"
      remaining -= part
    }
    return text + ")"
  }
}

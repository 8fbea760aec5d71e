/// Text with scalars that have a meaning in SQL, JSON or FTS5, next to combining scalars. Code that
/// iterates over Characters misses a special scalar if it forms a Character with its neighbor.
enum HostileText {
  private static let scalars: [Unicode.Scalar] = [
    "\"", "\"", "'", "'", "`", "[", "]", "\\", ";", "-", "/", "*", "(", ")", ".", "$", "#", ":",
    "?",
    "%", "_", "^", "{", "}", "+", ",", "a", "b", "B", "e", "1", " ", "\n", "\t", "\u{1}", "\u{1f}",
    "\u{7f}", "\u{e9}", "\u{300}", "\u{301}", "\u{301}", "\u{600}", "\u{600}", "\u{6dd}",
    "\u{1f1e6}",
    "\u{200b}", "\u{200d}", "\u{200e}", "\u{202e}", "\u{2060}", "\u{feff}", "\u{fe0f}", "\u{fe0f}",
    "\u{1f468}", "\u{110bd}", "\u{d4e}", "\u{ac00}", "\u{11a8}", "\u{e0020}", "\u{e000}",
    "\u{fffd}",
    "\u{ffff}", "\u{10ffff}",
  ]

  /// Fragments that would act as SQL if they were not quoted.
  private static let pieces = [
    "\" OR 1 --", "' OR 1 --", "\u{600}\" OR b* OR \u{600}\"", "\u{600}') IS ? OR 1) --",
    "\"\u{fe0f}",
    "'\u{301}", "\"\u{301}; DROP TABLE note --", "/*", "*/", "--", "NULL", "\"\"", "''", "NEAR(",
    "AND",
  ]

  static func random(using random: inout some RandomNumberGenerator, allowingNUL: Bool = true)
    -> String
  {
    var text = ""
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
      case 1:
        let value = UInt32.random(in: 1...0x10ffff, using: &random)
        if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      case 2 where allowingNUL: text.unicodeScalars.append("\0")
      default:
        text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
      }
    }
    return text
  }

  static func some(_ count: Int, seed: UInt64, allowingNUL: Bool = true) -> [String] {
    var random = SeededRandom(seed)
    return (0..<count).map { _ in Self.random(using: &random, allowingNUL: allowingNUL) }
  }
}

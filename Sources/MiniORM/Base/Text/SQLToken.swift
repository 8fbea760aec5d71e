/// A token of SQL text. Spellings of a name are equal: `"Name"`, `[name]` and `NAME`.
///
/// See [SQLite's tokens](https://www.sqlite.org/lang_expr.html#literal_values_constants_).
package struct SQLToken: Sendable {
  package enum Kind: Sendable { case word, quotedName, string, blob, number, symbol }

  package let kind: Kind
  /// The text for comparisons: names are unquoted and in lowercase.
  package let text: ExactText
  /// The text without quotation marks, in its own case.
  package let written: String
  package let range: Range<Int>

  /// A quoted word is never a keyword.
  package func isKeyword(_ word: ExactText) -> Bool { kind == .word && text == word }
  package func isSymbol(_ symbol: ExactText) -> Bool { kind == .symbol && text == symbol }
  package var isName: Bool { kind == .word || kind == .quotedName || kind == .string }

  package static func all(in sql: String) -> [SQLToken] {
    var scanner = Scanner(sql)
    var tokens: [SQLToken] = []
    while let token = scanner.next() { tokens.append(token) }
    return tokens
  }
}

extension SQLToken: Hashable {
  package static func == (left: SQLToken, right: SQLToken) -> Bool {
    left.text == right.text && (left.isNameOrWord == right.isNameOrWord)
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
  private var isNameOrWord: Bool { kind == .word || kind == .quotedName }
}

private struct Scanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  private static let longSymbols: Set<ExactText> = [
    "||", "<=", ">=", "<>", "!=", "==", "<<", ">>", "->",
  ]

  private func byte(_ offset: Int = 0) -> UInt8 {
    index + offset < bytes.count ? bytes[index + offset] : 0
  }
  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private static func isInWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func skipBlank() {
    while index < bytes.count {
      if (9...13).contains(byte()) || byte() == UInt8(ascii: " ") {
        index += 1
      } else if byte() == UInt8(ascii: "-"), byte(1) == UInt8(ascii: "-") {
        while index < bytes.count, byte() != UInt8(ascii: "\n") { index += 1 }
      } else if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
        index += 2
        while index < bytes.count, byte() != UInt8(ascii: "*") || byte(1) != UInt8(ascii: "/") {
          index += 1
        }
        index = min(index + 2, bytes.count)
      } else {
        return
      }
    }
  }

  mutating func next() -> SQLToken? {
    skipBlank()
    guard index < bytes.count else { return nil }
    let start = index
    func token(_ kind: SQLToken.Kind, written: String? = nil) -> SQLToken {
      let text = text(start..<index)
      let isExact = kind == .string || kind == .symbol
      return SQLToken(
        kind: kind, text: isExact ? ExactText(text) : (written ?? text).folded,
        written: written ?? text, range: start..<index)
    }
    switch byte() {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      let quote = byte()
      skipQuoted(by: quote)
      return token(
        quote == UInt8(ascii: "'") ? .string : .quotedName,
        written: text(start..<index).unquoted(by: quote))
    case UInt8(ascii: "["):
      // In [brackets], a closing bracket cannot be escaped.
      while index < bytes.count, byte() != UInt8(ascii: "]") { index += 1 }
      index = min(index + 1, bytes.count)
      return token(.quotedName, written: text(start + 1..<max(start + 1, index - 1)))
    case let first where first | 0x20 == UInt8(ascii: "x") && byte(1) == UInt8(ascii: "'"):
      index += 1
      skipQuoted(by: UInt8(ascii: "'"))
      return token(.blob)
    case let first
    where Self.isDigit(first) || (first == UInt8(ascii: ".") && Self.isDigit(byte(1))):
      skipNumber()
      return token(.number)
    case let first where Self.isInWord(first):
      while Self.isInWord(byte()) { index += 1 }
      return token(.word)
    default:
      let two = ExactText(index + 1 < bytes.count ? text(index..<index + 2) : "")
      let isTwo = Self.longSymbols.contains(two)
      index += isTwo ? (two == "->" && byte(2) == UInt8(ascii: ">") ? 3 : 2) : 1
      return token(.symbol)
    }
  }

  private mutating func skipQuoted(by quote: UInt8) {
    index += 1
    while index < bytes.count {
      if byte() == quote {
        guard byte(1) == quote else { break }
        index += 1
      }
      index += 1
    }
    index = min(index + 1, bytes.count)
  }

  private mutating func skipNumber() {
    // In `0x1e+1`, the `e` is a digit and the `+` is an operator.
    let isHexadecimal = byte() == UInt8(ascii: "0") && byte(1) | 0x20 == UInt8(ascii: "x")
    var isExponent = false
    while Self.isInWord(byte()) || byte() == UInt8(ascii: ".")
      || (isExponent && (byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-")))
    {
      isExponent = !isHexadecimal && byte() | 0x20 == UInt8(ascii: "e")
      index += 1
    }
  }
}

extension ArraySlice<SQLToken> {
  var matchingClose: Int? {
    var depth = 0
    for index in indices where self[index].kind == .symbol {
      if self[index].text == "(" { depth += 1 }
      if self[index].text == ")" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  /// The tokens without redundant outer parentheses: `(((x)))` is `x`.
  package var bare: Self {
    var tokens = self
    while tokens.count > 1, tokens.first?.isSymbol("(") ?? false,
      tokens.matchingClose == tokens.endIndex - 1
    {
      tokens = tokens.dropFirst().dropLast()
    }
    return tokens
  }

  /// The tokens without the table's name before columns.
  func removingQualifier(_ table: String) -> [SQLToken] {
    let name = table.folded
    var rest = self
    var kept: [SQLToken] = []
    while let token = rest.popFirst() {
      let isQualifier =
        rest.count > 1 && rest[rest.startIndex].isSymbol(".") && token.isName && token.text == name
      if isQualifier { rest.removeFirst() } else { kept.append(token) }
    }
    return kept
  }
}

extension String {
  /// The words of SQL text of another program, without quotation marks.
  var wordsOfSQL: [String] { SQLToken.all(in: self).map(\.written) }

  /// The part of the text in a range of UTF-8 bytes.
  package func part(_ range: Range<Int>) -> String {
    String(decoding: utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
  }

  func removingQualifier(_ table: String) -> String {
    guard utf8.contains(UInt8(ascii: ".")) else { return self }
    let tokens = SQLToken.all(in: self)
    let bytes = Array(utf8)
    let name = table.folded
    var text: [UInt8] = []
    var start = 0
    for (token, dot) in zip(tokens, tokens.dropFirst())
    where dot.isSymbol(".") && token.isName && token.text == name {
      text += bytes[start..<token.range.lowerBound]
      start = dot.range.upperBound
    }
    return String(decoding: text + bytes[start...], as: UTF8.self)
  }
}

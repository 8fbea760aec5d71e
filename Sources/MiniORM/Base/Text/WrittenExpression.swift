struct WrittenExpression {
  enum Part {
    case text(String)
    case operand
    case list
  }

  private let parts: [Part]

  init(_ parts: [Part]) { self.parts = parts }

  /// True if the expression is complete in any context and reads no table.
  var standsAlone: Bool {
    guard let tokens else { return false }
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      guard depth >= 0, !Self.reading.contains(where: { token.isKeyword($0) }) else { return false }
      // IN also accepts a table name.
      if token.isKeyword("in") {
        guard index + 1 < tokens.count, tokens[index + 1].isSymbol("(") else { return false }
      }
    }
    return depth == 0
  }

  private static let reading: [ExactText] = [
    "select", "from", "with", "values", "join", "union", "intersect", "except", "returning",
  ]

  /// The tokens, with NULL for operands and lists; nil for texts with string literals, comments,
  /// parameters or semicolons.
  private var tokens: [SQLToken]? {
    var text: [UInt8] = []
    var quotes = 0
    var isAfterOperand = false
    func isBoundary(_ byte: UInt8?) -> Bool { byte.map { " (),".utf8.contains($0) } ?? true }
    for part in parts {
      switch part {
      case .text(let part):
        guard let first = part.utf8.first else { continue }
        if isAfterOperand, !isBoundary(first) { return nil }
        isAfterOperand = false
        for byte in part.utf8 {
          if byte < 9 || "'`[?:@#$;\\".utf8.contains(byte) { return nil }
          if let last = text.last,
            last == UInt8(ascii: "-") && byte == last
              || last == UInt8(ascii: "/") && byte == UInt8(ascii: "*")
          {
            return nil
          }
          if byte == UInt8(ascii: "\"") { quotes += 1 }
          text.append(byte)
        }
      case .operand, .list:
        guard quotes.isMultiple(of: 2), isBoundary(text.last), !isAfterOperand else { return nil }
        if case .list = part { text += " (NULL) ".utf8 } else { text += " NULL ".utf8 }
        isAfterOperand = true
      }
    }
    guard quotes.isMultiple(of: 2) else { return nil }
    return SQLToken.all(in: String(decoding: text, as: UTF8.self))
  }
}

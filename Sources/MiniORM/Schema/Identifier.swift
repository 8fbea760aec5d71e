extension String {
  /// The name quoted as an SQL identifier, so that reserved words and odd characters are safe.
  ///
  /// See [SQLite Keywords](https://www.sqlite.org/lang_keywords.html).
  var quotedIdentifier: String {
    guard utf8.contains(UInt8(ascii: "\"")) else { return "\"" + self + "\"" }
    return "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// The name with the 26 letters of ASCII small, as SQLite compares names: É is not é.
  var folded: String {
    let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    guard utf8.contains(where: isCapital) else { return self }
    return String(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The text as an SQL string literal.
  var quotedLiteral: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}

extension DatabaseValue {
  /// The value as an SQL literal, for places where SQLite does not allow a parameter.
  var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    // SQL has no word for an infinity; a literal beyond the largest double is one.
    case .real(let value):
      return value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.description
    case .text(let value):
      // SQL text ends at a NUL, so such a text is written as its bytes.
      return value.utf8.contains(0)
        ? "CAST(\(DatabaseValue.blob([UInt8](value.utf8)).literal) AS TEXT)" : value.quotedLiteral
    case .blob(let bytes): return "x'" + bytes.hexadecimal + "'"
    }
  }
}

extension Sequence<UInt8> {
  var hexadecimal: String {
    reduce(into: "") { text, byte in
      text += byte < 16 ? "0" : ""
      text += String(byte, radix: 16)
    }
  }
}

extension String {
  package var quotedIdentifier: String { quoted(by: UInt8(ascii: "\"")) }

  package var quotedLiteral: String { quoted(by: UInt8(ascii: "'")) }

  /// Searches bytes, because a `Character` may combine a quotation mark with an accent.
  private func quoted(by mark: UInt8) -> String {
    var text = self
    return text.withUTF8 { text in
      let marks = text.reduce(into: 2) { count, byte in if byte == mark { count += 1 } }
      return String(unsafeUninitializedCapacity: text.count + marks) { bytes in
        bytes[0] = mark
        var end = 1
        for byte in text {
          bytes[end] = byte
          if byte == mark { bytes[end + 1] = mark }
          end += byte == mark ? 2 : 1
        }
        bytes[end] = mark
        return end + 1
      }
    }
  }

  package func unquoted(by mark: UInt8) -> String {
    var bytes: [UInt8] = []
    var isSecond = false
    for byte in utf8.dropFirst().dropLast() {
      isSecond = byte == mark && !isSecond
      if !isSecond { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * underestimatedCount)
    for byte in self { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}

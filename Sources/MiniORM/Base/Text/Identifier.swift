extension String {
  package var quotedIdentifier: String { quoted(by: UInt8(ascii: "\"")) }

  package var quotedLiteral: String { quoted(by: UInt8(ascii: "'")) }

  /// Searches bytes, because a `Character` may combine a quotation mark with an accent.
  private func quoted(by mark: UInt8) -> String {
    let hasMark =
      utf8.withContiguousStorageIfAvailable { $0.contains(mark) } ?? utf8.contains(mark)
    guard hasMark else {
      let count = utf8.count
      return String(unsafeUninitializedCapacity: count + 2) { bytes in
        var end = 0
        func append(_ byte: UInt8) {
          bytes[end] = byte
          end += 1
        }
        append(mark)
        for byte in utf8 { append(byte) }
        append(mark)
        return end
      }
    }
    var quoted: [UInt8] = [mark]
    for byte in utf8 {
      if byte == mark { quoted.append(mark) }
      quoted.append(byte)
    }
    quoted.append(mark)
    return String(decoding: quoted, as: UTF8.self)
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
  var hexadecimal: String {
    reduce(into: "") { text, byte in
      text += byte < 16 ? "0" : ""
      text += String(byte, radix: 16)
    }
  }
}

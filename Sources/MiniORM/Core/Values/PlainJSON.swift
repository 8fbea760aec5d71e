/// A fast path for JSON arrays of strings, integers and booleans: JSONEncoder and JSONDecoder are
/// many times slower.
///
/// Anything else, such as a string with an escape, gives `nil`, and the caller uses the coder.
/// PlainJSONTests check that the results are equal.
enum PlainJSON {
  static func read<Value>(_ type: Value.Type, from text: String) -> Value? {
    // Called only if the two types are equal.
    func same<Known>(_ value: Known?) -> Value? { value.map { unsafeBitCast($0, to: type) } }
    if type == [String].self { return same(Reader.read(text) { $0.string() }) }
    if type == [Int].self { return same(Reader.read(text) { $0.integer().map { Int($0) } }) }
    if type == [Int64].self { return same(Reader.read(text) { $0.integer() }) }
    if type == [Bool].self { return same(Reader.read(text) { $0.bool() }) }
    return nil
  }

  static func write<Value>(_ value: Value) -> String? {
    // Called only if the two types are equal.
    func known<Known>(_ type: Known.Type) -> Known { unsafeBitCast(value, to: type) }
    if Value.self == [String].self {
      let texts = known([String].self)
      guard texts.allSatisfy({ $0.utf8.allSatisfy(isPlain) }) else { return nil }
      return list(texts.lazy.map { "\"\($0)\"" })
    }
    if Value.self == [Int].self { return list(known([Int].self).lazy.map(\.description)) }
    if Value.self == [Int64].self { return list(known([Int64].self).lazy.map(\.description)) }
    if Value.self == [Bool].self { return list(known([Bool].self).lazy.map(\.description)) }
    return nil
  }

  private static func list(_ elements: some Sequence<String>) -> String {
    var text = "["
    for element in elements {
      if text.utf8.count > 1 { text += "," }
      text += element
    }
    text += "]"
    return text
  }

  fileprivate static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private struct Reader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    static func read<Element>(
      _ text: String, _ element: (inout Reader) -> Element?
    ) -> [Element]? {
      let found = text.utf8.withContiguousStorageIfAvailable { bytes in
        var reader = Reader(bytes)
        return reader.elements(element)
      }
      return found ?? nil
    }

    private mutating func elements<Element>(_ element: (inout Reader) -> Element?) -> [Element]? {
      guard skip(UInt8(ascii: "[")) else { return nil }
      var elements: [Element] = []
      elements.reserveCapacity(4)
      if !skip(UInt8(ascii: "]")) {
        repeat {
          skipSpace()
          guard let next = element(&self) else { return nil }
          elements.append(next)
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { return nil }
      }
      skipSpace()
      return index == bytes.count ? elements : nil
    }

    private mutating func skipSpace() {
      while index < bytes.count {
        switch bytes[index] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
          index += 1
        default: return
        }
      }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
      if index < bytes.count, bytes[index] != byte { skipSpace() }
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
      return true
    }

    mutating func string() -> String? {
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
      let start = index + 1
      var end = start
      while end < bytes.count, PlainJSON.isPlain(bytes[end]) { end &+= 1 }
      guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
      index = end + 1
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    }

    mutating func integer() -> Int64? {
      let isNegative = index < bytes.count && bytes[index] == UInt8(ascii: "-")
      let start = isNegative ? index + 1 : index
      var end = start
      var number: Int64 = 0
      while end < bytes.count, bytes[end] &- UInt8(ascii: "0") <= 9, end - start < 18 {
        number = number * 10 + Int64(bytes[end] - UInt8(ascii: "0"))
        end += 1
      }
      // The coder decides about a number without digits, with a leading 0, a fraction or an
      // exponent.
      guard end > start, end - start == 1 || bytes[start] != UInt8(ascii: "0"),
        end < bytes.count, !Self.goesOn(bytes[end])
      else { return nil }
      index = end
      return isNegative ? -number : number
    }

    private static func goesOn(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }

    mutating func bool() -> Bool? {
      for (word, value) in [("true", true), ("false", false)] as [(StaticString, Bool)] {
        let count = word.utf8CodeUnitCount
        guard index + count < bytes.count else { continue }
        let isWord = word.withUTF8Buffer { $0.elementsEqual(bytes[index..<(index + count)]) }
        guard isWord else { continue }
        index += count
        return value
      }
      return nil
    }
  }
}

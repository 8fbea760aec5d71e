/// Text compared by bytes, as in SQLite. In Swift, é as a single scalar equals é as e with a
/// combining accent; in SQLite, the texts differ.
@usableFromInline
package struct ExactText: Sendable {
  package let string: String

  package init(_ string: String) { self.string = string }
}

extension ExactText: Hashable {
  @usableFromInline
  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.string.hasSameBytes(as: right.string)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: string) }
}

extension ExactText: Comparable {
  @usableFromInline
  package static func < (left: ExactText, right: ExactText) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
  @usableFromInline
  package init(stringLiteral value: String) { string = value }

  @usableFromInline
  package var description: String { string }
}

extension Hasher {
  @usableFromInline
  mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0xff as UInt8)
  }
}

extension String {
  @usableFromInline
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Fast path: small or identical strings have identical representations.
    if MemoryLayout<String>.size == MemoryLayout<(UInt, UInt)>.size,
      // A String has the size of two words, and its bits are only read.
      unsafeBitCast(self, to: (UInt, UInt).self) == unsafeBitCast(other, to: (UInt, UInt).self)
    {
      return true
    }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
      }
    }
    return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }

  /// The name with ASCII letters in lowercase, as SQLite compares names: É and é differ.
  package var folded: ExactText {
    let isCapital = { (byte: UInt8) in byte &- UInt8(ascii: "A") < 26 }
    let hasCapital =
      utf8.withContiguousStorageIfAvailable { $0.contains(where: isCapital) }
      ?? utf8.contains(where: isCapital)
    guard hasCapital else { return ExactText(self) }
    return ExactText(String(decoding: utf8.map { isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self))
  }

  package var uppercasedASCII: String {
    String(
      decoding: utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xdf : $0 },
      as: UTF8.self)
  }

  func replacingBytes(of part: String, with other: String) -> String {
    String(
      decoding: Array(utf8).replacing(Array(part.utf8), with: Array(other.utf8)), as: UTF8.self)
  }

  package func startsWithBytes(of other: String) -> Bool { utf8.starts(with: other.utf8) }
}

extension ExactText {
  var quotedIdentifier: String { string.quotedIdentifier }
}

extension Sequence<ExactText> {
  func joined(separator: String = "") -> String { map(\.string).joined(separator: separator) }
}

extension UnsafeRawBufferPointer {
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset &+ 8 <= count {
      guard
        loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset &+= 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset &+= 1
    }
    return true
  }
}

/// The names of a table's rowid.
package enum RowID {
  package static let names = ["rowid", "_rowid_", "oid"]

  /// Returns the first name that no column has; nil if columns have all three.
  package static func name(besides columns: some Collection<ExactText>) -> String? {
    names.first { !columns.contains(ExactText($0)) }
  }
}

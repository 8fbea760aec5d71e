import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// On Linux, Foundation's parser accepts a sign or a space as a digit, and so reads invalid text as
// a UUID.
extension UUID {
  private static let digits: [UInt8] = (0...255).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(byte) - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt8(byte) - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt8(byte) - UInt8(ascii: "A") + 10
    default: 255
    }
  }

  private static func place(of index: Int) -> Int {
    index &* 2 &+ (index >= 10 ? 4 : index >= 4 ? index / 2 &- 1 : 0)
  }

  init?(text: UnsafeBufferPointer<UInt8>) {
    let hyphen = UInt8(ascii: "-")
    guard text.count == 36, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen,
      text[23] == hyphen
    else { return nil }
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    var seen: UInt8 = 0
    withUnsafeMutableBytes(of: &bytes) { bytes in
      Self.digits.withUnsafeBufferPointer { digits in
        for index in 0..<16 {
          let place = Self.place(of: index)
          let (high, low) = (digits[Int(text[place])], digits[Int(text[place &+ 1])])
          bytes[index] = high << 4 | low
          seen |= high | low
        }
      }
    }
    guard seen < 16 else { return nil }
    self.init(uuid: bytes)
  }

  var text: String {
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        text.initialize(repeating: UInt8(ascii: "-"))
        for (index, byte) in bytes.enumerated() {
          for (offset, digit) in [(0, byte >> 4), (1, byte & 15)] {
            text[Self.place(of: index) + offset] =
              digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
          }
        }
        return 36
      }
    }
  }
}

extension UUID {
  private static let last = Mutex<UInt64>(0)

  /// Returns a new UUID of version 7, whose order is the order of creation.
  ///
  /// ```swift
  /// @Table struct Note {
  ///   var id: UUID = .v7()
  ///   var text: String
  /// }
  /// ```
  /// In a process, each UUID is greater than the UUIDs before it, even if the clock is set back. As
  /// a primary key, a new UUID is therefore appended to the index, while a random UUID changes a
  /// random page. The UUID reveals the time of its creation: its first 48 bits are the milliseconds
  /// since 1970. A counter of 12 bits and 62 random bits follow.
  ///
  /// See [RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7).
  public static func v7() -> UUID {
    let seconds =
      Date.timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate
    let milliseconds = UInt64(max(0, seconds * 1_000)) & 0xffff_ffff_ffff
    let random = UInt64.random(in: 0...UInt64.max)
    let time = last.withLock { last in
      // The highest bit of the counter is free, for at least 2,048 UUIDs per millisecond. After
      // that, the counter continues into the next millisecond.
      last = max(last &+ 1, (milliseconds << 12) | (random >> 53))
      return last
    }
    let high = ((time >> 12) << 16) | 0x7000 | (time & 0xfff)
    let low = 0x8000_0000_0000_0000 | (UInt64.random(in: 0...UInt64.max) >> 2)
    // Two integers and the 16 bytes have the same size and layout.
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }
}

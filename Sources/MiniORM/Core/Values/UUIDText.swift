#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
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

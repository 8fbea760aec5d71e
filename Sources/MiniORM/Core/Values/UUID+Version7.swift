import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

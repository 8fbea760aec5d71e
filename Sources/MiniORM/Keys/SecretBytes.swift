import CSQLCipher

/// Bytes that are overwritten before their memory is given back. They have pages of their own, which
/// are kept out of swap space and core dumps where the system allows that.
///
/// See [mlock](https://man7.org/linux/man-pages/man2/mlock.2.html) and
/// [MADV_DONTDUMP](https://man7.org/linux/man-pages/man2/madvise.2.html).
final class SecretBytes: @unchecked Sendable, CustomReflectable {
  // 1. The memory is written in the initializers, before anybody else sees the object. 2.
  // Afterwards it is only read. 3. It is wiped in deinit, when nobody holds the object any more.
  private let memory: UnsafeMutableRawBufferPointer
  /// Whether the memory has pages of its own: not where the system has none left.
  private let hasPages: Bool

  var count: Int { memory.count }

  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Makes bytes by filling their memory.
  init<E: Error>(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E) {
    let pages = miniorm_allocate_secret(count)
    hasPages = pages != nil
    memory =
      pages.map { UnsafeMutableRawBufferPointer(start: $0, count: count) }
      ?? .allocate(byteCount: count, alignment: 1)
    // Where it throws, deinit wipes what there is.
    try fill(memory)
  }

  deinit {
    if hasPages {
      miniorm_free_secret(memory.baseAddress, memory.count)
    } else {
      miniorm_wipe(memory.baseAddress, memory.count)
      memory.deallocate()
    }
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(memory))
  }

  /// Neither the bytes nor how many there are.
  var customMirror: Mirror { Mirror(self, children: []) }  // hides, and reads nothing
}

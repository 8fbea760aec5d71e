import CSQLCipher

/// Secret bytes in separate memory pages, overwritten before they are freed, and excluded from swap
/// space and core dumps if possible.
///
/// See [mlock](https://man7.org/linux/man-pages/man2/mlock.2.html) and
/// [MADV_DONTDUMP](https://man7.org/linux/man-pages/man2/madvise.2.html).
package final class SecretBytes: @unchecked Sendable, CustomReflectable {
  // Safe to share: written only in the initializers, and wiped in deinit.
  private let memory: UnsafeMutableRawBufferPointer
  private let hasPages: Bool

  var count: Int { memory.count }

  package convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  package init<E: Error>(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void)
    throws(E)
  {
    let pages = miniorm_allocate_secret(count)
    hasPages = pages != nil
    memory =
      pages.map { UnsafeMutableRawBufferPointer(start: $0, count: count) }
      ?? .allocate(byteCount: count, alignment: 1)
    // If `fill` throws, deinit wipes the memory.
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

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(memory))
  }

  /// Hides the bytes and the count.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The newest committed version of each page, for a file that SQLite can no longer read.
///
/// See [Database File Format](https://www.sqlite.org/fileformat2.html).
package final class PageSource {
  package let pageSize: Int
  package let usableSize: Int
  package let pageCount: Int
  package let damaged: Set<Int>
  /// The pages that the disk did not return after several attempts.
  package private(set) var unread: Set<Int> = []
  private var given: Set<Int> = []
  private var hasLost = false
  private let file: FileBytes
  private let log: WriteAheadLog?
  private let cipher: PageCipher?

  package init(
    _ path: String, pageSize: Int, reserved: Int, cipher: PageCipher?, damaged: Set<Int>,
    log: WriteAheadLog? = nil
  ) throws(DatabaseError) {
    file = try FileBytes(path)
    (self.pageSize, usableSize) = (pageSize, pageSize - reserved)
    (self.cipher, self.damaged, self.log) = (cipher, damaged, log)
    if let log {
      pageCount = log.pageCount
    } else {
      pageCount = try pageSize > 0 ? Int(clamping: file.size) / pageSize : 0
    }
  }

  package var isEncrypted: Bool { cipher != nil }

  /// Returns the usable bytes of a page; nil if the page is damaged or outside the file.
  package func page(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= pageCount, !damaged.contains(number),
      var bytes = bytes(of: number)
    else { return nil }
    guard let cipher else {
      bytes.removeLast(pageSize - usableSize)
      return bytes
    }
    return cipher.decrypt(bytes, isFirst: number == 1)
  }

  private func bytes(of number: Int) -> [UInt8]? {
    if let page = log?.page(number) { return page }
    // A read error may be temporary.
    for _ in 0..<3 {
      if let bytes = file.read(pageSize, at: Int64(number - 1) * Int64(pageSize)) {
        given.insert(number)
        return bytes
      }
    }
    unread.insert(number)
    if given.contains(number) { hasLost = true }
    return nil
  }

  /// False if the disk no longer returns a page that it returned before.
  package var isReadable: Bool {
    guard !hasLost, !unread.isEmpty, let page = given.first else { return !hasLost }
    return file.read(pageSize, at: Int64(page - 1) * Int64(pageSize)) != nil
  }
}

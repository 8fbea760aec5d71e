/// The pages of a file that SQLite does not read any more, one by one, in their newest committed versions.
///
/// See [Database File Format](https://www.sqlite.org/fileformat2.html).
final class PageSource {
  let pageSize: Int
  /// The bytes of a page that SQLite uses.
  let usableSize: Int
  /// How many pages the file has.
  let pageCount: Int
  /// The pages whose authentication code does not fit.
  let damaged: Set<Int>
  /// The pages that the disk did not give, at none of several attempts.
  private(set) var unread: Set<Int> = []
  private var given: Set<Int> = []
  private var hasLost = false
  private let file: FileBytes
  private let log: WriteAheadLog?
  private let cipher: PageCipher?

  /// - Parameter log: The log whose pages are newer than those of the file.
  /// - Throws: ``DatabaseError`` with SQLite's code if the file cannot be opened.
  init(
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

  var isEncrypted: Bool { cipher != nil }

  /// Returns what SQLite uses of a page; nil where the page is damaged, or is none of the file's.
  func page(_ number: Int) -> [UInt8]? {
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
    // What fails once may not fail again.
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

  /// Whether it is single pages that cannot be read, and not the whole disk that gives nothing any more: it
  /// still gives what it has given before.
  var isReadable: Bool {
    guard !hasLost, !unread.isEmpty, let page = given.first else { return !hasLost }
    return file.read(pageSize, at: Int64(page - 1) * Int64(pageSize)) != nil
  }
}

extension [UInt8] {
  /// Returns a number of one to nine bytes, and the index after it.
  func varint(at index: Int) -> (value: UInt64, next: Int)? {
    var value: UInt64 = 0
    for offset in 0..<9 {
      guard index >= 0, index + offset < count else { return nil }
      let byte = self[index + offset]
      if offset == 8 { return (value << 8 | UInt64(byte), index + 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (value, index + offset + 1) }
    }
    return nil
  }
}

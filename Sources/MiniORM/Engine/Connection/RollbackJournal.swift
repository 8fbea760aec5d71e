/// A rollback journal: the original contents of the pages that an unfinished transaction changed.
///
/// See [The Rollback Journal](https://www.sqlite.org/fileformat2.html#the_rollback_journal).
struct RollbackJournal {
  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  private static let headerSize = 28

  let path: String
  let pageSize: Int
  /// The path of the super-journal, if the transaction spans several files. Deleting the
  /// super-journal commits the transaction.
  let superJournal: [UInt8]?
  let contentSize: Int64
  private let sectorSize: Int64
  private let file: FileBytes

  /// Returns nil without an unfinished transaction. Throws ``ResultCode/corrupt`` if the file is
  /// not a journal.
  init?(beside database: String) throws(DatabaseError) {
    path = DatabaseFile.resolved(database) + "-journal"
    guard DatabaseFile.size(path) > 0 else { return nil }
    file = try FileBytes(path)
    let size = try file.size
    guard let first = file.read(1, at: 0)?.first else {
      throw DatabaseError(
        .open, code: .inputOutput, "The journal cannot be read: check the disk", path: path)
    }
    // The header starts with zeros after a transaction, and until the journal is synced.
    guard first != 0 else { return nil }
    guard let header = file.read(Self.headerSize, at: 0), header.starts(with: Self.magic),
      let sectorSize = header.number(at: 20, count: 4),
      let pageSize = header.number(at: 24, count: 4),
      (32...65_536).contains(sectorSize), (512...65_536).contains(pageSize)
    else {
      throw DatabaseError(
        .open, code: .corrupt, "\(path) is not a rollback journal: move it to another folder",
        path: database)
    }
    self.pageSize = pageSize
    self.sectorSize = Int64(sectorSize)
    let superJournal = Self.superJournal(file, size)
    self.superJournal = superJournal
    // The trailer: an unused page number, the path, its length, its checksum, and the magic number.
    contentSize = superJournal.map { size - Int64($0.count) - 20 } ?? size
    guard !isFinished else { return nil }
  }

  /// True if the transaction has committed: the commit deletes the super-journal.
  private var isFinished: Bool {
    guard let superJournal, let path = String(validating: superJournal, as: UTF8.self) else {
      return false
    }
    // SQLite ignores an empty super-journal.
    return !DatabaseFile.exists(path)
      || DatabaseFile.isRegular(path) && DatabaseFile.size(path) == 0
  }

  private static func superJournal(_ file: FileBytes, _ size: Int64) -> [UInt8]? {
    guard size >= 20, let end = file.read(16, at: size - 16), Array(end[8...]) == magic,
      let count = end.number(at: 0, count: 4), let sum = end.number(at: 4, count: 4),
      count > 0, count <= 4_096, Int64(count) <= size - 20,
      let name = file.read(count, at: size - 16 - Int64(count))
    else { return nil }
    // SQLite sums the bytes as signed integers.
    let found = name.reduce(UInt32(0)) { $0 &+ UInt32(truncatingIfNeeded: Int8(bitPattern: $1)) }
    return found == UInt32(truncatingIfNeeded: sum) ? name : nil
  }

  func forEachPage(
    _ body: (_ number: Int, _ page: [UInt8]) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let recordSize = Int64(pageSize) + 8
    var start: Int64 = 0
    // Each segment starts at a sector boundary with a header that holds the number of pages.
    while let header = file.read(Self.headerSize, at: start), header.starts(with: Self.magic),
      let count = header.number(at: 8, count: 4), let nonce = header.number(at: 12, count: 4)
    {
      var offset = start + sectorSize
      // If the journal was never synced, read to its end.
      let last = count == 0xffff_ffff ? .max : count
      var number = 0
      while number < last, offset + recordSize <= contentSize,
        let record = file.read(Int(recordSize), at: offset)
      {
        let page = Array(record[4..<4 + pageSize])
        guard let pageNumber = record.number(at: 0, count: 4), pageNumber > 0,
          record.number(at: 4 + pageSize, count: 4) == Self.sum(page, nonce)
        else { return }
        try body(pageNumber, page)
        number += 1
        offset += recordSize
      }
      guard count > 0 else { return }
      start = (offset + sectorSize - 1) / sectorSize * sectorSize
    }
  }

  /// SQLite's checksum, which covers every 200th byte.
  private static func sum(_ page: [UInt8], _ nonce: Int) -> Int {
    var sum = UInt32(truncatingIfNeeded: nonce)
    for index in stride(from: page.count - 200, to: 0, by: -200) { sum &+= UInt32(page[index]) }
    return Int(sum)
  }
}

/// A write-ahead log: the committed pages that a recovery would find.
///
/// See [The WAL File Format](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
package struct WriteAheadLog {
  package static let headerSize = 32
  package static let frameHeaderSize = 24

  let path: String
  let pageSize: Int
  private(set) var commitCount = 0
  private(set) var pageCount = 0
  private var offsets: [Int: Int64] = [:]
  private let file: FileBytes

  /// Returns nil without a committed transaction.
  /// - Parameter isInUse: True if a connection has the log open. SQLite then finds frames by the
  ///   log's index and ignores their checksums.
  /// - Complexity: O(*n*) in the size of the log.
  init?(beside database: String, isInUse: Bool = false) throws(DatabaseError) {
    path = DatabaseFile.resolved(database) + "-wal"
    guard DatabaseFile.size(path) > Self.headerSize else { return nil }
    file = try FileBytes(path)
    let size = try file.size
    guard let header = file.read(Self.headerSize, at: 0) else {
      // A checkpoint of another connection can truncate the log at any time.
      guard try file.size > Self.headerSize else { return nil }
      throw DatabaseError(
        .open, code: .inputOutput, "The log cannot be read: check the disk", path: path)
    }
    let magic = header.number(at: 0, count: 4) ?? 0
    // The start of the log never reached the disk.
    guard magic != 0 else { return nil }
    // The last bit of the magic number is the byte order of the checksums.
    guard magic | 1 == 0x377f_0683 else {
      throw DatabaseError(
        .open, code: .corrupt, "\(path) is not a write-ahead log: move it to another folder",
        path: database)
    }
    pageSize = header.number(at: 8, count: 4) ?? 0
    var sum = Checksum(isBigEndian: magic & 1 == 1)
    sum.add(header[..<24])
    // From the first invalid frame on, SQLite ignores all frames.
    guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0,
      sum.matches(header[24...])
    else { return nil }
    let frameSize = Int64(Self.frameHeaderSize + pageSize)
    var offset = Int64(Self.headerSize)
    var pending: [Int: Int64] = [:]
    while size - offset >= frameSize, let frame = file.read(Int(frameSize), at: offset),
      frame[8..<16] == header[16..<24]
    {
      sum.add(frame[..<8])
      sum.add(frame[Self.frameHeaderSize...])
      guard isInUse || sum.matches(frame[16..<24]), let page = frame.number(at: 0, count: 4),
        page > 0
      else { break }
      pending[page] = offset + Int64(Self.frameHeaderSize)
      // Only the last frame of a commit holds the size of the database.
      if let count = frame.number(at: 4, count: 4), count > 0 {
        offsets.merge(pending) { $1 }
        pending = [:]
        pageCount = count
        commitCount += 1
      }
      offset += frameSize
    }
    guard commitCount > 0 else { return nil }
  }

  var pages: [Int] { offsets.keys.filter { $0 <= pageCount }.sorted() }

  func page(_ number: Int) -> [UInt8]? {
    offsets[number].flatMap { file.read(pageSize, at: $0) }
  }

  /// SQLite finds the end of the log by this cumulative checksum.
  package struct Checksum {
    let isBigEndian: Bool
    package var (first, second): (UInt32, UInt32) = (0, 0)

    package init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// - Parameter bytes: A multiple of 8 bytes.
    package mutating func add(_ bytes: ArraySlice<UInt8>) {
      var (one, other) = (first, second)
      bytes.withUnsafeBytes { bytes in
        for index in stride(from: 0, to: bytes.count - 7, by: 8) {
          let left = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
          let right = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
          one &+= (isBigEndian ? left.bigEndian : left.littleEndian) &+ other
          other &+= (isBigEndian ? right.bigEndian : right.littleEndian) &+ one
        }
      }
      (first, second) = (one, other)
    }

    package func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
      let bytes = Array(bytes)
      return bytes.number(at: 0, count: 4) == Int(first)
        && bytes.number(at: 4, count: 4) == Int(second)
    }
  }
}

extension WriteAheadLog {
  /// Returns false only if a recovery cannot find a committed transaction. Checksums are not
  /// compared.
  /// - Complexity: O(*n*) in the number of frames up to the first commit.
  static func mayHoldCommit(beside path: String) -> Bool {
    guard let file = try? FileBytes(DatabaseFile.resolved(path) + "-wal"),
      let size = try? file.size
    else { return true }
    // SQLite ignores a log without a complete header.
    guard size >= headerSize else { return false }
    guard let header = file.read(headerSize, at: 0) else { return true }
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int64($1) }
    guard (512...65_536).contains(pageSize) else { return true }
    let frameSize = Int64(frameHeaderSize) + pageSize
    var offset = Int64(headerSize)
    while size - offset >= frameSize {
      guard let frame = file.read(frameHeaderSize, at: offset) else { return true }
      // Frames with a different salt belong to an earlier log.
      guard frame[8..<16] == header[16..<24] else { return false }
      guard frame[4..<8].allSatisfy({ $0 == 0 }) else { return true }
      offset += frameSize
    }
    return false
  }
}

import MiniORM

/// A place in a write-ahead log: the number of frames before, and their checksum.
struct LogPosition: Hashable, Sendable {
  /// Both salts of the log. Each restart increments the first salt, and replaces the second.
  let salt: UInt64
  let frame: Int
  let sums: [UInt32]

  /// True if this log came into being by a single restart of the other log.
  func isRestart(of other: LogPosition) -> Bool {
    UInt32(truncatingIfNeeded: salt >> 32) == UInt32(truncatingIfNeeded: other.salt >> 32) &+ 1
  }
}

/// The end of a log in use, as the log's index records it. A failed COMMIT can leave frames after
/// this end whose checksums match.
///
/// See [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct LogEnd: Sendable {
  private(set) var position: LogPosition
  let pageSize: Int
  /// The size of the database in bytes.
  let fileSize: Int
  /// The number of frames that checkpoints have copied to the file.
  let moved: Int
  /// The byte order of the log's checksums.
  let isBigEndian: Bool

  /// Returns nil if the connection has no log open.
  init?(_ database: OpaquePointer) {
    guard let file = RawFile(of: database), let memory = file.logIndex else { return nil }
    for _ in 0..<1_000 {
      file.logIndexBarrier()
      let index = Array(UnsafeRawBufferPointer(start: memory, count: 100))
      func number(_ offset: Int) -> UInt32 {
        index.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
      }
      // A writer changes the second copy first.
      var sum = WriteAheadLog.Checksum(isBigEndian: 1.bigEndian == 1)
      sum.add(index[..<40])
      guard index[..<48] == index[48..<96], sum.first == number(40), sum.second == number(44) else {
        continue
      }
      let size = index.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 14, as: UInt16.self) }
      pageSize = Int(size & 0xfe00) | Int(size & 1) << 16
      fileSize = Int(number(20)) * pageSize
      position = LogPosition(
        salt: index[32..<40].reduce(0) { $0 << 8 | UInt64($1) }, frame: Int(number(16)),
        sums: [number(24), number(28)])
      moved = Int(number(96))
      isBigEndian = index[13] == 1
      return
    }
    return nil
  }

  /// Returns the place of an earlier commit in the log.
  func at(_ frame: Int) -> LogEnd {
    var end = self
    end.position = LogPosition(salt: position.salt, frame: frame, sums: [])
    return end
  }

  /// Marks the index as uninitialized, so that the next reader builds it from the log. The caller
  /// holds the write lock. Returns false if the connection has no log open.
  static func invalidateIndex(_ database: OpaquePointer) -> Bool {
    guard let file = RawFile(of: database), let memory = file.logIndex else { return false }
    for copy in [48, 0] {
      memory.storeBytes(of: 0, toByteOffset: copy + 12, as: UInt8.self)
      file.logIndexBarrier()
    }
    return true
  }
}

/// Consecutive frames in their stored form: each is a header of 24 bytes and an encrypted page.
///
/// See [The WAL File Format](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
struct LogFrames: Sendable {
  let bytes: [UInt8]
  let end: LogPosition
  /// True if the last frame completes a transaction.
  let isCommitted: Bool

  /// Reads frames up to the last complete transaction, or parts of a larger transaction.
  /// - Parameters:
  ///   - position: The place after which to read; nil for the start of the log.
  ///   - end: An end of the same log, after at least one more frame.
  ///   - limit: The maximum number of bytes, except for a single frame.
  /// - Throws: ``DatabaseError`` with the code `corrupt` if a checksum does not match.
  init(
    _ path: String, after position: LogPosition?, to end: LogEnd, limit: Int
  ) throws(DatabaseError) {
    let file = try FileBytes(path)
    let failure = DatabaseError(
      .copy, code: .corrupt,
      "\(path) cannot be read, or has a wrong salt or checksum: check the disk",
      path: path)
    guard let head = file.read(WriteAheadLog.headerSize, at: 0),
      head[16..<24].reduce(0, { $0 << 8 | UInt64($1) }) == end.position.salt
    else { throw failure }
    var sum = WriteAheadLog.Checksum(isBigEndian: head[3] & 1 == 1)
    if let position, position.frame > 0 {
      (sum.first, sum.second) = (position.sums[0], position.sums[1])
    } else {
      sum.add(head[..<24])
      guard sum.matches(head[24...]) else { throw failure }
    }
    let size = WriteAheadLog.frameHeaderSize + end.pageSize
    let first = position?.frame ?? 0
    let count = min(max(1, limit / size), end.position.frame - first)
    guard count > 0,
      let block = file.read(
        count * size, at: Int64(WriteAheadLog.headerSize) + Int64(first) * Int64(size))
    else { throw failure }
    var committed: (count: Int, sum: WriteAheadLog.Checksum)?
    for index in 0..<count {
      let frame = block[index * size..<(index + 1) * size]
      let (start, page) = (frame.startIndex, frame.startIndex + WriteAheadLog.frameHeaderSize)
      sum.add(frame[start..<start + 8])
      sum.add(frame[page...])
      guard frame[start + 8..<start + 16] == head[16..<24],
        sum.matches(frame[start + 16..<page])
      else { throw failure }
      if frame[start + 4..<start + 8].contains(where: { $0 != 0 }) { committed = (index + 1, sum) }
    }
    isCommitted = committed != nil
    let taken = committed ?? (count, sum)
    bytes = taken.count == count ? block : Array(block.prefix(taken.count * size))
    self.end = LogPosition(
      salt: end.position.salt, frame: first + taken.count,
      sums: [taken.sum.first, taken.sum.second]
    )
  }
}

/// The pages of a state: the newest frame of each page in the log up to an end, and otherwise the page in
/// the file. While the log is held, both stay the same.
struct LogPages: Sendable {
  let pageSize: Int
  /// The number of pages.
  let count: Int
  /// The offset in the log of each page that the log has.
  private var offsets: [Int: Int64] = [:]

  init(_ log: FileBytes, _ end: LogEnd) throws(DatabaseError) {
    (pageSize, count) = (end.pageSize, end.fileSize / end.pageSize)
    let size = Int64(WriteAheadLog.frameHeaderSize + pageSize)
    for frame in 0..<end.position.frame {
      let offset = Int64(WriteAheadLog.headerSize) + Int64(frame) * size
      guard let number = log.read(4, at: offset)?.number(0, 4) else {
        throw DatabaseError(.copy, code: .inputOutput, "The write-ahead log cannot be read")
      }
      offsets[Int(number)] = offset + Int64(WriteAheadLog.frameHeaderSize)
    }
  }

  /// Returns nil if the page was never written, as a free page at the end of the file.
  func read(_ number: Int, _ file: FileBytes, _ log: FileBytes) -> [UInt8]? {
    if let offset = offsets[number] { return log.read(pageSize, at: offset) }
    return file.read(pageSize, at: Int64(number - 1) * Int64(pageSize))
  }
}

import CSQLCipher
import MiniORM

/// Frames that follow the end of a log, with its salts and checksums.
struct FrameSequence: Sendable {
  private let start: LogEnd
  private var sum: WriteAheadLog.Checksum
  private var newer = PageSet()
  /// The last page. Its frame must state the size of the file if it ends the transaction.
  private var last: (number: Int, bytes: ArraySlice<UInt8>)?
  private var pageCount = 0
  /// The number of complete frames, from the start of the log.
  private(set) var count: Int
  /// The end of the last frame that ends a transaction.
  private(set) var committed: LogPosition

  init(after start: LogEnd) {
    (self.start, count, committed) = (start, start.position.frame, start.position)
    sum = .init(isBigEndian: start.isBigEndian)
    (sum.first, sum.second) = (start.position.sums[0], start.position.sums[1])
  }

  /// Returns further frames for the pages of an object.
  /// - Parameters:
  ///   - isState: True if the object ends a transaction.
  ///   - file: The file with the present pages, except for the first page; nil if they are unknown.
  mutating func add(
    _ object: BackupObject, isState: Bool, comparing file: FileBytes?
  ) throws(DatabaseError) -> [UInt8] {
    guard object.pageSize == start.pageSize else {
      throw BackupCatalog.damaged(
        "The pages of \(object.name.text) have \(object.pageSize) bytes, and the pages of the copy \(start.pageSize): delete the copy, and follow again"
      )
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(object.payload.count + object.payload.count / 100 + 8_192)
    object.forEachPage { number, count, page in
      if object.isFrames {
        newer.insert(number)
      } else if newer.contains(number) || number > 1 && file?.has(page, number) ?? false {
        return
      }
      if count > 0 { pageCount = count }
      flush(0, to: &bytes)
      last = (number, page)
    }
    if isState, last != nil {
      flush(pageCount, to: &bytes)
      committed = LogPosition(
        salt: start.position.salt, frame: count, sums: [sum.first, sum.second])
    }
    return bytes
  }

  private mutating func flush(_ pageCount: Int, to bytes: inout [UInt8]) {
    guard let (number, page) = last else { return }
    var head: [UInt8] = []
    head.append(UInt64(number), count: 4)
    head.append(UInt64(pageCount), count: 4)
    sum.add(head[...])
    sum.add(page)
    head.append(start.position.salt, count: 8)
    head.append(UInt64(sum.first), count: 4)
    head.append(UInt64(sum.second), count: 4)
    bytes += head
    bytes += page
    last = nil
    count += 1
  }
}

extension FileBytes {
  fileprivate func has(_ page: ArraySlice<UInt8>, _ number: Int) -> Bool {
    guard let bytes = read(page.count, at: Int64(number - 1) * Int64(page.count)) else {
      return false
    }
    return bytes[...] == page
  }
}

// MARK: - The log of a copy

extension Connection {
  /// The numbers of frames from which the log restarts without and with waits for readers, as in
  /// `LogGrowth`.
  private static let (usualLogLength, largeLogLength) = (1_000, 4_000)

  /// Returns the end of the log.
  func end() throws(DatabaseError) -> LogPosition {
    _ = try Self.text("PRAGMA main.schema_version", try handle)
    return try logEnd().position
  }

  /// Returns the end of a log that no process restarts before more frames follow.
  /// - Parameter position: The end of the log after the previous frames; nil if it is unknown.
  /// - Returns: The end, and true if the file has all pages except for the first.
  func beginFrames(after position: LogPosition?) throws -> (end: LogEnd, isEmpty: Bool) {
    let database = try handle
    defer { rollBack(database) }
    if position == nil { _ = try moveLog() }
    var isOwn = false
    for _ in 0..<5 {
      _ = try Self.text("BEGIN IMMEDIATE", database)
      let end = try logEnd()
      if let position, !isOwn, end.position != position { throw changed }
      if end.moved < end.position.frame { return (end, isOwn && end.position.frame == 1) }
      // The file has the whole log. This commit restarts the log, or begins a log.
      try commitWithoutChanges(database)
      isOwn = true
    }
    throw changed
  }

  /// Writes frames after the end of the log. Readers find them after ``publish(_:after:)``.
  func write(_ bytes: [UInt8], after frame: Int, _ end: LogEnd) throws {
    guard !bytes.isEmpty else { return }
    let database = try handle
    defer { rollBack(database) }
    try lock(database, end)
    let size = WriteAheadLog.frameHeaderSize + end.pageSize
    var offset = Int64(WriteAheadLog.headerSize) + Int64(frame) * Int64(size)
    try withLog(database) { file, methods in
      // SQLite's system for Unix writes at most 128 kB in a call.
      for start in stride(from: 0, to: bytes.count, by: 65_536) {
        let part = Array(bytes[start..<min(bytes.count, start + 65_536)])
        let code = methods.xWrite?(file, part, Int32(part.count), offset) ?? SQLITE_IOERR
        guard code == SQLITE_OK else { return code }
        offset += Int64(part.count)
      }
      return SQLITE_OK
    }
  }

  /// Makes the frames up to a position a transaction.
  ///
  /// The frames are on the disk before the index is marked as invalid. The next reader of any process
  /// then builds the index again from the log, as after a crash: it finds all frames or, if this
  /// process was killed earlier, none.
  func publish(_ position: LogPosition, after end: LogEnd) throws {
    guard position != end.position else { return }
    let database = try handle
    defer { rollBack(database) }
    try lock(database, end)
    try withLog(database) { file, methods in
      methods.xSync?(file, SQLITE_SYNC_FULL) ?? SQLITE_IOERR
    }
    guard LogEnd.invalidateIndex(database) else { throw changed }
    _ = try Self.text("COMMIT", database)
    // After a change of the key, this connection cannot read, but builds the index.
    _ = try? Self.text("PRAGMA main.schema_version", database)
    guard try logEnd().position == position else { throw changed }
    if position.frame >= Self.usualLogLength { _ = try moveLog() }
    if position.frame >= Self.largeLogLength { _ = try emptyLog() }
  }

  private func lock(_ database: OpaquePointer, _ end: LogEnd) throws {
    _ = try Self.text("BEGIN IMMEDIATE", database)
    guard try logEnd().position == end.position else { throw changed }
  }

  private func withLog(
    _ database: OpaquePointer,
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) throws(DatabaseError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods?.pointee
    else { throw changed }
    let code = body(file, methods)
    guard code == SQLITE_OK else {
      throw DatabaseError(
        .copy, code: ResultCode(rawValue: code),
        "The write-ahead log of the copy could not be written", path: path)
    }
  }

  private var changed: DatabaseError {
    DatabaseError(
      .copy, code: .busy,
      "Another connection wrote to the copy, or restarted its log: open the copy read-only",
      path: path)
  }
}

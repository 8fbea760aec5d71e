import CSQLCipher
import MiniORM
import Synchronization

/// A read transaction that keeps each frame of the write-ahead log until the frame has been read.
///
/// A log restarts only if the file contains all its frames, and no connection reads the log. This
/// connection reads the log in a state with at least one frame that is not in the file. So no
/// process can restart the log, nor copy later frames to the file. ``restart(after:waits:)`` alone
/// lets the log restart, and finds out whether frames may be missing.
final class LogHold: Sendable {
  private let database: Database
  let holder: Connection
  private let limit: Int
  private let onLoss: @Sendable () -> Void
  private let isOver = Atomic(false)
  /// The number of frames of the log that were read, or that were there at the beginning.
  private let readCount: Atomic<Int>
  let key: BackupKey

  /// True once the log may restart: the database was closed or suspended, its key changes, or the
  /// log became too long.
  var isLost: Bool { isOver.load(ordering: .acquiring) }

  private init(
    _ database: Database, _ holder: Connection, _ key: BackupKey, _ end: LogEnd,
    limit: Int, _ wake: @escaping @Sendable (Int) -> Void
  ) {
    (self.database, self.holder, self.key, self.limit) = (database, holder, key, limit)
    readCount = Atomic(end.position.frame)
    onLoss = { wake(0) }
  }

  deinit { release() }

  /// - Parameters:
  ///   - limit: The number of frames in the log at which the hold is released.
  ///   - wake: Runs after each commit through the database, with the number of frames in the log, and
  ///     after the loss of the hold.
  static func begin(
    _ database: Database, limit: Int, wake: @escaping @Sendable (Int) -> Void
  ) async throws -> (hold: LogHold, end: LogEnd) {
    try await database.withWriter { db in
      guard !database.isLogHeld else {
        throw DatabaseError(
          .copy, code: .busy,
          "Another continuous backup of this database is running: stop it first",
          path: database.path)
      }
      let (holder, cipher) = try database.logHolder()
      let key = try BackupKey(cipher)
      guard let end = try db.hold(holder, after: nil)?.end else { throw db.notHeld }
      let hold = LogHold(database, holder, key, end, limit: limit, wake)
      database.setLogHolder(
        onCommit: { [weak hold] count in
          hold?.releaseIfTooLong(count)
          wake(count)
        }, release: { [weak hold] in hold?.release() })
      return (hold, end)
    }
  }

  func release() {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    database.removeLogHolder()
    holder.sync { $0.closeForGood() }
    onLoss()
  }

  /// Releases a log that is too long because of unread frames. If the frames were read, readers keep
  /// the log: to begin again would not shorten it.
  func releaseIfTooLong(_ count: Int) {
    guard count > limit, count - readCount.load(ordering: .relaxed) > limit / 2 else { return }
    release()
  }

  /// - Throws: ``DatabaseError`` with the code `readOnlyMoved` if the file is no longer at its path.
  func end() async throws(DatabaseError) -> LogEnd { try await holder.endInPlace() }

  /// See ``LogFrames``.
  func frames(
    after position: LogPosition?, to end: LogEnd, limit: Int
  ) async throws(DatabaseError) -> LogFrames {
    let frames = try await holder.frames(after: position, to: end, limit)
    readCount.store(frames.end.frame, ordering: .relaxed)
    return frames
  }

  /// What happened to a log that was allowed to restart.
  struct Restart: Sendable {
    /// The frames up to the position that were read before a restart could overwrite them.
    var frames: [LogFrames] = []
    /// The place up to which frames were read. After a restart, this is the start of the new log.
    var position: LogPosition
    var end: LogEnd
    /// False if too many frames were not read yet, so that the log was left as it is.
    var isTried = true
  }

  /// Copies the log to the file and restarts the log. Does neither while another process writes, or
  /// while other connections read the log.
  /// - Parameter waits: True to wait for the readers, for a quarter of a second.
  /// - Returns: nil if the log may have lost frames after the position.
  func restart(after position: LogPosition, waits: Bool) async throws -> Restart? {
    do {
      return try await database.withWriter { [self, holder] db in
        // The writer's own commit does not make the log too long.
        readCount.store(Int.max / 2, ordering: .relaxed)
        let restart = try db.restartLog(after: position, holder, waits: waits)
        readCount.store(restart?.position.frame ?? 0, ordering: .relaxed)
        return restart
      }
    } catch {
      release()  // the read transaction may be over
      throw error
    }
  }
}

extension Connection {
  fileprivate var notHeld: DatabaseError {
    DatabaseError(
      .copy, code: .busy,
      "The write-ahead log could not be held, because other connections use it: try again",
      path: path)
  }

  // MARK: The writer

  /// Begins the holder's read transaction.
  /// - Parameters:
  ///   - position: The place up to which frames were read; nil if earlier frames do not matter.
  ///   - count: The number of frames in the log when the holder's last transaction had ended.
  /// - Returns: nil if frames between the position and the end of the log may be missing.
  fileprivate func hold(
    _ holder: Connection, after position: LogPosition?, count: Int = -1
  ) throws -> LogHold.Restart? {
    let database = try handle
    defer { rollBack(database) }
    var (frames, known, isComplete) = ([LogFrames](), position, true)
    var count = count
    for _ in 0..<5 {
      // Until this transaction ends, no process adds a frame or restarts the log.
      _ = try Self.text("BEGIN IMMEDIATE", database)
      let end = try holder.sync { db in Result { try db.beginHolding() } }.get()
      if let position = known, position.salt != end.position.salt {
        // The new log follows the known frames if the old log had no others.
        if !end.position.isRestart(of: position) || count != position.frame { isComplete = false }
        known = LogPosition(salt: end.position.salt, frame: 0, sums: [])
      }
      guard end.moved == end.position.frame else {
        let position = known ?? end.position
        return isComplete ? LogHold.Restart(frames: frames, position: position, end: end) : nil
      }
      // If the file contains the whole log, the transaction reads only the file, and the next write
      // restarts the log. So this connection writes, and the transaction begins again.
      holder.sync { $0.endHolding() }
      if let position = known {
        let more = try unread(after: position, to: end)
        if let more { frames += more } else { isComplete = false }
        known = end.position
      }
      try commitWithoutChanges(database)
      // Without a restart, this commit appended a frame.
      count = logPageCount <= end.position.frame ? end.position.frame : -1
    }
    throw notHeld
  }

  fileprivate func restartLog(
    after position: LogPosition, _ holder: Connection, waits: Bool
  ) throws -> LogHold.Restart? {
    let database = try handle
    defer { rollBack(database) }
    let end: LogEnd
    do throws(DatabaseError) {
      _ = try Self.text("BEGIN IMMEDIATE", database)
      end = try logEnd()
    } catch {
      // Another process writes, so the log restarts later.
      let end = try holder.sync { db in Result { try db.logEnd() } }.get()
      return LogHold.Restart(position: position, end: end)
    }
    guard let frames = try unread(after: position, to: end) else {
      return LogHold.Restart(position: position, end: end, isTried: false)
    }
    rollBack(database)
    holder.sync { $0.endHolding() }
    var restart = try hold(
      holder, after: end.position, count: waits ? try emptyLog() : try moveLog().count)
    restart?.frames.insert(contentsOf: frames, at: 0)
    return restart
  }

  /// Reads the frames up to the end of the log; returns nil if they are too many for the memory.
  private func unread(
    after position: LogPosition, to end: LogEnd
  ) throws(DatabaseError) -> [LogFrames]? {
    var (frames, last) = ([LogFrames](), position)
    while last.frame < end.position.frame {
      guard frames.count < 16 else { return nil }
      frames.append(try self.frames(after: last, to: end, Shipper.objectSize))
      last = frames[frames.count - 1].end
    }
    return frames
  }

  func rollBack(_ database: OpaquePointer) {
    if sqlite3_get_autocommit(database) == 0 { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
  }

  // MARK: The holder

  fileprivate func beginHolding() throws(DatabaseError) -> LogEnd {
    let database = try handle
    _ = try Self.text("BEGIN", database)
    _ = try Self.text("PRAGMA main.schema_version", database)
    return try logEnd()
  }

  fileprivate func endHolding() {
    if let database = try? handle { rollBack(database) }
  }

  fileprivate func endInPlace() throws(DatabaseError) -> LogEnd {
    guard try isInPlace else {
      throw DatabaseError(
        .copy, code: .readOnlyMoved,
        "Another program replaced, renamed or deleted the file, so its backup ended. Open the file that is at the path now, and start a backup",
        path: path)
    }
    return try logEnd()
  }

  func logEnd() throws(DatabaseError) -> LogEnd {
    guard let end = LogEnd(try handle) else {
      throw DatabaseError(
        .copy, code: .inputOutput,
        "The index of the write-ahead log (the -shm file) cannot be read: open the database again",
        path: path)
    }
    return end
  }

  fileprivate func frames(
    after position: LogPosition?, to end: LogEnd, _ limit: Int
  ) throws(DatabaseError) -> LogFrames {
    try LogFrames(logPath, after: position, to: end, limit: limit)
  }

  private var logPath: String { DatabaseFile.resolved(path) + "-wal" }

  func pages(of end: LogEnd) throws(DatabaseError) -> LogPages {
    try LogPages(try FileBytes(logPath), end)
  }

  /// Compares the pages of an object with the pages of a state.
  func compare(
    _ object: BackupObject, with pages: LogPages
  ) throws(DatabaseError) -> [(page: Int, isSame: Bool)] {
    let (file, log) = (try FileBytes(path), try FileBytes(logPath))
    var found: [(page: Int, isSame: Bool)] = []
    object.forEachPage { number, _, page in
      found.append((number, pages.read(number, file, log).map { $0[...] == page } ?? false))
    }
    return found
  }

  /// Returns pages of a state in the form of frames, without those that were never written.
  /// - Parameter isEnd: True if the last frame completes a transaction.
  func frames(
    _ numbers: ArraySlice<Int>, of pages: LogPages, isEnd: Bool
  ) throws(DatabaseError) -> [UInt8] {
    let (file, log) = (try FileBytes(path), try FileBytes(logPath))
    var frames: [UInt8] = []
    frames.reserveCapacity(numbers.count * (WriteAheadLog.frameHeaderSize + pages.pageSize))
    for number in numbers {
      guard let page = pages.read(number, file, log) else { continue }
      frames.append(UInt64(number), count: 4)
      frames.append(isEnd && number == numbers.last ? UInt64(pages.count) : 0, count: 4)
      frames += [UInt8](repeating: 0, count: WriteAheadLog.frameHeaderSize - 8)
      frames += page
    }
    return frames
  }

  /// Returns a part of the file; fewer bytes at the end of the file. Checkpoints may have copied
  /// frames of the log to this part, but none after the end at the beginning of the hold.
  func bytes(at offset: Int64, _ count: Int) throws(DatabaseError) -> [UInt8] {
    let file = try FileBytes(path)
    let count = min(Int64(count), max(0, try file.size - offset))
    guard let bytes = file.read(Int(count), at: offset) else {
      throw DatabaseError(
        .copy, code: .inputOutput, "The file cannot be read: check the disk", path: path)
    }
    return bytes
  }
}

import CSQLCipher
import MiniORM
import Synchronization

/// A read transaction that keeps each frame of the write-ahead log until the frame has been read.
///
/// A log restarts only if the file contains all its frames, and no connection reads the log. This
/// connection reads the log in a state with at least one frame that is not in the file. So no
/// process can restart the log, nor copy later frames to the file. ``restart(after:)`` alone lets
/// the log restart, and finds out whether frames may be missing.
final class LogHold: Sendable {
  private let database: Database
  private let holder: Connection
  private let onLoss: @Sendable () -> Void
  private let isOver = Atomic(false)
  let key: BackupKey

  /// True once the log may restart: the database was closed or suspended, its key changes, or the
  /// log became too long.
  var isLost: Bool { isOver.load(ordering: .acquiring) }

  private init(
    _ database: Database, _ holder: Connection, _ key: BackupKey,
    _ wake: @escaping @Sendable () -> Void
  ) {
    (self.database, self.holder, self.key, onLoss) = (database, holder, key, wake)
  }

  deinit { release() }

  /// - Parameters:
  ///   - limit: The number of frames in the log at which the hold is released.
  ///   - wake: Runs after each commit through the database, and after the loss of the hold.
  static func begin(
    _ database: Database, limit: Int, wake: @escaping @Sendable () -> Void
  ) async throws -> (hold: LogHold, end: LogEnd) {
    try await database.withWriter { db in
      guard !database.isLogHeld else {
        throw DatabaseError(
          .copy, code: .busy,
          "Another continuous backup of this database is running: stop it first",
          path: database.path)
      }
      let (holder, key) = try database.logHolder()
      guard let end = try db.hold(holder, after: nil) else { throw db.notHeld }
      let hold = LogHold(database, holder, key, wake)
      database.setLogHolder(
        onCommit: { [weak hold] count in
          if count > limit { hold?.release() }
          wake()
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

  func end() async throws(DatabaseError) -> LogEnd { try await holder.logEnd() }

  /// See ``LogFrames``.
  func frames(
    after position: LogPosition?, to end: LogEnd, limit: Int
  ) async throws(DatabaseError) -> LogFrames {
    try await holder.frames(after: position, to: end, limit)
  }

  /// Returns a part of the file; fewer bytes at the end of the file. Checkpoints may have copied
  /// frames of the log to this part, but none after the end at the beginning of the hold.
  func bytes(at offset: Int64, _ count: Int) async throws(DatabaseError) -> [UInt8] {
    try await holder.bytes(at: offset, count)
  }

  /// Copies the log to the file and restarts the log. Does neither while another connection uses
  /// the log, or if the log has frames after the position.
  /// - Returns: The end of the log, also without a restart; nil if the log may have lost frames
  ///   after the position.
  func restart(after position: LogPosition) async throws -> LogEnd? {
    do {
      return try await database.withWriter { [holder] db in
        try db.restartLog(after: position, holder)
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
  /// - Returns: The end of the log; nil if frames between the position and this end may be missing.
  fileprivate func hold(
    _ holder: Connection, after position: LogPosition?
  ) throws -> LogEnd? {
    let database = try handle
    defer { rollBack(database) }
    var isRestarted = false
    for _ in 0..<5 {
      // Until this transaction ends, no process adds a frame or restarts the log.
      _ = try Self.text("BEGIN IMMEDIATE", database)
      let end = try holder.sync { db in Result { try db.beginHolding() } }.get()
      guard end.moved == end.position.frame else {
        guard let position else { return end }
        let isSame = end.position.salt == position.salt && end.position.frame >= position.frame
        return isSame || isRestarted && end.position.isRestart(of: position) ? end : nil
      }
      // If the file contains the whole log, the transaction reads only the file, and the next write
      // restarts the log. So this connection writes, and the transaction begins again.
      holder.sync { $0.endHolding() }
      try commitWithoutChanges(database)
      isRestarted = end.position == position && logPageCount <= end.position.frame
    }
    throw notHeld
  }

  fileprivate func restartLog(
    after position: LogPosition, _ holder: Connection
  ) throws -> LogEnd? {
    let database = try handle
    defer { rollBack(database) }
    do throws(DatabaseError) {
      _ = try Self.text("BEGIN IMMEDIATE", database)
    } catch {
      // Another process writes, so the log restarts later.
      return try holder.sync { db in Result { try db.logEnd() } }.get()
    }
    let end = try holder.sync { db in Result { try db.moveLog(upTo: position) } }.get()
    rollBack(database)
    return try end ?? hold(holder, after: position)
  }

  func rollBack(_ database: OpaquePointer) {
    if sqlite3_get_autocommit(database) == 0 { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
  }

  // MARK: The holder

  /// Returns nil if the file contains the whole log. The transaction is then over.
  fileprivate func moveLog(upTo position: LogPosition) throws(DatabaseError) -> LogEnd? {
    let end = try logEnd()
    guard end.position == position else { return end }
    endHolding()
    return try moveLog() ? nil : beginHolding()
  }

  fileprivate func beginHolding() throws(DatabaseError) -> LogEnd {
    let database = try handle
    _ = try Self.text("BEGIN", database)
    _ = try Self.text("PRAGMA main.schema_version", database)
    return try logEnd()
  }

  fileprivate func endHolding() {
    if let database = try? handle { rollBack(database) }
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
    try LogFrames(DatabaseFile.resolved(path) + "-wal", after: position, to: end, limit: limit)
  }

  fileprivate func bytes(at offset: Int64, _ count: Int) throws(DatabaseError) -> [UInt8] {
    let file = try FileBytes(path)
    let count = min(Int64(count), max(0, try file.size - offset))
    guard let bytes = file.read(Int(count), at: offset) else {
      throw DatabaseError(
        .copy, code: .inputOutput, "The file cannot be read: check the disk", path: path)
    }
    return bytes
  }
}

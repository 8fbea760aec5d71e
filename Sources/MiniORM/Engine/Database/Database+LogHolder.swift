import CSQLCipher
import Synchronization

// The interface of MiniORMBackup, whose connection keeps the frames of the write-ahead log.
extension Database {
  package static var workers: any TaskExecutor { Workers.shared }

  package var cipherSettings: CipherSettings { configuration.cipher }

  package func withWriter<Result: Sendable>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result {
    try await withConnection(.writer, body)
  }

  /// Opens a connection that can read the log, and copy the log to the file. The caller is on the
  /// writer.
  package func logHolder() throws(DatabaseError) -> (Connection, CipherKey) {
    guard !pool.isSingle else { throw noLog }
    let holder = Connection(reader, pool.holderTemplate)
    holder.state.isReadOnly = false
    let (mode, cipher) = try holder.sync { holder throws(DatabaseError) in
      (try Connection.text("PRAGMA main.journal_mode", try holder.handle), holder.cipher)
    }
    guard mode == "wal" else { throw noLog }
    guard let cipher else {
      throw DatabaseError(
        .copy, code: .misuse,
        "The file is not encrypted, so the store could read and forge its backup: close the database, and call Database.encrypt(path:key:)",
        path: path)
    }
    return (holder, cipher)
  }

  /// - Parameters:
  ///   - onCommit: Receives the number of frames in the log after each commit of this database.
  ///   - release: Ends the holder's transaction, for example because the key changes.
  package func setLogHolder(
    onCommit: @escaping @Sendable (Int) -> Void, release: @escaping @Sendable () -> Void
  ) {
    pool.state.withLock { $0.releaseLog = release }
    writer.state.logListener.onCommit = onCommit
  }

  package var isLogHeld: Bool { pool.state.withLock { $0.releaseLog != nil } }

  package func removeLogHolder() {
    pool.state.withLock { $0.releaseLog = nil }
    writer.state.logListener.onCommit = nil
  }

  func releaseLog() { pool.state.withLock { $0.releaseLog }?() }

  private var noLog: DatabaseError {
    DatabaseError(
      .copy, code: .misuse,
      "A continuous backup needs a file with a write-ahead log (Configuration.journalMode) that is open for writing: call backup(to:) for copies of other databases",
      path: path)
  }
}

extension Connection {
  /// The number of frames in the log after this connection's last commit.
  package var logPageCount: Int { Int(state.opened?.logGrowth?.pageCount ?? .max) }

  /// False if another program replaced, renamed or deleted the file.
  package var isInPlace: Bool {
    get throws(DatabaseError) { !FileLock.hasMoved(try handle) }
  }

  /// Copies the log to the file, as far as no reader needs an earlier state.
  /// - Returns: The number of frames in the log, and true if the file has all of them.
  package func moveLog() throws(DatabaseError) -> (count: Int, isComplete: Bool) {
    let done = Checkpoint.passive(try handle, "main")
    return (Int(done.pageCount), done.code == 0 && done.movedCount == done.pageCount)
  }

  /// Copies the log to the file, and waits up to a quarter of a second for the readers of the log.
  /// Without readers, the next commit restarts the log.
  /// - Returns: The number of frames in the log; -1 if it is unknown.
  package func emptyLog() throws(DatabaseError) -> Int {
    let database = try handle
    let interruption = state.interruption
    return interruption.waitingBriefly {
      Int(interruption.checkpoint(database, "main", SQLITE_CHECKPOINT_RESTART).pageCount)
    }
  }
}

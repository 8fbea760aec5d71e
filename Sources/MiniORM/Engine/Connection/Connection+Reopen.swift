import CSQLCipher

extension Connection {
  /// Closes the file in any state of the connection; the next use reopens it, ends transactions,
  /// and restores settings and attachments. A database without a file stays open: closing would
  /// delete its contents.
  /// - Parameter keys: The keys to try in order; nil for the current key.
  func reopenLater(with keys: [CipherKey?]? = nil) {
    guard DatabaseFile.isFile(path) else { return }
    if let keys { state.reopening = keys }
    guard let opened = state.opened else { return }
    if keys == nil { state.reopening = [opened.cipher] }
    state.opened = nil
    state.depth = 0
  }

  /// Closes the file if an error shows that SQLCipher can no longer decrypt pages. See
  /// ``CodecState``.
  func reopenWhereUnreadable(after error: DatabaseError) {
    let code = error.code.primary.rawValue
    guard CodecState.lasts, depth == 0, let opened = state.opened, hasCodec(opened),
      [SQLITE_ERROR, SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code)
    else { return }
    if isUnreadable(opened) { reopenLater() }
  }

  /// Closes the file if SQLCipher could not decrypt a page. The result of the call may then be
  /// wrong.
  @discardableResult
  func reopenWhereUnreadable() -> Bool {
    guard CodecState.lasts, let opened = state.opened, hasCodec(opened), opened.pages.hasReadPages,
      isUnreadable(opened)
    else { return false }
    reopenLater()
    return true
  }

  private func isUnreadable(_ opened: ConnectionState.Opened) -> Bool {
    CodecState.isTold
      ? (try? CodecState.isLost(opened.database)) ?? true : mayBeUnreadable(opened)
  }

  /// True if a file cannot be read again. A lost key and a failing disk give the same codes.
  private func mayBeUnreadable(_ opened: ConnectionState.Opened) -> Bool {
    switch opened.pages.read() & 0xff {
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT: false
    default: true
    }
  }

  /// Throws if SQLCipher could not decrypt a page. See ``DecryptionCheck``. Call this before the end of
  /// the transaction.
  @usableFromInline
  func checkPages() throws(DatabaseError) {
    guard let opened = state.opened, hasCodec(opened), opened.pages.hasReadPages else { return }
    try CodecState.check(opened.database, .step, path: path)
    let code = opened.pages.read()
    switch code & 0xff {
    case SQLITE_OK, SQLITE_INTERRUPT: return
    case SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB:
      throw CodecState.failure(.step, path: path)
    default:
      throw DatabaseError(.step, code: code, from: opened.database, path: path)
    }
  }

  func hasCodec(_ opened: ConnectionState.Opened) -> Bool {
    opened.cipher != nil || !attachments.isEmpty
  }

  /// Reopens a file closed by ``reopenLater(with:)``. After a failure, the next use retries.
  func reopen() throws(DatabaseError) {
    guard state.opened == nil, let keys = state.reopening else { return }
    var refusal: DatabaseError?
    for key in keys {
      do throws(DatabaseError) {
        // SQLite would replace a deleted or moved file with a new, empty file.
        try checkExistence(of: path)
        for attachment in attachments where DatabaseFile.isFile(attachment.path) {
          try DatabaseError.adding(operation: .attach) { () throws(DatabaseError) in
            try checkExistence(of: attachment.path)
          }
        }
        // Rolls back a failed commit, which only a connection that can write does.
        if state.isReadOnly, !configuration.isReadOnly, !state.isNew { _ = fit(of: key) }
        do throws(DatabaseError) {
          try open(key, isReadOnly: state.isReadOnly)
        } catch {
          guard error.code.rawValue == HotJournal.code, !configuration.isReadOnly else {
            throw error
          }
          state.undoJournals(with: key)
          try open(key, isReadOnly: state.isReadOnly)
        }
        return try checkLog()
      } catch {
        refusal = error
        guard error.operation == .key, error.code.primary == .notADatabase else { break }
      }
    }
    guard let refusal else { return }
    if state.isNew { throw refusal }
    throw refusal.adding(message: "reopening the file failed; every call retries it")
  }

  /// Throws if SQLite could open the log only read-only: every later write would fail.
  private func checkLog() throws(DatabaseError) {
    guard let database = state.opened?.database, sqlite3_db_readonly(database, "main") == 0
    else { return }
    let code = sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
    if code == SQLITE_OK { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
    guard code & 0xff == SQLITE_READONLY || sqlite3_get_autocommit(database) == 0 else { return }
    reopenLater()
    throw Self.notWritable(path)
  }

  private func checkExistence(of path: String) throws(DatabaseError) {
    guard !DatabaseFile.exists(path) else { return }
    throw DatabaseError(
      .open, code: .cannotOpen, "The file does not exist: check the path", path: path)
  }
}

extension ConnectionState {
  /// Rolls back the journals of crashed processes, through writable connections. See
  /// ``HotJournal``.
  func undoJournals(with cipher: CipherKey?) {
    let files =
      [(path, cipher)]
      + attachments.lazy.filter { !$0.isImmutable }.map { ($0.path, $0.cipher) }
    for (path, cipher) in files where DatabaseFile.exists(DatabaseFile.resolved(path) + "-journal")
    {
      _ = Connection.fit(of: cipher, path, configuration, isImmutable: false)
    }
  }
}

extension Connection {
  /// Drops temporary objects for the next closure, which uses the same connection.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, authorizer.hasChangedSession else {
      return
    }
    let isReset = state.interruption.shielding {
      authorizer.resetSession(foreignKeys: configuration.foreignKeysEnabled)
    }
    // A file reopens at the next use. Reopening would lose an in-memory database: the next call
    // retries the reset.
    if !isReset { reopenLater() }
  }
}

extension Connection {
  /// Retries a closure while another connection holds the lock, until the task is cancelled.
  ///
  /// See [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
  func whileWaiting<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let interruption = state.interruption
    return try interruption.waitingWithoutLimit { () throws(DatabaseError) in
      while true {
        do throws(DatabaseError) {
          return try body()
        } catch {
          guard error.code.primary == .busy else { throw error }
          guard !Task.isCancelled, interruption.cause == nil else {
            throw DatabaseError(
              error.operation, code: .interrupt,
              "The call was interrupted while it waited for another connection's transaction")
          }
          // In some cases, SQLite returns SQLITE_BUSY without calling the busy handler.
          sqlite3_sleep(1)
        }
      }
    }
  }
}

import CSQLCipher

extension Connection {
  /// Closes the file, whatever state the connection is in; its next use opens it again.
  ///
  /// What cannot be undone or brought about on an open connection is so where the file is opened
  /// anew: transactions have ended, settings are those of the configuration, and the attached files are
  /// those that are noted. A database without a file stays open: it would be gone.
  /// - Parameter keys: The keys to try, in turn; where nil, the one that it is open with.
  func reopenLater(with keys: [CipherKey?]? = nil) {
    guard DatabaseFile.isFile(path) else { return }
    if let keys { state.reopening = keys }
    guard let opened = state.opened else { return }
    if keys == nil { state.reopening = [opened.cipher] }
    state.opened = nil
    state.depth = 0
  }

  /// Has the file opened anew where SQLCipher decrypts none of its pages any more: see ``CodecState``.
  /// - Parameter error: What has ended a use of the connection.
  func reopenWhereUnreadable(after error: DatabaseError) {
    let code = error.code.primary.rawValue
    guard CodecState.lasts, depth == 0, let opened = state.opened, hasCodec(opened),
      [SQLITE_ERROR, SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(code)
    else { return }
    if isUnreadable(opened) { reopenLater() }
  }

  /// Has the file opened anew where a call without an error has read a page that SQLCipher could not decrypt: no error
  /// says that what is done is not done.
  /// - Returns: Whether it has.
  @discardableResult
  func reopenWhereUnreadable() -> Bool {
    guard CodecState.lasts, let opened = state.opened, hasCodec(opened), opened.pages.hasReadPages,
      isUnreadable(opened)
    else { return false }
    reopenLater()
    return true
  }

  private func isUnreadable(_ opened: ConnectionState.Opened) -> Bool {
    CodecState.isTold ? CodecState.hasFailed(on: opened.database) : mayBeUnreadable(opened)
  }

  /// Tries to read from each file. A page that the disk could not read was not decrypted either, and while the disk
  /// fails nobody can tell.
  private func mayBeUnreadable(_ opened: ConnectionState.Opened) -> Bool {
    switch opened.pages.read() & 0xff {
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT: false
    default: true
    }
  }

  /// Throws where a page that was read could not be decrypted: see ``PageProbe``. It is called in the transaction that has
  /// read.
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
      // Something else keeps it from reading, such as the disk.
      throw DatabaseError(.step, code: code, from: opened.database, path: path)
    }
  }

  func hasCodec(_ opened: ConnectionState.Opened) -> Bool {
    opened.cipher != nil || !attachments.isEmpty
  }

  /// Opens the file again where it was closed for that; does nothing where it is open, or was
  /// closed for good.
  ///
  /// - Throws: ``DatabaseError`` as opening does. The next use then tries once more.
  func reopen() throws(DatabaseError) {
    guard state.opened == nil, let keys = state.reopening else { return }
    var refusal: DatabaseError?
    for key in keys {
      do throws(DatabaseError) {
        // One that somebody has deleted or moved would be created anew, and empty.
        try checkExistence(of: path)
        for attachment in attachments where DatabaseFile.isFile(attachment.path) {
          do throws(DatabaseError) {
            try checkExistence(of: attachment.path)
          } catch {
            throw error.adding(operation: .attach)
          }
        }
        // What a failed commit has left is undone by a connection that can write, and by no other.
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
    throw refusal.adding(
      message: "the file was closed to be opened anew, which failed, and is tried again at each use"
    )
  }

  /// Refuses a log that SQLite has opened for reading only, as it does with a file: every change
  /// would fail from here on.
  private func checkLog() throws(DatabaseError) {
    guard let database = state.opened?.database, sqlite3_db_readonly(database, "main") == 0
    else { return }
    let code = sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
    if code == SQLITE_OK { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
    guard code & 0xff == SQLITE_READONLY || sqlite3_get_autocommit(database) == 0 else { return }
    reopenLater()
    throw DatabaseError(
      .open, code: .cannotOpen, "The file can be opened for reading only just now", path: path)
  }

  private func checkExistence(of path: String) throws(DatabaseError) {
    guard !DatabaseFile.exists(path) else { return }
    throw DatabaseError(.open, code: .cannotOpen, "The file does not exist", path: path)
  }
}

extension ConnectionState {
  /// Undoes what a process that has ended has left in a journal, by connections that can write. See ``HotJournal``.
  /// - Parameter cipher: The key of the database's own file.
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

import CSQLCipher

enum NewKey: Sendable {
  case given(Key)
  /// Already derived with the file's salt.
  case derived(CipherKey)
}

enum RekeyOutcome: Sendable {
  case unchanged(DatabaseError)
  /// The file has the old key. If writing a page failed, SQLCipher keeps the log locked until every
  /// connection of the process has closed the file.
  case failed(DatabaseError)
  case changed(CipherKey)
  /// The file could not be read, so its key is one of these.
  case unknown([CipherKey?], DatabaseError)
}

extension Connection {
  /// Changes the file's key. `sqlite3_rekey` reports no failure, so a new connection reads the file
  /// to find out which key applies.
  /// - Parameter reader: Another connection with the old key, unused during the change.
  func rekey(_ key: NewKey, asking reader: ConnectionState) -> RekeyOutcome {
    let (new, isLogged, database): (CipherKey, Bool, OpaquePointer)
    do throws(DatabaseError) {
      database = try handle
      let interruption = state.interruption
      // Until the change begins, cancelling the task ends the call.
      interruption.begin(.current, on: database)
      defer { interruption.end() }
      do throws(DatabaseError) {
        new = try cipher(for: key)
        isLogged = try beginRekey(database)
      } catch {
        if let cause = interruption.cause { throw interruption.interrupting(cause) }
        let failure = error.adding(operation: .rekey, path: path)
        // Without SQL, the error is about a reader, and has its own advice.
        guard failure.sql != nil, failure.code.primary == .busy, let waited = interruption.waited
        else { throw failure }
        throw failure.waiting(waited)
      }
    } catch {
      return .unchanged(error)
    }
    let old = cipher
    let journal = isLogged ? nil : Self.journal(of: database)
    let failure = writePages(with: new, database)
    reopenLater(with: [new, old])
    switch holdsNew(new, old, journal: journal, asking: reader) {
    case .fits:
      state.reopening = [new]
      // If reopening fails, the next use of the connection retries and throws.
      try? reopen()
      if let database = state.opened?.database {
        _ = try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)
      }
      return .changed(new)
    case .refused:
      // The log may hold a commit whose sync failed. Open connections ignore the commit, but a
      // later recovery of the log would apply it. Emptying the log is the last resort: it waits for
      // the lock that SQLCipher keeps if a page could not be written.
      guard !isLogged || !WriteAheadLog.mayHoldCommit(beside: path) || emptiesLog(through: reader)
      else {
        return unknown(
          new, old, failure.code,
          "The write-ahead log contains the key change, but its sync to the disk failed, and the log could not be emptied"
        )
      }
      state.reopening = [old]
      return .failed(failure)
    case .unknown(let code):
      return unknown(new, old, code ?? failure.code, "The file cannot be read at present")
    }
  }

  private func unknown(
    _ new: CipherKey, _ old: CipherKey?, _ code: ResultCode, _ reason: String
  ) -> RekeyOutcome {
    .unknown(
      [new, old],
      DatabaseError(
        .rekeyCheck, code: code,
        "\(reason). The file may have the old or the new key: keep both keys until the file opens with one of them. The next call tries both",
        path: path))
  }

  private func cipher(for key: NewKey) throws(DatabaseError) -> CipherKey {
    guard let cipher else {
      throw DatabaseError(
        .rekey, code: .misuse,
        "This file is not encrypted: close it, and call Database.encrypt(path:key:)")
    }
    return switch key {
    case .given(let key):
      try CipherKey(key, fileSalt: cipher.salt, settings: cipher.settings)
    case .derived(let key): key
    }
  }

  /// Encrypts all pages with the new key, and commits. Afterwards the connection can only be
  /// closed.
  ///
  /// If a page cannot be written, `sqlite3_rekey` returns SQLITE_OK, and the pager stays in its
  /// error state. A read would end that state, and closing would then delete the journal with the
  /// old pages. COMMIT reads nothing.
  /// - Returns: The error to report if the old key still applies.
  private func writePages(with new: CipherKey, _ database: OpaquePointer) -> DatabaseError {
    var code = new.text.withBytes { miniorm_rekey(database, $0.baseAddress, Int32($0.count)) }
    if code == SQLITE_OK {
      code = SQLiteLibrary.trusting(on: database) {
        sqlite3_exec(database, "COMMIT", nil, nil, nil)
      }
    }
    guard code == SQLITE_OK else {
      return DatabaseError(.rekey, code: code, from: database, path: path)
    }
    return DatabaseError(
      .rekey, code: .inputOutput,
      "SQLCipher could not write the file with the new key, so the old key remains in effect: try again",
      path: path)
  }

  /// Truncates the log through another connection, which ignores a failed commit.
  ///
  /// See [PRAGMA wal_checkpoint](https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
  private func emptiesLog(through reader: ConnectionState) -> Bool {
    guard let database = reader.opened?.database else { return false }
    return (try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)) == "0"
  }

  /// Takes the write lock, and removes pages with the old key from the log and the journal.
  /// Returns true in WAL mode.
  private func beginRekey(_ database: OpaquePointer) throws(DatabaseError) -> Bool {
    // If the file was replaced, the journal and the log at the path may belong to a different file.
    try FileLock.checkPlace(of: database, .rekey, path: path)
    let mode = try Self.text("PRAGMA main.journal_mode", database) ?? ""
    do throws(DatabaseError) {
      try beginRekey(database, isLogged: mode == "wal")
    } catch {
      _ = try? Self.text("PRAGMA main.journal_mode = \(mode)", database)
      _ = try? Self.text(
        "PRAGMA main.synchronous = \(configuration.synchronous.rawValue)", database)
      throw error
    }
    return mode == "wal"
  }

  private func beginRekey(_ database: OpaquePointer, isLogged: Bool) throws(DatabaseError) {
    // The log and a persistent journal hold pages with the old key. The commit of the rekey deletes
    // its own journal.
    var isBusy = false
    if isLogged {
      let moved = state.interruption.checkpoint(database, "main", SQLITE_CHECKPOINT_TRUNCATE)
      isBusy = moved.isBusy
      guard moved.code == SQLITE_OK || isBusy else {
        throw DatabaseError(.rekey, code: moved.code, from: database, path: path)
      }
    } else {
      _ = try Self.text("PRAGMA main.journal_mode = DELETE", database)
    }
    // After a power loss, the deleted journal could reappear and restore the old key.
    if !isLogged, configuration.synchronous == .full {
      _ = try Self.text("PRAGMA main.synchronous = EXTRA", database)
    }
    // sqlite3_rekey reports no failure, not even SQLITE_BUSY.
    try begin(.immediate)
    do throws(DatabaseError) {
      try FileLock.checkPlace(of: database, .rekey, path: path)
      guard isLogged else { return }
      if isBusy {
        throw DatabaseError(
          .rekey, code: .busy,
          "Another connection reads an earlier state of the file, so the log must keep its pages with the old key: try again when the read has ended"
        )
      }
      // An old journal may hold pages with the old key. In WAL mode, there is no journal, and the
      // file stays in WAL mode while this process has the file open.
      if let journal = Self.journal(of: database) {
        try DatabaseFile.removeJournal(journal, .rekey, path: path)
      }
    } catch {
      rollback()
      throw error
    }
  }

  private static func journal(of database: OpaquePointer) -> String? {
    sqlite3_db_filename(database, "main").map { String(cString: $0) + "-journal" }
  }

  enum KeyFit: Equatable {
    case fits, refused
    /// The key could not be checked, with the reason, if known.
    case unknown(ResultCode?)
  }

  /// Opens the file with each key to find out which applies. If the file cannot be opened, for
  /// example with too many open files, the journal or an open connection decides.
  /// - Parameter journal: The path of the rollback journal; nil in WAL mode.
  private func holdsNew(
    _ new: CipherKey, _ old: CipherKey?, journal: String?, asking reader: ConnectionState
  ) -> KeyFit {
    let isNew = fit(of: new)
    if isNew == .fits { return .fits }
    if isNew == .refused, fit(of: old) == .fits { return .refused }
    // The commit deletes the journal. A remaining journal restores the pages under the old key as
    // soon as the disk is writable, unless the journal belongs to a connection that writes.
    if let journal, DatabaseFile.exists(journal), isNew != .unknown(.busy) { return .refused }
    guard let database = reader.opened?.database else { return .unknown(nil) }
    return switch Self.fit(of: database, path, old) {
    case .fits: .refused
    case .refused: isNew == .refused ? .unknown(nil) : .fits
    case .unknown(let code): .unknown(code)
    }
  }

  /// The connection is writable, because the first read may have to roll back a failed commit.
  func fit(of key: CipherKey?) -> KeyFit {
    Self.fit(of: key, path, configuration, isImmutable: false)
  }

  /// - Parameter isImmutable: Reads without locks, and without creating files.
  static func fit(
    of key: CipherKey?, _ path: String, _ configuration: Configuration, isImmutable: Bool
  ) -> KeyFit {
    do throws(DatabaseError) {
      let access = isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
      let name = DatabaseFile.name(path, isImmutable: isImmutable)
      let handle = try SQLiteHandle(name, access) { code, _ in
        DatabaseError(.open, code: code, from: nil)
      }
      sqlite3_busy_timeout(handle.database, configuration.busyMilliseconds)
      try configuration.setKey(key, on: handle.database)
      return fit(of: handle.database, path, key)
    } catch {
      return error.openingFailure == .wrongKey ? .refused : .unknown(error.code)
    }
  }

  private static func fit(
    of database: OpaquePointer, _ path: String, _ key: CipherKey?
  ) -> KeyFit {
    let code = sqlite3_exec(database, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    if code == SQLITE_OK { return .fits }
    let isGarbage = key == nil && code & 0xff == SQLITE_CORRUPT
    return isGarbage || isRefusal(code, of: key, for: path, on: database)
      ? .refused : .unknown(ResultCode(rawValue: code))
  }

  /// True if a code means a wrong key. With a plaintext header, SQLite notices a wrong key late.
  static func isRefusal(
    _ code: Int32, of key: CipherKey?, for path: String, on database: OpaquePointer
  ) -> Bool {
    let headSize = key.map { $0.settings.plaintextHeaderSize }
    return switch code & 0xff {
    case SQLITE_NOTADB: true
    case SQLITE_CORRUPT: headSize.map { $0 > 0 } ?? DatabaseFile.isPlainAtItsHeadOnly(path)
    case SQLITE_ERROR: headSize != 0
    case SQLITE_NOMEM:
      // If the state cannot be read, memory is short.
      key != nil && (try? CodecState.isLost(database, after: code)) ?? false
    default: false
    }
  }
}

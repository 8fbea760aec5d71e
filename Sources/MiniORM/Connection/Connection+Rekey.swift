import CSQLCipher

/// A key that a file is to get.
enum NewKey: Sendable {
  case given(Key)
  /// One that has been derived with the file's salt already.
  case derived(CipherKey)
}

/// What became of a change of the key.
enum RekeyOutcome: Sendable {
  /// The old key holds.
  case unchanged(DatabaseError)
  /// The old key holds, and the connection is closed. After a failure at a page, SQLCipher keeps the lock of the log
  /// until no connection of the process has the file open.
  case failed(DatabaseError)
  /// The new key holds.
  case changed(CipherKey)
  /// The file cannot be read at the moment, so it has one of the keys, and it is unknown which.
  case unknown([CipherKey?], DatabaseError)
}

extension Connection {
  /// Changes the key of the file, and reopens it.
  ///
  /// The key changes with the commit within `sqlite3_rekey`, which reports no failure. From there on only the file
  /// shows which key it has: this connection is closed, and a new one reads the file.
  /// - Parameter reader: Another connection with the old key. Nothing else uses it during the change.
  func rekey(_ key: NewKey, asking reader: OpaquePointer) -> RekeyOutcome {
    let (new, isLogged, database): (CipherKey, Bool, OpaquePointer)
    do throws(DatabaseError) {
      database = try handle
      let interruption = state.interruption
      // The task can be cancelled until the change begins.
      interruption.begin(.current, on: database)
      defer { interruption.end() }
      do throws(DatabaseError) {
        new = try cipher(for: key)
        isLogged = try beginRekey(database)
      } catch {
        throw interruption.cause.map { interruption.interrupting($0) }
          ?? error.adding(operation: .rekey, path: path)
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
      // The next use throws what fails here, and tries again.
      try? reopen()
      if let database = state.opened?.database {
        _ = try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)
      }
      return .changed(new)
    case .refused:
      // A commit that could not be synced is in the log. No connection counts it while the file is open, and a
      // connection that reads the log afterwards does.
      guard !isLogged || emptiesLog(through: reader) || !WriteAheadLog.mayHoldCommit(beside: path)
      else {
        return unknown(
          new, old, failure.code,
          "The log has the change of the key, of which the disk has not said that it holds, and could not be emptied"
        )
      }
      state.reopening = [old]
      return .failed(failure)
    case .unknown(let code):
      return unknown(new, old, code ?? failure.code, "The file cannot be read just now")
    }
  }

  private func unknown(
    _ new: CipherKey, _ old: CipherKey?, _ code: ResultCode, _ reason: String
  ) -> RekeyOutcome {
    .unknown(
      [new, old],
      DatabaseError(
        .rekeyCheck, code: code,
        "\(reason), so that it is not known which key the file has: keep both until it opens with one of them. The database tries both at its next use",
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

  /// Writes every page with the new key, and commits.
  ///
  /// Afterwards the connection can only be closed. `sqlite3_rekey` returns SQLITE_OK for a page that could not be
  /// written, and keeps a reference to that page, so SQLite's pager stays in its error state. A read would end that
  /// state, and closing the connection would then delete the journal that has the old pages. COMMIT reads nothing.
  /// - Returns: Why the old key holds, if it does.
  private func writePages(with new: CipherKey, _ database: OpaquePointer) -> DatabaseError {
    var code = new.text.withBytes { miniorm_rekey(database, $0.baseAddress, Int32($0.count)) }
    if code == SQLITE_OK {
      code = Authorizer.trusting(on: database) { sqlite3_exec(database, "COMMIT", nil, nil, nil) }
    }
    guard code == SQLITE_OK else {
      return DatabaseError(.rekey, code: code, from: database, path: path)
    }
    return DatabaseError(
      .rekey, code: .inputOutput,
      "SQLCipher could not write the file with the new key, so the old key holds", path: path)
  }

  /// Empties the log through another connection, which does not count a transaction that could not be committed.
  ///
  /// Without a log it does nothing. See
  /// [PRAGMA wal_checkpoint](https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
  private func emptiesLog(through reader: OpaquePointer) -> Bool {
    (try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", reader)) == "0"
  }

  /// Takes the lock, and removes the pages under the old key that are beside the file.
  /// - Returns: Whether the file has a write-ahead log.
  private func beginRekey(_ database: OpaquePointer) throws(DatabaseError) -> Bool {
    // Before SQLite deletes a journal, or uses a log, that may be another file's.
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
    // The log holds pages under the old key: put them into the file first. A journal that is kept holds some too; the
    // journal of the change itself is deleted with its commit.
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
    // A power cut would bring back the journal that the commit deletes, and the old key with it.
    if !isLogged, configuration.synchronous == .full {
      _ = try Self.text("PRAGMA main.synchronous = EXTRA", database)
    }
    // sqlite3_rekey reports no failure, not even that another connection holds the lock.
    try begin(.immediate)
    do throws(DatabaseError) {
      try FileLock.checkPlace(of: database, .rekey, path: path)
      guard isLogged else { return }
      if isBusy {
        throw DatabaseError(
          .rekey, code: .busy,
          "Another connection reads an earlier state of the file, so that its pages under the old key have to stay"
        )
      }
      // With a log nothing uses the journal, and the file keeps its log while this process has it open.
      if let journal = Self.journal(of: database) {
        try DatabaseFile.removeJournal(journal, .rekey, path: path)
      }
    } catch {
      rollback()
      throw error
    }
  }

  /// Returns the path of the rollback journal, whether or not there is one.
  private static func journal(of database: OpaquePointer) -> String? {
    // A path, NUL-terminated by contract.
    sqlite3_db_filename(database, "main").map { String(cString: $0) + "-journal" }
  }

  enum KeyFit: Equatable {
    case fits, refused
    /// Nobody can tell just now, for a reason that may be known.
    case unknown(ResultCode?)
  }

  /// Returns whether the file has the new key or the old one.
  ///
  /// The file is opened with each key. If that fails for another reason, such as too many open files, the journal or a
  /// connection that has the file open shows it.
  /// - Parameter journal: The path of the rollback journal; nil with a write-ahead log.
  private func holdsNew(
    _ new: CipherKey, _ old: CipherKey?, journal: String?, asking reader: OpaquePointer
  ) -> KeyFit {
    let isNew = fit(of: new)
    if isNew == .fits { return .fits }
    if isNew == .refused, fit(of: old) == .fits { return .refused }
    // The commit deletes the journal. One that is left brings back the pages under the old key, as soon as the disk can
    // be written again. While another connection writes, the journal is that connection's.
    if let journal, DatabaseFile.exists(journal), isNew != .unknown(.busy) { return .refused }
    return switch Self.fit(of: reader, path, old) {
    case .fits: .refused
    case .refused: isNew == .refused ? .unknown(nil) : .fits
    case .unknown(let code): .unknown(code)
    }
  }

  /// Returns whether a key is that of the file, which is opened for this alone: for writing, as
  /// reading may begin with undoing what a failed commit has left.
  func fit(of key: CipherKey?) -> KeyFit {
    Self.fit(of: key, path, configuration, isImmutable: false)
  }

  /// - Parameter isImmutable: Whether to read what stands in the file alone: nothing is locked then, and
  ///   nothing made beside it.
  static func fit(
    of key: CipherKey?, _ path: String, _ configuration: Configuration, isImmutable: Bool
  ) -> KeyFit {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let access = isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | access
    let name = DatabaseFile.name(path, isImmutable: isImmutable)
    let code = SQLiteLibrary.open(name, flags: flags, &database)
    guard code == SQLITE_OK, let database else { return .unknown(ResultCode(rawValue: code)) }
    sqlite3_busy_timeout(database, configuration.busyMilliseconds)
    do throws(DatabaseError) {
      try configuration.setKey(key, on: database)
    } catch {
      return error.openingFailure == .wrongKey ? .refused : .unknown(error.code)
    }
    return fit(of: database, path, key)
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

  /// Returns whether the code of a first read means that the key does not fit. Where the head of the
  /// file is not encrypted, SQLite takes it for a database and fails later.
  static func isRefusal(
    _ code: Int32, of key: CipherKey?, for path: String, on database: OpaquePointer
  ) -> Bool {
    let headSize = key.map { $0.settings.plaintextHeaderSize }
    return switch code & 0xff {
    case SQLITE_NOTADB: true
    case SQLITE_CORRUPT: headSize.map { $0 > 0 } ?? DatabaseFile.isPlainAtItsHeadOnly(path)
    case SQLITE_ERROR: headSize != 0
    case SQLITE_NOMEM: key != nil && CodecState.hasFailed(on: database, after: code)
    default: false
    }
  }
}

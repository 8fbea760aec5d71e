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
  /// The old key holds, and the connection is closed. SQLCipher keeps the lock of the log where it fails at a page, until
  /// nobody in the process has the file open any more.
  case failed(DatabaseError)
  /// The new key holds.
  case changed(CipherKey)
  /// The file cannot be read just now, so that nobody knows: it has one of the keys.
  case unknown([CipherKey?], DatabaseError)
}

extension Connection {
  /// Changes the key of the file, and opens it anew.
  ///
  /// The key changes at the commit within `sqlite3_rekey`, which says nothing of a failure. From
  /// there on the file alone tells what is true, and it is asked.
  /// - Parameter reader: Another connection with the old key. Nobody else uses it meanwhile.
  func rekey(_ key: NewKey, asking reader: OpaquePointer) -> RekeyOutcome {
    let new: CipherKey
    let database: OpaquePointer
    do throws(DatabaseError) {
      database = try handle
      let interruption = state.interruption
      // Until it begins, the task can be cancelled.
      interruption.begin(.current, on: database)
      defer { interruption.end() }
      do throws(DatabaseError) {
        guard let cipher else {
          throw DatabaseError(
            .rekey, code: .misuse,
            "This file is not encrypted: close it, and call Database.encrypt(path:key:)")
        }
        switch key {
        case .given(let key):
          new = try CipherKey(key, fileSalt: cipher.salt, settings: cipher.settings)
        case .derived(let key): new = key
        }
        try beginRekey(database)
      } catch {
        throw interruption.cause.map { interruption.interrupting($0) }
          ?? error.adding(operation: .rekey, path: path)
      }
    } catch {
      return .unchanged(error)
    }
    let old = cipher
    let code = new.text.withBytes { miniorm_rekey(database, $0.baseAddress, Int32($0.count)) }
    var failure = DatabaseError(
      .rekey, code: .inputOutput,
      "SQLCipher could not write the file with the new key, so the old key holds", path: path)
    // Whether all pages were written, of which only the commit says that they count.
    var isWhole = false
    do throws(DatabaseError) {
      guard code == SQLITE_OK else {
        throw DatabaseError(.rekey, code: code, from: database, path: path)
      }
      isWhole = true
      // It has the new key by now. Where this fails it can read nothing, and another connection empties the log.
      cache?.takesBackCommits = false
      try commit()
    } catch {
      failure = error.adding(operation: .rekey, path: path)
    }
    // It writes with the new key now, whatever the file has.
    if depth > 0 { rollback() }
    reopenLater(with: [new, old])
    switch holdsNew(new, old, asking: reader) {
    case .fits:
      state.reopening = [new]
      // What fails here is thrown by the next use, which tries it again.
      try? reopen()
      if let database = state.opened?.database {
        _ = try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", database)
      }
      return .changed(new)
    case .refused:
      // A commit that could not be synced stands in the log. As long as the file is open nobody counts it, and whoever
      // reads the log anew after that does. Where SQLCipher failed at a page, which sqlite3_rekey need not say, there is
      // none, and the log keeps its lock.
      guard
        !isWhole || emptiesLog(through: reader) || !WriteAheadLog.mayHoldCommit(beside: path)
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

  /// Empties the log by another connection, for which what could not be committed is not there.
  ///
  /// Where there is no log, nothing is done. See
  /// [PRAGMA wal_checkpoint](https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
  private func emptiesLog(through reader: OpaquePointer) -> Bool {
    (try? Self.text("PRAGMA main.wal_checkpoint(TRUNCATE)", reader)) == "0"
  }

  /// Takes the lock, and sees to it that no page under the old key stays beside the file.
  private func beginRekey(_ database: OpaquePointer) throws(DatabaseError) {
    let mode = try Self.text("PRAGMA main.journal_mode", database) ?? ""
    do throws(DatabaseError) {
      try beginRekey(database, isLogged: mode == "wal")
    } catch {
      _ = try? Self.text("PRAGMA main.journal_mode = \(mode)", database)
      _ = try? Self.text(
        "PRAGMA main.synchronous = \(configuration.synchronous.rawValue)", database)
      throw error
    }
  }

  private func beginRekey(_ database: OpaquePointer, isLogged: Bool) throws(DatabaseError) {
    // The log holds pages under the old key: put them into the file first. A journal that is kept
    // holds some too; that of the change itself is deleted with its commit.
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
    guard isLogged else { return }
    do throws(DatabaseError) {
      if isBusy {
        throw DatabaseError(
          .rekey, code: .busy,
          "Another connection reads an earlier state of the file, so that its pages under the old key have to stay"
        )
      }
      try deleteJournal(of: database)
    } catch {
      rollback()
      throw error
    }
  }

  /// Deletes a journal that was kept when the file had another journal mode. With a log nobody uses
  /// it, and it stays a log while this process has it open.
  private func deleteJournal(of database: OpaquePointer) throws(DatabaseError) {
    guard let name = sqlite3_db_filename(database, "main") else { return }
    let journal = String(cString: name) + "-journal"  // a path, NUL-terminated by contract
    guard DatabaseFile.exists(journal) else { return }
    do {
      try DatabaseFile.remove(journal)
    } catch {
      throw DatabaseError(
        .rekey, code: .inputOutput,
        "\(journal) holds pages under the old key, and could not be deleted: \(error)")
    }
  }

  enum KeyFit: Equatable {
    case fits, refused
    /// Nobody can tell just now, for a reason that may be known.
    case unknown(ResultCode?)
  }

  /// Returns whether the file has the new key, or is without it. The file is
  /// opened with each; where that fails for another reason, such as too many open files, a
  /// connection that has it open can tell.
  private func holdsNew(_ new: CipherKey, _ old: CipherKey?, asking reader: OpaquePointer) -> KeyFit
  {
    let isNew = fit(of: new)
    if isNew == .fits { return .fits }
    if isNew == .refused, fit(of: old) == .fits { return .refused }
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

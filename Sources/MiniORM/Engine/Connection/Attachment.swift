import CSQLCipher

/// A file attached to a connection under a schema name.
///
/// See [ATTACH DATABASE](https://www.sqlite.org/lang_attach.html).
struct Attachment: Sendable {
  let name: String
  let path: String
  var cipher: CipherKey?
  let isImmutable: Bool

  var key: ExactText { name.folded }

  /// - Parameter isAgain: True when a reopened connection restores the attachment.
  func opening(
    _ database: OpaquePointer, _ configuration: Configuration, _ interruption: Interruption,
    isAgain: Bool = false
  ) throws(DatabaseError) -> (Void, OpenFile?) {
    try OpenFile.opening(path) { () throws(DatabaseError) in
      try attach(to: database, configuration, interruption, isAgain: isAgain)
    }
  }

  private func attach(
    to database: OpaquePointer, _ configuration: Configuration, _ interruption: Interruption,
    isAgain: Bool
  ) throws(DatabaseError) {
    try DatabaseFile.checkRegular(path)
    if isImmutable { try DatabaseFile.checkNothingBeside(path) }
    try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      try cipher?.settings.checkPageSize(try DatabaseFile.head(path, count: 18))
    }
    let isReadOnly = sqlite3_db_readonly(database, "main") == 1
    if cipher != nil, configuration.cipherLogLevel == .off { CipherLog.quiet() }
    if cipher != nil { try Connection.setLogLevel(configuration, database) }
    let code = SQLiteLibrary.trusting(on: database) {
      attachFile(to: database, mustExist: isAgain && !isReadOnly)
    }
    guard code == SQLITE_OK else {
      if Connection.isRefusal(code, of: cipher, for: path, on: database) {
        throw DatabaseError.unreadable(
          path, hasKey: cipher != nil,
          isHeadPlain: (cipher?.settings.plaintextHeaderSize ?? 0) > 0)
      }
      if code & 0xff == SQLITE_CANTOPEN {
        throw DatabaseError.opening(
          path, code: code, from: database,
          creates: configuration.createsFile && !isReadOnly && !isImmutable)
      }
      throw DatabaseError(.attach, code: code, from: database, path: path)
    }
    do throws(DatabaseError) {
      let schema = name.quotedIdentifier
      let code = SQLiteLibrary.trusting(on: database) { CurrentSchema.check(schema, on: database) }
      guard code == SQLITE_OK else {
        throw DatabaseError(.attach, code: code, from: database, path: path)
      }
      try CodecState.check(database, .attach, path: path)
      _ = try Connection.text(
        "PRAGMA \(schema).cache_size = \(configuration.cachePragma)", database)
      guard !isReadOnly, !isImmutable, DatabaseFile.isFile(path) else { return }
      try Connection.checkWritable(database, name, path)
      let mode = try Connection.setJournalMode(
        of: schema, configuration, database, interruption, isAgain: isAgain)
      _ = try Connection.text(
        "PRAGMA \(schema).synchronous = \(configuration.synchronous.rawValue)", database)
      if let mode, mode != .wal, cipher != nil,
        try Connection.text("PRAGMA \(schema).page_count", database) == "0"
      {
        // Writes the salt to the empty file, as opening a new file does.
        _ = try Connection.text("PRAGMA \(schema).user_version = 0", database)
      }
    } catch {
      _ = detach(from: database)
      throw DatabaseError(.attach, code: error.code, error.message, path: path)
    }
  }

  /// Binds the key as a value, because SQL text can appear in errors and traces.
  func attachFile(to database: OpaquePointer, mustExist: Bool = false) -> Int32 {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let file = DatabaseFile.name(path, isImmutable: isImmutable, mustExist: mustExist)
    // An empty key means "not encrypted"; NULL would mean the main database's key.
    let key = cipher == nil ? "''" : "?"
    let sql = "ATTACH \(file.quotedLiteral) AS \(name.quotedLiteral) KEY \(key)"
    let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { return code }
    func step() -> Int32 {
      let code = HotJournal.retrying { sqlite3_step(statement) }
      return code == SQLITE_DONE ? SQLITE_OK : code
    }
    guard let cipher else { return step() }
    return cipher.text.withBytes { key in
      let text = key.assumingMemoryBound(to: CChar.self)
      // SQLITE_STATIC: SQLite makes no copy of the key, and the owner wipes the memory.
      let code = sqlite3_bind_text(statement, 1, text.baseAddress, Int32(text.count), nil)
      guard code == SQLITE_OK else { return code }
      defer { sqlite3_clear_bindings(statement) }
      do throws(DatabaseError) {
        return try cipher.settings.asDefaults(on: database, step)
      } catch {
        return error.code.rawValue
      }
    }
  }

  func detach(from database: OpaquePointer) -> Int32 {
    SQLiteLibrary.trusting(on: database) {
      sqlite3_exec(database, "DETACH \(name.quotedLiteral)", nil, nil, nil)
    }
  }
}

extension Connection {
  func watchAttachments(_ database: OpaquePointer) {
    guard let authorizer = cache?.authorizer else { return }
    authorizer.attached.names = Set(attachments.map { $0.name.folded })
    // Installing the authorizer recompiles the statements compiled so far.
    if !attachments.isEmpty { authorizer.install(on: database) }
  }

  func attach(_ attachment: Attachment) throws(DatabaseError) {
    let database = try handle
    do throws(DatabaseError) {
      let (_, file) = try state.interruption.opening { () throws(DatabaseError) in
        try attachment.opening(database, configuration, state.interruption)
      }
      state.opened?.files[attachment.key] = file
      state.identities[attachment.key] = file?.identity
    } catch {
      // The file may be attached despite the error: reopen without the attachment.
      if sqlite3_db_filename(database, attachment.name) != nil { reopenLater() }
      throw error
    }
    state.attachments.append(attachment)
    watchAttachments(database)
  }

  func detach(_ name: String) throws(DatabaseError) {
    let database = try handle
    guard
      let index = attachments.firstIndex(where: { $0.key == name.folded })
    else {
      throw DatabaseError(
        .detach, code: .misuse, "No database is attached as \(name): check the name", path: path)
    }
    let code = attachments[index].detach(from: database)
    guard code == SQLITE_OK else {
      let path = attachments[index].path
      guard code & 0xff == SQLITE_ERROR else {
        throw DatabaseError(.detach, code: code, from: database, path: path)
      }
      // SQLITE_ERROR here means a database in use.
      throw DatabaseError(
        .detach, code: .locked,
        "The attached database \(name) is in use: detach it when the transaction or query has ended",
        path: path)
    }
    state.attachments.remove(at: index)
    state.opened?.files[name.folded] = nil
    state.identities[name.folded] = nil
    watchAttachments(database)
  }

  /// Detaches the database, or if DETACH fails, reopens the connection without it.
  func forceDetach(_ name: String) {
    guard (try? detach(name)) == nil else { return }
    state.attachments.removeAll { $0.key == name.folded }
    state.identities[name.folded] = nil
    reopenLater()
  }
}

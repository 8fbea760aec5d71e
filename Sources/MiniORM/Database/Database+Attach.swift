extension Database {
  /// Attaches another file under a name, for reading and writing beside this one.
  ///
  /// ```swift
  /// try await database.attach("archive.db", as: "archive", key: .passphrase(passphrase))
  /// let old = Table<Company>(in: "archive")
  /// ```
  /// SQL has to name it, `archive.company`. Every connection has it, also after ``changeKey(to:)``. A
  /// transaction that writes locks all the files; with write-ahead logging it is atomic in each of them, but
  /// after a power cut not across them.
  ///
  /// See [ATTACH DATABASE](https://www.sqlite.org/lang_attach.html).
  /// - Parameters:
  ///   - path: The path of the file. It is created if ``Configuration/createsFile`` is set.
  ///   - name: What SQL calls it.
  ///   - key: The file's own key. `nil` is a file that is not encrypted.
  ///   - isImmutable: Whether the file cannot change while it is attached, as on read-only media:
  ///     see ``Configuration/isImmutable``. It is only read then.
  ///   - cipher: How the file is encrypted; `nil` as the main file: ``Configuration/cipher``. Other
  ///     settings are SQLCipher's defaults for the process while the file is being attached, as it has no
  ///     other way.
  /// - Throws: ``DatabaseError`` with the operation `open` when the file cannot be opened, `key` when
  ///   the key does not fit, and `attach` for a name that is reserved or in use, or a file that is open already. No connection has
  ///   the file then; one that was to be created may be there, with this key.
  /// - Complexity: About half a second for a passphrase, from which the key is derived once.
  public func attach(
    _ path: String, as name: String, key: Key?, isImmutable: Bool = false,
    cipher: CipherSettings? = nil
  ) async throws {
    guard DatabaseFile.isFile(path) || pool.isSingle, !path.utf8.contains(0) else {
      throw DatabaseError(.attach, code: .misuse, "Only a file can be attached", path: path)
    }
    let attachment = try await withConnection(.writer) { db in
      try db.attachment(path, as: name, key, isImmutable, cipher ?? db.configuration.cipher)
    }
    try await withAllConnections { (reader, writer) throws(DatabaseError) in
      try reader.attach(attachment, key, through: writer)
    }
    observationHub.publishEverything()
  }

  /// Detaches a file.
  ///
  /// See [DETACH DATABASE](https://www.sqlite.org/lang_detach.html).
  /// - Parameter name: The name that it was attached as.
  /// - Throws: ``DatabaseError`` with the operation `detach` when nothing is attached as that. Every
  ///   connection has the file then, and otherwise none.
  public func detach(_ name: String) async throws {
    try await withAllConnections { (reader, writer) throws(DatabaseError) in
      try reader.detach(name, through: writer)
    }
    observationHub.publishEverything()
  }
}

extension Connection {
  /// Prepares to attach a file: its key is derived here, once for all connections.
  fileprivate func attachment(
    _ path: String, as name: String, _ key: Key?, _ isImmutable: Bool, _ settings: CipherSettings
  ) throws(DatabaseError) -> Attachment {
    _ = try handle
    try checkName(name, path)
    try checkFile(path)
    // Before the half second of deriving a key: a plain file's head is no salt.
    if key != nil, settings.plaintextHeaderSize == 0, DatabaseFile.isFile(path),
      try DatabaseFile.isPlain(path)
    {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    do throws(DatabaseError) {
      let salt = try DatabaseFile.salt(path, settings)
      var cipher: CipherKey?
      if let key { cipher = try CipherKey(key, fileSalt: salt, settings: settings) }
      return Attachment(name: name, path: path, cipher: cipher, isImmutable: isImmutable)
    } catch {
      throw error.adding(path: path)
    }
  }

  private func checkName(_ name: String, _ path: String) throws(DatabaseError) {
    let known = (["main", "temp"] + attachments.map(\.name)).map(\.folded)
    let reason: String
    if name.isEmpty || name.utf8.contains(0) {
      reason = "The name of an attached database is not empty and has no NUL character"
    } else if known.contains(name.folded) {
      reason = "There is a database named \(name) already"
    } else {
      return
    }
    throw DatabaseError(.attach, code: .misuse, reason, path: path)
  }

  /// Refuses a file that is open already, by this path or another one: SQLite would wait for itself.
  private func checkFile(_ path: String) throws(DatabaseError) {
    guard DatabaseFile.isFile(path), let file = OpenFile.Identity(path) else { return }
    for (name, other) in [("main", self.path)] + attachments.map({ ($0.name, $0.path) })
    where DatabaseFile.isFile(other) && OpenFile.Identity(other) == file {
      throw DatabaseError(
        .attach, code: .misuse,
        "This file is in the database already, as \(name): use it by that name", path: path)
    }
  }

  /// Attaches a file to this connection and to the one that writes, or to neither. Nobody else has a
  /// connection, so that no other task finds only one of them with it.
  fileprivate func attach(_ attachment: Attachment, _ key: Key?, through writer: Connection)
    throws(DatabaseError)
  {
    _ = try handle
    guard writer !== self else {
      _ = try attachFirst(attachment, key)
      return
    }
    let attached = try writer.sync { writer -> Result<Attachment, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try writer.attachFirst(attachment, key))
      } catch {
        return .failure(error)
      }
    }.get()
    do throws(DatabaseError) {
      try attach(attached)
    } catch {
      writer.sync { writer in writer.forceDetach(attached.name) }
      throw error
    }
  }

  private func attachFirst(_ attachment: Attachment, _ key: Key?) throws(DatabaseError)
    -> Attachment
  {
    // Another task may have attached one of that name, or the file, while the key was derived.
    try checkName(attachment.name, attachment.path)
    try checkFile(attachment.path)
    do throws(DatabaseError) {
      try attach(attachment)
      return attachment
    } catch {
      // Another process may have created the file meanwhile, with a salt of its own.
      guard error.openingFailure == .wrongKey, let key, let settings = attachment.cipher?.settings
      else { throw error }
      guard key.salt == nil, let now = try DatabaseFile.salt(attachment.path, settings),
        now != attachment.cipher?.salt
      else {
        var configuration = configuration
        configuration.cipher = settings
        throw Self.otherSettings(of: attachment.path, key, configuration) ?? error
      }
      let again = Attachment(
        name: attachment.name, path: attachment.path,
        cipher: try CipherKey(key, fileSalt: now, settings: settings),
        isImmutable: attachment.isImmutable)
      try attach(again)
      return again
    }
  }

  /// Detaches a file from the connection that writes, and then from this one, which has nothing to
  /// say any more.
  fileprivate func detach(_ name: String, through writer: Connection) throws(DatabaseError) {
    _ = try handle
    guard writer !== self else { return try detach(name) }
    try writer.sync { writer -> Result<Void, DatabaseError> in
      do throws(DatabaseError) {
        return .success(try writer.detach(name))
      } catch {
        return .failure(error)
      }
    }.get()
    forceDetach(name)
  }
}

extension Database {
  /// Attaches another file under a schema name, for reading and writing.
  ///
  /// ```swift
  /// try await database.attach("archive.db", as: "archive", key: .passphrase(passphrase))
  /// let old = Table<Company>(in: "archive")
  /// ```
  /// SQL refers to a table as `archive.company`. Every connection attaches the file, also after
  /// ``changeKey(to:)``. A write transaction locks all files. In WAL mode, a power loss can leave a
  /// transaction committed in one of the files but not in the others.
  ///
  /// See [ATTACH DATABASE](https://www.sqlite.org/lang_attach.html).
  /// - Parameters:
  ///   - path: The path of the file. A missing file is created if ``Configuration/createsFile`` is
  ///     set.
  ///   - name: The schema name for SQL.
  ///   - key: The file's own key; `nil` for an unencrypted file.
  ///   - isImmutable: True if the file cannot change while attached: see
  ///     ``Configuration/isImmutable``. The file is read-only.
  ///   - cipher: The file's cipher settings; `nil` for ``Configuration/cipher``. While the file is
  ///     attached, different settings briefly become SQLCipher's defaults for the process, because
  ///     ATTACH accepts no settings.
  /// - Throws: ``DatabaseError`` with the operation `open` if the file cannot be opened, `key` if
  ///   the key is wrong, and `attach` for a reserved or duplicate name, or for a file already in
  ///   this database. After an error, no connection has the file attached. A new file may have been
  ///   created with this key.
  /// - Complexity: Derives a passphrase once, with ``CipherSettings/kdfIterations``.
  public func attach(
    _ path: String, as name: String, key: Key?, isImmutable: Bool = false,
    cipher: CipherSettings? = nil
  ) async throws {
    guard DatabaseFile.isFile(path) || pool.isSingle, !path.utf8.contains(0) else {
      throw DatabaseError(
        .attach, code: .misuse, "Only a file can be attached: give the path of a file", path: path)
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
  /// - Parameter name: The schema name of the attached file.
  /// - Throws: ``DatabaseError`` with the operation `detach` if no file has the name or the file is
  ///   in use. The file stays attached to every connection.
  public func detach(_ name: String) async throws {
    try await withAllConnections { (reader, writer) throws(DatabaseError) in
      try reader.detach(name, through: writer)
    }
    observationHub.publishEverything()
  }
}

extension Connection {
  fileprivate func attachment(
    _ path: String, as name: String, _ key: Key?, _ isImmutable: Bool, _ settings: CipherSettings
  ) throws(DatabaseError) -> Attachment {
    _ = try handle
    try checkName(name, path)
    try checkFile(path)
    // Before the slow key derivation: the header of an unencrypted file is not a salt.
    if key != nil, settings.plaintextHeaderSize == 0, DatabaseFile.isFile(path),
      try DatabaseFile.isPlain(path)
    {
      throw DatabaseError.unreadable(path, hasKey: true)
    }
    return try DatabaseError.adding(path: path) { () throws(DatabaseError) in
      let salt = try DatabaseFile.salt(path, settings)
      var cipher: CipherKey?
      if let key { cipher = try CipherKey(key, fileSalt: salt, settings: settings) }
      return Attachment(name: name, path: path, cipher: cipher, isImmutable: isImmutable)
    }
  }

  private func checkName(_ name: String, _ path: String) throws(DatabaseError) {
    let known = (["main", "temp"] + attachments.map(\.name)).map(\.folded)
    let reason: String
    if name.isEmpty || name.utf8.contains(0) {
      reason =
        "The name of an attached database must not be empty or contain a NUL character: choose another name"
    } else if known.contains(name.folded) {
      reason =
        "The name \(name) is in use by another database of this connection: choose another name"
    } else {
      return
    }
    throw DatabaseError(.attach, code: .misuse, reason, path: path)
  }

  /// Rejects a file already open in this database: SQLite would block on its own lock.
  private func checkFile(_ path: String) throws(DatabaseError) {
    guard DatabaseFile.isFile(path), let file = OpenFile.Identity(path) else { return }
    for (name, other) in [("main", self.path)] + attachments.map({ ($0.name, $0.path) })
    where DatabaseFile.isFile(other) && OpenFile.Identity(other) == file {
      throw DatabaseError(
        .attach, code: .misuse,
        "This file is part of the connection already, as \(name): use that name in SQL", path: path)
    }
  }

  /// Attaches the file to both connections, or to neither. The caller holds all connections.
  fileprivate func attach(_ attachment: Attachment, _ key: Key?, through writer: Connection)
    throws(DatabaseError)
  {
    _ = try handle
    guard writer !== self else {
      _ = try attachFirst(attachment, key)
      return
    }
    let attached = try writer.sync { writer throws(DatabaseError) in
      try writer.attachFirst(attachment, key)
    }
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
    // During the key derivation, another task may have used the name or attached the file.
    try checkName(attachment.name, attachment.path)
    try checkFile(attachment.path)
    do throws(DatabaseError) {
      try attach(attachment)
      return attachment
    } catch {
      // Another process may have created the file with a different salt.
      guard error.openingFailure == .wrongKey, let key, let settings = attachment.cipher?.settings
      else { throw error }
      guard key.salt == nil, let now = try DatabaseFile.salt(attachment.path, settings),
        now != attachment.cipher?.salt
      else {
        var configuration = configuration
        configuration.cipher = settings
        throw Self.otherSettings(of: attachment.path, key, configuration) ?? error
      }
      var again = attachment
      again.cipher = try CipherKey(key, fileSalt: now, settings: settings)
      try attach(again)
      return again
    }
  }

  /// Detaches from the writer first, because only this step can fail.
  fileprivate func detach(_ name: String, through writer: Connection) throws(DatabaseError) {
    _ = try handle
    guard writer !== self else { return try detach(name) }
    try writer.sync { writer throws(DatabaseError) in try writer.detach(name) }
    forceDetach(name)
  }
}

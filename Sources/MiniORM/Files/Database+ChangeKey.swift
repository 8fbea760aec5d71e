extension Database {
  /// Changes the key of the file by re-encrypting every page in a single transaction.
  ///
  /// If the method returns, the new key is in effect; if the method throws, the old key. The only
  /// exception is an error with the operation `rekeyCheck`: the file became unreadable, and may
  /// have either key. Keep both keys until the file opens with one of them.
  ///
  /// In each case, the database remains usable with the key in effect.
  ///
  /// Afterwards, all connections reopen, with their attached files. If reopening fails, for example
  /// because of too many open files, the key has changed nevertheless. The next use of the database
  /// reopens the connections, or throws.
  ///
  /// - Parameter key: The new key.
  /// - Throws: ``DatabaseError`` with the operation `rekey`, for example for an unencrypted
  ///   database, which ``encrypt(path:key:configuration:progress:)`` encrypts. The code is `busy`
  ///   while a ``DatabaseSnapshot`` is open, or another connection writes to the file or reads an
  ///   earlier state. `CancellationError` if the task is cancelled before the change begins; later,
  ///   cancellation has no effect.
  /// - Complexity: O(*n*) in the size of the file.
  public func changeKey(to key: Key) async throws {
    try await changeKey(to: .given(key))
  }

  private func changeKey(to key: NewKey) async throws {
    guard DatabaseFile.isFile(path), !configuration.isReadOnly else {
      throw DatabaseError(
        .rekey, code: .misuse,
        "Only a file that is open for writing can change its key: open a file without isReadOnly and isImmutable",
        path: path)
    }
    // Checked before other calls queue behind this call, and again after the wait, during which a
    // snapshot may open.
    try pool.checkSnapshots(.rekey)
    try await rewritingFreePages {
      try await withAllConnections { (reader, writer) throws(DatabaseError) in
        try pool.checkSnapshots(.rekey)
        // A continuous backup begins again with the new key.
        releaseLog()
        try reader.changeKey(to: key, through: writer)
      }
    }
  }

  /// Opens a file with the first key of a list that matches, and changes the file's key to the
  /// list's first key.
  ///
  /// ```swift
  /// let (database, index) = try await Database.open(
  ///   path: "app.db", keys: [newest, lastYears])
  /// ```
  /// Use this method to rotate keys. A file can have an older key if it was not opened since the
  /// rotation, or if a rotation was interrupted. The key is changed as by ``changeKey(to:)``; if
  /// the change is interrupted, the same call opens the file next time. A new file gets the first
  /// key. A read-only file keeps its key.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - keys: The keys, the newest first. Keep an old key in the list as long as any file may have
  ///     it.
  ///   - configuration: The options for opening the file.
  /// - Returns: The database, and the index in `keys` of the key that the file had.
  /// - Throws: ``DatabaseError`` as ``init(path:key:configuration:)`` if no key matches, and as
  ///   ``changeKey(to:)``; `CancellationError`. After an error, the database is closed.
  /// - Complexity: Derives each passphrase until a key matches. O(*n*) in the size of the file if
  ///   the key changes.
  public static func open(
    path: String, keys: [Key], configuration: Configuration = Configuration()
  ) async throws -> (database: Database, keyIndex: Int) {
    let database = Database(unopened: path, configuration)
    let opening = try await database.open(keys)
    guard opening.index > 0, !configuration.isReadOnly, let newest = opening.newest else {
      return (database, opening.index)
    }
    do {
      try await database.changeKey(to: .derived(newest))
    } catch {
      try? await database.close()
      throw error
    }
    return (database, opening.index)
  }
}

extension Connection {
  /// Changes the key through the writer. The caller holds all connections.
  fileprivate func changeKey(to key: NewKey, through writer: Connection) throws(DatabaseError) {
    _ = try handle
    // The writer runs on this thread during the call, so the reader does not change threads. An interruption would prevent finding out which key applies. The writer checks the task.
    let outcome = state.interruption.shielding {
      writer.sync { writer in writer.rekey(key, asking: state) }
    }
    switch outcome {
    case .changed(let new): reopenLater(with: [new])
    case .unchanged(let error): throw error
    case .failed(let error):
      reopenLater()
      writer.sync { writer in try? writer.reopen() }
      try? reopen()
      throw error
    case .unknown(let keys, let error):
      reopenLater(with: keys)
      throw error
    }
    // If reopening fails, the next use retries and throws the error.
    try? reopen()
  }
}

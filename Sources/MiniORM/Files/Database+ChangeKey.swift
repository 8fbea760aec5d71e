extension Database {
  /// Changes the key of the file by re-encrypting every page in a single transaction.
  ///
  /// When this method returns, the new key is in effect; when the method throws, the old key. The
  /// only exception is an error with the operation `rekeyCheck`: the file became unreadable, and
  /// the key is unknown. Then keep both keys until the file opens with either. In each case, the
  /// database remains usable with the key in effect.
  ///
  /// After the change, all connections are reopened and all files are attached again. If this
  /// fails, for example because of too many open files, the key has still changed: the next use of
  /// the database reopens the connections, or throws.
  ///
  /// - Parameter key: The new key.
  /// - Throws: ``DatabaseError`` with the operation `rekey`, for example for a database without a
  ///   key: close the database and call `encrypt`. The code is `busy` while a ``DatabaseSnapshot``
  ///   is open, and while a different connection writes to the file or reads an earlier state.
  ///   `CancellationError` if the task is cancelled before the change begins; from then on,
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
    // Checked twice: before other calls queue behind this call, and again because a snapshot may
    // open during the wait.
    try pool.checkSnapshots(.rekey)
    try await rewritingFreePages {
      try await withAllConnections { (reader, writer) throws(DatabaseError) in
        try pool.checkSnapshots(.rekey)
        try reader.changeKey(to: key, through: writer)
      }
    }
  }

  /// Opens a file with the first matching key of a list, and changes the file's key to the first
  /// key of the list.
  ///
  /// ```swift
  /// let (database, index) = try await Database.open(
  ///   path: "app.db", keys: [newest, lastYears])
  /// ```
  /// Use this method to rotate keys: a file may still have an older key if the file has not been
  /// opened since the rotation, or if a previous rotation was interrupted. If an older key matches,
  /// this method changes the key as ``changeKey(to:)`` does. If the change is interrupted, the file
  /// has either the old or the new key, and the same call opens the file next time. A new file gets
  /// the newest key. A read-only file keeps its key.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - keys: The keys, the newest first. Keep an old key as long as any file may use the key.
  ///   - configuration: The options for opening the file.
  /// - Returns: The database, and the index in `keys` of the key that the file had.
  /// - Throws: ``DatabaseError`` as ``init(path:key:configuration:)`` does if no key matches, and
  ///   as ``changeKey(to:)`` does; `CancellationError`. After an error, the database is closed.
  /// - Complexity: Derives each passphrase in turn until a key matches. O(*n*) in the size of the
  ///   file if the key is changed.
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
  /// The caller holds all connections, so other reads and writes wait.
  fileprivate func changeKey(to key: NewKey, through writer: Connection) throws(DatabaseError) {
    // The writer's executor runs on this thread during the call, so the handle does not cross
    // threads.
    nonisolated(unsafe) let database = try handle
    // An interruption would prevent finding out which key the file has. The writer checks the task.
    let outcome = state.interruption.shielding {
      writer.sync { writer in writer.rekey(key, asking: database) }
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
    // If this fails, the next use reopens the connection, and throws the error.
    try? reopen()
  }
}

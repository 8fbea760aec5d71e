extension Database {
  /// Changes the key of the file. Every page is encrypted anew, in one transaction.
  ///
  /// When this returns, the new key holds; when it throws, the old key holds and nothing has changed.
  /// Only an error with the operation `rekeyCheck` leaves that open: the file could not be read any
  /// more, so keep both keys until it opens with one of them. The database itself goes on in each
  /// case, with the key that holds.
  ///
  /// The connections are opened anew. Where that fails, such as for too many open files or an
  /// attached file that is busy, the key has changed all the same: the next use of the database opens
  /// them, and throws what keeps it from that. The attached files are attached again.
  ///
  /// - Parameter key: The new key.
  /// - Throws: ``DatabaseError`` with the operation `rekey`, for instance for a database without a
  ///   key: close one that is not encrypted, and call `encrypt`. Its code is `busy` while a
  ///   ``DatabaseSnapshot`` is open, and while another connection of the file writes, or reads an earlier state
  ///   of it. `CancellationError` when the task
  ///   is cancelled before the change has begun: from there on it is made.
  /// - Complexity: O(*n*) in the size of the file.
  public func changeKey(to key: Key) async throws {
    try await changeKey(to: .given(key))
  }

  private func changeKey(to key: NewKey) async throws {
    guard DatabaseFile.isFile(path), !configuration.isReadOnly else {
      throw DatabaseError(
        .rekey, code: .misuse, "Only a file that can be written has a key to change", path: path)
    }
    // Before other calls wait behind it, and where one was taken while it waited.
    try pool.checkSnapshots(.rekey)
    try await rewritingFreePages {
      try await withAllConnections { (reader, writer) throws(DatabaseError) in
        try pool.checkSnapshots(.rekey)
        try reader.changeKey(to: key, through: writer)
      }
    }
  }

  /// Opens a file with the newest of several keys that fits, and gives it the newest one.
  ///
  /// ```swift
  /// let (database, index) = try await Database.open(
  ///   path: "app.db", keys: [newest, lastYears])
  /// ```
  /// For keys that are changed from time to time: a file that has not been open since then, or was
  /// interrupted, has an older one. Where an older one fits, the key of the file is changed as by
  /// ``changeKey(to:)`` before this returns. Wherever that is interrupted, the file has one of the two, so
  /// that the same call opens it the next time. A file that is created has the newest key, and one that
  /// is only read keeps its own.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - keys: The keys, the newest first. Keep an old one until no file can have it.
  ///   - configuration: How to open it.
  /// - Returns: The database, and the position in `keys` of the key that the file had: 0 where nothing had
  ///   to be changed.
  /// - Throws: ``DatabaseError`` as ``init(path:key:configuration:)`` does where none fits, and as
  ///   ``changeKey(to:)`` does; `CancellationError`. Nothing stays open then.
  /// - Complexity: Each passphrase is derived once, until one fits: about half a second for each. O(*n*) in
  ///   the size of the file where its key is changed.
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
  /// Changes the key of the file through the connection that writes, and opens this one again with
  /// it. Reads and writes that are asked for meanwhile wait: nobody else has a connection.
  fileprivate func changeKey(to key: NewKey, through writer: Connection) throws(DatabaseError) {
    // The writer's executor is this thread's meanwhile, so it is as if it were this connection's.
    nonisolated(unsafe) let database = try handle
    // It is asked which key the file has, and must not be interrupted then. The writer looks at the task.
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
    // What fails here is thrown by the next use, which tries it again.
    try? reopen()
  }
}

extension Database {
  /// Opens a file only to read it: no byte of it changes, nor of a file beside it.
  ///
  /// ```swift
  /// let tables = try await Database.inspect(path: "app.db", key: key) { database in
  ///   try await database.read { db in
  ///     try db.query(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table'")
  ///   }
  /// }
  /// ```
  /// A database that is opened with ``Configuration/isReadOnly`` still makes files beside the file for its log, and does
  /// not open one that was left with a journal. Here, a log or a journal that was left is applied to a copy in the folder
  /// for temporary files. ``unfinishedChanges(path:key:configuration:)`` says whether something was left.
  ///
  /// Another program may have the file open with a log, and write to it. With a rollback journal, its commits wait.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: Its key; `nil` for a file that is not encrypted.
  ///   - configuration: How to open it, with ``Configuration/isUntrusted`` for a file of a stranger.
  ///   - body: What to do with the database, which is closed afterwards.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``DatabaseError`` as ``init(path:key:configuration:)`` does, with the reason
  ///   ``DatabaseError/OpeningFailure/foreignChanges`` if the log or the journal belongs to another file, and with the code
  ///   `busy` while another program writes to the file, or if it has changed the file during the call.
  /// - Complexity: O(*n*) in the size of the file if a log or a journal was left beside it.
  public static func inspect<Result>(
    path: String, key: Key?, configuration: Configuration = Configuration(),
    _ body: (_ database: Database) async throws -> Result
  ) async throws -> Result {
    let (inspection, derived) = try await Ending.throwing {
      try await Connection(path: path, configuration: configuration).inspection(key)
    }
    do {
      let database = try await opened(inspection, key, derived)
      do {
        let result = try await body(database)
        try await database.close()
        try inspection.checkUnchanged()
        return result
      } catch {
        try? await database.close()
        throw error
      }
    } catch let error as DatabaseError {
      throw inspection.naming(error)
    }
  }

  /// Returns how changes reach the file, as the file says it: the configuration of a database that is only read need not
  /// agree with the file.
  /// - Returns: The mode; `nil` for a database without a file.
  /// - Throws: ``DatabaseError`` where the file cannot be read; `CancellationError`.
  public func journalMode() async throws -> Configuration.JournalMode? {
    guard DatabaseFile.isFile(path) else { return nil }
    return try await withConnection(.reader) { db in try db.journalMode }
  }

  private static func opened(
    _ inspection: Inspection, _ key: Key?, _ derived: Key?
  ) async throws(DatabaseError) -> Database {
    do throws(DatabaseError) {
      return try await Database(
        path: inspection.path, key: derived, configuration: inspection.configuration)
    } catch {
      // Other settings derive another key from a passphrase.
      guard error.openingFailure == .wrongKey, let key else { throw error }
      throw Connection.otherSettings(of: inspection.path, key, inspection.configuration) ?? error
    }
  }
}

extension Connection {
  fileprivate var journalMode: Configuration.JournalMode? {
    get throws(DatabaseError) {
      let database = try handle
      guard configuration.isImmutable else {
        let mode = try Self.text("PRAGMA main.journal_mode", database)
        return mode.flatMap { Configuration.JournalMode(rawValue: $0.uppercasedASCII) }
      }
      // SQLite looks for no journal of a file that does not change.
      return try FilesBeside.hasLog(path, original) ? .wal : .delete
    }
  }

  /// Runs on this connection's executor, away from the threads that tasks share.
  /// - Returns: The key as it was derived, too.
  fileprivate func inspection(_ key: Key?) throws(DatabaseError) -> (Inspection, Key?) {
    let original = try Database.original(path, key, configuration)
    let derived = original.key.map { Key(kind: .raw, secret: $0.bytes, salt: $0.salt) }
    return (try Inspection(path, original, configuration), derived)
  }
}

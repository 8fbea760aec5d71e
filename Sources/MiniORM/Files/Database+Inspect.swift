extension Database {
  /// Opens a file for reading, without changing the file or its -wal, -shm and -journal files.
  ///
  /// ```swift
  /// let tables = try await Database.inspect(path: "app.db", key: key) { database in
  ///   try await database.read { db in
  ///     try db.query(String.self, "SELECT name FROM sqlite_schema WHERE type = 'table'")
  ///   }
  /// }
  /// ```
  /// In contrast, a database with ``Configuration/isReadOnly`` creates files for the log, and
  /// cannot open a file with a leftover journal. This method applies a leftover log or journal to a
  /// copy in the folder for temporary files. ``unfinishedChanges(path:key:configuration:)`` reports
  /// leftover changes.
  ///
  /// Another program can have the file open, and write to it in WAL mode. With a rollback journal,
  /// that program's commits wait.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The file's key; `nil` for an unencrypted file.
  ///   - configuration: The options for opening the file. For a file from an untrusted source, set
  ///     ``Configuration/isUntrusted``.
  ///   - body: Reads the database, which is closed afterwards.
  /// - Throws: The error of the closure, or ``DatabaseError`` as ``init(path:key:configuration:)``.
  ///   The reason is ``DatabaseError/OpeningFailure/foreignChanges`` if the log or the journal
  ///   belongs to a different file. The code is `busy` if another program writes to the file, or
  ///   changed the file during the call.
  /// - Complexity: O(*n*) in the size of the file if a log or a journal was left beside the file.
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

  /// Returns the journal mode of the file. For a read-only database, the mode can differ from the
  /// configuration.
  /// - Returns: The mode; `nil` for a database without a file.
  /// - Throws: ``DatabaseError`` if the file cannot be read; `CancellationError`.
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
      // The key may match with other cipher settings, which derive a different key from a
      // passphrase.
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
      // SQLite ignores the journal of an immutable file.
      return try FilesBeside.hasLog(path, original) ? .wal : .delete
    }
  }

  fileprivate func inspection(_ key: Key?) throws(DatabaseError) -> (Inspection, Key?) {
    let original = try Database.original(path, key, configuration)
    let derived = original?.rawKey
    return (try Inspection(path, original, configuration), derived)
  }
}

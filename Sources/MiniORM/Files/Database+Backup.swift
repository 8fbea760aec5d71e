extension Database {
  /// Copies the database into another file with the same key, page by page, while others read and write.
  ///
  /// ```swift
  /// try await database.backup(to: "backup.db", replacing: true)
  /// ```
  /// The copy has one committed state of the file, also where others write all the time. With a write-ahead
  /// log nobody waits for it; with a rollback journal those who write wait until it is done. It is made
  /// beside `destination` and gets its name when all of it is on the disk: there is never half a copy, and
  /// where a former one is to be replaced it is there until then. A process that is killed leaves a file
  /// whose name ends in `.miniorm-` and a number: delete it.
  ///
  /// ``export(to:key:progress:)`` writes rows and not pages: its copy has no free pages, and is compared with
  /// the original. ``verify(path:key:configuration:)`` reads a backup and looks for damage.
  ///
  /// See [SQLite Online Backup](https://www.sqlite.org/backup.html).
  /// - Parameters:
  ///   - destination: The path of the backup. The disk needs room for it, and for the one that it replaces.
  ///   - replacing: Whether it takes the place of a file that is there. That must not be open.
  ///   - progress: Is called with the fraction that is copied, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy`: with the code `cannotOpen` where there is a file at
  ///   `destination` and `replacing` is `false`, and `busy` where that file is open; `CancellationError`.
  ///   What was at `destination` is there then.
  /// - Complexity: O(*n*) in the size of the file.
  public func backup(
    to destination: String, replacing: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    try await backUp(to: destination, replacing, progress) { original in
      if case .encrypted(let key) = original { key } else { nil }
    }
  }

  /// Copies the database into another file with another key, or with none.
  ///
  /// It works as ``backup(to:replacing:progress:)`` does. A copy that is not encrypted is written row by row, and
  /// so is an encrypted one of a database that is not.
  /// - Parameters:
  ///   - destination: The path of the backup.
  ///   - key: The key of the backup. `nil` makes one that is not encrypted.
  ///   - replacing: Whether it takes the place of a file that is there. That must not be open.
  ///   - progress: Is called with the fraction that is copied, from 0 to 1, on the copy's own executor.
  /// - Throws: ``DatabaseError`` with the operation `copy` or `key`; `CancellationError`. What was at
  ///   `destination` is there then.
  /// - Complexity: O(*n*) in the size of the file.
  public func backup(
    to destination: String, key: Key?, replacing: Bool = false,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    let settings = configuration.cipher
    try await backUp(to: destination, replacing, progress) { _ throws(DatabaseError) in
      try key.map { key throws(DatabaseError) in
        try CipherKey(key, fileSalt: nil, settings: settings)
      }
    }
  }

  private func backUp(
    to destination: String, _ replacing: Bool, _ progress: (@Sendable (Double) -> Void)?,
    _ key: @Sendable (FileCopy.Original) throws(DatabaseError) -> CipherKey?
  ) async throws {
    guard DatabaseFile.isFile(path) else {
      throw DatabaseError(
        .copy, code: .misuse, "Only a file can be backed up: use VACUUM INTO in withoutTransaction",
        path: path)
    }
    let original = try await withConnection(.reader) { db in try db.original }
    try await rewritingFreePages {
      try await Ending.throwing {
        try await Connection(path: path, configuration: configuration)
          .backUp(original, to: destination, replacing, progress, key)
      }
    }
  }
}

extension Connection {
  /// Runs on this connection's executor, away from the threads that tasks share, with connections of its
  /// own.
  fileprivate func backUp(
    _ original: FileCopy.Original, to destination: String, _ replacing: Bool,
    _ progress: (@Sendable (Double) -> Void)?,
    _ key: (FileCopy.Original) throws(DatabaseError) -> CipherKey?
  ) throws(DatabaseError) {
    let cipher: CipherKey?
    do throws(DatabaseError) {
      cipher = try key(original)
    } catch {
      throw error.adding(path: path)
    }
    var copy = FileCopy(
      path: path, original: original, key: cipher, configuration: configuration, progress: progress)
    copy.copiesPages = original.isEncrypted == (cipher != nil)
    try copy.run(to: destination, replacing: replacing)
  }
}
